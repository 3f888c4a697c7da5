package xlsxtest

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/xlsx"
)

func TestGoodWorkbook(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]xlsx.Options{"references": {}, "no references": {OmitReferences: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book := Open(t, sample(t, o))
			s := book.Sheet(0)
			if s.Name != "글" || len(s.Rows()) != 4 || s.Frozen != 2 || s.Filter != "A2:D4" || s.Widths[1] == 0 {
				t.Errorf("read as %+v", s)
			}
			if c := s.At("A3"); c.Text != " blank" || !c.Preserved || c.Type != "s" {
				t.Errorf("A3 is %+v", c)
			}
			if c := s.At("B3"); c.Text != "x_x0041_" || c.Raw != "x_x005F_x0041_" {
				t.Errorf("B3 is %+v", c)
			}
			if c := s.At("C4"); c.Type != "n" || c.Raw != "5" || c.NumFmt != "#,##0" {
				t.Errorf("C4 is %+v", c)
			}
			if c := s.At("D4"); c.Type != "b" || c.Raw != "1" {
				t.Errorf("D4 is %+v", c)
			}
			if c := s.At("Z9"); c != (Cell{}) {
				t.Errorf("Z9 is %+v", c)
			}
			if got := book.Names["0/_xlnm._FilterDatabase"]; got != "'글'!$A$2:$D$4" {
				t.Errorf("the filter is called %q", got)
			}
		})
	}
}

// Rows are shown sheet by sheet, and an error of the function ends the reading.
func TestCheckVisitsRows(t *testing.T) {
	t.Parallel()
	data := sample(t, xlsx.Options{MaxRows: 3})
	type visit struct {
		sheet string
		row   int
	}
	var visits []visit
	book, err := Check(bytes.NewReader(data), int64(len(data)), func(sheet string, row int, cells []Cell) error {
		visits = append(visits, visit{sheet, row})
		if len(cells) != 4 {
			t.Errorf("row %d of %s has %d cells", row, sheet, len(cells))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []visit{{"글", 1}, {"글", 2}, {"글", 3}, {"글2", 1}, {"글2", 2}, {"글2", 3}}
	if len(visits) != len(want) {
		t.Fatalf("visited %v", visits)
	}
	for i := range want {
		if visits[i] != want[i] {
			t.Errorf("visit %d is %v, want %v", i, visits[i], want[i])
		}
	}
	if len(book.Sheets) != 2 || len(book.Sheet(1).Rows()) != 0 {
		t.Errorf("%d sheets, %d rows are held", len(book.Sheets), len(book.Sheet(1).Rows()))
	}
	enough := errors.New("enough")
	if _, err := Check(bytes.NewReader(data), int64(len(data)), func(string, int, []Cell) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("the function's error comes back as %v", err)
	}
}

func TestMoment(t *testing.T) {
	t.Parallel()
	got, err := Moment("46267.60445601852")
	if want := time.Date(2026, 9, 2, 14, 30, 25, 0, time.UTC); err != nil || !got.Equal(want) {
		t.Errorf("%v, %v", got, err)
	}
}
