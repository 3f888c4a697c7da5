package cell

import "strconv"

// ruled makes the cell of any value by the column's rule.
func (c *Column) ruled(v Value) Cell {
	if !c.known || v.Kind == Null {
		return Cell{}
	}
	switch c.rule {
	case ruleKRW:
		return c.krw(v)
	case ruleYMD:
		return c.ymd(v)
	case ruleClock:
		return c.clock(v)
	case ruleStamp:
		return c.stamp(v)
	case ruleBizno:
		return c.identifier(v, putBizno)
	case rulePhone:
		return c.identifier(v, putPhone)
	case rulePercent:
		return c.percent(v)
	case ruleCustom, ruleCustomDates:
		return c.custom(v)
	}
	return c.plain(v)
}

// label looks a value up in the code map by its trimmed text, NULL as "". A
// boolean is found as true/false and, since databases without booleans keep them
// so, as 1/0.
func (c *Column) label(v Value) (label, bool) {
	text := v.Bytes
	if !textual(v.Kind) {
		text = c.valueText(v)
	}
	l, ok := c.codes[string(trim(text))]
	if !ok && v.Kind == Bool {
		if b, isBool := parseBool(v.Bytes); isBool {
			l, ok = c.codes[string(boolDigit(b))]
		}
	}
	return l, ok
}

func (c *Column) labelled(l label) Cell {
	if len(l.text) == 0 {
		return Cell{}
	}
	if l.cut {
		c.truncated++
	}
	return Cell{Type: String, Text: l.text}
}

// plain shows a value by its kind alone.
func (c *Column) plain(v Value) Cell {
	switch v.Kind {
	case Null:
		return Cell{}
	case Integer:
		return c.whole(v.Bytes, c.integer)
	case Bits:
		c.scratch = appendBits(c.scratch[:0], v.Bytes)
		return c.whole(c.scratch, c.integer)
	case Decimal:
		return c.fixed(v)
	case Float, Float32:
		return c.floating(v, 0)
	case Bool:
		if b, ok := parseBool(v.Bytes); ok {
			return Cell{Type: Boolean, Text: boolDigit(b)}
		}
	case Date, DateTime, Instant:
		if m, timed, ok := c.moment(v); ok {
			if timed {
				return c.dated(m, timed, c.dateTime, '-')
			}
			return c.dated(m, timed, c.date, '-')
		}
	case Time:
		return c.duration(v, c.time)
	case Binary:
		return c.binary(v.Bytes)
	}
	return c.text(v.Bytes, 0)
}

// text makes a text cell; empty text is an empty cell.
func (c *Column) text(b []byte, format int) Cell {
	if len(b) == 0 {
		return Cell{}
	}
	text, cut, grown := cleanText(b, c.buf)
	c.buf = grown
	if cut {
		c.truncated++
	}
	return Cell{Type: String, Text: text, Format: int32(format)}
}

// unchanged is the cell of a value that does not fit its column's format. A zero
// date is empty whatever the format.
func (c *Column) unchanged(v Value) Cell {
	switch v.Kind {
	case Date, DateTime, Instant:
		if m, _, ok := c.moment(v); ok && m.none() {
			return Cell{}
		}
	}
	return c.text(c.valueText(v), 0)
}

// whole makes the cell of an integer: a number up to 15 digits, else text.
func (c *Column) whole(b []byte, format int) Cell {
	n, ok := parseNumber(b)
	if !ok || len(n.fraction) > 0 || format == undeclared {
		return c.text(b, 0)
	}
	return c.numeral(n, b, format, len(n.whole) <= maxDigits)
}

// numeral makes the cell of a number that stands in b: a number cell, or text of
// the same digits where no number cell keeps them.
func (c *Column) numeral(n number, b []byte, format int, kept bool) Cell {
	text := c.literal(n, b)
	if kept {
		return Cell{Type: Number, Text: text, Format: int32(format)}
	}
	if len(text) > MaxText {
		text = text[:MaxText]
		c.truncated++
	}
	return Cell{Type: String, Text: text, Format: int32(format)}
}

// literal is the canonical text of a number that stands in b.
func (c *Column) literal(n number, b []byte) []byte {
	if n.plain {
		return b
	}
	c.buf = n.append(c.buf[:0])
	return c.buf
}

// fixed makes the cell of a DECIMAL: every digit and the scale survive.
func (c *Column) fixed(v Value) Cell {
	n, ok := parseNumber(v.Bytes)
	if !ok {
		return c.text(v.Bytes, 0)
	}
	scale := len(n.fraction)
	if scale < c.scale {
		scale = c.scale
	}
	format := undeclared
	if scale <= maxScale {
		format = c.decimal[scale]
	}
	return c.numeral(n, v.Bytes, max(format, 0), format != undeclared && n.exact())
}

// floating makes the cell of a double or a float.
func (c *Column) floating(v Value, format int) Cell {
	f, ok := c.float(v)
	switch {
	case !ok:
		return c.text(v.Bytes, 0)
	case !f.finite:
		return Cell{Type: String, Text: f.text}
	}
	return Cell{Type: Number, Text: f.text, Format: int32(format)}
}

func (c *Column) float(v Value) (f float, ok bool) {
	bits := 64
	if v.Kind == Float32 {
		bits = 32
	}
	f, ok, c.buf = parseFloat(v.Bytes, bits, c.buf)
	return f, ok
}

// moment reads a date, date-time or instant. Not ok is what has a text of its own
// (infinity, BC).
func (c *Column) moment(v Value) (m moment, timed, ok bool) {
	m, timed, rest, ok := parseISO(v.Bytes)
	if !ok {
		return m, false, false
	}
	switch v.Kind {
	case Date:
		// A time of day behind a date would be lost in a date cell.
		return m, false, len(rest) == 0 && m.seconds() == 0
	case DateTime:
		return m, true, len(rest) == 0
	}
	offset, ok := parseOffset(rest)
	if m.zeroDate() {
		return m, true, ok || len(rest) == 0
	}
	if !ok || !timed || !m.realDate() {
		return m, false, false
	}
	epoch := daysFromCivil(m.year, m.month, m.day)*daySeconds + int64(m.seconds()-offset)
	m = c.zone.moment(epoch)
	return m, true, m.year >= 0
}

// dated makes a date cell, or text where no date cell shows the date. timed false
// leaves the time of day out.
func (c *Column) dated(m moment, timed bool, format int, separator byte) Cell {
	if m.none() {
		return Cell{}
	}
	days, ok := m.serial()
	if !ok || format == undeclared {
		if c.pattern != nil {
			c.buf = appendPattern(c.buf[:0], c.pattern, m)
		} else {
			c.buf = appendMoment(c.buf[:0], m, timed, separator)
		}
		return Cell{Type: String, Text: c.buf, Format: int32(max(format, 0))}
	}
	seconds := 0
	if timed {
		seconds = m.seconds()
	}
	return c.serial(days, seconds, int32(format))
}

// duration makes the cell of a TIME; negative ones are text, since Excel shows
// none.
func (c *Column) duration(v Value, format int) Cell {
	seconds, negative, ok := parseDuration(v.Bytes)
	days := seconds / daySeconds
	if !ok || negative || days > maxSerial || format == undeclared {
		return c.text(v.Bytes, 0)
	}
	return c.serial(int(days), int(seconds%daySeconds), int32(format))
}

// binary shows bytes as hex, no further than a cell holds.
func (c *Column) binary(b []byte) Cell {
	if len(b) == 0 {
		return Cell{}
	}
	c.scratch = appendHex(c.scratch[:0], b)
	return c.text(c.scratch, 0)
}

func appendHex(dst, b []byte) []byte {
	if len(b) > MaxText/2+1 {
		b = b[:MaxText/2+1]
	}
	const upper = "0123456789ABCDEF"
	for _, ch := range b {
		dst = append(dst, upper[ch>>4], upper[ch&0xF])
	}
	return dst
}

// valueText is the text of a value: what code maps are asked with and what stands
// in the cell of a value that does not fit its format.
func (c *Column) valueText(v Value) []byte {
	switch v.Kind {
	case Null:
		return nil
	case Integer, Decimal:
		if _, ok := shortNumeral(v.Bytes); ok {
			return v.Bytes
		}
		if n, ok := parseNumber(v.Bytes); ok && !n.plain {
			c.scratch = n.append(c.scratch[:0])
			return c.scratch
		}
	case Bits:
		c.scratch = appendBits(c.scratch[:0], v.Bytes)
		return c.scratch
	case Float, Float32:
		if f, ok := c.float(v); ok {
			return f.text
		}
	case Bool:
		if b, ok := parseBool(v.Bytes); ok {
			c.scratch = strconv.AppendBool(c.scratch[:0], b)
			return c.scratch
		}
	case Date, DateTime, Instant:
		if m, timed, ok := c.moment(v); ok {
			c.scratch = appendMoment(c.scratch[:0], m, timed, '-')
			return c.scratch
		}
	case Binary:
		c.scratch = appendHex(c.scratch[:0], v.Bytes)
		return c.scratch
	}
	return v.Bytes
}

func parseBool(b []byte) (value, ok bool) {
	switch string(b) {
	case "1", "t", "true":
		return true, true
	case "0", "f", "false":
		return false, true
	}
	return false, false
}

func boolDigit(b bool) []byte {
	if b {
		return digitOne
	}
	return digitZero
}

var (
	digitOne  = []byte("1")
	digitZero = []byte("0")
)

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// appendMoment writes a date, real or not, with its time of day where it has one.
func appendMoment(dst []byte, m moment, timed bool, separator byte) []byte {
	dst = appendPadded(dst, m.year, 4)
	dst = append(dst, separator)
	dst = appendPadded(dst, m.month, 2)
	dst = append(dst, separator)
	dst = appendPadded(dst, m.day, 2)
	if !timed {
		return dst
	}
	dst = append(dst, ' ')
	dst = appendPadded(dst, m.hour, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, m.minute, 2)
	dst = append(dst, ':')
	return appendPadded(dst, m.second, 2)
}
