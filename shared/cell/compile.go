package cell

import (
	"strings"
	"time"
)

// The number format codes of the rules.
const (
	formatGeneral  = "General"
	formatInteger  = "0"
	formatDate     = "yyyy-mm-dd"
	formatDateTime = "yyyy-mm-dd hh:mm:ss"
	formatTime     = "[hh]:mm:ss"
	formatKRW      = "#,##0"
	formatYMD      = "yyyy/mm/dd"
	formatStamp    = "yyyy/mm/dd hh:mm:ss"
)

var percentFormats = [3]string{
	`0"%";-0"%";"-"`,
	`0.0"%";-0.0"%";"-"`,
	`0.00"%";-0.00"%";"-"`,
}

// rule is what excelFormat asks for.
type rule uint8

const (
	rulePlain rule = iota
	ruleKRW
	ruleYMD
	ruleClock
	ruleStamp
	ruleBizno
	rulePhone
	rulePercent
	ruleCustom      // a number format code for numbers
	ruleCustomDates // a number format code for dates and times
)

var rules = map[string]rule{
	"krw": ruleKRW, "ymd": ruleYMD, "tm": ruleClock, "datetime": ruleStamp,
	"bizno": ruleBizno, "phone": rulePhone, "tel": rulePhone, "pct": rulePercent,
}

// undeclared marks a number format that a column does not use.
const undeclared = -1

// Column makes the cells of one column. It is not safe for concurrent use; Clone
// gives another goroutine its own.
type Column struct {
	known bool
	rule  rule
	// The shortcuts: by kind the format of the usual values' cells, and of decimals
	// by their decimal places; undeclared where only the rule tells. What each cell
	// looks at stands together.
	shortcut [Other + 1]int8
	places   [maxDigits]int8
	codes    map[string]label
	small    smallText // the text of the last cell, where it is short
	zone     zone
	buf      []byte // the text of the last cell
	scratch  []byte // a number being read

	style   Style
	formats []string
	numeric []bool // by format: numbers, also those written as text
	pattern []datePart
	// What a custom format shows of times and of text, see formatCode.
	calendar, elapsed, words bool

	// Indexes in formats, or undeclared. own is the one of the rule; percent has
	// its formats from own on.
	own, integer, date, dateTime, time int
	decimal                            [maxScale + 1]int
	scale                              int

	truncated int64
}

// label is a text of a code map, made fit for a cell.
type label struct {
	text []byte
	cut  bool
}

// Compile prepares the cells of a leaf. f describes the values; known is false
// where the field is not in the rows, which makes every cell empty. zone is the
// report zone that instants are shown in, UTC when nil. The warnings are for the
// requester.
func Compile(leaf ColumnDef, f Field, known bool, location *time.Location) (*Column, []string) {
	if location == nil {
		location = time.UTC
	}
	c := &Column{style: leaf.CellStyle.Clean(), known: known, zone: zone{location: location}, scale: undeclared}
	c.declare(formatGeneral, false)
	c.integer, c.date, c.dateTime, c.time = undeclared, undeclared, undeclared, undeclared
	for i := range c.decimal {
		c.decimal[i] = undeclared
	}
	warnings := c.follow(leaf, f)
	c.prepare()
	return c, warnings
}

// follow takes over what the leaf asks for.
func (c *Column) follow(leaf ColumnDef, f Field) (warnings []string) {
	if !c.known {
		return []string{`field "` + leaf.Field + `" is not in the rows: its column is empty`}
	}
	if len(leaf.ExcelCodeMap) > 0 {
		c.codes = make(map[string]label, len(leaf.ExcelCodeMap))
		for code, text := range leaf.ExcelCodeMap {
			clean, cut, _ := cleanText([]byte(text), nil)
			c.codes[code] = label{text: clean, cut: cut}
		}
		c.declarePlain(f)
		return nil
	}
	switch name := strings.TrimSpace(leaf.ExcelFormat); {
	case name == "":
		c.declarePlain(f)
	case rules[name] != rulePlain:
		c.rule = rules[name]
		c.declareRule()
	default:
		code, ok := parseFormatCode(leaf.ExcelFormat)
		if !ok {
			c.declarePlain(f)
			return []string{`column "` + leaf.Field + `": "` + leaf.ExcelFormat +
				`" is neither a format name nor a number format code: plain values are written`}
		}
		c.rule, c.words = ruleCustom, code.words
		if code.dates {
			c.rule, c.pattern = ruleCustomDates, code.pattern
			c.calendar, c.elapsed = code.calendar, code.elapsed
		}
		c.own = c.declare(leaf.ExcelFormat, false)
	}
	return nil
}

func (c *Column) declare(code string, numeric bool) int {
	c.formats = append(c.formats, code)
	c.numeric = append(c.numeric, numeric)
	return len(c.formats) - 1
}

func (c *Column) declareRule() {
	switch c.rule {
	case ruleKRW:
		c.own = c.declare(formatKRW, true)
	case ruleYMD:
		c.own = c.declare(formatYMD, false)
	case ruleClock:
		c.own = c.declare(formatTime, false)
	case ruleStamp:
		c.own = c.declare(formatStamp, false)
	case rulePercent:
		for i, code := range percentFormats {
			if n := c.declare(code, true); i == 0 {
				c.own = n
			}
		}
	}
}

// declarePlain names the formats of values shown as they are: those of the
// field's kind, or all where each value brings its own kind.
func (c *Column) declarePlain(f Field) {
	if f.holds(Integer, Bits) {
		c.integer = c.declare(formatInteger, true)
	}
	if f.holds(Date) {
		c.date = c.declare(formatDate, false)
	}
	if f.holds(DateTime, Instant) {
		c.dateTime = c.declare(formatDateTime, false)
	}
	if f.holds(Time) {
		c.time = c.declare(formatTime, false)
	}
	if !f.holds(Decimal) {
		return
	}
	// Where all values have one scale, there is one format.
	first, last := 0, maxScale
	if f.Scale >= 0 && (f.Kind == Decimal || f.Kinds != 0) {
		c.scale = f.Scale
		first, last = f.Scale, min(f.Scale, maxScale)
	}
	for scale := first; scale <= last; scale++ {
		if scale == 0 && c.integer != undeclared {
			c.decimal[0] = c.integer
			continue
		}
		c.decimal[scale] = c.declare(decimalFormat(scale), true)
	}
}

// decimalFormat shows a number with its decimal places.
func decimalFormat(scale int) string {
	if scale == 0 {
		return formatInteger
	}
	return "0." + strings.Repeat("0", scale)
}

// Formats are the number format codes that the column can use, "General" first.
// They do not depend on the values. Cell.Format is an index of it.
func (c *Column) Formats() []string { return c.formats }

// Numeric reports whether the cells of a format are numbers. A number too long
// for a number cell is text of the same format; writers align both alike.
func (c *Column) Numeric(format int) bool { return c.numeric[format] }

// Style is the column's cellStyle, cleaned.
func (c *Column) Style() Style { return c.style }

// Truncated is the number of cells cut to MaxText so far.
func (c *Column) Truncated() int64 { return c.truncated }

// Clone gives a column of the same rules with buffers of its own and no cut cells
// counted yet.
func (c *Column) Clone() *Column {
	clone := *c
	clone.buf, clone.scratch, clone.truncated = nil, nil, 0
	return &clone
}
