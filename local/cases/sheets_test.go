package cases

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// counting is a dataset of the numbers 1 … n, which no table holds.
func counting(t testing.TB, d database, more string) string {
	t.Helper()
	d.exec(t, "CREATE TABLE blank (no INTEGER)") // SQLite's file has to be there
	return "name: counting\nsource: " + d.name + "\nparams: {n: {type: integer, required: true}}\nsql: \"" + d.pick(
		"SELECT seq AS no FROM seq_1_to_100000 WHERE seq <= :n",
		"SELECT no FROM generate_series(1, :n) AS numbers(no)",
		"WITH RECURSIVE numbers(no) AS (SELECT 1 WHERE :n > 0 UNION ALL SELECT no + 1 FROM numbers WHERE no < :n) SELECT no FROM numbers",
	) + "\"\ncolumns: [{field: no, headerName: 번호}]\n" + more
}

// sheetOfNumbers is what a reader finds in one sheet of such rows.
type sheetOfNumbers struct {
	rows   int      // header rows included
	header []string // the first cell of each header row
	first  string
	last   string
}

// sheetsOfNumbers reads the sheets in order and checks that their first columns
// count on from one to the next, without a gap and without a repetition.
func sheetsOfNumbers(t testing.TB, r readers.Reader, content []byte, levels int) []sheetOfNumbers {
	t.Helper()
	var sheets []sheetOfNumbers
	current, next := "", 1
	err := r.Read(t.Context(), saved(t, content), func(sheet string, row int, cells []readers.Cell) error {
		if len(sheets) == 0 || sheet != current {
			sheets = append(sheets, sheetOfNumbers{})
			current = sheet
		}
		s := &sheets[len(sheets)-1]
		s.rows = row
		text := ""
		if len(cells) > 0 {
			text = cells[0].Text
		}
		if row <= levels {
			s.header = append(s.header, text)
			return nil
		}
		if n, err := strconv.Atoi(text); err != nil || n != next {
			return fmt.Errorf("sheet %q, row %d: %q where %d comes", sheet, row, text, next)
		}
		if next++; s.first == "" {
			s.first = text
		}
		s.last = text
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", r.Name(), err)
	}
	return sheets
}

// wantSheets compares the sheets with how many data rows each should have.
func wantSheets(t *testing.T, got []sheetOfNumbers, header []string, rows ...int) {
	t.Helper()
	if len(got) != len(rows) {
		t.Fatalf("%d sheets, want %d", len(got), len(rows))
	}
	key := 1
	for i, n := range rows {
		want := sheetOfNumbers{rows: n + len(header), header: header}
		if n > 0 {
			want.first, want.last = strconv.Itoa(key), strconv.Itoa(key+n-1)
		}
		if s := got[i]; s.rows != want.rows || !slices.Equal(s.header, want.header) || s.first != want.first || s.last != want.last {
			t.Errorf("sheet %d is %+v, want %+v", i+1, s, want)
		}
		key += n
	}
}

// S1: more rows than a sheet holds go on in further sheets, each with the header.
func TestCase_S1(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	d := onSQLite(t)
	s := serve(t, []string{counting(t, d, "count: off\n")}, nil, d)
	grouped := `"columns": [{"headerName": "무리", "children": [{"field": "no", "headerName": "번호"}]}]`
	for name, c := range map[string]struct {
		members string
		rows    int
		header  []string
		sheets  []int
		readers []readers.Reader
	}{
		"just full": {`"totalCnt": 1048575`, limit - 1, []string{"번호"}, []int{limit - 1}, nil},
		"one row too many": {`"totalCnt": 1048576`, limit, []string{"번호"}, []int{limit - 1, 1},
			[]readers.Reader{readers.LibreOffice(testservices.LibreOffice(t))}},
		"two header rows": {grouped, limit - 1, []string{"무리", "번호"}, []int{limit - 2, 1}, nil},
		"a declared lie":  {`"totalCnt": 10`, limit + 200_000, []string{"번호"}, []int{limit - 1, 200_001}, nil},
		"a lie upwards":   {`"totalCnt": 99999999`, 3, []string{"번호"}, []int{3}, nil},
		"a negative lie":  {`"totalCnt": -1`, 3, []string{"번호"}, []int{3}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := s.export(t, "counting", fmt.Sprintf(`{"packaging": "workbook", "params": {"n": %d}, %s}`, c.rows, c.members))
			if f.ProcessedRows != int64(c.rows) || f.TotalRows != int64(c.rows) {
				t.Errorf("the status tells %d of %d rows, want %d", f.ProcessedRows, f.TotalRows, c.rows)
			}
			for _, r := range append(c.readers, readers.Structure()) {
				wantSheets(t, sheetsOfNumbers(t, r, f.content, len(c.header)), c.header, c.sheets...)
			}
		})
	}
}

// The rule behind S1 with limits that are small enough for every reader. The limit
// of a sheet is an option of the writer alone: no setting of the program lowers it.
func TestCase_S1SmallLimits(t *testing.T) {
	t.Parallel()
	leaf := []cell.ColumnDef{{Field: "no", HeaderName: "번호"}}
	deep, names := leaf, []string{"번호"}
	for level := 15; level > 0; level-- {
		deep = []cell.ColumnDef{{HeaderName: fmt.Sprint("단계", level), Children: deep}}
		names = append([]string{fmt.Sprint("단계", level)}, names...)
	}
	one := []string{"번호"}
	for name, c := range map[string]struct {
		limit, rows int
		columns     []cell.ColumnDef
		header      []string
		sheets      []int
		shown       bool // LibreOffice reads it, too; it takes seconds to start
	}{
		"limit less the header":          {1000, 999, leaf, one, []int{999}, false},
		"limit":                          {1000, 1000, leaf, one, []int{999, 1}, false},
		"limit and one":                  {1000, 1001, leaf, one, []int{999, 2}, false},
		"sixteen header rows":            {1000, 999, deep, names, []int{984, 15}, true},
		"exactly two sheets":             {1000, 1998, leaf, one, []int{999, 999}, false},
		"two sheets and a row":           {1000, 1999, leaf, one, []int{999, 999, 1}, true},
		"a row for each sheet":           {2, 12, leaf, one, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, false},
		"a row below 16 levels":          {17, 3, deep, names, []int{1, 1, 1}, true},
		"nothing below 16 levels":        {17, 0, deep, names, []int{0}, false},
		"nothing":                        {2, 0, leaf, one, []int{0}, true},
		"above what a sheet can hold":    {1 << 30, 10, leaf, one, []int{10}, false},
		"more sheets than one digit has": {101, 1234, leaf, one, []int{100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 34}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			column, _ := cell.Compile(cell.Leaves(c.columns)[0], cell.Field{Name: "no", Kind: cell.Integer}, true, nil)
			var out bytes.Buffer
			w, err := xlsx.NewWriter(&out, xlsx.Sheet{Name: "번호", Header: c.columns, Columns: []*cell.Column{column}}, xlsx.Options{MaxRows: c.limit})
			if err != nil {
				t.Fatal(err)
			}
			for n := 1; n <= c.rows; n++ {
				if err := w.Write([]cell.Value{{Kind: cell.Integer, Bytes: strconv.AppendInt(nil, int64(n), 10)}}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for i, sheet := range book(t, out.Bytes()).Sheets {
				if want := fmt.Sprintf("A%d:A%d", len(c.header), len(c.header)+c.sheets[i]); sheet.Filter != want {
					t.Errorf("sheet %d filters %s, want %s", i+1, sheet.Filter, want)
				}
			}
			list := []readers.Reader{readers.Structure(), readers.Openpyxl(testservices.OpenpyxlPython(t), true)}
			if c.shown {
				list = append(list, readers.LibreOffice(testservices.LibreOffice(t)))
			}
			for _, r := range list {
				wantSheets(t, sheetsOfNumbers(t, r, out.Bytes(), len(c.header)), c.header, c.sheets...)
			}
		})
	}
}

// Further sheets look like the first one.
func TestCase_S1FurtherSheets(t *testing.T) {
	t.Parallel()
	header := []cell.ColumnDef{
		{HeaderName: "무리", Children: []cell.ColumnDef{{Field: "a", Width: 120}, {Field: "b", CellStyle: cell.Style{BackgroundColor: "#FFEE00"}}}},
		{Field: "c", ExcelFormat: "krw"},
	}
	var columns []*cell.Column
	for _, leaf := range cell.Leaves(header) {
		c, _ := cell.Compile(leaf, cell.Field{Kind: cell.Integer}, true, nil)
		columns = append(columns, c)
	}
	var out bytes.Buffer
	w, err := xlsx.NewWriter(&out, xlsx.Sheet{Name: "매출/2026", Header: header, Columns: columns}, xlsx.Options{MaxRows: 5})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 9 {
		v := cell.Value{Kind: cell.Integer, Bytes: strconv.AppendInt(nil, int64(1000+n), 10)}
		if err := w.Write([]cell.Value{v, v, v}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := book(t, out.Bytes())
	if len(b.Sheets) != 3 {
		t.Fatalf("%d sheets", len(b.Sheets))
	}
	for i, s := range b.Sheets {
		slices.Sort(s.Merges)
		if s.Name != []string{"매출_2026", "매출_2026_2", "매출_2026_3"}[i] || !slices.Equal(s.Merges, []string{"A1:B1", "C1:C2"}) ||
			s.Filter != "A2:C5" || s.Frozen != 2 || len(s.Widths) != 1 || s.Widths[1] != 16.875 {
			t.Errorf("sheet %d is %q: merges %v, filter %s, %d frozen, widths %v", i+1, s.Name, s.Merges, s.Filter, s.Frozen, s.Widths)
		}
		if c := s.At("B3"); c.Fill != "FFEE00" || c.NumFmt != "0" || !s.At("A1").Bold || s.At("C3").NumFmt != "#,##0" {
			t.Errorf("sheet %d: B3 is %+v, C3 %+v", i+1, c, s.At("C3"))
		}
		if name := b.Names[fmt.Sprint(i, "/_xlnm._FilterDatabase")]; name != "'"+s.Name+"'!$A$2:$C$5" {
			t.Errorf("the filter of sheet %d is at %q", i+1, name)
		}
	}
}
