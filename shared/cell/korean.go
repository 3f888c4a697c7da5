package cell

// The formats of Korean identifiers. Both give text; what fits no known plan is
// left alone, since a guessed hyphen would invent a number.

// maxPhoneDigits is the longest number of any plan.
const maxPhoneDigits = 12

// digitsOf copies the digits of b, leaving out the separators people type:
// blank - . ( ). ok is false for any other character and for too many digits.
func digitsOf(b []byte, digits *[maxPhoneDigits]byte) (n int, ok bool) {
	for _, ch := range trim(b) {
		switch {
		case isDigit(ch):
			if n == len(digits) {
				return 0, false
			}
			digits[n] = ch
			n++
		case ch != ' ' && ch != '-' && ch != '.' && ch != '(' && ch != ')':
			return 0, false
		}
	}
	return n, true
}

// appendBizno writes a business registration number as 123-45-67890.
func appendBizno(dst, b []byte) (out []byte, ok bool) {
	var d [maxPhoneDigits]byte
	n, ok := digitsOf(b, &d)
	if !ok || n != 10 {
		return dst, false
	}
	return appendHyphened(dst, d[:n], 3, 5), true
}

// appendPhone writes a Korean telephone number with its hyphens.
func appendPhone(dst, b []byte) (out []byte, ok bool) {
	var d [maxPhoneDigits]byte
	n, ok := digitsOf(b, &d)
	if !ok || n < 8 {
		return dst, false
	}
	area, minimum, maximum := phonePlan(d[:n])
	if n < minimum || n > maximum {
		return dst, false
	}
	return appendHyphened(dst, d[:n], area, n-4), true
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

// appendHyphened writes digits with hyphens before positions i and j; both at one
// place are one hyphen.
func appendHyphened(dst, digits []byte, i, j int) []byte {
	dst = append(dst, digits[:i]...)
	dst = append(dst, '-')
	if j > i {
		dst = append(dst, digits[i:j]...)
		dst = append(dst, '-')
	}
	return append(dst, digits[j:]...)
}
