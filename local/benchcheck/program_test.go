package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/bench/rows"
	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// A trial is a folder with workbooks. Stand-ins for the other readers' programs
// say what the test puts into the folder said in it.
type trial struct {
	program
	folder         string
	stdout, stderr bytes.Buffer
}

func newTrial(t *testing.T) *trial {
	t.Helper()
	stands, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{folder: t.TempDir()}
	if err := os.Mkdir(filepath.Join(tr.folder, "said"), 0o755); err != nil {
		t.Fatal(err)
	}
	tr.program = program{
		soffice: filepath.Join(stands, "soffice"), python: filepath.Join(stands, "python"),
		stdout: &tr.stdout, stderr: &tr.stderr,
	}
	return tr
}

// write makes a workbook of ten columns; change may replace values.
func (tr *trial) write(t *testing.T, name, shape string, n int64, o xlsx.Options, change func(i int64, row []cell.Value)) {
	t.Helper()
	g := rows.New(shape, 10)
	s := xlsx.Sheet{Name: "Sheet1", Header: g.Header()}
	for i, f := range g.Fields() {
		column, _ := cell.Compile(s.Header[i], f, true, nil)
		s.Columns = append(s.Columns, column)
	}
	var out bytes.Buffer
	w, err := xlsx.NewWriter(&out, s, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		row := g.Row(i)
		change(i, row)
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tr.folder, name), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func unchanged(int64, []cell.Value) {}

// say has openpyxl's and LibreOffice's stand-ins show the right cells of a
// workbook of one sheet, but for one text.
func (tr *trial) say(t *testing.T, base, shape string, n int64, old, replacement string) {
	t.Helper()
	g := rows.New(shape, 10)
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	put := func(value any) {
		if err := encoder.Encode(value); err != nil {
			t.Fatal(err)
		}
	}
	var sheet bytes.Buffer
	texts := csv.NewWriter(&sheet)
	type row struct {
		Row   int   `json:"row"`
		Cells []any `json:"cells"`
	}
	put(map[string]string{"sheet": "Sheet1"})
	var header []any
	var names []string
	for _, c := range g.Header() {
		header, names = append(header, []string{"text", c.HeaderName, "General"}), append(names, c.HeaderName)
	}
	put(row{1, header})
	records := [][]string{names}
	for i := range n {
		var values []any
		var record []string
		for _, v := range g.Row(i) {
			values, record = append(values, asPython(v)), append(record, displayed(v))
		}
		put(row{int(i) + 2, values})
		records = append(records, record)
	}
	if err := texts.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	for name, said := range map[string]string{"normal": lines.String(), "read-only": lines.String(), base + "-Sheet1.csv": sheet.String()} {
		if err := os.WriteFile(filepath.Join(tr.folder, "said", name), []byte(strings.Replace(said, old, replacement, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// asPython is a value as openpyxl's script prints its cell.
func asPython(v cell.Value) any {
	own := string(v.Bytes)
	switch v.Kind {
	case cell.Null:
		return nil
	case cell.Text:
		return []string{"text", own, "General"}
	case cell.Bool:
		return []string{"boolean", own, "General"}
	case cell.Date:
		return []string{"moment", own + " 00:00:00", dayFormat}
	case cell.DateTime:
		return []string{"moment", own, momentFormat}
	default:
		return []string{"number", own, "General"}
	}
}

func displayed(v cell.Value) string {
	if v.Kind == cell.Bool {
		return map[string]string{"1": "TRUE", "0": "FALSE"}[string(v.Bytes)]
	}
	return string(v.Bytes)
}

func (tr *trial) expect(t *testing.T, code int, says string, args ...string) {
	t.Helper()
	if got := tr.run(t.Context(), append(args, tr.folder)); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
	if all := tr.stdout.String() + tr.stderr.String(); !strings.Contains(all, says) {
		t.Errorf("said\n%s\nwant %q", all, says)
	}
}

func TestAllReadersAgree(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"mixed", "text", "numbers"} {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t)
			base := shape + "-60x10-haexcel-small"
			tr.write(t, base+".xlsx", shape, 60, xlsx.Options{}, unchanged)
			tr.say(t, base, shape, 60, "", "")
			tr.expect(t, 0, base+".xlsx: LibreOffice: 60 rows in 1 sheets, 610 cells agree")
			for _, mode := range []string{"structure", "read-only mode", "normal mode"} {
				if !strings.Contains(tr.stdout.String(), mode+": 60 rows") {
					t.Errorf("no word of the %s: %s", mode, &tr.stdout)
				}
			}
		})
	}
}

func TestStructureDiffers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, says string
		change     func(i int64, row []cell.Value)
	}{
		"a text": {"mixed-250x10-pipeline-mariadb.xlsx", `sheet "Sheet3", cell C3: expected "`, func(i int64, row []cell.Value) {
			if i == 199 {
				row[2].Bytes = []byte("다른 이름")
			}
		}},
		"a number": {"mixed-250x10-haexcel.xlsx", `sheet "Sheet1", cell E2: expected "2483560.98", found the number "2483560.97"`, func(i int64, row []cell.Value) {
			if i == 0 {
				row[4].Bytes = []byte("2483560.97")
			}
		}},
		"nothing": {"mixed-250x10-haexcel.xlsx", `cell A2: expected "1", found nothing`, func(_ int64, row []cell.Value) {
			row[0] = cell.Value{}
		}},
		"a second": {"mixed-250x10-haexcel.xlsx", `cell H2: expected "2025-03-17 17:52:41", found the moment "2025-03-17 17:52:42"`, func(_ int64, row []cell.Value) {
			row[7].Bytes = []byte("2025-03-17 17:52:42")
		}},
		"a row too few":  {"mixed-251x10-haexcel.xlsx", "expected 251 rows, found 250", unchanged},
		"a row too many": {"mixed-249x10-haexcel.xlsx", "expected 249 rows in all, found more", unchanged},
		"a column":       {"mixed-250x11-haexcel.xlsx", `cell K1: expected "번호 11", found nothing`, unchanged},
		"another shape":  {"text-250x10-haexcel.xlsx", `cell D1: expected "비고 4", found the text "수량 4"`, unchanged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t)
			tr.write(t, c.file, "mixed", 250, xlsx.Options{MaxRows: 100}, c.change)
			tr.expect(t, exitFailed, c.says, "-readers", "structure")
		})
	}
}

func TestBrokenFile(t *testing.T) {
	t.Parallel()
	tr := newTrial(t)
	if err := os.WriteFile(filepath.Join(tr.folder, "mixed-1x10-haexcel.xlsx"), []byte("no archive"), 0o644); err != nil {
		t.Fatal(err)
	}
	tr.expect(t, exitFailed, "mixed-1x10-haexcel.xlsx: structure: zip")
}

func TestOtherReadersDiffer(t *testing.T) {
	t.Parallel()
	const base = "mixed-20x10-haexcel"
	for name, c := range map[string]struct{ reader, old, replacement, says string }{
		"openpyxl's text":       {"openpyxl", `"ORD-00000002"`, `"ORD-00000009"`, `openpyxl, read-only mode: sheet "Sheet1", cell B2: expected "ORD-00000002", found the text "ORD-00000009" in the format "General"`},
		"openpyxl's number":     {"openpyxl", `18667680.84`, `18667680.85`, `cell F2: expected "18667680.84", found the number "18667680.85"`},
		"openpyxl's type":       {"openpyxl", `"number","18667680.84"`, `"text","18667680.84"`, `found the text "18667680.84"`},
		"openpyxl's date":       {"openpyxl", `2024-08-26 00:00:00`, `2024-08-26 00:00:01`, `cell G2: expected "2024-08-26", found the moment "2024-08-26 00:00:01"`},
		"openpyxl's format":     {"openpyxl", `"yyyy-mm-dd"`, `"yyyy-mm-dd hh:mm:ss"`, `cell G2: expected "2024-08-26", found the moment "2024-08-26 00:00:00" in the format "yyyy-mm-dd hh:mm:ss"`},
		"openpyxl's nonsense":   {"openpyxl", `"moment"`, `"noon"`, `the script printed the cell ["noon"`},
		"openpyxl's half":       {"openpyxl", `[["text"`, `[["text`, "what the script prints: invalid character"},
		"LibreOffice's display": {"libreoffice", `2483560.98`, `2483560.980`, `LibreOffice: sheet "Sheet1", cell E2: expected "2483560.98", found the display "2483560.980"`},
		"LibreOffice's line":    {"libreoffice", "ORD-00000002", `"`, "parse error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t)
			tr.write(t, base+".xlsx", "mixed", 20, xlsx.Options{}, unchanged)
			tr.say(t, base, "mixed", 20, c.old, c.replacement)
			tr.expect(t, exitFailed, c.says, "-readers", c.reader)
		})
	}
}

func TestReadersFail(t *testing.T) {
	t.Parallel()
	for reader, says := range map[string]string{
		"openpyxl":    "no module named openpyxl",
		"libreoffice": `it converted no sheet: source file could not be loaded`,
	} {
		tr := newTrial(t)
		tr.write(t, "mixed-20x10-haexcel.xlsx", "mixed", 20, xlsx.Options{}, unchanged)
		tr.expect(t, exitFailed, says, "-readers", reader)
	}
}

func TestOtherFiles(t *testing.T) {
	t.Parallel()
	tr := newTrial(t)
	tr.expect(t, exitFailed, "there is no workbook to check")
	for _, name := range []string{"bench.md", "mixed-5x10-excelize.xlsx"} {
		if err := os.WriteFile(filepath.Join(tr.folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tr.expect(t, exitFailed, "mixed-5x10-excelize.xlsx: left out")
	for _, name := range []string{"book.xlsx", "round-5x10-haexcel.xlsx", "mixed-5x0-haexcel.xlsx", "mixed-99999999999999999999x1-haexcel.xlsx"} {
		if _, err := parseName(name); err == nil {
			t.Errorf("%s is taken for a benchmark's file", name)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program program
		args    []string
		says    string
	}{
		{program{}, []string{"-readers", "structure"}, "name one folder"},
		{program{}, []string{"-readers", "excel", "."}, `unknown reader "excel"`},
		{program{}, []string{"."}, "HAEXCEL_TEST_OPENPYXL_PYTHON is not set"},
		{program{python: "python"}, []string{"."}, "HAEXCEL_TEST_SOFFICE is not set"},
		{program{}, []string{"-nosuch"}, "-nosuch"},
	} {
		var said bytes.Buffer
		c.program.stdout, c.program.stderr = &said, &said
		if code := c.program.run(t.Context(), c.args); code != exitUsage || !strings.Contains(said.String(), c.says) {
			t.Errorf("%q: code %d, said %s", c.args, code, &said)
		}
	}
}

func TestColumnName(t *testing.T) {
	t.Parallel()
	for column, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA", 16383: "XFD"} {
		if got := columnName(column); got != want {
			t.Errorf("column %d is %s, want %s", column, got, want)
		}
	}
}

// No content passes for another.
func TestContents(t *testing.T) {
	t.Parallel()
	values := []cell.Value{
		{}, {Kind: cell.Text, Bytes: []byte("1")}, {Kind: cell.Integer, Bytes: []byte("1")}, {Kind: cell.Bool, Bytes: []byte("1")},
		{Kind: cell.Date, Bytes: []byte("2026-09-02")}, {Kind: cell.DateTime, Bytes: []byte("2026-09-02 00:00:00")},
	}
	for c, want := range map[readers.Cell]string{
		{}: "+-----",
		{Content: readers.Text, Text: "1", Format: "General"}:                        "-+----",
		{Content: readers.Text, Text: "1", Format: "@"}:                              "------",
		{Content: readers.Number, Text: "1.0", Format: "0.00"}:                       "--+---",
		{Content: readers.Number, Text: "1", Format: "0%"}:                           "------",
		{Content: readers.Boolean, Text: "1", Format: "General"}:                     "---+--",
		{Content: readers.Boolean, Text: "0", Format: "General"}:                     "------",
		{Content: readers.Moment, Text: "2026-09-02 00:00:00", Format: dayFormat}:    "----+-",
		{Content: readers.Moment, Text: "2026-09-02 00:00:00", Format: momentFormat}: "-----+",
		{Content: readers.Moment, Text: "2026-09-02 00:00:00", Format: "yyyy/mm/dd"}: "------",
		{Content: readers.Shown, Text: "TRUE"}:                                       "---+--",
		{Content: readers.Shown, Text: "1"}:                                          "-++---",
		{Content: readers.Shown}:                                                     "+-----",
		{Content: readers.Shown, Text: "2026-09-02"}:                                 "----+-",
		{Content: readers.Strange, Text: "1", Format: "General"}:                     "------",
	} {
		got := ""
		for _, v := range values {
			got += map[bool]string{true: "+", false: "-"}[agrees(c, v)]
		}
		if got != want {
			t.Errorf("%s agrees with %s, want %s", describeCell(c), got, want)
		}
	}
}
