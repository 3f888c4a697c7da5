package export

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Media types of the two kinds of file.
const (
	XLSXType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	ZipType  = "application/zip"
)

// maxNameBytes is the longest file name that the usual file systems take.
const maxNameBytes = 255

// ContentType is the media type of the object under key.
func ContentType(key string) string {
	if Extension(key) == "zip" {
		return ZipType
	}
	return XLSXType
}

// Extension is zip or xlsx, by the object's key.
func Extension(key string) string {
	if strings.HasSuffix(key, ".zip") {
		return "zip"
	}
	return "xlsx"
}

// FileName is the name a download is served under: <base>_<yyyyMMddHHmmss>.<ext>
// at a moment in a zone, safe on every file system.
func FileName(base string, at time.Time, zone *time.Location, ext string) string {
	return fitName(base, "_"+at.In(zone).Format("20060102150405")+"."+ext)
}

// PartName is the name of the n-th workbook (1-based) in a zip.
func PartName(base string, n int) string {
	return fitName(base, fmt.Sprintf("_part%d.xlsx", n))
}

// fitName cleans base and cuts it at a character boundary so that it fits with
// its suffix.
func fitName(base, suffix string) string {
	base = cleanName(base)
	for len(base)+len(suffix) > maxNameBytes {
		_, size := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-size]
	}
	return base + suffix
}

// cleanName makes a name of one line, one folder level and one reading
// direction. The result is never blank.
func cleanName(s string) string {
	s = norm.NFC.String(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == '\\':
			return '_'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == '\uFEFF':
			return -1
		}
		return r
	}, s)
	s = strings.TrimSpace(s)
	if s == "" {
		return "export"
	}
	if deviceName(s) {
		return "_" + s
	}
	return s
}

// deviceName reports whether Windows takes the name for a device, whatever its
// extension and case.
func deviceName(s string) bool {
	stem, _, _ := strings.Cut(s, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	for _, prefix := range []string{"COM", "LPT"} {
		if d, ok := strings.CutPrefix(stem, prefix); ok && utf8.RuneCountInString(d) == 1 &&
			strings.ContainsAny(d, "123456789¹²³") {
			return true
		}
	}
	return false
}

// ContentDisposition names a download for every client: an ASCII filename, and
// the real one percent-encoded in UTF-8 (RFC 6266, RFC 8187). The answer is pure
// ASCII.
func ContentDisposition(name string) string {
	var ascii, encoded strings.Builder
	for _, r := range name {
		if r < 0x20 || r > 0x7e || r == '"' || r == '\\' || r == '%' {
			ascii.WriteByte('_')
		} else {
			ascii.WriteRune(r)
		}
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_', c == '~':
			encoded.WriteByte(c)
		default:
			fmt.Fprintf(&encoded, "%%%02X", c)
		}
	}
	return fmt.Sprintf(`attachment; filename="%s"; filename*=UTF-8''%s`, ascii.String(), encoded.String())
}
