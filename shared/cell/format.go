package cell

// The named formats and number format codes. Each takes what its row of the
// contract accepts and leaves everything else unchanged.

// textual reports whether a named format reads the text of such a value.
func textual(k Kind) bool { return k == Text || k == JSON || k == Other }

// wholeNumber reports whether dates and times are also read from the digits of
// such a value: 20260902 is often a number. One with decimals is no date.
func wholeNumber(k Kind) bool { return k == Integer || k == Decimal }

// numberOf reads the numbers that krw and pct accept. The parts stand in
// c.scratch or in the value.
func (c *Column) numberOf(v Value) (n number, ok bool) {
	switch v.Kind {
	case Integer, Decimal:
		return parseNumber(v.Bytes)
	case Bits:
		c.scratch = appendBits(c.scratch[:0], v.Bytes)
		return parseNumber(c.scratch)
	case Float, Float32:
		f, ok := c.float(v)
		if !ok || !f.finite {
			return number{}, false
		}
		c.scratch = appendPlainFloat(c.scratch[:0], f.text)
		return parseNumber(c.scratch)
	}
	if !textual(v.Kind) {
		return number{}, false
	}
	n, ok, c.scratch = parseTextNumber(v.Bytes, c.scratch)
	return n, ok
}

// krw shows amounts cut toward zero with a comma between thousands.
func (c *Column) krw(v Value) Cell {
	n, ok := c.numberOf(v)
	if !ok {
		return c.unchanged(v)
	}
	n.fraction = nil
	if len(n.whole) == 0 {
		n.negative = false
	}
	if len(n.whole) <= maxDigits {
		c.buf = n.append(c.buf[:0])
		return Cell{Type: Number, Text: c.buf, Format: int32(c.own)}
	}
	c.buf = c.buf[:0]
	if n.negative {
		c.buf = append(c.buf, '-')
	}
	c.buf = appendGrouped(c.buf, n.whole)
	return c.text(c.buf, c.own)
}

// percent shows a number with a percent sign and at most two of its decimals.
func (c *Column) percent(v Value) Cell {
	n, ok := c.numberOf(v)
	if !ok {
		return c.unchanged(v)
	}
	format := c.own + min(len(n.fraction), len(percentFormats)-1)
	if v.Kind == Float || v.Kind == Float32 {
		return c.floating(v, format)
	}
	if !n.kept() {
		return c.unchanged(v)
	}
	c.buf = n.append(c.buf[:0])
	return Cell{Type: Number, Text: c.buf, Format: int32(format)}
}

// ymd shows the day of a date, a date-time or text that begins with one.
func (c *Column) ymd(v Value) Cell {
	if textual(v.Kind) {
		if day, ok := bareDay(v.Bytes); ok && day >= minSerial {
			return c.serial(day, 0, int32(c.own))
		}
	}
	m, ok := c.anyMoment(v, false)
	if !ok {
		return c.unchanged(v)
	}
	m.hour, m.minute, m.second = 0, 0, 0
	return c.dated(m, false, c.own, '/')
}

// stamp shows a date-time, or text that is one.
func (c *Column) stamp(v Value) Cell {
	if textual(v.Kind) {
		if day, second, ok := bareMoment(v.Bytes); ok && day >= minSerial {
			return c.serial(day, second, int32(c.own))
		}
	}
	m, ok := c.anyMoment(v, true)
	if !ok {
		return c.unchanged(v)
	}
	return c.dated(m, true, c.own, '/')
}

// anyMoment reads dates of every kind and text; withTime demands a time of day.
func (c *Column) anyMoment(v Value, withTime bool) (m moment, ok bool) {
	var timed bool
	switch {
	case v.Kind == Date || v.Kind == DateTime || v.Kind == Instant:
		m, timed, ok = c.moment(v)
	case textual(v.Kind) || wholeNumber(v.Kind):
		m, timed, ok = parseTextMoment(v.Bytes)
	}
	return m, ok && (timed || !withTime)
}

// clock shows a time of day or a duration.
func (c *Column) clock(v Value) Cell {
	if v.Kind == Time {
		return c.duration(v, c.own)
	}
	if textual(v.Kind) || wholeNumber(v.Kind) {
		if seconds, ok := parseTextClock(v.Bytes); ok {
			return c.serial(0, seconds, int32(c.own))
		}
	}
	return c.unchanged(v)
}

// identifier shows a business or telephone number. The hyphens and points of text
// are separators; a number's sign or decimals are not.
func (c *Column) identifier(v Value, put func(out *smallText, b []byte) (int, bool)) Cell {
	text := v.Bytes
	fits := textual(v.Kind)
	switch v.Kind {
	case Integer, Decimal, Float, Float32:
		text = c.valueText(v)
		fits = allDigits(text)
	}
	if fits {
		if n, ok := put(&c.small, text); ok {
			return Cell{Type: String, Text: c.small[:n]}
		}
	}
	return c.unchanged(v)
}

// custom shows a value by a number format code of the caller's. Numbers take any
// code, dates and times one for dates; text stays text.
func (c *Column) custom(v Value) Cell {
	switch v.Kind {
	case Integer, Bits, Decimal, Float, Float32:
		if c.rule == ruleCustomDates && !c.inCalendar(v) {
			return c.unchanged(v)
		}
		return c.legible(c.customNumber(v))
	case Date, DateTime, Instant:
		if m, timed, ok := c.moment(v); ok && c.rule == ruleCustomDates {
			return c.legible(c.dated(m, timed, c.own, '-'))
		}
		return c.unchanged(v)
	case Time:
		if c.rule == ruleCustomDates && !c.calendar && (c.elapsed || withinDay(v.Bytes)) {
			return c.duration(v, c.own)
		}
		return c.unchanged(v)
	case Text, JSON, Other:
		return c.text(v.Bytes, c.own)
	}
	return c.plain(v)
}

// legible takes the column's number format from text that stands for a number or
// a date, where the format hides text or says something else of it.
func (c *Column) legible(out Cell) Cell {
	if out.Type == String && c.words {
		out.Format = 0
	}
	return out
}

func (c *Column) customNumber(v Value) Cell {
	switch v.Kind {
	case Bits:
		c.scratch = appendBits(c.scratch[:0], v.Bytes)
		return c.whole(c.scratch, c.own)
	case Decimal:
		n, ok := parseNumber(v.Bytes)
		if !ok || !n.kept() {
			return c.unchanged(v)
		}
		return Cell{Type: Number, Text: c.literal(n, v.Bytes), Format: int32(c.own)}
	case Float, Float32:
		return c.floating(v, c.own)
	}
	return c.whole(v.Bytes, c.own)
}

// inCalendar reports whether a format for dates can show a number: spreadsheets
// fill the cell with # where the number is no day of theirs, and disagree on the
// days before minSerial.
func (c *Column) inCalendar(v Value) bool {
	n, ok := c.numberOf(v)
	if !ok || n.negative || len(n.whole) > 7 {
		return false
	}
	day, _ := parseDigits(n.whole)
	return day <= maxSerial && (day >= minSerial || !c.calendar)
}

// withinDay reports whether a TIME is a time of day. Hours beyond it would begin
// anew in a format that does not count them up.
func withinDay(b []byte) bool {
	seconds, _, ok := parseDuration(b)
	return ok && seconds < daySeconds
}
