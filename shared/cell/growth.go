package cell

// maxPlainFloat is the longest text of a float64 without an exponent, with a comma
// between thousands: 309 digits.
const maxPlainFloat = 420

// Growth is the number of bytes that a cell's text may have more than its value
// has: labels, formats with words in them and huge doubles are longer than what
// stands for them. Text that stands in for broken characters and the like is at
// most three times the value, and is not counted.
func (c *Column) Growth() int {
	longest := 0
	for _, l := range c.codes {
		longest = max(longest, len(l.text))
	}
	switch c.rule {
	case ruleKRW:
		longest = max(longest, maxPlainFloat)
	case ruleCustomDates:
		// No part of a format becomes more than thrice as long: mmmmm is a name.
		longest = max(longest, 3*len(c.formats[c.own]))
	}
	return longest
}
