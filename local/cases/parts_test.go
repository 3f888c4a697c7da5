package cases

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/readers"
)

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

// S4 where rows are read in pages, and where nobody counts them before.
func TestCase_S4Reading(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		// Keys have gaps of three.
		d.exec(t, "CREATE TABLE items (id BIGINT NOT NULL PRIMARY KEY, no BIGINT NOT NULL)", "INSERT INTO items SELECT 3 * n.no, n.no FROM ("+d.pick(
			"SELECT seq AS no FROM seq_1_to_3001", "SELECT no FROM generate_series(1, 3001) AS numbers(no)",
			"WITH RECURSIVE numbers(no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM numbers WHERE no < 3001) SELECT no FROM numbers")+") n")
		set := func(name, more string) string {
			return "name: " + name + "\nsource: " + d.name + "\nparams: {n: {type: integer}}\nselect: {id: i.id, no: i.no}\nfrom: items i\n" +
				"where: [{sql: \"i.no <= :n\", when: n}]\ncolumns: [{field: no, headerName: 번호}]\n" + more
		}
		s := serve(t, []string{
			set("paged", "key: id\n"), set("uncounted", "key: id\ncount: off\n"), set("bounded", "key: id\nmaxRows: 2000\n"), set("unbounded", "key: id\ncount: off\nmaxRows: 2000\n"),
		}, []string{"HAEXCEL_CHUNK_SIZE=1000", "HAEXCEL_ZIP_THRESHOLD=2000"}, d)
		for _, c := range []struct {
			set   string
			n     int
			parts []int
		}{
			{"paged", 0, nil}, {"paged", 1, nil}, {"paged", 1000, nil}, {"paged", 1999, nil},
			{"paged", 2000, []int{1000, 1000}}, {"paged", 2001, []int{1000, 1000, 1}}, {"paged", 3000, []int{1000, 1000, 1000}}, {"paged", 3001, []int{1000, 1000, 1000, 1}},
			// Without a count it is the second part that makes a zip of a file.
			{"uncounted", 0, nil}, {"uncounted", 1000, nil}, {"uncounted", 1001, []int{1000, 1}}, {"uncounted", 3000, []int{1000, 1000, 1000}},
			{"bounded", 2000, []int{1000, 1000}}, {"unbounded", 2000, []int{1000, 1000}},
		} {
			name := fmt.Sprint(c.set, " ", c.n)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := s.export(t, c.set, fmt.Sprintf(`{"fileName": %q, "params": {"n": %d}}`, name, c.n))
				if f.ProcessedRows != int64(c.n) || f.TotalRows != int64(c.n) {
					t.Errorf("the status tells %d of %d rows, want %d", f.ProcessedRows, f.TotalRows, c.n)
				}
				wantParts(t, f, name, c.n, c.parts)
			})
		}
		for _, set := range []string{"bounded", "unbounded"} {
			if end := s.run(t, set, `{"params": {"n": 2001}}`); end.Status != "FAIL" || !strings.Contains(end.ErrorMsg, "2000 rows") {
				t.Errorf("%s: more rows than it allows ended %s: %q", set, end.Status, end.ErrorMsg)
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
