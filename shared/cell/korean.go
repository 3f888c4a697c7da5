package cell

import "encoding/binary"

// The formats of Korean identifiers. Both give text; what fits no known plan is
// left alone, since a guessed hyphen would invent a number.

// maxPhoneDigits is the longest number of any plan.
const maxPhoneDigits = 12

// digitsOf gives the digits of b, without the separators people type:
// blank - . ( ). They are b itself or stand in out. ok is false for any other
// character and for too many digits.
func digitsOf(b []byte, out *[maxPhoneDigits]byte) (digits []byte, ok bool) {
	b = trim(b)
	if n := len(b); n >= 8 && n <= len(out) && nonDigits(word(b))|nonDigits(word(b[n-8:])) == 0 {
		return b, true
	}
	n := 0
	for _, ch := range b {
		switch {
		case isDigit(ch):
			if n == len(out) {
				return nil, false
			}
			out[n] = ch
			n++
		case ch != ' ' && ch != '-' && ch != '.' && ch != '(' && ch != ')':
			return nil, false
		}
	}
	return out[:n], true
}

// putBizno writes a business registration number as 123-45-67890.
func putBizno(out *smallText, b []byte) (n int, ok bool) {
	var scratch [maxPhoneDigits]byte
	d, ok := digitsOf(b, &scratch)
	if !ok || len(d) != 10 {
		return 0, false
	}
	return putHyphened(out, d, 3, 5), true
}

// putPhone writes a Korean telephone number with its hyphens.
func putPhone(out *smallText, b []byte) (n int, ok bool) {
	var scratch [maxPhoneDigits]byte
	d, ok := digitsOf(b, &scratch)
	if !ok || len(d) < 8 {
		return 0, false
	}
	area, minimum, maximum := phonePlan(d)
	if len(d) < minimum || len(d) > maximum {
		return 0, false
	}
	return putHyphened(out, d, area, len(d)-4), true
}

// phonePlan gives the length of the area code (or service prefix) and the
// shortest and longest number of the plan that the digits begin with; zeros where
// there is none.
func phonePlan(d []byte) (area, minimum, maximum int) {
	if d[0] == '1' && (d[1] == '5' || d[1] == '6' || d[1] == '8') {
		return 4, 8, 8
	}
	if d[0] != '0' {
		return 0, 0, 0
	}
	switch d[1] {
	case '2':
		return 2, 9, 10
	case '1':
		switch d[2] {
		case '0':
			return 3, 11, 11
		case '1', '6', '7', '8', '9':
			return 3, 10, 11
		}
	case '3':
		if d[2] == '0' && d[3] == '3' {
			return 4, 11, 12
		}
		return 3, 10, 11
	case '5':
		if d[2] == '0' {
			return 4, 11, 12
		}
		return 3, 10, 11
	case '4', '6':
		return 3, 10, 11
	case '7':
		if d[2] == '0' {
			return 3, 11, 11
		}
	case '8':
		if d[2] == '0' {
			return 3, 10, 11
		}
	}
	return 0, 0, 0
}

// putHyphened writes eight to twelve digits with hyphens before positions i and j;
// both at one place are one hyphen. No more than eight digits follow i.
func putHyphened(out *smallText, digits []byte, i, j int) (n int) {
	// Whole words are written; each one's end is written over by the next.
	binary.LittleEndian.PutUint64(out[:], word(digits))
	rest := word(digits[len(digits)-8:]) >> (8 * (8 - len(digits) + i))
	out[i] = '-'
	binary.LittleEndian.PutUint64(out[i+1:], rest)
	if j == i {
		return len(digits) + 1
	}
	out[j+1] = '-'
	binary.LittleEndian.PutUint64(out[j+2:], rest>>(8*(j-i)))
	return len(digits) + 2
}
