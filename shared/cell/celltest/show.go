package celltest

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Codes are number formats that Excel takes, of every sort that people ask for.
var Codes = []string{
	"0.000", "#,##0.00", `#,##0"원"`, "0%", "0.00E+00", "@", "0;-0;;@", `0;-0;0;"글"`, `0;-0;0;"글: "@`, "[Red]-0;0", "General", "00000",
	"dd.mm.yyyy", "yyyy-mm", "hh:mm", "[h]:mm", "mm/dd/yyyy hh:mm:ss", `yyyy"년" mm"월" dd"일"`, "yy.m.d", "mmm d, yyyy", "h:mm AM/PM", "yyyy-mm-dd;;;",
}

// NoCodes are texts that are no number format, for which there is none.
var NoCodes = []string{`"open`, "[h", "0;0;0;0;0", "[nonsense]0", "KRW", "won", "0\\"}

// isNoCode tells whether a text asks for no number format.
func isNoCode(code string) bool {
	if code == "" {
		return true
	}
	for _, no := range NoCodes {
		if code == no {
			return true
		}
	}
	return false
}

// plainPart is one part of a date format that anyone can follow.
var plainPart = regexp.MustCompile(`^(yyyy|yy|mm?|dd?|hh?|ss?|"[^"]*"|\\.|[-/.,: ])`)

// show is what a moment looks like in a date format. It is plain if it is made of
// plain parts.
func (w wall) show(code string) (shown string, plain bool) {
	var parts []string
	first, _, _ := strings.Cut(code, ";")
	for rest := first; rest != ""; {
		part := plainPart.FindString(rest)
		if part == "" || strings.HasPrefix(rest, "mmm") || strings.HasPrefix(rest, "ddd") {
			return "", false
		}
		parts = append(parts, part)
		rest = rest[len(part):]
	}
	var out strings.Builder
	for i, part := range parts {
		two := len(part) == 2
		switch part[0] {
		case 'y':
			if two {
				fmt.Fprintf(&out, "%02d", w.year%100)
			} else {
				fmt.Fprintf(&out, "%04d", w.year)
			}
		case 'd':
			writePadded(&out, w.day, two)
		case 'h':
			writePadded(&out, w.hour, two)
		case 's':
			writePadded(&out, w.second, two)
		case 'm':
			// Minutes stand behind hours or before seconds.
			if neighbour(parts[:i], -1) == 'h' || neighbour(parts[i+1:], 1) == 's' {
				writePadded(&out, w.minute, two)
			} else {
				writePadded(&out, w.month, two)
			}
		case '"':
			out.WriteString(strings.Trim(part, `"`))
		case '\\':
			out.WriteString(part[1:])
		default:
			out.WriteString(part)
		}
	}
	return out.String(), true
}

// writePadded writes a number, of two digits at least where they are asked for.
func writePadded(out *strings.Builder, n int, two bool) {
	if two {
		fmt.Fprintf(out, "%02d", n)
	} else {
		fmt.Fprintf(out, "%d", n)
	}
}

// neighbour is the letter of the nearest part that is no literal.
func neighbour(parts []string, step int) byte {
	for i := range parts {
		if step < 0 {
			i = len(parts) - 1 - i
		}
		switch letter := parts[i][0]; letter {
		case 'y', 'm', 'd', 'h', 's':
			return letter
		}
	}
	return 0
}

// showsText tells whether a number format leaves text as it is: one with a fourth
// section, or with the sign for text, can hide it or say more.
func showsText(code string) bool {
	sections := strings.Split(quoted.ReplaceAllString(code, "x"), ";")
	last := sections[len(sections)-1]
	return len(sections) < 4 && !strings.Contains(last, "@") || last == "@"
}

var fixedFormat = regexp.MustCompile(`^0(?:\.(0+))?$`)

// Show is what a reader shows for a number in one of the formats that the rules
// name; ok is false for others.
func Show(literal, code string) (shown string, ok bool) {
	n, good := new(big.Rat).SetString(literal)
	if !good {
		return "", false
	}
	switch code {
	case plainDate, plainDateTime, koreanDate, koreanMoment:
		elapsed, ok := wholeSeconds(n)
		at := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(elapsed/86400)).Add(time.Duration(elapsed%86400) * time.Second)
		shown, _ := wallOf(at).show(code)
		return shown, ok && elapsed >= 61*86400 && elapsed < 2958466*86400
	case clockFormat:
		elapsed, ok := wholeSeconds(n)
		return fmt.Sprintf("%02d:%02d:%02d", elapsed/3600, elapsed/60%60, elapsed%60), ok && elapsed >= 0 && elapsed < 2958466*86400
	case "#,##0":
		return commas(canonical(n.FloatString(0))), true
	}
	if g := fixedFormat.FindStringSubmatch(code); g != nil {
		return n.FloatString(len(g[1])), true
	}
	for scale := range 3 {
		zero := "0" + fractionCode(scale)
		if code != zero+`"%";-`+zero+`"%";"-"` {
			continue
		}
		if n.Sign() == 0 {
			return "-", true
		}
		return n.FloatString(scale) + "%", true
	}
	return "", false
}

// wholeSeconds turns days into seconds as readers do, by way of a double. ok is
// false where they are not whole.
func wholeSeconds(days *big.Rat) (n int64, ok bool) {
	near, _ := days.Float64()
	exactly := new(big.Rat).Mul(new(big.Rat).SetFloat64(near), big.NewRat(86400, 1))
	n, err := strconv.ParseInt(exactly.FloatString(0), 10, 64)
	off, _ := new(big.Rat).Sub(exactly, new(big.Rat).SetInt64(n)).Float64()
	return n, err == nil && off < 1e-3 && off > -1e-3
}
