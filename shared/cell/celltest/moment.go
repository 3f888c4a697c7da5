package celltest

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
)

// The number formats of dates and times.
const (
	plainDate     = "yyyy-mm-dd"
	plainDateTime = "yyyy-mm-dd hh:mm:ss"
	koreanDate    = "yyyy/mm/dd"
	koreanMoment  = "yyyy/mm/dd hh:mm:ss"
	clockFormat   = "[hh]:mm:ss"
)

var (
	dateTimeForm = regexp.MustCompile(`^(\d{4,7})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d)(?:\.\d+)?)?$`)
	instantForm  = regexp.MustCompile(`^(\d{4,7})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.\d+)?(Z|[+-]\d\d(?::\d\d(?::\d\d)?)?)$`)
	offsetForm   = regexp.MustCompile(`^([+-])(\d\d)(?::(\d\d)(?::(\d\d))?)?$`)
	timeForm     = regexp.MustCompile(`^(-?)(\d+):([0-5]\d):([0-5]\d)(?:\.\d+)?$`)

	ymdForm      = regexp.MustCompile(`^(?:(\d{4})(\d\d)(\d\d)|(\d{4})[-/.](\d\d)[-/.](\d\d))(.*)$`)
	followedForm = regexp.MustCompile(`^(?:(\d\d)(\d\d)(\d\d)|[ T](\d\d):(\d\d):(\d\d))(?:\.\d+)?$`)
	tmForm       = regexp.MustCompile(`^(?:(\d\d)(\d\d)(\d\d)|(\d\d):(\d\d):(\d\d))$`)
)

// A wall is what a calendar and a clock show.
type wall struct {
	year, month, day, hour, minute, second int
}

// zero is a date that means none.
func (w wall) zero() bool { return w == wall{} }

// half is a date with a part that is zero.
func (w wall) half() bool { return w.month == 0 || w.day == 0 }

// clock tells that there is such a time of day.
func (w wall) clock() bool { return w.hour < 24 && w.minute < 60 && w.second < 60 }

// at is the moment, taken as if it were in UTC.
func (w wall) at() time.Time {
	return time.Date(w.year, time.Month(w.month), w.day, w.hour, w.minute, w.second, 0, time.UTC)
}

// real tells that the calendar has the day.
func (w wall) real() bool {
	t := w.at()
	return !w.half() && t.Year() == w.year && t.Month() == time.Month(w.month) && t.Day() == w.day
}

// wallOf is what a moment shows where it is.
func wallOf(t time.Time) wall {
	return wall{t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute(), t.Second()}
}

// atoi reads digits that a pattern has found; "" is 0.
func atoi(s string) int {
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// wallFrom puts together the parts that a pattern has found.
func wallFrom(parts []string) (w wall) {
	for i, into := range []*int{&w.year, &w.month, &w.day, &w.hour, &w.minute, &w.second} {
		if i < len(parts) {
			*into = atoi(parts[i])
		}
	}
	return w
}

// wall reads the value's text in its kind's form, in the report zone. What is
// not of that form, infinity and BC among it, is the database's own text.
func (r reading) wall() (w wall, ok bool) {
	s := string(r.v.Bytes)
	switch r.v.Kind {
	case cell.Date, cell.DateTime:
		// A date in a column of date-times is midnight, and midnight in a column of
		// dates is the date; another time there would be lost.
		if g := dateTimeForm.FindStringSubmatch(s); g != nil {
			w = wallFrom(g[1:])
			midnight := w.hour == 0 && w.minute == 0 && w.second == 0
			return w, w.clock() && (midnight || r.v.Kind == cell.DateTime)
		}
	case cell.Instant:
		// What is no date needs no offset.
		if g := dateTimeForm.FindStringSubmatch(s); g != nil {
			w = wallFrom(g[1:])
			return w, w.year == 0 && w.month == 0 && w.day == 0 && w.clock()
		}
		if g := instantForm.FindStringSubmatch(s); g != nil {
			w = wallFrom(g[1:7])
			offset, ok := seconds(g[7])
			switch {
			case w.year == 0 && w.month == 0 && w.day == 0:
				return w, ok && w.clock()
			case !ok || !w.clock() || !w.real():
				return w, false
			}
			w = wallOf(w.at().Add(-time.Duration(offset) * time.Second).In(r.zone))
			return w, w.year >= 0
		}
	}
	return w, false
}

// seconds reads an offset from UTC.
func seconds(s string) (n int, ok bool) {
	if s == "Z" {
		return 0, true
	}
	g := offsetForm.FindStringSubmatch(s)
	hours, minutes, rest := atoi(g[2]), atoi(g[3]), atoi(g[4])
	n = hours*3600 + minutes*60 + rest
	if g[1] == "-" {
		n = -n
	}
	return n, hours < 24 && minutes < 60 && rest < 60
}

// calendar is the cell of a date or date-time without a named format.
func (r reading) calendar() Want {
	w, ok := r.wall()
	if !ok {
		return r.unfit()
	}
	usual := plainDateTime
	if r.v.Kind == cell.Date {
		usual = plainDate
	}
	if r.code == "" {
		return w.cell(usual, usual)
	}
	return w.cell(r.code, usual)
}

// calendarText is the text of a date or date-time: what a cell would show.
func (r reading) calendarText() string {
	w, ok := r.wall()
	switch {
	case !ok:
		return string(r.v.Bytes)
	case r.v.Kind == cell.Date:
		s, _ := w.show(plainDate)
		return s
	}
	s, _ := w.show(plainDateTime)
	return s
}

// cell is the date cell of a moment; days that spreadsheets do not have, or not
// agree on, are text in the same format, or in the usual one where a custom
// format is not made of plain parts.
func (w wall) cell(code, usual string) Want {
	if w.zero() {
		return Want{}
	}
	shown, plain := w.show(code)
	if !plain {
		shown, _ = w.show(usual)
	}
	if !w.real() || w.at().Before(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)) || w.year > 9999 {
		return written(shown)
	}
	since := w.at().Unix() - time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Unix()
	if code != usual {
		shown = "" // readers are asked, not this package
	}
	return Want{Type: cell.Number, Number: big.NewRat(since, 86400), Format: code, Shown: shown}
}

// fromText reads the text of ymd and datetime: a date and, perhaps, a time.
func fromText(s string) (w wall, followed, ok bool) {
	g := ymdForm.FindStringSubmatch(s)
	if g == nil {
		return w, false, false
	}
	parts := g[1:4]
	if g[1] == "" {
		parts = g[4:7]
	}
	if followed = g[7] != ""; followed {
		t := followedForm.FindStringSubmatch(g[7])
		if t == nil {
			return w, false, false
		}
		if t[1] == "" {
			t = t[3:]
		}
		parts = append(append([]string(nil), parts...), t[1:4]...)
	}
	w = wallFrom(parts)
	return w, followed, w.real() && w.clock()
}

// digital is text that may hold a date or a time, without the blanks that CHAR
// columns fill up with; numbers such as 20260902 are meant as well.
func (r reading) digital() (s string, ok bool) {
	return trim(string(r.v.Bytes)), r.isText() || r.v.Kind == cell.Integer || r.v.Kind == cell.Decimal
}

// day is the cell of ymd.
func (r reading) day() Want {
	w, ok := r.wall()
	if s, is := r.digital(); is {
		w, _, ok = fromText(s)
	}
	if !ok {
		return r.unfit()
	}
	if w.zero() {
		return Want{}
	}
	// The time is cut off, not hidden.
	w.hour, w.minute, w.second = 0, 0, 0
	return w.cell(koreanDate, koreanDate)
}

// moment is the cell of datetime. A date alone has no time to be shown.
func (r reading) moment() Want {
	w, ok := r.wall()
	if r.v.Kind == cell.Date {
		if w.zero() && ok {
			return Want{}
		}
		ok = false
	}
	if s, is := r.digital(); is {
		var followed bool
		w, followed, ok = fromText(s)
		ok = ok && followed
	}
	if !ok {
		return r.unfit()
	}
	return w.cell(koreanMoment, koreanMoment)
}

// clock is the cell of tm.
func (r reading) clock() Want {
	r.code = ""
	if r.v.Kind == cell.Time {
		return r.duration()
	}
	if s, is := r.digital(); is {
		if g := tmForm.FindStringSubmatch(s); g != nil {
			if g[1] == "" {
				g = g[3:]
			}
			w := wall{hour: atoi(g[1]), minute: atoi(g[2]), second: atoi(g[3])}
			if w.clock() {
				return r.elapsed(big.NewInt(int64(w.hour)), w.minute, w.second)
			}
		}
	}
	return r.unfit()
}

// duration is the cell of a time. Excel shows none below zero; minus zero is
// zero.
func (r reading) duration() Want {
	g := timeForm.FindStringSubmatch(r.text())
	if g == nil || g[1] != "" && strings.Trim(r.text(), "-0:.") != "" {
		return r.unfit()
	}
	hours, _ := new(big.Int).SetString(g[2], 10)
	return r.elapsed(hours, atoi(g[3]), atoi(g[4]))
}

// elapsed is the time cell of a duration, which ends where the calendar ends.
func (r reading) elapsed(hours *big.Int, minute, second int) Want {
	total := new(big.Int).Mul(hours, big.NewInt(3600))
	total.Add(total, big.NewInt(int64(minute*60+second)))
	if total.Cmp(big.NewInt(2958466*86400)) >= 0 {
		return r.unfit()
	}
	code, shown := clockFormat, fmt.Sprintf("%02d:%02d:%02d", hours, minute, second)
	if r.code != "" {
		code, shown = r.code, ""
		if hours.Cmp(big.NewInt(24)) >= 0 && !strings.Contains(code, "[h") {
			return r.unfit() // a time of day would hide the days
		}
	}
	return Want{Type: cell.Number, Number: new(big.Rat).SetFrac(total, big.NewInt(86400)), Format: code, Shown: shown}
}
