package export

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
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
// at a moment in a zone. It is one line and no path, and short enough for every
// file system; what else a client's system forbids is for the client to replace.
func FileName(base string, at time.Time, zone *time.Location, ext string) string {
	return fitName(cleanName(base), "_"+at.In(zone).Format("20060102150405")+"."+ext)
}

// PartName is the name of the n-th workbook (1-based) in a zip. Browsers make a
// download's name fit the system they save it on; programs that unpack an archive
// do not all: Windows Explorer fails at < > : " | ? *, so these become "_" here.
// The numbers are not padded, since nobody knows how many parts there will be when
// the first is named; Explorer and Finder sort numbers by their value.
func PartName(base string, n int) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"|?*`, r) {
			return '_'
		}
		return r
	}, cleanName(base))
	return fitName(name, fmt.Sprintf("_part%d.xlsx", n))
}

// fitName cuts a clean name so that it fits with its suffix: between two
// characters as a reader sees them, which may be several code points each, unless
// a single one is too long.
func fitName(base, suffix string) string {
	room := maxNameBytes - len(suffix)
	if len(base) <= room {
		return base + suffix
	}
	fits := 0
	for rest, state := base, -1; rest != ""; {
		var seen string
		seen, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if fits+len(seen) > room {
			break
		}
		fits += len(seen)
	}
	if fits == 0 {
		fits = room
		for !utf8.RuneStart(base[fits]) {
			fits--
		}
	}
	return strings.TrimRightFunc(base[:fits], unicode.IsSpace) + suffix
}

// cleanName makes a name of one line, one folder level and one reading
// direction. The result is never blank.
func cleanName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == '\\':
			return '_'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == '\uFEFF':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	// What was removed may have stood between a letter and its accent.
	s = strings.TrimSpace(norm.NFC.String(s))
	if !strings.ContainsFunc(s, visible) {
		return "export"
	}
	if deviceName(s) {
		return "_" + s
	}
	return s
}

// visible tells characters from blanks and from what only shapes its neighbours,
// such as the zero width joiner.
func visible(r rune) bool { return !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) }

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
