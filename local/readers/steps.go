package readers

import "fmt"

// steps shows rows to a visit and fills what is missing between them.
type steps struct {
	visit Visit
	sheet string
	row   int // the last one that was shown
}

// begin goes to the next sheet.
func (s *steps) begin(sheet string) { s.sheet, s.row = sheet, 0 }

func (s *steps) show(row int, cells []Cell) error {
	if row <= s.row {
		return fmt.Errorf("sheet %q: row %d comes after row %d", s.sheet, row, s.row)
	}
	for s.row++; s.row < row; s.row++ {
		if err := s.visit(s.sheet, s.row, nil); err != nil {
			return err
		}
	}
	return s.visit(s.sheet, row, cells)
}
