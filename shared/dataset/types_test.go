package dataset_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

// typed is one column of a statement that reads all types.
type typed struct {
	declared string // the column's type; "" for an expression
	stored   string // the SQL literal in the column, or the expression
	// value is what the dataset gives: kind:text, with the field's number of
	// decimal places where its type fixes one, as in decimal(2):1.10. NULL is the
	// kind alone.
	value string
	cell  string // see showCell
}

func seoul(t testing.TB) *time.Location {
	t.Helper()
	return zoneOf(t, "Asia/Seoul")
}

func zoneOf(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// showCell writes a cell as its type, its text and, unless that is General, its
// number format: "n 1.10 | 0.00". An empty cell is "-".
func showCell(formats []string, c cell.Cell) string {
	letter := map[cell.Type]string{cell.Number: "n", cell.String: "s", cell.Boolean: "b"}[c.Type]
	if letter == "" {
		return "-"
	}
	text := letter + " " + string(c.Text)
	if format := formats[c.Format]; format != "General" {
		text += " | " + format
	}
	return text
}

// showTyped writes a value as typed has it.
func showTyped(f cell.Field, v cell.Value) string {
	kind := f.Kind
	if kind == cell.Null { // each value has its own
		kind = v.Kind
	}
	text := kindNames[kind]
	if f.Scale >= 0 && kind == cell.Decimal {
		text += fmt.Sprintf("(%d)", f.Scale)
	}
	if v.Kind == cell.Null {
		return text
	}
	if v.Kind != kind {
		return fmt.Sprintf("a %s in a field of kind %s", kindNames[v.Kind], text)
	}
	_, shown, _ := strings.Cut(show([]cell.Value{v})[0], ":")
	return text + ":" + shown
}

// readTyped reads one row as values and as cells of columns without a format.
func readTyped(t *testing.T, d dataset.Dataset, q dataset.Query, zone *time.Location) (names, values, cells []string) {
	t.Helper()
	rows, err := d.Open(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Next() {
		t.Fatalf("no row: %v", errors.Join(rows.Err(), rows.Close()))
	}
	for i, f := range rows.Fields() {
		column, warnings := cell.Compile(cell.ColumnDef{Field: f.Name}, f, true, zone)
		if len(warnings) > 0 {
			t.Errorf("%s: %v", f.Name, warnings)
		}
		v := rows.Values()[i]
		names = append(names, f.Name)
		values = append(values, showTyped(f, v))
		cells = append(cells, showCell(column.Formats(), column.Cell(v)))
	}
	if rows.Next() {
		t.Error("more than one row")
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	return names, values, cells
}

// typeTable makes the table of the columns among types, and gives the members of
// select, by name, that read all types in their order.
func typeTable(t *testing.T, e engine, types []typed) (selected [][2]string) {
	t.Helper()
	columns, filled, literals := "id INTEGER NOT NULL PRIMARY KEY", "id", "1"
	for i, one := range types {
		name := fmt.Sprintf("c%d", i)
		if one.declared == "" {
			selected = append(selected, [2]string{name, one.stored})
			continue
		}
		columns += ", " + name + " " + one.declared
		if one.stored != "" { // else it is computed
			filled += ", " + name
			literals += ", " + one.stored
		}
		selected = append(selected, [2]string{name, "k." + name})
	}
	e.exec(t, "CREATE TABLE kinds ("+columns+")", "INSERT INTO kinds ("+filled+") VALUES ("+literals+")")
	return selected
}

// typeSets are the ways to read the same: page by page, with a bound parameter,
// and as one statement.
func typeSets(t *testing.T, s *dataset.Sources, selected [][2]string) map[string]*dataset.SQL {
	t.Helper()
	parts, whole := "name: kinds\nkey: id\nselect:\n  id: k.id\n", ""
	for _, m := range selected {
		parts += fmt.Sprintf("  %s: %q\n", m[0], m[1])
		whole += ", " + m[1] + " AS " + m[0]
	}
	parts += "from: kinds k\n"
	return map[string]*dataset.SQL{
		"pages":     load(t, s, parts),
		"bound":     load(t, s, parts+"where: [{sql: \"k.id = :id\"}]\nparams: {id: {type: integer, required: true}}\n"),
		"statement": load(t, s, fmt.Sprintf("name: whole\nsql: %q\n", "SELECT k.id AS id"+whole+" FROM kinds k")),
	}
}

// checkTypes reads all types in all ways.
func checkTypes(t *testing.T, e engine, types []typed, selected [][2]string) {
	t.Helper()
	s := e.sources(t, dataset.SourceOptions{ReportZone: seoul(t)})
	q := dataset.Query{Params: dataset.Values{"id": {Type: dataset.IntegerParam, Items: []string{"1"}}}}
	for way, d := range typeSets(t, s, selected) {
		names, values, cells := readTyped(t, d, q, seoul(t))
		if len(names) != len(types)+1 {
			t.Fatalf("%s: %d columns, want %d", way, len(names), len(types)+1)
		}
		for i, want := range types {
			at := fmt.Sprintf("%s: %s %s", way, want.declared, want.stored)
			if values[i+1] != want.value {
				t.Errorf("%s: value %q, want %q", at, values[i+1], want.value)
			}
			if cells[i+1] != want.cell {
				t.Errorf("%s: cell %q, want %q", at, cells[i+1], want.cell)
			}
		}
	}
}

// withParameters is the engine whose URL has parameters, too.
func (e engine) withParameters(parameters string) engine {
	separator := "?"
	if strings.Contains(e.url, "?") {
		separator = "&"
	}
	e.url += separator + parameters
	return e
}

// parameters joins names and values, each escaped.
func parameters(values map[string]string) string {
	out := url.Values{}
	for name, value := range values {
		out.Set(name, value)
	}
	return strings.ReplaceAll(out.Encode(), "+", "%20")
}

// TestOpenNumberOfDecimals: a column that the driver cannot read is a fault of
// the statement. Another try would not help.
func TestOpenNumberOfDecimals(t *testing.T) {
	e := onMariaDB(t)
	s := e.sources(t, dataset.SourceOptions{MaxConns: 1})
	const when = "FROM_UNIXTIME(seq / 2e0)"
	_, _, err := readAll(t.Context(), load(t, s, "name: open\nsql: SELECT "+when+" AS at FROM seq_1_to_1000000\n"), dataset.Query{})
	const told = `Dataset "open": the times of the column "at" have an open number of decimals; CAST(… AS DATETIME(6)) gives them one.`
	if !fault.Is(err, fault.Unprocessable) || fault.SafeMessage(err) != told {
		t.Errorf("%v, want Unprocessable", err)
	}
	_, rows := mustRead(t, load(t, s, "name: given\nsql: SELECT CAST("+when+" AS DATETIME(6)) AS at FROM seq_1_to_1\n"), dataset.Query{})
	if diff := cmp.Diff([]row{{"datetime:1970-01-01 00:00:00.500000"}}, rows); diff != "" {
		t.Error(diff)
	}
}
