package cases

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// contents are the rows of a query of two columns, as text.
func (d database) contents(t testing.TB, query string) (rows []string) {
	t.Helper()
	found, err := d.db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var id, text string
		if err := found.Scan(&id, &text); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, id+" "+text)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// The tables that X2 must leave alone.
const (
	allAccounts = "SELECT id, password_hash FROM accounts ORDER BY id"
	allSales    = "SELECT id, status FROM sales ORDER BY id"
)

// X2: whatever a client writes into values, sort keys and columns stays a value,
// or is refused; no table changes and nothing is told that was not offered.
func TestCase_X2(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.exec(t, "CREATE TABLE accounts (id INTEGER NOT NULL PRIMARY KEY, password_hash VARCHAR(40) NOT NULL)",
			"INSERT INTO accounts VALUES (1, 'c0ffee-hash')")
		sets := []string{
			d.sales(t, 10),
			// The same as one statement, and one that fails at its source.
			"name: statement\nsql: SELECT o.id, o.status FROM sales o WHERE o.status = :status\nparams: {status: {type: string}}\ncolumns: [{field: id}, {field: status}]\n",
			"name: broken\nsql: SELECT id, secret_column FROM accounts WHERE password_hash = :status\nparams: {status: {type: string}}\ncolumns: [{field: id}]\n",
			// Its table has a column that it does not offer.
			"name: accounts\nkey: id\nselect: {id: a.id}\nfrom: accounts a\ncolumns: [{field: id}]\n",
		}
		p := newJobTable(t, d).start(t, sets)
		accounts, sales := d.contents(t, allAccounts), d.contents(t, allSales)

		for _, value := range []string{
			"PAID' OR '1'='1", "PAID'; DROP TABLE sales; --", "PAID\\' OR 1=1 -- ", "PAID\" OR \"\"=\"", "' UNION SELECT id, password_hash FROM accounts -- ",
			"PAID' /*", ":status", "$1", "?", "%", "_", "＇ OR 1=1", "PAID%' OR '1' LIKE '1", "${jndi:ldap://x}", "{{7*7}}", "\\", "'", "''",
		} {
			for _, set := range []string{"sales", "statement"} {
				body := `{"params": {"status": ` + jsonText(t, value) + `}}`
				a := p.do(t, http.MethodPost, set, body)
				if a.code != http.StatusAccepted {
					t.Fatalf("%q: %d %s", value, a.code, a.body)
				}
				if end := p.await(t, decoded[status](t, a.body).JobID); end.Status != "DONE" || end.ProcessedRows != 0 {
					t.Errorf("%s with %q ended %+v, want DONE without rows", set, value, end)
				}
			}
		}
		for _, body := range []string{
			`{"sort": [{"field": "created_at; DROP TABLE sales", "dir": "asc"}]}`,
			`{"sort": [{"field": "(CASE WHEN 1=1 THEN id ELSE amount END)", "dir": "asc"}]}`,
			`{"sort": [{"field": "id", "dir": "ASC,(SELECT 1)"}]}`,
			`{"sort": [{"field": "id", "dir": "asc; DROP TABLE sales"}]}`,
			`{"sort": [{"field": "o.id", "dir": "asc"}]}`,
			`{"sort": [{"field": "status", "dir": "asc"}]}`,
			`{"sort": [{"field": "ID", "dir": "asc"}]}`,
			`{"sort": [{"field": ["id"], "dir": "asc"}]}`,
			`{"sort": "id; DROP TABLE sales"}`,
			`{"params": {"ids": ["1) OR (1=1"]}}`,
			`{"params": {"ids": ["1", "2)) UNION SELECT 1 -- "]}}`,
			`{"params": {"ids": {"$gt": 0}}}`,
			`{"params": {"status": {"$ne": 1}}}`,
			`{"params": {"status": "PAID\u0000' OR 1=1"}}`,
			`{"params": {"status": ["PAID", "OPEN"]}}`,
			`{"params": {"first": "1 OR 1=1"}}`,
			`{"params": {"first": "0x1"}}`,
			`{"params": {"first": {"sql": "1"}}}`,
		} {
			if a := p.do(t, http.MethodPost, "sales", body); a.code != http.StatusBadRequest {
				t.Errorf("%s: %d %s, want 400", body, a.code, a.body)
			} else if strings.Contains(strings.ToUpper(string(a.body)), "SELECT O.ID") {
				t.Errorf("%s: the answer shows SQL: %s", body, a.body)
			}
		}

		// A field that is not offered is a blank column with a warning.
		for i, field := range []string{"password_hash", "a.password_hash", "id, a.password_hash AS x", "(SELECT password_hash FROM accounts)", "*", "1; DROP TABLE sales", "\"", "`"} {
			f := p.export(t, "accounts", fmt.Sprintf(`{"fileName": "%d", "columns": [{"field": "id"}, {"field": %s, "headerName": "x"}]}`, i, jsonText(t, field)))
			rows := xlsxtest.Open(t, f.content).Sheet(0).Rows()
			if len(f.Warnings) != 1 || f.ProcessedRows != 1 || len(rows) != 2 || at(rows, 1, 1).Text != "" {
				t.Errorf("the field %q: warnings %q, rows %v", field, f.Warnings, rows)
			}
			if strings.Contains(fmt.Sprint(rows), "c0ffee") {
				t.Errorf("the field %q shows what is not offered: %v", field, rows)
			}
		}

		end := p.run(t, "broken", `{"params": {"status": "PAID' OR '1'='1"}}`)
		if end.Status != "FAIL" || end.ErrorMsg == "" {
			t.Errorf("the broken statement ended %+v", end)
		}
		for _, secret := range []string{"secret_column", "accounts", "PAID", "SELECT", "syntax", "SQLSTATE", "42", "10.", "127.0.0.1"} {
			if strings.Contains(end.ErrorMsg, secret) {
				t.Errorf("the reason tells %q: %s", secret, end.ErrorMsg)
			}
		}
		if diff := cmp.Diff(accounts, d.contents(t, allAccounts)) + cmp.Diff(sales, d.contents(t, allSales)); diff != "" {
			t.Errorf("the tables were changed: %s", diff)
		}
	})
}
