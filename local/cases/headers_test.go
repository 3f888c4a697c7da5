package cases

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// oneRow is a dataset of one row with the fields of the header cases; its values
// are the names of its fields.
func oneRow(t testing.TB, d database) string {
	t.Helper()
	d.exec(t, "CREATE TABLE blank (no INTEGER)") // SQLite's file has to be there
	return "name: row\nsource: " + d.name + "\nsql: SELECT 'a' AS a, 'b1' AS b1, 'b2' AS b2, 'c1' AS c1, 'd' AS d\n"
}

// object is a JSON object of a request, as a client may write it.
type object map[string]any

// columns is a body that asks for them.
func columns(t testing.TB, more object, list ...object) string {
	t.Helper()
	body := object{"columns": list}
	for name, value := range more {
		body[name] = value
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func leaf(field, name string) object { return object{"field": field, "headerName": name} }

func group(name string, children ...object) object {
	return object{"headerName": name, "children": children}
}

// wantFault submits a body that must be refused because of the named member.
func (s *site) wantFault(t *testing.T, dataset, body, member string) {
	t.Helper()
	a := s.do(t, http.MethodPost, dataset, body)
	problem := decoded[struct {
		Fields map[string]string `json:"fields"`
	}](t, a.body)
	if a.code != http.StatusBadRequest || problem.Fields[member] == "" {
		t.Errorf("%.200s: %d %s, want 400 because of %s", body, a.code, a.body, member)
	}
}

// S2: groups merge across their leaves, leaves down to the deepest level; nothing
// merges alone or twice.
func TestCase_S2(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	s := serve(t, []string{oneRow(t, d)}, nil, d)
	for name, c := range map[string]struct {
		columns []object
		merges  []string
		rows    [][]string // the header rows and the data row
	}{
		"the case": {
			[]object{leaf("a", "A"), group("B", leaf("b1", "B1"), leaf("b2", "B2")), group("C", leaf("c1", "C1")), {"field": "d", "headerName": "D", "children": []object{}}},
			[]string{"A1:A2", "B1:C1", "E1:E2"},
			[][]string{{"A", "B", "", "C", "D"}, {"", "B1", "B2", "C1", ""}, {"a", "b1", "b2", "c1", "d"}},
		},
		"one level": {
			[]object{leaf("a", "A"), leaf("d", "D")}, nil,
			[][]string{{"A", "D"}, {"a", "d"}},
		},
		"one column": {
			[]object{leaf("a", "A")}, nil,
			[][]string{{"A"}, {"a"}},
		},
		"children null is a leaf": {
			[]object{{"field": "a", "headerName": "A", "children": nil}, group("B", leaf("b1", "B1"))},
			[]string{"A1:A2"},
			[][]string{{"A", "B"}, {"", "B1"}, {"a", "b1"}},
		},
		"uneven depths": {
			[]object{group("1", group("2", group("3", leaf("a", "p"), leaf("b1", "q"))), leaf("b2", "r")), leaf("c1", "s"), group("t", group("u", leaf("d", "v")))},
			[]string{"A1:C1", "A2:B2", "A3:B3", "C2:C4", "D1:D4", "E3:E4"},
			[][]string{{"1", "", "", "s", "t"}, {"2", "", "r", "", "u"}, {"3", "", "", "", "v"}, {"p", "q", "", "", ""}, {"a", "b1", "b2", "c1", "d"}},
		},
		"groups of one": {
			[]object{group("x", group("y", leaf("a", "z")))}, nil,
			[][]string{{"x"}, {"y"}, {"z"}, {"a"}},
		},
		"a group without a name": {
			[]object{{"children": []object{leaf("a", "A"), leaf("d", "D")}}, {"headerName": nil, "children": []object{leaf("b1", "B")}}},
			[]string{"A1:B1"},
			[][]string{{"", "", ""}, {"A", "D", "B"}, {"a", "d", "b1"}},
		},
		"a group does not show its own field": {
			[]object{{"field": "d", "headerName": "G", "width": 900, "children": []object{leaf("a", "A"), leaf("b1", "B")}}},
			[]string{"A1:B1"},
			[][]string{{"G", ""}, {"A", "B"}, {"a", "b1"}},
		},
		"names that occur twice": {
			[]object{group("같다", leaf("a", "같다"), leaf("b1", "같다")), group("같다", leaf("a", "같다"), leaf("a", "같다"))},
			[]string{"A1:B1", "C1:D1"},
			[][]string{{"같다", "", "같다", ""}, {"같다", "같다", "같다", "같다"}, {"a", "b1", "a", "a"}},
		},
		"a leaf without a name is called by its field": {
			[]object{{"field": "a"}, {"field": "b1", "headerName": ""}, {"field": "d", "headerName": nil}, {"field": "c1", "headerName": 7}},
			nil,
			[][]string{{"a", "b1", "d", "7"}, {"a", "b1", "d", "c1"}},
		},
		"names of the kinds that cells have to escape": {
			[]object{leaf("a", "=1+1"), leaf("b1", " 앞 <&> "), leaf("b2", "줄\r\n줄"), leaf("c1", "_x0041_"), leaf("d", "탭\t\x01")},
			nil,
			[][]string{{"=1+1", " 앞 <&> ", "줄\n줄", "_x0041_", "탭\t\x01"}, {"a", "b1", "b2", "c1", "d"}},
		},
		"sixteen levels": {
			[]object{nested(15, leaf("a", "잎")), leaf("d", "D")},
			[]string{"B1:B16"},
			append(steps(15, "D"), []string{"잎", ""}, []string{"a", "d"}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := s.export(t, "row", columns(t, nil, c.columns...))
			if len(f.Warnings) > 0 {
				t.Errorf("warnings %q", f.Warnings)
			}
			sheet := f.book(t).Sheet(0)
			slices.Sort(sheet.Merges)
			if !slices.Equal(sheet.Merges, c.merges) {
				t.Errorf("merges %v, want %v", sheet.Merges, c.merges)
			}
			levels := len(c.rows) - 1
			for i, want := range c.rows {
				if got := sheet.Texts(i + 1); !slices.Equal(got, want) {
					t.Errorf("row %d: %q, want %q", i+1, got, want)
				}
			}
			for i, row := range sheet.Rows()[:levels] {
				for j, cell := range row {
					if len(row) != len(c.rows[0]) || !cell.Bold || cell.Fill != "D9D9D9" || !cell.Border || cell.Align != "center" {
						t.Errorf("header cell %d/%d has the style %+v", i+1, j+1, cell)
					}
				}
			}
			last := string(rune('A' + len(c.rows[0]) - 1))
			if want := fmt.Sprintf("A%d:%s%d", levels, last, levels+1); sheet.Filter != want || sheet.Frozen != levels {
				t.Errorf("%d frozen rows and the filter %s, want %d and %s", sheet.Frozen, sheet.Filter, levels, want)
			}
		})
	}
}

// nested is a leaf below groups that are called by their level.
func nested(levels int, inside object) object {
	for ; levels > 0; levels-- {
		inside = group(fmt.Sprint(levels), inside)
	}
	return inside
}

// steps are the header rows above such a leaf, beside a leaf that reaches down.
func steps(levels int, beside string) [][]string {
	var rows [][]string
	for i := range levels {
		rows = append(rows, []string{fmt.Sprint(i + 1), ""})
	}
	rows[0][1] = beside
	return rows
}

// What a person sees of the header of S2, and what a too large or malformed one is
// answered with.
func TestCase_S2Limits(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	s := serve(t, []string{oneRow(t, d)}, nil, d)

	f := s.export(t, "row", columns(t, nil, leaf("a", "A"), group("B", leaf("b1", "B1"), leaf("b2", "B2")), group("C", leaf("c1", "C1")), object{"field": "d", "headerName": "D", "children": []object{}}))
	want := [][]string{{"A", "B", "", "C", "D"}, {"", "B1", "B2", "C1", ""}, {"a", "b1", "b2", "c1", "d"}}
	if got := display(t, f.content); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("LibreOffice shows %q, want %q", got, want)
	}

	// A sheet has 16,384 columns, XFD is the last one.
	wide := make([]object, 16384)
	for i := range wide {
		wide[i] = object{"field": "a"}
	}
	f = s.export(t, "row", columns(t, nil, group("모두", wide...)))
	sheet := f.book(t).Sheet(0)
	if last := sheet.At("XFD3"); last.Text != "a" || !slices.Equal(sheet.Merges, []string{"A1:XFD1"}) || len(sheet.Rows()[1]) != 16384 {
		t.Errorf("the last cell is %+v, merges %v", last, sheet.Merges)
	}
	s.wantFault(t, "row", columns(t, nil, append(wide, object{"field": "b1"})...), "columns")
	s.wantFault(t, "row", columns(t, nil, group("모두", append(wide, object{"field": "b1"})...)), "columns")

	// A level too many, whichever column has it.
	at := "columns[1]" + strings.Repeat(".children[0]", 15) + ".children"
	s.wantFault(t, "row", columns(t, nil, leaf("a", "A"), nested(16, leaf("a", "잎"))), at)
	s.wantFault(t, "row", columns(t, nil, object{"field": "a", "children": object{}}), "columns[0].children")
	s.wantFault(t, "row", columns(t, nil, object{"field": "a", "children": "b"}), "columns[0].children")
	s.wantFault(t, "row", columns(t, nil, object{"field": "a", "children": []any{nil}}), "columns[0].children[0]")
	s.wantFault(t, "row", columns(t, nil, object{"field": []string{"a"}}), "columns[0].field")
	s.wantFault(t, "row", columns(t, nil, object{"field": "a", "headerName": object{}}), "columns[0].headerName")
	s.wantFault(t, "row", `{"columns": {"field": "a"}}`, "columns")
	s.wantFault(t, "row", `{"columns": []}`, "columns")
	s.wantFault(t, "row", `{}`, "columns")

	// A name that no cell holds is cut, counted like any other text.
	f = s.export(t, "row", columns(t, nil, leaf("a", strings.Repeat("가", 32766)+"😀")))
	if head := f.book(t).Sheet(0).At("A1").Text; len(utf16.Encode([]rune(head))) != 32766 || strings.Trim(head, "가") != "" || f.TruncatedCells != 1 {
		t.Errorf("the long name has %d units, %d cells were cut", len(utf16.Encode([]rune(head))), f.TruncatedCells)
	}
}
