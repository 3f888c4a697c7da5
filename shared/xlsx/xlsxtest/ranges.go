package xlsxtest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

const (
	maxRows    = 1048576
	maxColumns = 16384
)

// box is a range of cells, from 1 and with its ends.
type box struct{ top, left, bottom, right int }

func (b box) contains(row, column int) bool {
	return row >= b.top && row <= b.bottom && column >= b.left && column <= b.right
}

func (b box) overlaps(o box) bool {
	return b.bottom >= o.top && o.bottom >= b.top && b.right >= o.left && o.right >= b.left
}

// parseReference reads an address such as "B2" within a sheet's bounds.
func parseReference(s string) (row, column int, ok bool) {
	i := 0
	for i < len(s) && s[i] >= 'A' && s[i] <= 'Z' && column <= maxColumns {
		column = column*26 + int(s[i]-'A') + 1
		i++
	}
	if i == 0 || i == len(s) || s[i] == '0' || column > maxColumns {
		return 0, 0, false
	}
	row, ok = parseNumber(s[i:], maxRows)
	return row, column, ok
}

// parseNumber reads plain digits up to a limit.
func parseNumber(s string, limit int) (n int, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' || n > limit {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, s != "" && n <= limit
}

// parseRange reads a range such as "A1:B2" whose ends are in order, or a single
// address.
func parseRange(s string) (b box, ok bool) {
	from, to, isRange := strings.Cut(s, ":")
	if !isRange {
		to = from
	}
	var first, last bool
	b.top, b.left, first = parseReference(from)
	b.bottom, b.right, last = parseReference(to)
	return b, first && last && b.top <= b.bottom && b.left <= b.right
}

var (
	absoluteForm = regexp.MustCompile(`^\$[A-Z]+\$[0-9]+(:\$[A-Z]+\$[0-9]+)?$`)
	columnsForm  = regexp.MustCompile(`^\$([A-Z]+):\$([A-Z]+)$`)
	rowsForm     = regexp.MustCompile(`^\$([0-9]+):\$([0-9]+)$`)
)

// isAbsolute knows ranges such as "$A$1:$B$2", whole columns such as "$A:$B" and
// whole rows such as "$1:$2".
func isAbsolute(s string) bool {
	if absoluteForm.MatchString(s) {
		s = strings.ReplaceAll(s, "$", "")
	} else if m := columnsForm.FindStringSubmatch(s); m != nil {
		s = m[1] + "1:" + m[2] + "1"
	} else if m := rowsForm.FindStringSubmatch(s); m != nil {
		s = "A" + m[1] + ":A" + m[2]
	} else {
		return false
	}
	_, ok := parseRange(s)
	return ok
}

// isSpans knows lists of columns, by number, such as "1:3 5:5".
func isSpans(s string) bool {
	for _, span := range strings.Fields(s) {
		from, to, _ := strings.Cut(span, ":")
		first, okFirst := parseNumber(from, maxColumns)
		last, okLast := parseNumber(to, maxColumns)
		if !okFirst || !okLast || first < 1 || first > last {
			return false
		}
	}
	return true
}

// checkRegions wants a list of ranges that has one at least.
func checkRegions(list string) error {
	ranges := strings.Fields(list)
	for _, r := range ranges {
		if _, ok := parseRange(r); !ok {
			return fmt.Errorf("the range %q", r)
		}
	}
	if len(ranges) == 0 {
		return errors.New("no range")
	}
	return nil
}

// checkMerges refuses ranges of one cell and ranges that overlap.
func checkMerges(merges []string) error {
	var boxes []box
	for _, merge := range merges {
		b, ok := parseRange(merge)
		if !ok || b.top == b.bottom && b.left == b.right {
			return fmt.Errorf("merge %q", merge)
		}
		for _, other := range boxes {
			if b.overlaps(other) {
				return fmt.Errorf("merge %q overlaps another", merge)
			}
		}
		boxes = append(boxes, b)
	}
	return nil
}
