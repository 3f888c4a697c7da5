package cases

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
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
		"two header rows":    {grouped, limit - 1, []string{"무리", "번호"}, []int{limit - 2, 1}, nil},
		"a declared lie":     {`"totalCnt": 10`, limit + 200_000, []string{"번호"}, []int{limit - 1, 200_001}, nil},
		"a lie upwards":      {`"totalCnt": 99999999`, 3, []string{"번호"}, []int{3}, nil},
		"filling two sheets": {`"totalCnt": -1`, 2 * (limit - 1), []string{"번호"}, []int{limit - 1, limit - 1}, nil},
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

// S4: the boundaries of rows, parts and the empty result, on every database.
func TestCase_S4(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		s := serve(t, []string{counting(t, d, "")}, []string{"HAEXCEL_CHUNK_SIZE=1000", "HAEXCEL_ZIP_THRESHOLD=2000"}, d)
		for name, c := range map[string]struct {
			n       int
			members string
			parts   []int // data rows of each, nil for one workbook
		}{
			"0":                             {0, ``, nil},
			"1":                             {1, ``, nil},
			"999":                           {999, ``, nil},
			"1000":                          {1000, ``, nil},
			"1001":                          {1001, ``, nil},
			"1999":                          {1999, ``, nil},
			"2000":                          {2000, ``, []int{1000, 1000}},
			"2001":                          {2001, ``, []int{1000, 1000, 1}},
			"2999":                          {2999, ``, []int{1000, 1000, 999}},
			"3000":                          {3000, ``, []int{1000, 1000, 1000}},
			"3001":                          {3001, ``, []int{1000, 1000, 1000, 1}},
			"0 where 5000 were declared":    {0, `, "totalCnt": 5000`, nil},
			"1999 where 5000 were declared": {1999, `, "totalCnt": "5000"`, nil},
			"2000 where 10 were declared":   {2000, `, "totalCnt": 10`, []int{1000, 1000}},
			"2000 where 1e3 were declared":  {2000, `, "totalCnt": 1e3`, []int{1000, 1000}},
			"0 in a zip":                    {0, `, "packaging": "zip"`, []int{0}},
			"1 in a zip":                    {1, `, "packaging": "zip"`, []int{1}},
			"1000 in a zip":                 {1000, `, "packaging": "zip"`, []int{1000}},
			"1001 in a zip":                 {1001, `, "packaging": "zip"`, []int{1000, 1}},
			"3000 in a workbook":            {3000, `, "packaging": "workbook"`, nil},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := s.export(t, "counting", fmt.Sprintf(`{"fileName": %q, "params": {"n": %d}%s}`, name, c.n, c.members))
				if f.ProcessedRows != int64(c.n) || f.TotalRows != int64(c.n) || len(f.Warnings) > 0 {
					t.Errorf("the status tells %d of %d rows, want %d; warnings %q", f.ProcessedRows, f.TotalRows, c.n, f.Warnings)
				}
				wantParts(t, f, name, c.n, c.parts)
				if head := s.do(t, http.MethodHead, f.JobID+"/file", ""); head.code != http.StatusOK || len(head.body) != 0 ||
					head.header.Get("Content-Type") != f.header.Get("Content-Type") || head.header.Get("Content-Length") != strconv.Itoa(len(f.content)) {
					t.Errorf("HEAD: %d %v", head.code, head.header)
				}
			})
		}
		if a := s.do(t, http.MethodPost, "nope", `{"params": {"n": 1}}`); a.code != http.StatusNotFound {
			t.Errorf("an unknown dataset: %d %s", a.code, a.body)
		}
		for _, body := range []string{`{}`, `{"params": {"n": "many"}}`, `{"params": {"n": 1}, "totalCnt": "many"}`, `{"params": {"n": 1}, "packaging": "rar"}`} {
			if a := s.do(t, http.MethodPost, "counting", body); a.code != http.StatusBadRequest {
				t.Errorf("%s: %d %s", body, a.code, a.body)
			}
		}
	})
}

// wantParts checks one workbook of n rows, or the parts of a zip.
func wantParts(t *testing.T, f file, name string, n int, parts []int) {
	t.Helper()
	header := []string{"번호"}
	if parts == nil {
		if kind := f.header.Get("Content-Type"); kind != "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" {
			t.Errorf("the workbook is served as %q", kind)
		}
		if !strings.HasSuffix(f.FileName, ".xlsx") {
			t.Errorf("the workbook is called %q", f.FileName)
		}
		f.book(t)
		wantSheets(t, sheetsOfNumbers(t, readers.Structure(), f.content, 1), header, n)
		return
	}
	if kind := f.header.Get("Content-Type"); kind != "application/zip" {
		t.Errorf("the zip is served as %q", kind)
	}
	if !strings.HasSuffix(f.FileName, ".zip") {
		t.Errorf("the zip is called %q", f.FileName)
	}
	list := f.parts(t)
	if len(list) != len(parts) {
		t.Fatalf("%d parts, want %v", len(list), parts)
	}
	first := 1
	for i, p := range list {
		if want := fmt.Sprintf("%s_part%d.xlsx", name, i+1); p.Name != want {
			t.Errorf("entry %d is called %q, want %q", i+1, p.Name, want)
		}
		sheets := book(t, p.content).Sheets
		if len(sheets) != 1 {
			t.Fatalf("part %d has %d sheets", i+1, len(sheets))
		}
		rows := sheets[0].Rows()
		if len(rows) != parts[i]+1 || rows[0][0].Text != "번호" {
			t.Fatalf("part %d has %d rows below %+v, want %d", i+1, len(rows)-1, rows[0], parts[i])
		}
		for j, row := range rows[1:] {
			if row[0].Raw != strconv.Itoa(first+j) {
				t.Fatalf("part %d, row %d holds %s, want %d", i+1, j+1, row[0].Raw, first+j)
			}
		}
		first += parts[i]
	}
}
