package dataset

import "github.com/haexcel/haexcel/shared/cell"

// SQLite has no types for dates and times: it keeps the texts that its functions
// read. These are told apart here and, where they are shorter or looser than
// what shared/cell reads, brought into its form. It runs for every value, hence
// no expressions.

// text makes the value of a stored text. What is written anew goes behind buffer,
// which is handed back grown.
func (r sqliteRule) text(b, buffer []byte) (value cell.Value, grown []byte) {
	switch {
	case r.date:
		return isoDate(b, buffer)
	case r.clock:
		return isoClock(b, buffer)
	}
	return cell.Value{Kind: cell.Text, Bytes: b}, buffer
}

const clockLength = len("HH:mm:ss")

// isoDate reads yyyy-MM-dd, then perhaps a blank or T and HH:mm[:ss[.fraction]],
// then perhaps a zone. Anything else is Text.
func isoDate(b, buffer []byte) (value cell.Value, grown []byte) {
	const date = "dddd-dd-dd"
	unchanged := cell.Value{Kind: cell.Text, Bytes: b}
	if !shaped(b, date) {
		return unchanged, buffer
	}
	if len(b) == len(date) {
		return cell.Value{Kind: cell.Date, Bytes: b}, buffer
	}
	if !shaped(b[len(date):], "Tdd:dd") {
		return unchanged, buffer
	}
	clock := b[len(date)+1:]
	zone, seconds, ok := afterClock(clock)
	if !ok {
		return unchanged, buffer
	}
	kind := cell.DateTime
	offset, usual, ok := isoOffset(zone)
	switch {
	case !ok:
		return unchanged, buffer
	case len(zone) > 0:
		kind = cell.Instant
	}
	if seconds && usual {
		return cell.Value{Kind: kind, Bytes: b}, buffer
	}
	begin := len(buffer)
	buffer = append(buffer, b[:len(b)-len(zone)]...)
	if !seconds {
		buffer = append(buffer, ":00"...)
	}
	if len(zone) > 0 {
		buffer = append(buffer, offset[:]...)
	}
	return cell.Value{Kind: kind, Bytes: buffer[begin:len(buffer):len(buffer)]}, buffer
}

// isoClock reads [-]HH:mm[:ss[.fraction]], whose hours may have more digits.
func isoClock(b, buffer []byte) (value cell.Value, grown []byte) {
	start := 0
	if len(b) > 0 && b[0] == '-' {
		start = 1
	}
	for start < len(b) && shaped(b[start:], "ddd") {
		start++
	}
	if !shaped(b[start:], "dd:dd") {
		return cell.Value{Kind: cell.Text, Bytes: b}, buffer
	}
	rest, seconds, ok := afterClock(b[start:])
	switch {
	case !ok || len(rest) > 0:
		return cell.Value{Kind: cell.Text, Bytes: b}, buffer
	case seconds:
		return cell.Value{Kind: cell.Time, Bytes: b}, buffer
	}
	begin := len(buffer)
	buffer = append(append(buffer, b...), ":00"...)
	return cell.Value{Kind: cell.Time, Bytes: buffer[begin:len(buffer):len(buffer)]}, buffer
}

// afterClock is what follows the HH:mm[:ss[.fraction]] that b begins with.
func afterClock(b []byte) (rest []byte, seconds, ok bool) {
	if !shaped(b, "dd:dd:dd") {
		return b[len("HH:mm"):], false, true
	}
	b = b[clockLength:]
	if len(b) == 0 || b[0] != '.' {
		return b, true, true
	}
	digits := 1
	for digits < len(b) && b[digits] >= '0' && b[digits] <= '9' {
		digits++
	}
	return b[digits:], true, digits > 1
}

// isoOffset reads Z or ±hh[[:]mm], perhaps behind a blank, as ±hh:mm. It is usual
// where shared/cell reads it as it stands. Nothing is a zone too.
func isoOffset(b []byte) (offset [len("+00:00")]byte, usual, ok bool) {
	blank := len(b) > 0 && b[0] == ' '
	if blank {
		b = b[1:]
	}
	copy(offset[:], "+00:00")
	switch {
	case len(b) == 0:
		return offset, true, !blank
	case string(b) == "Z", string(b) == "z":
		return offset, !blank && b[0] == 'Z', true
	case b[0] != '+' && b[0] != '-':
		return offset, false, false
	case len(b) == 3 && shaped(b[1:], "dd"), len(b) == 6 && shaped(b[1:], "dd:dd"):
		copy(offset[:], b)
		return offset, !blank, true
	case len(b) == 5 && shaped(b[1:], "dddd"):
		copy(offset[:], b[:3])
		copy(offset[4:], b[3:])
		return offset, false, true
	}
	return offset, false, false
}

// shaped reports whether b begins like the pattern: d is a digit, T a T or a
// blank.
func shaped(b []byte, pattern string) bool {
	if len(b) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		switch c := b[i]; pattern[i] {
		case 'd':
			if c < '0' || c > '9' {
				return false
			}
		case 'T':
			if c != 'T' && c != ' ' {
				return false
			}
		default:
			if c != pattern[i] {
				return false
			}
		}
	}
	return true
}
