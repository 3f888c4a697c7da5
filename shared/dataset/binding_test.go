package dataset_test

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

const bindingFile = `name: orders
key: id
select: {id: o.id, status: o.status, price: o.price}
from: bind_orders o
where:
  - {sql: "o.tenant = :caller.tenant"}
  - {sql: "o.status = :status -- as asked", when: status}
  - {sql: "o.id IN (:ids)", when: ids}
  - {sql: "o.status IN (:states)", when: states}
  - {sql: "o.price >= :price", when: price}
  - {sql: "o.ordered_on >= :day", when: day}
  - {sql: "o.ordered_at >= :moment", when: moment}
  - {sql: "o.active = :active", when: active}
  - {sql: "o.price BETWEEN :low AND :high", when: [low, high]}
params:
  status: {type: string}
  ids: {type: [integer]}
  states: {type: [string]}
  price: {type: decimal}
  day: {type: date}
  moment: {type: datetime}
  active: {type: boolean}
  low: {type: decimal}
  high: {type: decimal}
`

func bindingTable(t *testing.T, e engine) {
	t.Helper()
	boolean, suffix := "BOOLEAN", ""
	datetime := map[string]string{"sqlite": "DATETIME", "mariadb": "DATETIME(6)", "postgres": "TIMESTAMP"}[e.name]
	truth := map[bool]string{true: "1", false: "0"}
	if e.name == "postgres" {
		truth = map[bool]string{true: "true", false: "false"}
	}
	if e.name == "mariadb" {
		suffix = " CHARACTER SET utf8mb4"
	}
	e.exec(t, "CREATE TABLE bind_orders (id BIGINT NOT NULL PRIMARY KEY, tenant VARCHAR(9) NOT NULL, status VARCHAR(40) NOT NULL,"+
		" price DECIMAL(20,4) NOT NULL, ordered_on DATE NOT NULL, ordered_at "+datetime+" NOT NULL, active "+boolean+" NOT NULL)"+suffix)
	for i := 1; i <= 6; i++ {
		e.exec(t, fmt.Sprintf("INSERT INTO bind_orders VALUES (%d, 't%d', '%s', %d.1050, '2026-09-%02d', '2026-09-%02d 00:30:00', %s)",
			i, i/6, []string{"PAID", "가", "1"}[i%3], i, i, i, truth[i%2 == 0]))
	}
}

// TestBinding filters by parameters of all types; what looks like SQL is a value
// like any other.
func TestBinding(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		bindingTable(t, e)
		d := load(t, e.sources(t, dataset.SourceOptions{PageRows: 2, ReportZone: seoul(t)}), bindingFile)
		for _, c := range []struct{ params, want string }{
			{`{}`, "1 2 3 4 5"},
			{`{"status":"가"}`, "1 4"},
			{`{"status":"1"}`, "2 5"},
			{`{"status":1}`, "2 5"},
			{`{"status":"PAID' OR '1'='1"}`, ""},
			{`{"status":"\\' OR 1=1 -- "}`, ""},
			{`{"status":":ids"}`, ""},
			{`{"ids":[2,"4",99999999999999999999]}`, "2 4"},
			{`{"states":["가","x') OR ('1'='1"]}`, "1 4"},
			{`{"states":["가","PAID"]}`, "1 3 4"},
			{`{"price":"3.105"}`, "3 4 5"},
			{`{"price":3.1051}`, "4 5"},
			{`{"price":1e1}`, ""},
			{`{"day":"20260904"}`, "4 5"},
			{`{"moment":"2026-09-04T00:30:00"}`, "4 5"},
			{`{"moment":"2026-09-03T15:30:00Z"}`, "4 5"}, // the same, from another zone
			{`{"moment":"2026-09-04"}`, "4 5"},
			{`{"active":true}`, "2 4"},
			{`{"active":"0"}`, "1 3 5"},
			{`{"low":2,"high":"4.2"}`, "2 3 4"},
			{`{"low":2}`, "1 2 3 4 5"},
		} {
			raw := dataset.RawParams{}
			if err := json.Unmarshal([]byte(c.params), &raw); err != nil {
				t.Fatal(err)
			}
			values, _, fields := dataset.Normalise(d.Info().Params, raw)
			if fields != nil {
				t.Fatal(fields)
			}
			q := dataset.Query{Params: values, Caller: map[string]string{"tenant": "t0"}, Fields: []string{"Status", "nothing"}}
			got, rows := mustRead(t, d, q)
			var ids []string
			for _, r := range rows {
				ids = append(ids, strings.TrimPrefix(r[0], "integer:"))
			}
			if strings.Join(ids, " ") != c.want {
				t.Errorf("%s: %v, want %s", c.params, ids, c.want)
			}
			if len(got) != 2 || got[0].Name != "id" || got[1].Name != "status" {
				t.Errorf("fields %v", got)
			}
			if n, known, err := d.Count(t.Context(), q); n != int64(len(rows)) || !known || err != nil {
				t.Errorf("%s: count %d, %v, %v", c.params, n, known, err)
			}
		}
		_, _, err := readAll(t.Context(), d, dataset.Query{})
		if !fault.Is(err, fault.Forbidden) {
			t.Errorf("without the claim: %v", err)
		}
	})
}

// TestAbsentParameters binds NULL for what is absent and not conditional.
func TestAbsentParameters(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		bindingTable(t, e)
		d := load(t, e.sources(t, dataset.SourceOptions{}), `name: orders
sql: |
  SELECT id, status AS "orderStatus" FROM bind_orders
  WHERE (:status IS NULL OR status = :status) AND (:least IS NULL OR price >= :least)
  ORDER BY id DESC; -- newest first
params: {status: {type: string}, least: {type: decimal}}
count: off
`)
		if e.name == "mariadb" {
			d = load(t, e.sources(t, dataset.SourceOptions{}), `name: orders
sql: "SELECT id, status AS orderStatus FROM bind_orders WHERE (:status IS NULL OR status = :status) AND (:least IS NULL OR price >= :least) ORDER BY id DESC; # newest first"
params: {status: {type: string}, least: {type: decimal}}
count: off
`)
		}
		fields, rows := mustRead(t, d, dataset.Query{})
		if len(rows) != 6 || rows[0][0] != "integer:6" || fields[1].Name != "orderStatus" {
			t.Errorf("all: %v %v", fields, rows)
		}
		one := dataset.Values{
			"status": {Type: dataset.StringParam, Items: []string{"PAID"}}, "least": {Type: dataset.DecimalParam, Items: []string{"4"}},
		}
		if _, rows := mustRead(t, d, dataset.Query{Params: one}); cmp.Diff([]row{{"integer:6", "text:PAID"}}, rows) != "" {
			t.Errorf("some: %v", rows)
		}
		if _, known, err := d.Count(t.Context(), dataset.Query{}); known || err != nil {
			t.Errorf("count: off counted: %v", err)
		}
	})
}

// TestBrokenQueries checks the fault of each, and that no internal text shows.
func TestBrokenQueries(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		bindingTable(t, e)
		s := e.sources(t, dataset.SourceOptions{})
		for _, c := range []struct{ sql, want string }{
			{"SELEC id FROM bind_orders", "the query failed."},
			{"SELECT id FROM no_such_table", "the query failed."},
			{"SELECT no_such_column FROM bind_orders", "the query failed."},
			{"SELECT a.status, b.status FROM bind_orders a JOIN bind_orders b ON b.id = a.id", `two columns are named "status".`},
			{"DELETE FROM bind_orders", ""},
		} {
			d := load(t, s, "name: broken\nsql: "+c.sql+"\n")
			_, _, err := readAll(t.Context(), d, dataset.Query{})
			if !fault.Is(err, fault.Unprocessable) || c.want != "" && fault.SafeMessage(err) != `Dataset "broken": `+c.want {
				t.Errorf("%s: %v", c.sql, err)
			}
			n, known, err := d.Count(t.Context(), dataset.Query{})
			if duplicate := strings.HasPrefix(c.want, "two"); duplicate && err != nil || !duplicate && !fault.Is(err, fault.Unprocessable) {
				t.Errorf("count of %s: %d %v %v", c.sql, n, known, err)
			}
		}
		var left int
		if err := e.db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM bind_orders").Scan(&left); err != nil || left != 6 {
			t.Errorf("%d rows are left, %v", left, err)
		}
	})
}

// TestUnreachable reads from a port where nobody listens, and a missing file.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"mysql://u:secret@" + address + "/db", "postgres://u:secret@" + address + "/db?sslmode=disable", "sqlite:" + t.TempDir() + "/absent.db"} {
		d := load(t, engine{url: url}.sources(t, dataset.SourceOptions{}), "name: away\nsql: SELECT 1 AS one\n")
		_, _, err := readAll(t.Context(), d, dataset.Query{})
		if !fault.Is(err, fault.Unavailable) || fault.SafeMessage(err) != `Dataset "away": the database is not available.` || !fault.Retryable(err) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
