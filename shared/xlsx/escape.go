package xlsx

// Text in XML. Characters that XML forbids are written as Excel's _xHHHH_, and so
// is the underscore of text that would be read as such an escape. Headers and
// cells both come through here.

const upperHex = "0123456789ABCDEF"

// special marks the bytes that may need care in text: markup, control characters,
// the underscore that may begin an escape, and the first byte of U+FFFE, U+FFFF.
var special = func() (t [256]bool) {
	for b := range 0x20 {
		t[b] = b != '\t' && b != '\n'
	}
	for _, b := range []byte{'&', '<', '>', '_', 0xEF} {
		t[b] = true
	}
	return t
}()

// appendText appends valid UTF-8 as the content of an element.
func appendText(dst, text []byte) []byte {
	done := 0
	for i := 0; i < len(text); i++ {
		b := text[i]
		if !special[b] {
			continue
		}
		size := 1
		switch b {
		case '_':
			if !looksEscaped(text[i:]) {
				continue
			}
		case 0xEF:
			if !nonCharacter(text[i:]) {
				continue
			}
			size = 3
		}
		dst = append(dst, text[done:i]...)
		switch b {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case 0xEF:
			dst = append(dst, "_xFFF"...)
			dst = append(dst, upperHex[text[i+2]&0xF], '_')
		default:
			dst = append(dst, "_x00"...)
			dst = append(dst, upperHex[b>>4], upperHex[b&0xF], '_')
		}
		i += size - 1
		done = i + 1
	}
	return append(dst, text[done:]...)
}

// looksEscaped reports whether the underscore at the start of text would be read
// as the start of an escape: xHHHH and another underscore follow, where the
// latter may come from the escape of the next character.
func looksEscaped(text []byte) bool {
	if len(text) < 7 || text[1] != 'x' {
		return false
	}
	for _, b := range text[2:6] {
		if !isHex(b) {
			return false
		}
	}
	switch next := text[6]; next {
	case '_':
		return true
	case '\t', '\n':
		return false
	default:
		return next < 0x20 || nonCharacter(text[6:])
	}
}

func isHex(b byte) bool {
	return b-'0' < 10 || b|0x20 >= 'a' && b|0x20 <= 'f'
}

// nonCharacter reports whether text begins with U+FFFE or U+FFFF.
func nonCharacter(text []byte) bool {
	return len(text) > 2 && text[0] == 0xEF && text[1] == 0xBF && text[2] >= 0xBE
}

// needsPreserve reports whether readers would trim the text.
func needsPreserve(text []byte) bool {
	return len(text) > 0 && (isBlank(text[0]) || isBlank(text[len(text)-1]))
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// appendAttribute appends valid UTF-8 without control characters as the value of
// an attribute.
func appendAttribute(dst []byte, value string) []byte {
	for i := range len(value) {
		switch b := value[i]; b {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		default:
			dst = append(dst, b)
		}
	}
	return dst
}
