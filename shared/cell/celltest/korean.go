package celltest

import (
	"regexp"
	"strings"

	"github.com/haexcel/haexcel/shared/cell"
)

// separators may stand between the digits of a number that people write in
// groups.
var separators = strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "")

var (
	registrationForm = regexp.MustCompile(`^(\d{3})(\d{2})(\d{5})$`)
	// telephoneForms are the plans, the more special ones first: a number
	// that begins as one of them is of no other.
	telephoneForms = []struct{ begins, groups *regexp.Regexp }{
		{regexp.MustCompile(`^02`), regexp.MustCompile(`^(\d{2})(\d{3,4})(\d{4})$`)},
		{regexp.MustCompile(`^(050\d|0303)`), regexp.MustCompile(`^(\d{4})(\d{3,4})(\d{4})$`)},
		{regexp.MustCompile(`^0[17]0`), regexp.MustCompile(`^(\d{3})(\d{4})(\d{4})$`)},
		{regexp.MustCompile(`^(011|01[6-9]|0[3-6]\d|080)`), regexp.MustCompile(`^(\d{3})(\d{3,4})(\d{4})$`)},
		{regexp.MustCompile(`^1[568]`), regexp.MustCompile(`^(\d{4})(\d{4})$`)},
	}
)

// grouped is the value as digits without separators. Whole numbers and text can
// be such numbers; a minus or a point of a number is no separator.
func (r reading) grouped() string {
	s := r.text()
	switch {
	case r.isText():
		return separators.Replace(trim(s))
	case r.v.Kind == cell.Integer, r.v.Kind == cell.Decimal, r.v.Kind == cell.Float, r.v.Kind == cell.Float32:
		return s
	}
	return ""
}

// registration is the cell of bizno.
func (r reading) registration() Want {
	if g := registrationForm.FindStringSubmatch(r.grouped()); g != nil {
		return written(strings.Join(g[1:], "-"))
	}
	return r.unfit()
}

// telephone is the cell of phone and tel.
func (r reading) telephone() Want {
	s := r.grouped()
	for _, plan := range telephoneForms {
		if plan.begins.MatchString(s) {
			if g := plan.groups.FindStringSubmatch(s); g != nil {
				return written(strings.Join(g[1:], "-"))
			}
			break
		}
	}
	return r.unfit()
}
