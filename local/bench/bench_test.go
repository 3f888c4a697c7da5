package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/haexcel/haexcel/local/bench/rows"
	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// runBench runs a whole benchmark into a folder and returns bench.json.
func runBench(t *testing.T, there servers, args ...string) (folder string, results []result) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "results")
	var stdout, stderr strings.Builder
	p := program{servers: there, environment: os.Environ(), stdout: &stdout, stderr: &stderr}
	if code := p.run(t.Context(), append(args, "-out", folder)); code != 0 {
		t.Fatalf("it ends with %d:\n%s", code, &stderr)
	}
	text, err := os.ReadFile(filepath.Join(folder, "bench.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &results); err != nil {
		t.Fatal(err)
	}
	report, err := os.ReadFile(filepath.Join(folder, "bench.md"))
	if err != nil || string(report) != stdout.String() {
		t.Errorf("bench.md is\n%s(%v), but this was printed:\n%s", report, err, &stdout)
	}
	return folder, results
}

func TestWritersInTheProcess(t *testing.T) {
	t.Parallel()
	folder, results := runBench(t, servers{}, "-rows", "2000", "-shapes", "mixed,memory")
	names := []string{
		"haexcel", "haexcel-small", "haexcel-1core", "excelize", "excelize-1core", "idle", "rows", "floor-xml", "floor-deflate",
	}
	want := map[string]int{"memory 200x10 haexcel": 3, "memory 200x10 idle": 3, "memory 10000x10 haexcel": 3, "memory 10000x10 idle": 3}
	for _, name := range names {
		want["mixed 2000x10 "+name] = 3
	}
	checkRuns(t, results, want)
	checkOrder(t, results, len(names))
	checkFiles(t, folder,
		"memory-10000x10-haexcel.xlsx", "memory-200x10-haexcel.xlsx", "mixed-2000x10-excelize-1core.xlsx", "mixed-2000x10-excelize.xlsx",
		"mixed-2000x10-haexcel-1core.xlsx", "mixed-2000x10-haexcel-small.xlsx", "mixed-2000x10-haexcel.xlsx")
	for _, name := range []string{"haexcel", "haexcel-small", "haexcel-1core"} {
		checkBook(t, filepath.Join(folder, "mixed-2000x10-"+name+".xlsx"), "mixed", 2000)
	}
	checkBook(t, filepath.Join(folder, "memory-10000x10-haexcel.xlsx"), "memory", 10_000)
	for _, name := range []string{"excelize", "excelize-1core"} {
		checkExcelize(t, filepath.Join(folder, "mixed-2000x10-"+name+".xlsx"))
	}
}

func TestPipelines(t *testing.T) {
	t.Parallel()
	there := servers{
		mariaDB: testservices.MariaDB(t), postgres: testservices.Postgres(t), s3: testservices.AWSEndpoint(t),
	}
	names := []string{"haexcel", "read-mariadb", "read-postgres", "upload-s3", "pipeline-mariadb", "pipeline-postgres"}
	folder, results := runBench(t, there, "-rows", "1500", "-shapes", "mixed", "-writers", strings.Join(names, ","))
	want := map[string]int{}
	for _, name := range names {
		want["mixed 1500x10 "+name] = 3
	}
	checkRuns(t, results, want)
	files := []string{"mixed-1500x10-haexcel.xlsx", "mixed-1500x10-pipeline-mariadb.xlsx", "mixed-1500x10-pipeline-postgres.xlsx"}
	checkFiles(t, folder, files...)
	for _, file := range files {
		checkBook(t, filepath.Join(folder, file), "mixed", 1500)
	}
	if report, err := os.ReadFile(filepath.Join(folder, "bench.md")); err != nil || strings.Count(string(report), "; the bar is ") != 2 {
		t.Errorf("the report does not have both bars (%v):\n%s", err, report)
	}
}

// What a run has made on the servers goes with it.
func TestServersAreLeftAsTheyWere(t *testing.T) {
	t.Parallel()
	there := servers{mariaDB: testservices.MariaDB(t), postgres: testservices.Postgres(t), s3: testservices.AWSEndpoint(t)}
	s, err := openSite(t.Context(), there, benchCase{shape: "mixed", rows: 10, cols: 10, writers: writers})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(s.databases) != 2 {
		t.Errorf("the site had %d databases", len(s.databases))
	}
	for n, d := range s.databases {
		if err := d.drop(t.Context()); err == nil {
			t.Errorf("the database of %s was still there", n)
		}
	}
	if err := deleteBucket(t.Context(), there.s3, s.bucket); err == nil {
		t.Error("the bucket was still there")
	}
}

// A table that is not what it should be is no measurement.
func TestReadingNeedsAllRows(t *testing.T) {
	t.Parallel()
	there := servers{postgres: testservices.Postgres(t)}
	w, _ := writerNamed(readPostgres)
	c := benchCase{shape: "mixed", rows: 10, cols: 10, writers: []writer{w}}
	s, err := openSite(t.Context(), there, c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	j := s.job(c, w)
	j.Rows = 11
	reader, err := openRead(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.run(t.Context()); err == nil || !strings.Contains(err.Error(), "10 whole rows instead of 11") {
		t.Errorf("reading a row too few: %v", err)
	}
	if err := reader.close(t.Context()); err != nil {
		t.Error(err)
	}
}

// checkRuns compares the number of runs of each writer, and looks whether they
// have figures.
func checkRuns(t *testing.T, results []result, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for _, r := range results {
		name := fmt.Sprintf("%s %dx%d %s", r.Shape, r.Rows, r.Cols, r.Writer)
		got[name]++
		w, _ := writerNamed(r.Writer)
		// Peaks are those of Go programs that link two writers of workbooks.
		if r.Wall <= 0 || r.CPU < 0 || r.PeakMiB < 5 || r.PeakMiB > 500 || r.Round < 1 || r.Round > 3 || w.file && r.FileBytes < 10_000 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s ran %d times, want %d", name, got[name], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("runs: %v", got)
	}
}

// checkOrder looks whether each round of the first case came before the next.
func checkOrder(t *testing.T, results []result, writers int) {
	t.Helper()
	for i, r := range results[:3*writers] {
		if r.Round != i/writers+1 {
			t.Errorf("run %d is of round %d", i, r.Round)
		}
	}
}

func checkFiles(t *testing.T, folder string, workbooks ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := append([]string{"bench.json", "bench.md"}, workbooks...); !slices.Equal(names, want) {
		t.Errorf("the folder has %q, want %q", names, want)
	}
}

// checkBook reads a workbook of haexcel, whose single sheet has all rows.
func checkBook(t *testing.T, path, shape string, n int64) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sheet := xlsxtest.Open(t, content).Sheet(0)
	if got := int64(len(sheet.Rows())); got != n+1 {
		t.Fatalf("%s has %d rows, want a header and %d", path, got, n)
	}
	g := rows.New(shape, 10)
	for i, column := range g.Header() {
		if got := sheet.Rows()[0][i].Text; got != column.HeaderName {
			t.Errorf("%s: header %q, want %q", path, got, column.HeaderName)
		}
	}
	for i := range n {
		for c, v := range g.Row(i) {
			var found xlsxtest.Cell // a row ends with its last cell
			if row := sheet.Rows()[i+1]; c < len(row) {
				found = row[c]
			}
			if got, want := shown(t, v.Kind, found.Text), string(v.Bytes); got != want {
				t.Fatalf("%s, row %d, column %d: %q, want %q", path, i, c, got, want)
			}
		}
	}
}

// checkExcelize reads a workbook of excelize with excelize.
func checkExcelize(t *testing.T, path string) {
	t.Helper()
	book, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = book.Close() }()
	found, err := book.GetRows(sheetName, excelize.Options{RawCellValue: true})
	if err != nil || len(found) != 2001 {
		t.Fatalf("%s has %d rows, %v", path, len(found), err)
	}
	g := rows.New("mixed", 10)
	for i := range int64(2000) {
		for c, v := range g.Row(i) {
			text := ""
			if row := found[i+1]; c < len(row) {
				text = row[c]
			}
			if got, want := shown(t, v.Kind, text), string(v.Bytes); got != want {
				t.Fatalf("%s, row %d, column %d: %q, want %q", path, i, c, got, want)
			}
		}
	}
	if shown, err := book.GetCellValue(sheetName, "H2"); err != nil || shown != string(g.Row(0)[7].Bytes) {
		t.Errorf("%s shows the first timestamp as %q, %v", path, shown, err)
	}
}

// shown is the text of a source value of a kind that a raw cell stands for.
func shown(t *testing.T, kind cell.Kind, raw string) string {
	t.Helper()
	switch kind {
	case cell.Decimal:
		price, err := strconv.ParseFloat(raw, 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(price, 'f', 2, 64)
	case cell.Date, cell.DateTime:
		moment, err := xlsxtest.Moment(raw)
		if err != nil {
			t.Fatal(err)
		}
		if kind == cell.Date {
			return moment.Format(time.DateOnly)
		}
		return moment.Format(time.DateTime)
	default:
		return raw
	}
}
