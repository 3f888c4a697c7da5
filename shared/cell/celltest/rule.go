package celltest

import (
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
)

// Want is what a cell must be.
type Want struct {
	Type   cell.Type
	Text   string   // of a String; "1" or "0" of a Boolean
	Number *big.Rat // of a Number
	Format string   // number format code of a Number; a String has any that shows it as it is, if none is given
	Shown  string   // what a person sees; "" where General leaves it to the reader
	Cut    bool     // the text was longer than a cell holds
}

// Rule says what becomes of a value in the column that leaf asks for. f describes
// the values and zone is where instants are shown. A leaf's excelFormat must be
// one of the names, a code that Excel takes (see Codes), or "" or one of
// NoCodes.
func Rule(leaf cell.ColumnDef, f cell.Field, v cell.Value, zone *time.Location) Want {
	r := reading{v: v, scale: f.Scale, zone: zone, code: leaf.ExcelFormat}
	if len(leaf.ExcelCodeMap) > 0 {
		// Labels are text. What has none is as if no format were asked for.
		for _, key := range r.keys() {
			if label, ok := leaf.ExcelCodeMap[trim(key)]; ok {
				return written(label)
			}
		}
		r.code = ""
	}
	if v.Kind == cell.Null {
		return Want{}
	}
	switch r.code {
	case "krw":
		return r.won()
	case "pct":
		return r.percent()
	case "ymd":
		return r.day()
	case "datetime":
		return r.moment()
	case "tm":
		return r.clock()
	case "bizno":
		return r.registration()
	case "phone", "tel":
		return r.telephone()
	}
	if isNoCode(r.code) {
		r.code = ""
	}
	if r.code != "" && !suits(r.code, v.Kind) {
		return r.unfit()
	}
	want := r.plain()
	if r.code != "" && want.Type == cell.String && r.isText() {
		// A custom format may say how text is shown.
		want.Format, want.Shown = r.code, ""
	}
	return want
}

// Header says what a header becomes.
func Header(s string) Want { return written(s) }

// reading is a value that is being looked at.
type reading struct {
	v     cell.Value
	scale int
	zone  *time.Location
	code  string // the custom number format, if there is one
}

// plain is the cell of a value by its kind alone.
func (r reading) plain() Want {
	switch r.v.Kind {
	case cell.Integer, cell.Bits:
		return r.integer()
	case cell.Decimal:
		return r.decimal()
	case cell.Float, cell.Float32:
		return r.floating()
	case cell.Bool:
		if on, ok := truth(string(r.v.Bytes)); ok {
			if on {
				return Want{Type: cell.Boolean, Text: "1", Shown: "TRUE"}
			}
			return Want{Type: cell.Boolean, Text: "0", Shown: "FALSE"}
		}
	case cell.Date, cell.DateTime, cell.Instant:
		return r.calendar()
	case cell.Time:
		return r.duration()
	}
	return written(r.text())
}

// keys are the texts that are looked up in a code map. Databases without a
// boolean type have 1 and 0 instead, so these stand for the words.
func (r reading) keys() []string {
	switch key := r.text(); {
	case r.v.Kind == cell.Bool && key == "true":
		return []string{key, "1"}
	case r.v.Kind == cell.Bool && key == "false":
		return []string{key, "0"}
	default:
		return []string{key}
	}
}

// unfit is the cell of a value that does not fit its format: unchanged, as text.
// A zero date is empty all the same.
func (r reading) unfit() Want {
	if w, ok := r.wall(); ok && w.zero() {
		return Want{}
	}
	return written(r.text())
}

// suits tells whether a number format can show a kind: dates as numbers are
// nothing that anyone could read.
func suits(code string, kind cell.Kind) bool {
	days, hours := calendarParts(code)
	switch kind {
	case cell.Date, cell.DateTime, cell.Instant:
		return days || hours
	case cell.Time:
		return hours && !days
	}
	return true
}

// calendarParts tells what a number format shows of a date.
func calendarParts(code string) (days, hours bool) {
	letters := quoted.ReplaceAllString(code, "")
	return strings.ContainsAny(letters, "yd"), strings.ContainsAny(letters, "hs")
}

// quoted are the parts of a number format that stand for themselves, and colours.
var quoted = regexp.MustCompile(`"[^"]*"|\\.|\[[A-Z][a-z]+\]`)

// isText tells that the source calls the value text. JSON and types without a
// rule of their own are the database's text.
func (r reading) isText() bool {
	return r.v.Kind == cell.Text || r.v.Kind == cell.JSON || r.v.Kind == cell.Other
}

// text is the value as text: what is looked up in code maps and what stands in a
// cell whose format the value does not fit.
func (r reading) text() string {
	s := string(r.v.Bytes)
	switch r.v.Kind {
	case cell.Null:
		return ""
	case cell.Bool:
		if on, ok := truth(s); ok {
			if on {
				return "true"
			}
			return "false"
		}
	case cell.Binary:
		return hexadecimal(r.v.Bytes)
	case cell.Bits:
		return bits(r.v.Bytes).String()
	case cell.Integer, cell.Decimal:
		return canonical(s)
	case cell.Float, cell.Float32:
		return r.doubleText()
	case cell.Date, cell.DateTime, cell.Instant:
		return r.calendarText()
	}
	return s
}

// truth reads a boolean.
func truth(s string) (on, ok bool) {
	switch s {
	case "1", "t", "true":
		return true, true
	case "0", "f", "false":
		return false, true
	}
	return false, false
}
