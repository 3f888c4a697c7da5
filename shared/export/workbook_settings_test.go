package export_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// reference is where a row or cell says that it stands.
var reference = regexp.MustCompile(`<(row|c) r="[A-Z0-9]+"`)

// codes are rows whose long numbers come again after a while.
type codes struct{ *numbers }

func (d codes) Open(ctx context.Context, q dataset.Query) (dataset.Rows, error) {
	_, err := d.numbers.Open(ctx, q)
	return d, err
}

func (d codes) Values() []cell.Value {
	values := d.numbers.Values()
	code := uint64(d.current%40+1) * 0x9E3779B97F4A7C15
	values[1].Bytes = fmt.Appendf(nil, "%020d", code)
	return values
}

// writtenWith exports rows with changed settings and gives the stored file.
func writtenWith(t *testing.T, packaging export.Packaging, change func(*export.Settings)) (key string, data []byte) {
	t.Helper()
	b := setup(t)
	change(&b.settings)
	r := request(codes{newNumbers(1500)})
	r.Packaging = packaging
	res, err := b.run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return res.Key, b.object(t, res.Key)
}

// sheetXML is the first sheet of a workbook as it stands in the archive.
func sheetXML(t *testing.T, workbook []byte) []byte {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(zr, "xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestReferencesAreLeftOutOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	for _, packaging := range []export.Packaging{export.Workbook, export.Zip} {
		for _, omit := range []bool{false, true} {
			key, data := writtenWith(t, packaging, func(s *export.Settings) { s.OmitReferences = omit })
			for i, p := range parts(t, key, data) {
				if found := reference.Find(sheetXML(t, p.bytes)); (found == nil) != omit {
					t.Errorf("%s, omitted %t: part %d has %q", packaging, omit, i+1, found)
				}
				if rows := rowsOf(t, p.bytes); len(rows) < 2 || rows[1][1] == "" {
					t.Errorf("%s, omitted %t: part %d reads back as %d rows", packaging, omit, i+1, len(rows))
				}
			}
		}
	}
}

func TestCompressionMakesTheFileSmaller(t *testing.T) {
	t.Parallel()
	for _, packaging := range []export.Packaging{export.Workbook, export.Zip} {
		key, fast := writtenWith(t, packaging, func(s *export.Settings) { s.Compression = xlsx.Fast })
		_, small := writtenWith(t, packaging, func(s *export.Settings) { s.Compression = xlsx.Small })
		if len(small) >= len(fast) {
			t.Errorf("%s: %d bytes when small, %d when fast", packaging, len(small), len(fast))
		}
		fastParts, smallParts := parts(t, key, fast), parts(t, key, small)
		for i := range fastParts {
			if diff := cmp.Diff(sheetXML(t, fastParts[i].bytes), sheetXML(t, smallParts[i].bytes)); diff != "" {
				t.Errorf("%s: part %d differs: %s", packaging, i+1, diff)
			}
		}
	}
}
