package cases

import (
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// someText is a text that one database or another can hold, and what its cell has
// to be.
type someText struct {
	stored any // bound; bytes are stored as text where the database lets them
	want   want
	where  string // the databases that can hold it, where not all can
}

// kept are texts that are their cells'.
func kept(texts ...string) (list []someText) {
	for _, s := range texts {
		list = append(list, someText{stored: s, want: text(s)})
	}
	return list
}

// texts makes the table items(id, v) of texts, one a row, and answers what the rows
// below the header have to be.
func (d database) texts(t testing.TB, declared string, all []someText) (rows [][]want) {
	t.Helper()
	var held []any
	for _, s := range all {
		if s.where == "" || strings.Contains(s.where, d.name) {
			held = append(held, s.stored)
			rows = append(rows, []want{s.want})
		}
	}
	d.column(t, declared, held...)
	return rows
}

// export exports texts as a column, in every way.
func (d database) export(t testing.TB, all []someText) file {
	t.Helper()
	rows := d.texts(t, d.pick("MEDIUMTEXT", "text", "TEXT"), all)
	f := everyPath(t, []string{d.items("")}, "items", nil, d)
	f.expect(t, rows)
	return f
}

// exportSaid exports texts as headers and as labels of code maps, in every way. They
// come with the request, where NUL and the like are said as JSON says them.
func (d database) exportSaid(t testing.TB, all []someText) file {
	t.Helper()
	var leaves []map[string]any
	rows := [][]want{nil}
	for _, s := range all {
		stored, ok := s.stored.(string)
		if !ok {
			continue
		}
		leaves = append(leaves, map[string]any{"field": "id", "headerName": stored, "excelCodeMap": map[string]string{"1": stored}})
		rows[0] = append(rows[0], s.want)
	}
	d.exec(t, "CREATE TABLE one (id INTEGER NOT NULL PRIMARY KEY)", "INSERT INTO one VALUES (1)")
	dataset := "name: one\nsource: " + d.name + "\nkey: id\nselect: {id: o.id}\nfrom: one o\n"
	f := everyPath(t, []string{dataset}, "one", map[string]any{"columns": leaves}, d)
	f.expect(t, rows)
	headers := f.book(t).Sheet(0).Rows()[0]
	for i, w := range rows[0] {
		w.check(t, "header "+brief(w.text), at([][]xlsxtest.Cell{headers}, 0, i))
	}
	return f
}

// both are the exports of texts as values and as headers and labels. It answers that
// of the values.
func (d database) both(t testing.TB, all []someText) file {
	t.Helper()
	d.exportSaid(t, all)
	return d.export(t, all)
}

// T1: a cell takes 32,767 UTF-16 units, counted before XML escapes anything.
func TestCase_T1(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		const most = 32767
		a, ga, smile := strings.Repeat("A", most), strings.Repeat("가", most), "😀"
		controls := strings.Repeat("\x01", most)
		lookalike := strings.Repeat("_x0041_", most/7)
		all := append(kept(
			a,
			strings.Repeat("&", most),
			ga,
			a[:most-2]+smile,                  // the emoji's two units just fit
			strings.Repeat(smile, most/2)+"A", // so do these
			a[:most-1]+"é",                    // two bytes, one unit
			strings.Repeat("<", most-1)+">",   // longer in XML
			strings.Repeat(" ", most),         // protected
			strings.Repeat("A\n", most/2)+"A", // a line break counts as one
			strings.Repeat("e\u0301", most/2), // an accent is a unit of its own
			strings.Repeat("\u200b", most),    // what is not seen counts, too
			strings.Repeat("👨‍👩‍👧", most/8), // eight units each
		),
			someText{stored: controls, want: escaped(controls, strings.Repeat("_x0001_", most))},
			someText{stored: lookalike, want: escaped(lookalike, strings.Repeat("_x005F_x0041_", most/7))},
		)
		crlf := strings.Repeat("\r\n", most)
		all = append(all, someText{stored: crlf, want: text(strings.Repeat("\n", most))}) // twice as long until it is cleaned
		whole := len(all)
		for _, c := range []struct{ stored, kept string }{
			{a + "A", a},
			{ga + "가", ga},
			{a[:most-1] + smile, a[:most-1]},
			{strings.Repeat(smile, 20000), strings.Repeat(smile, most/2)},
			{strings.Repeat("👨‍👩‍👧", most/8) + "12345678", strings.Repeat("👨‍👩‍👧", most/8) + "1234567"},
			{a[:most-3] + "👨‍👩‍👧", a[:most-3] + "👨\u200d"},
			{a[:most-1] + "e\u0301", a[:most-1] + "e"},
			{strings.Repeat("\r\n", most+1), strings.Repeat("\n", most)},
			{strings.Repeat("0123456789", 100_000), strings.Repeat("0123456789", 100_000)[:most]},
			{a + strings.Repeat(" ", 1000), a},
			{strings.Repeat(" ", most) + "A", strings.Repeat(" ", most)},
			{strings.Repeat("=", most) + "1", strings.Repeat("=", most)},
		} {
			all = append(all, someText{stored: c.stored, want: text(c.kept)})
		}
		f := d.export(t, all)
		if want := int64(len(all) - whole); f.TruncatedCells != want {
			t.Errorf("%d cells are told to be cut, want %d", f.TruncatedCells, want)
		}
		said := d.exportSaid(t, []someText{
			{stored: a, want: text(a)},
			{stored: a + "A", want: text(a)},
			{stored: a[:most-1] + smile, want: text(a[:most-1])},
			{stored: ga + "가", want: text(ga)},
			{stored: crlf + "\r\n", want: text(strings.Repeat("\n", most))},
		})
		if said.TruncatedCells != 4+4 {
			t.Errorf("%d headers and labels are told to be cut, want 8", said.TruncatedCells)
		}
	})
}

// What is text only in the workbook is cut and counted like other text.
func TestLongValuesOfAllTypes(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		const most = 32767
		hex, grouped := strings.Repeat("61", most), strings.Repeat("999,", most/4+1)
		dataset, row := d.kinds(t, []typed{
			{"MEDIUMBLOB: REPEAT('a', 16383)", "bytea: decode(repeat('61', 16383), 'hex')", "BLOB: CAST(replace(substr(hex(zeroblob(8192)), 2), '0', 'a') AS BLOB)", text(hex[:most-1]), ""},
			{"MEDIUMBLOB: REPEAT('a', 16384)", "bytea: decode(repeat('61', 16384), 'hex')", "BLOB: CAST(replace(hex(zeroblob(8192)), '0', 'a') AS BLOB)", text(hex[:most]), ""},
			{"JSON: CONCAT('\"', REPEAT('A', 32765), '\"')", "json: ('\"' || repeat('A', 32765) || '\"')::json", "", text(`"` + strings.Repeat("A", most-2) + `"`), ""},
			{"JSON: CONCAT('\"', REPEAT('A', 32766), '\"')", "jsonb: ('\"' || repeat('A', 32766) || '\"')::jsonb", "", text(`"` + strings.Repeat("A", most-1)), ""},
			{"", "numeric: 1e40000", "", text("1" + strings.Repeat("0", most-1)), ""},
			{"", "numeric: 1e-16000", "", text("0." + strings.Repeat("0", 15999) + "1"), ""},
			{"", "text[]: ARRAY[repeat('가', 40000)]", "", text("{" + strings.Repeat("가", most-1)), ""},
			{"", "bit varying(40000): repeat('1', 40000)::varbit", "", text(strings.Repeat("1", most)), ""},
			{"", "xml: ('<a>' || repeat('&amp;', 10000) || '</a>')::xml", "", text("<a>" + strings.Repeat("&amp;", 6552) + "&amp"), ""},
			{"MEDIUMTEXT: REPEAT('9', 30000)", "text: repeat('9', 30000)", "", text(grouped[:most]), ", excelFormat: krw"},
			{"MEDIUMTEXT: REPEAT('9', 40000)", "text: repeat('9', 40000)", "", text(strings.Repeat("9", most)), ", excelFormat: pct"},
			{"MEDIUMTEXT: REPEAT('9', 40000)", "text: repeat('9', 40000)", "", text(strings.Repeat("9", most)), ", excelFormat: tel"},
			{"MEDIUMTEXT: REPEAT('9', 40000)", "text: repeat('9', 40000)", "", text(strings.Repeat("9", most)), `, excelFormat: "0.0"`},
		})
		f := everyPath(t, []string{dataset}, "kinds", nil, d)
		f.expect(t, row)
		if want := map[string]int64{"mariadb": 6, "postgres": 10, "sqlite": 1}[d.name]; f.TruncatedCells != want {
			t.Errorf("%d cells are told to be cut, want %d", f.TruncatedCells, want)
		}
	})
}
