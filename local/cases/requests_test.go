package cases

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// A request waits in the job table until a worker takes it: no database of jobs
// changes its texts, nor refuses a character that a cell can show.
func TestRequestsThroughEveryJobTable(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.exec(t, "CREATE TABLE one (id INTEGER NOT NULL PRIMARY KEY)", "INSERT INTO one VALUES (1)")
		s := serve(t, []string{"name: one\nsource: " + d.name + "\nkey: id\nselect: {id: o.id}\nfrom: one o\n"},
			[]string{"HAEXCEL_DATABASE_URL=" + d.url}, d)
		f := s.export(t, "one", `{"fileName":"a\u0000b😀","sheetName":"a\u0000b😀","columns":[
			{"field":"id","headerName":"\u0000","excelCodeMap":{"1":"a\u0000b"}},
			{"field":"id","headerName":"\uffff\ufffe","excelCodeMap":{"1":"\ud83d"}},
			{"field":"a\u0000b","headerName":"😀"},
			{"field":"id","headerName":"\\\\ '\" %s $1 ? :id","excelCodeMap":{"1":"\\ \\n ''"}},
			{"field":"id","headerName":"é","excelCodeMap":{"1":"e\u0301"}},
			{"field":"id","headerName":" 앞","excelCodeMap":{"1":"\r\n뒤 "}}]}`)
		sheet := f.book(t).Sheet(0)
		header := []string{"\x00", "\uFFFF\uFFFE", "😀", `\\ '" %s $1 ? :id`, "é", " 앞"}
		label := []string{"a\x00b", "\uFFFD", "", `\ \n ''`, "e\u0301", "\n뒤 "}
		for i := range header {
			if got := at(sheet.Rows(), 0, i).Text; got != header[i] {
				t.Errorf("header %d is %+q, want %+q", i+1, got, header[i])
			}
			if got := at(sheet.Rows(), 1, i).Text; got != label[i] {
				t.Errorf("label %d is %+q, want %+q", i+1, got, label[i])
			}
		}
		if sheet.Name != "a_b😀" || len(f.Warnings) != 1 {
			t.Errorf("the sheet is %+q, warnings %+q", sheet.Name, f.Warnings)
		}
	})
}

// The same values give the same cells, whichever database they come from.
func TestDatabasesGiveTheSameCells(t *testing.T) {
	t.Parallel()
	cells := map[string][][]xlsxtest.Cell{}
	for _, d := range []database{onMariaDB(t), onPostgres(t), onSQLite(t)} {
		values := []typed{
			{"INT: -5", "integer: -5", "INT: -5", none, ""},
			{"BIGINT: 9007199254740993", "bigint: 9007199254740993", "BIGINT: 9007199254740993", none, ""},
			everywhereTyped("DECIMAL(12,2): 1250.10", none),
			everywhereTyped("DECIMAL(12,2): -0.00", none),
			everywhereTyped("DECIMAL(10,0): 1250", none),
			{"DOUBLE: 0.30000000000000004", "double precision: 0.30000000000000004", "DOUBLE: 0.30000000000000004", none, ""},
			{"DOUBLE: 1e300", "double precision: 1e300", "DOUBLE: 1e300", none, ""},
			{"TEXT: ' 가😀\n_x0041_ '", "text: E' 가😀\\n_x0041_ '", "TEXT: ' 가😀\n_x0041_ '", none, ""},
			everywhereTyped("VARCHAR(9): '00123'", none),
			everywhereTyped("VARCHAR(9): ''", none),
			everywhereTyped("VARCHAR(9): NULL", none),
			{"CHAR(9): '07'", "char(9): '07'", "CHAR(9): '07'", none, ""},
			everywhereTyped("DATE: '2026-09-02'", none),
			everywhereTyped("DATE: '1592-05-23'", none),
			{"DATETIME(3): '2026-09-02 14:30:25.999'", "timestamp: '2026-09-02 14:30:25.999'", "DATETIME: '2026-09-02 14:30:25.999'", none, ""},
			{"TIMESTAMP NULL: '2026-09-02 05:30:25'", "timestamptz: '2026-09-02 05:30:25Z'", "TIMESTAMP: '2026-09-02 05:30:25Z'", none, ""},
			{"TIME: '14:30:25'", "time: '14:30:25'", "TIME: '14:30:25'", none, ""},
			{"BLOB: x'00FF89'", `bytea: '\x00FF89'`, "BLOB: x'00FF89'", none, ""},
			{`JSON: '{"n":1.10}'`, `json: '{"n":1.10}'`, `JSON: '{"n":1.10}'`, none, ""},
			everywhereTyped("DECIMAL(12,2): 1234.90", none).with("excelFormat: krw"),
			everywhereTyped("VARCHAR(20): '20260902'", none).with("excelFormat: ymd"),
			everywhereTyped("VARCHAR(20): '01012345678'", none).with("excelFormat: phone"),
			{"INT: 1", "integer: 1", "INT: 1", none, `, excelCodeMap: {"1": 대기}`},
			{"DATETIME: '1899-12-31 23:59:59'", "timestamp: '1899-12-31 23:59:59'", "DATETIME: '1899-12-31 23:59:59'", none, ", excelFormat: datetime"},
		}
		dataset, _ := d.kinds(t, values)
		f := serve(t, []string{dataset}, nil, d).export(t, "kinds", "{}")
		rows := filled(t, f.content)[1:] // the headers name each database's types
		for _, row := range rows {
			for i := range row {
				row[i].Style = 0 // a number of the workbook's own
			}
		}
		cells[d.name] = rows
	}
	for _, other := range []string{"postgres", "sqlite"} {
		if diff := cmp.Diff(cells["mariadb"], cells[other]); diff != "" {
			t.Errorf("%s: %s", other, diff)
		}
	}
}
