package cell

// Shortcuts: the usual values of the usual columns, looked at a word at a time. A
// shortcut gives the cell that Column.ruled would give, or leaves the value to it.
// It asks the value's own kind, which need not be its column's.

// prepare notes which kinds have a shortcut under the column's rule and in which
// format. In a column without values none has.
func (c *Column) prepare() {
	for i := range c.shortcut {
		c.shortcut[i] = undeclared
	}
	for i := range c.places {
		c.places[i] = undeclared
	}
	if !c.known {
		return
	}
	c.shortcut[Null] = 0
	switch c.rule {
	case rulePlain:
		c.allow(0, Text, JSON, Other, Bool, Float, Decimal)
		c.allow(c.integer, Integer)
		c.allow(c.date, Date)
		c.allow(c.dateTime, DateTime, Instant)
		c.allow(c.time, Time)
		for i := range c.places {
			if scale := max(i, c.scale); scale <= maxScale {
				c.places[i] = int8(c.decimal[scale])
			}
		}
	case ruleKRW:
		c.allow(c.own, Integer, Decimal)
		c.place(0)
	case rulePercent:
		c.allow(c.own, Integer, Decimal)
		c.place(len(percentFormats) - 1)
	case ruleYMD:
		c.allow(c.own, Date, DateTime, Instant)
	case ruleClock:
		c.allow(c.own, Time)
	case ruleStamp:
		c.allow(c.own, DateTime, Instant)
	case ruleCustom:
		c.allow(c.own, Text, JSON, Other, Decimal, Float)
		if !c.words {
			c.allow(c.own, Integer)
		}
		c.place(0)
	case ruleCustomDates:
		c.allow(c.own, Text, JSON, Other, Date, DateTime, Instant)
	}
}

func (c *Column) allow(format int, kinds ...Kind) {
	for _, k := range kinds {
		c.shortcut[k] = int8(format)
	}
}

// place gives decimals the format of the rule and those up to last behind it, by
// their decimal places.
func (c *Column) place(last int) {
	for i := range c.places {
		c.places[i] = int8(c.own + min(i, last))
	}
}

// Cell makes the cell of a value. A column whose field is missing has empty cells
// only; a code map comes before the format.
func (c *Column) Cell(v Value) Cell {
	if c.codes != nil {
		if l, ok := c.label(v); ok {
			return c.labelled(l)
		}
	}
	if v.Kind > Other || c.shortcut[v.Kind] == undeclared {
		return c.ruled(v)
	}
	format := int32(c.shortcut[v.Kind])
	switch v.Kind {
	case Null:
		return Cell{}
	case Text, JSON, Other:
		if len(v.Bytes) > 0 && usualText(v.Bytes) {
			return Cell{Type: String, Text: v.Bytes, Format: format}
		}
	case Integer:
		if point, ok := shortNumeral(v.Bytes); ok && point == len(v.Bytes) {
			return Cell{Type: Number, Text: v.Bytes, Format: format}
		}
		if longInteger(v.Bytes) && c.rule != ruleKRW && c.rule != rulePercent {
			return Cell{Type: String, Text: v.Bytes, Format: format}
		}
	case Decimal:
		return c.shortDecimal(v)
	case Float:
		if shortestFloat(v.Bytes, 64) {
			return Cell{Type: Number, Text: v.Bytes, Format: format}
		}
	case Bool:
		if len(v.Bytes) == 1 && v.Bytes[0]|1 == '1' {
			return Cell{Type: Boolean, Text: v.Bytes, Format: format}
		}
	case Date:
		if day, ok := isoDay(v.Bytes); ok && len(v.Bytes) == dateLength && day >= minSerial {
			return c.serial(day, 0, format)
		}
	case DateTime:
		if day, second, rest, ok := isoMoment(v.Bytes); ok && len(rest) == 0 && day >= minSerial {
			return c.stamped(day, second, format)
		}
	case Instant:
		if day, second, ok := c.zone.isoMoment(v.Bytes); ok && day >= minSerial && day <= maxSerial {
			return c.stamped(day, second, format)
		}
	case Time:
		if second, ok := isoClock(v.Bytes); ok {
			return c.serial(0, second, format)
		}
	}
	return c.ruled(v)
}

// shortDecimal is the shortcut of decimals, whose format goes by their decimal
// places.
func (c *Column) shortDecimal(v Value) Cell {
	b := v.Bytes
	point, ok := shortNumeral(b)
	if !ok {
		return c.ruled(v)
	}
	// Where there is no point, point is len(b).
	format := c.places[max(len(b)-point-1, 0)]
	if format == undeclared {
		return c.ruled(v)
	}
	if c.rule == ruleKRW {
		// Cut toward zero, -0.5 would be -0.
		if b[0] == '-' && b[1] == '0' {
			return c.ruled(v)
		}
		b = b[:point]
	}
	return Cell{Type: Number, Text: b, Format: int32(format)}
}

// stamped makes the cell of a day and a time of day, which ymd leaves out.
func (c *Column) stamped(day, second int, format int32) Cell {
	if c.rule == ruleYMD {
		second = 0
	}
	return c.serial(day, second, format)
}
