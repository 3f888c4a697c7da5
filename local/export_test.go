package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/haexcel/haexcel/local/demo"
	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/job/jobsql"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

func TestExportUnderTheProposedName(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	code, stdout, stderr := run(t, folder, nil, "export", "--demo-rows", "1500")
	if code != exitDone || stderr != "" {
		t.Fatalf("code %d: %s", code, stderr)
	}
	files := visible(t, folder)
	if len(files) != 1 || !regexp.MustCompile(`^\w+_\d{14}\.xlsx$`).MatchString(files[0]) {
		t.Fatalf("files %v, want one with the API's name", files)
	}
	if !strings.HasPrefix(stdout, files[0]+": 1500 rows") {
		t.Errorf("it says %q", stdout)
	}
	checkOrders(t, read(t, filepath.Join(folder, files[0])), 1, 1500)
	// Nothing of it belongs into anyone's repository.
	if ignore := string(read(t, filepath.Join(folder, dataFolder, ".gitignore"))); ignore != "*\n" {
		t.Errorf(".gitignore holds %q", ignore)
	}
}

func TestExportAsParts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	code, _, stderr := run(t, folder, []string{"HAEXCEL_CHUNK_SIZE=1000"}, "export", "--dataset", "orders", "--out", "orders.zip", "--demo-rows", "2500")
	if code != exitDone {
		t.Fatalf("code %d: %s", code, stderr)
	}
	checkParts(t, read(t, filepath.Join(folder, "orders.zip")), "orders", 1000, 2500)
}

func TestExportAsOneWorkbookWhateverTheSize(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	code, _, stderr := run(t, folder, []string{"HAEXCEL_ZIP_THRESHOLD=100"}, "export", "--out", "orders.XLSX", "--demo-rows", "300")
	if code != exitDone {
		t.Fatalf("code %d: %s", code, stderr)
	}
	checkOrders(t, read(t, filepath.Join(folder, "orders.XLSX")), 1, 300)
}

func TestExportWithParameters(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	code, stdout, stderr := run(t, folder, nil, "export", "--demo-rows", "400", "--out", "paid.xlsx", "--params", `{"status":"02"}`)
	if code != exitDone {
		t.Fatalf("code %d: %s", code, stderr)
	}
	paid := 0
	for id := range int64(400) {
		if demo.OrderAt(id+1).Status == demo.Paid {
			paid++
		}
	}
	rows := xlsxtest.Open(t, read(t, filepath.Join(folder, "paid.xlsx"))).Sheet(0).Rows()
	if len(rows) != 1+paid {
		t.Errorf("%d rows, want a header and %d: %s", len(rows), paid, stdout)
	}
}

// The demo is not rebuilt where it fits, so exports right after each other agree.
func TestExportTellsWarnings(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	code, stdout, stderr := run(t, folder, nil, "export", "--demo-rows", "5", "--out", "all.xlsx", "--params", `{"statuss":"02"}`)
	if code != exitDone || !strings.HasPrefix(stdout, "all.xlsx: 5 rows") {
		t.Fatalf("code %d: %s%s", code, stdout, stderr)
	}
	if !strings.HasPrefix(stderr, "warning: ") || !strings.Contains(stderr, "statuss") {
		t.Errorf("the parameter that nothing takes is not named: %q", stderr)
	}
}

func TestExportRebuildsTheDemoOnlyForAnotherSize(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, step := range []struct {
		args []string
		rows int
	}{
		{[]string{"--demo-rows", "50"}, 50},
		{[]string{"--demo-rows", "60"}, 60},
	} {
		code, _, stderr := run(t, folder, nil, append([]string{"export", "--out", "orders.xlsx"}, step.args...)...)
		if code != exitDone {
			t.Fatalf("code %d: %s", code, stderr)
		}
		checkOrders(t, read(t, filepath.Join(folder, "orders.xlsx")), 1, step.rows)
	}
}

func TestFailedExportLeavesNoFile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		environment []string
		args        []string
		says        []string
	}{
		"unknown dataset":        {nil, []string{"--dataset", "nope"}, []string{`"nope"`, "no such dataset"}},
		"ill-typed parameter":    {nil, []string{"--params", `{"minAmount":"much"}`}, []string{`"orders"`, "minAmount"}},
		"parameters no object":   {nil, []string{"--params", `[1]`}, []string{`"orders"`, "params"}},
		"ending":                 {nil, []string{"--out", "orders.pdf"}, []string{"orders.pdf", ".xlsx", ".zip"}},
		"folder not there":       {nil, []string{"--out", "nowhere/orders.xlsx"}, []string{`"orders"`, "nowhere"}},
		"folder as the file":     {nil, []string{"--out", "taken.xlsx"}, []string{"taken.xlsx", "folder"}},
		"role is missing":        {nil, []string{"--dataset", "secret"}, []string{`"secret"`, "not allowed"}},
		"broken query":           {nil, []string{"--dataset", "broken", "--out", "broken.xlsx"}, []string{`"broken"`}},
		"more rows than allowed": {nil, []string{"--dataset", "limited", "--out", "limited.xlsx"}, []string{`"limited"`, "100"}},
		"storage not there":      {[]string{"HAEXCEL_LOCAL_STORAGE_PATH=/proc/nowhere"}, nil, []string{"HAEXCEL_LOCAL_STORAGE_PATH"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, sets := t.TempDir(), t.TempDir()
			if err := os.Mkdir(filepath.Join(folder, "taken.xlsx"), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(sets, "secret.yaml"), "name: secret\nsql: SELECT id FROM demo_orders\ncolumns: [{field: id}]\nallow: [chief]\n")
			write(t, filepath.Join(sets, "broken.yaml"), "name: broken\nsql: SELECT id FROM no_such_table_here\ncolumns: [{field: id}]\n")
			write(t, filepath.Join(sets, "limited.yaml"), "name: limited\nkey: id\nselect: {id: o.id}\nfrom: demo_orders o\ncolumns: [{field: id}]\nmaxRows: 100\n")
			environment := append([]string{"HAEXCEL_DATASET_DIR=" + sets}, test.environment...)
			code, stdout, stderr := run(t, folder, environment, append([]string{"export", "--demo-rows", "200"}, test.args...)...)
			if code != exitFailed || stdout != "" {
				t.Errorf("code %d: %s", code, stdout)
			}
			for _, text := range test.says {
				if !strings.Contains(stderr, text) {
					t.Errorf("the reason lacks %q:\n%s", text, stderr)
				}
			}
			if strings.Contains(stderr, "no_such_table_here") && !strings.Contains(stderr, "level=WARN") {
				t.Errorf("the reason shows SQL:\n%s", stderr)
			}
			if files := visible(t, folder); len(files) != 1 || files[0] != "taken.xlsx" {
				t.Errorf("it left %v", files)
			}
		})
	}
}

func TestFailedExportKeepsTheOlderFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "orders.xlsx")
	write(t, file, "older")
	if code, _, _ := run(t, folder, nil, "export", "--demo-rows", "10", "--out", "orders.xlsx", "--params", `{"status":"99"}`); code != exitFailed {
		t.Fatalf("exit code %d", code)
	}
	if got := string(read(t, file)); got != "older" {
		t.Errorf("the file holds %d bytes, want the older ones", len(got))
	}
	if code, _, stderr := run(t, folder, nil, "export", "--demo-rows", "10", "--out", "orders.xlsx"); code != exitDone {
		t.Fatalf("code %d: %s", code, stderr)
	}
	checkOrders(t, read(t, file), 1, 10)
}

// A dataset whose rows never end gives the test time to interrupt.
const endless = `name: endless
sql: >
  WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n
columns: [{field: id}]
count: off
`

func TestInterruptedExportIsCancelled(t *testing.T) {
	t.Parallel()
	folder, sets := t.TempDir(), t.TempDir()
	write(t, filepath.Join(sets, "endless.yaml"), endless)
	p := launch(t, folder, []string{"HAEXCEL_DATASET_DIR=" + sets}, "export", "--demo-rows", "1", "--dataset", "endless", "--out", "endless.zip")
	store := openStore(t, "sqlite:"+filepath.Join(folder, dataFolder, "haexcel.db"))
	count := func(where string) (n int) {
		// The table may not be there yet.
		if store.DB().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM ha_excel_job WHERE "+where).Scan(&n) != nil {
			return 0
		}
		return n
	}
	eventually(t, "rows are written", func() bool { return count("status = 'RUNNING' AND processed_rows > 0") == 1 })
	p.signal(syscall.SIGINT)
	if code := p.wait(); code != exitFailed || !strings.Contains(p.stderr.String(), "cancelled") {
		t.Errorf("code %d: %s", code, p.stderr)
	}
	if files := visible(t, folder); len(files) != 0 {
		t.Errorf("it left %v", files)
	}
	if n := count("status = 'FAIL' AND cancel_yn = 'Y'"); n != 1 {
		t.Error("the job is not cancelled")
	}
	if objects := stored(t, filepath.Join(folder, dataFolder, "files")); len(objects) != 0 {
		t.Errorf("the storage holds %v", objects)
	}
}

// With a database of one's own the demo is made there only when it is asked for.
func TestExportFromConfiguredDatabases(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(testing.TB) string{"mariadb": testservices.MariaDB, "postgres": testservices.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, environment := t.TempDir(), []string{"HAEXCEL_DATABASE_URL=" + create(t)}
			if code, _, stderr := run(t, folder, environment, "export", "--out", "orders.xlsx"); code != exitFailed || !strings.Contains(stderr, `"orders"`) {
				t.Errorf("without orders: code %d: %s", code, stderr)
			}
			if files := visible(t, folder); len(files) != 0 {
				t.Errorf("it left %v", files)
			}
			if code, _, stderr := run(t, folder, environment, "demo", "--rows", "1200"); code != exitDone {
				t.Fatalf("code %d: %s", code, stderr)
			}
			if code, _, stderr := run(t, folder, environment, "export", "--out", "orders.xlsx"); code != exitDone {
				t.Fatalf("code %d: %s", code, stderr)
			}
			checkOrders(t, read(t, filepath.Join(folder, "orders.xlsx")), 1, 1200)
		})
	}
}

// checkOrders opens a workbook of orders with the default columns.
func checkOrders(t *testing.T, content []byte, first, last int) {
	t.Helper()
	rows := xlsxtest.Open(t, content).Sheet(0).Rows()
	if len(rows) != 1+last-first+1 {
		t.Fatalf("%d rows, want a header and %d", len(rows), last-first+1)
	}
	if title := rows[0][0].Text; title != "주문번호" {
		t.Errorf("the first header is %q", title)
	}
	checkOrder(t, rows[1], first)
	checkOrder(t, rows[len(rows)-1], last)
}

// checkOrder compares a row with the order it should be.
func checkOrder(t *testing.T, row []xlsxtest.Cell, id int) {
	t.Helper()
	o := demo.OrderAt(int64(id))
	label := map[demo.Status]string{demo.Unpaid: "결제대기", demo.Paid: "결제완료", demo.Shipped: "배송중", demo.Cancelled: "취소"}[o.Status]
	for column, want := range map[int]string{0: o.OrderNo, 1: o.CustomerName, 2: o.Product, 6: label, 9: o.Memo} {
		got := ""
		if column < len(row) {
			got = row[column].Text
		}
		if got != want {
			t.Errorf("order %d, column %d: %q, want %q", id, column+1, got, want)
		}
	}
	for column, want := range map[int]int64{3: o.Quantity * 100, 4: o.UnitPrice, 5: o.Amount} {
		if got := hundredths(t, row[column]); got != want {
			t.Errorf("order %d, column %d: %d hundredths, want %d", id, column+1, got, want)
		}
	}
	moment, err := xlsxtest.Moment(row[8].Raw)
	if err != nil || !moment.Equal(o.OrderedAt) || row[8].Type != "n" {
		t.Errorf("order %d: ordered at %s (%v), want %s", id, moment, err, o.OrderedAt)
	}
}

// hundredths reads a numeric cell exactly.
func hundredths(t *testing.T, c xlsxtest.Cell) int64 {
	t.Helper()
	if c.Type != "n" {
		t.Errorf("the cell %+v is no number", c)
		return 0
	}
	whole, fraction, _ := strings.Cut(c.Raw, ".")
	digits := whole + (fraction + "00")[:2]
	var n int64
	for _, d := range digits {
		n = n*10 + int64(d-'0')
	}
	return n
}

// checkParts opens an archive of workbooks.
func checkParts(t *testing.T, content []byte, name string, size, rows int) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if want := (rows + size - 1) / size; len(archive.File) != want {
		t.Fatalf("%d parts, want %d", len(archive.File), want)
	}
	for i, f := range archive.File {
		if want := name + "_part" + string(rune('1'+i)) + ".xlsx"; f.Name != want {
			t.Errorf("part %q, want %q", f.Name, want)
		}
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		inner, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		checkOrders(t, inner, i*size+1, min((i+1)*size, rows))
	}
}

// visible lists what a user sees in a folder.
func visible(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != dataFolder { // a forgotten .part file is seen, too
			names = append(names, e.Name())
		}
	}
	return names
}

// stored lists the files of a LOCAL storage.
func stored(t *testing.T, folder string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func openStore(t *testing.T, databaseURL string) *jobsql.Store {
	t.Helper()
	store, err := jobsql.Open(t.Context(), databaseURL, jobsql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// countOrders counts the demo orders of a program's own database.
func countOrders(t *testing.T, folder string) (n int) {
	t.Helper()
	db := openStore(t, "sqlite:"+filepath.Join(folder, dataFolder, "haexcel.db")).DB()
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM demo_orders").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
