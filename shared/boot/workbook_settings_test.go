package boot_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/filestore"
)

// The settings of the file writer reach the files that workers make.
func TestWorkbooksAreWrittenAsTheSettingsSay(t *testing.T) {
	t.Parallel()
	plain, sheet := workbook(t, "")
	if !strings.Contains(sheet, `<row r="1"`) || !strings.Contains(sheet, `<c r="A1"`) {
		t.Errorf("by default: %s", sheet)
	}
	if _, sheet := workbook(t, "HAEXCEL_XLSX_REFERENCES=off"); strings.Contains(sheet, ` r="`) || !strings.Contains(sheet, "<v>1</v>") {
		t.Errorf("without references: %s", sheet)
	}
	small, same := workbook(t, "HAEXCEL_XLSX_COMPRESSION=small")
	if len(small) >= len(plain) || same != sheet {
		t.Errorf("%d bytes when small, %d by default; the same sheet: %t", len(small), len(plain), same == sheet)
	}
}

// workbook makes a file with a setting; sheet is the XML in it.
func workbook(t *testing.T, setting string) (file []byte, sheet string) {
	t.Helper()
	driver, err := filestore.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bucket := storage.NewBucket(driver)
	b := open(t, []string{sqliteSetting(t), setting}, boot.WithBucket(bucket))
	if _, err := b.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	work, err := b.Work(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	res, err := work.Exporter.Write(t.Context(), export.Request{
		JobID: "job", Attempt: 1, Dataset: numbers("numbers"), Packaging: export.Workbook, Columns: manyColumns(),
	}, export.Plan{}, func(int64) {})
	if err != nil {
		t.Fatal(err)
	}
	object, err := bucket.NewReader(t.Context(), res.Key)
	if err != nil {
		t.Fatal(err)
	}
	file, err = io.ReadAll(object)
	if err := errors.Join(err, object.Close()); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(archive, "xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	return file, string(text)
}

// manyColumns make a row that is worth compressing by itself.
func manyColumns() []cell.ColumnDef {
	var columns []cell.ColumnDef
	for i := range 2000 {
		columns = append(columns, cell.ColumnDef{Field: "n", HeaderName: fmt.Sprintf("column %d", i+1)})
	}
	return columns
}
