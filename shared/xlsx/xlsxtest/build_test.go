package xlsxtest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// sample is a good workbook of two header rows and two data rows.
func sample(t testing.TB, o xlsx.Options) []byte {
	t.Helper()
	header := []cell.ColumnDef{
		{HeaderName: "무리", Children: []cell.ColumnDef{{Field: "a", Width: 100}, {Field: "b", Width: 200}}},
		{Field: "c", ExcelFormat: "krw"}, {Field: "d", ExcelFormat: `0.0"원"`, CellStyle: cell.Style{Color: "#FF0000"}},
	}
	s := xlsx.Sheet{Name: "글", Header: header}
	for i, leaf := range cell.Leaves(header) {
		c, _ := cell.Compile(leaf, cell.Field{Kind: []cell.Kind{cell.Text, cell.Text, cell.Integer, cell.Bool}[i]}, true, nil)
		s.Columns = append(s.Columns, c)
	}
	var out bytes.Buffer
	w, err := xlsx.NewWriter(&out, s, o)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		row := []cell.Value{
			{Kind: cell.Text, Bytes: []byte(" blank")}, {Kind: cell.Text, Bytes: []byte("x_x0041_")},
			{Kind: cell.Integer, Bytes: []byte("5")}, {Kind: cell.Bool, Bytes: []byte("1")},
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// partText is a part of an archive.
type partText struct{ name, text string }

func packed(t testing.TB, parts []partText) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, p := range parts {
		to, err := w.Create(p.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(to, p.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A change turns a good workbook into a bad one: in one part a text is replaced
// where it first occurs; without one the part is taken out, or, where there is
// none of that name, added with the replacement.
type change struct{ part, old, replacement string }

func (c change) apply(t testing.TB, parts []partText) (changed []partText) {
	t.Helper()
	found := false
	for _, p := range parts {
		if p.name == c.part {
			found = true
			if c.old == "" {
				continue
			}
			if !strings.Contains(p.text, c.old) {
				t.Fatalf("%s has no %q", c.part, c.old)
			}
			p.text = strings.Replace(p.text, c.old, c.replacement, 1)
		}
		changed = append(changed, p)
	}
	if !found {
		changed = append(changed, partText{c.part, c.replacement})
	}
	return changed
}

// A fault is a change of a part of the good workbook, and what the error says of
// it; a change without an error is none.
type fault struct{ old, replacement, says string }

// findFaults puts faults into the good workbook, one by one.
func findFaults(t *testing.T, faults map[string][]fault) {
	t.Helper()
	for part, list := range faults {
		for i, f := range list {
			t.Run(fmt.Sprintf("%s/%d", part, i), func(t *testing.T) {
				t.Parallel()
				err := check(packed(t, change{part, f.old, f.replacement}.apply(t, good)))
				switch {
				case f.says == "" && err != nil:
					t.Errorf("%.60q for %.60q: %v", f.replacement, f.old, err)
				case f.says != "" && (err == nil || !strings.Contains(err.Error(), f.says)):
					t.Errorf("%.60q for %.60q: %.200v, want %q", f.replacement, f.old, err, f.says)
				}
			})
		}
	}
}

func check(data []byte) error {
	_, err := Check(bytes.NewReader(data), int64(len(data)), nil)
	return err
}

// wantFault fails the test unless the error speaks of what is wanted.
func wantFault(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("the fault is %v, want one that says %q", err, says)
	}
}
