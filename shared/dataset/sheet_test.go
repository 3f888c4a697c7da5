package dataset_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"testing/fstest"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/xlsx"
)

// sheetVariable holds a sheetRequest. A test binary that finds it writes the
// workbook instead of running tests: the time zone of a process is set before it
// starts.
const sheetVariable = "HAEXCEL_DATASET_TEST_SHEET"

// sheetRequest is a workbook of all fields of a dataset.
type sheetRequest struct {
	URL    string
	File   string // of the dataset
	Params dataset.Values
	Zone   string // of the report
}

// writeSheet writes the workbook to w.
func writeSheet(w io.Writer, request string) (err error) {
	var r sheetRequest
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		return err
	}
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		return err
	}
	sources, err := dataset.NewSources(map[string]string{"": r.URL}, dataset.SourceOptions{ReportZone: zone, PageRows: 4})
	if err != nil {
		return err
	}
	defer func() { _ = sources.Close() }()
	sets, err := dataset.LoadFS(fstest.MapFS{"set.yaml": {Data: []byte(r.File)}}, sources)
	if err != nil {
		return err
	}
	rows, err := sets[0].Open(context.Background(), dataset.Query{Params: r.Params, Zone: zone})
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var sheet xlsx.Sheet
	for _, f := range rows.Fields() {
		leaf := cell.ColumnDef{Field: f.Name, HeaderName: f.Name}
		column, _ := cell.Compile(leaf, f, true, zone)
		sheet.Header = append(sheet.Header, leaf)
		sheet.Columns = append(sheet.Columns, column)
	}
	book, err := xlsx.NewWriter(w, sheet, xlsx.Options{})
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := book.Write(rows.Values()); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return book.Close()
}

// sheetIn makes the workbook in a process of its own, whose time zone is tz.
func sheetIn(t *testing.T, tz string, r sheetRequest) []byte {
	t.Helper()
	request, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), self)
	command.Env = append(os.Environ(), "TZ="+tz, sheetVariable+"="+string(request))
	command.Stderr = t.Output()
	data, err := command.Output()
	if err != nil {
		t.Fatalf("in %s: %v", tz, err)
	}
	return data
}

// sheetProcess is the main function of such a process.
func sheetProcess(request string) int {
	if err := writeSheet(os.Stdout, request); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
