package celltest

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/haexcel/haexcel/shared/cell"
)

// Seen is a cell as a test finds it.
type Seen struct {
	Type   cell.Type
	Text   string
	Format string // number format code
}

// literalForm is a number as the workbooks write it.
var literalForm = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?(E[+-]?\d+)?$`)

// Fault says in what a cell differs from what it must be; "" says in nothing.
func (s Seen) Fault(w Want) string {
	if s.Type != w.Type {
		return fmt.Sprintf("type %d, want %d", s.Type, w.Type)
	}
	if s.Type != cell.Number {
		if s.Text != w.Text {
			return fmt.Sprintf("text %.80q, want %.80q", s.Text, w.Text)
		}
		if w.Format == "" && !showsText(s.Format) || w.Format != "" && s.Format != w.Format {
			return fmt.Sprintf("text in the number format %q, want %q", s.Format, w.Format)
		}
		return ""
	}
	if s.Format != w.Format {
		return fmt.Sprintf("number format %q, want %q", s.Format, w.Format)
	}
	if !literalForm.MatchString(s.Text) {
		return fmt.Sprintf("the number %q", s.Text)
	}
	got := exact(s.Text)
	if got.Sign() == 0 && s.Text[0] == '-' {
		return fmt.Sprintf("the number %s, a minus zero", s.Text)
	}
	if got.Cmp(w.Number) != 0 {
		// A serial number is a double as near to the fraction as sums of doubles
		// are, in its shortest form.
		serial, _ := got.Float64()
		nearest, isExact := w.Number.Float64()
		step := math.Nextafter(nearest, math.Inf(1)) - nearest
		if isExact || math.Abs(serial-nearest) > step || got.Cmp(exact(strconv.FormatFloat(serial, 'e', -1, 64))) != 0 {
			return fmt.Sprintf("the number %s, want %s", s.Text, w.Number.FloatString(20))
		}
	}
	if w.Shown == "" {
		return ""
	}
	if shown, ok := Show(s.Text, s.Format); !ok || shown != w.Shown {
		return fmt.Sprintf("%q is shown for %s in %s, want %q", shown, s.Text, s.Format, w.Shown)
	}
	return ""
}
