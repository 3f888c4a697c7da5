package cell

// Dates and times in the forms in which nearly all of them are written, read from
// fixed places, a word at a time. The parsers of datetime.go know the other forms
// too.

const (
	dateLength       = len("yyyy-MM-dd")
	dateTimeLength   = len("yyyy-MM-dd HH:mm:ss")
	clockLength      = len("HH:mm:ss")
	bareDayLength    = len("yyyyMMdd")
	bareMomentLength = len("yyyyMMddHHmmss")
)

// What words of them look like, the first character lowest: 0 stands for a digit.
const (
	yearMonthForm = 0x2D30302D30303030 // 0000-00-
	monthDayForm  = 0x30302D30302D3030 // 00-00-00
	dayMinuteForm = 0x30303A3030203030 // 00 00:00
	clockForm     = 0x30303A30303A3030 // 00:00:00
	bareForm      = 0x3030303030303030 // 00000000
)

// numbers reads the two-digit numbers of a word. Each stands where its first digit
// does. A flag in odd says that the word has another form.
func numbers(w, form uint64) (values, odd uint64) {
	digits := form >> 4 &^ (form >> 3) & each // 0, but no mark, has only the first bit
	w ^= form
	// Where a digit belongs up to nine is right, where a mark belongs nothing.
	return pairs(w), w&lows + (lows - 9*digits) | w
}

// at is the number in byte n of values.
func at(values uint64, n int) uint64 { return values >> (8 * n) & 0xFF }

// isoDay reads the yyyy-MM-dd that b begins with as its serial number. It must be
// a real date.
func isoDay(b []byte) (day int, ok bool) {
	if len(b) < dateLength {
		return 0, false
	}
	front, odd := numbers(word(b), yearMonthForm)
	back, oddBack := numbers(word(b[2:]), monthDayForm)
	if (odd|oddBack)&highs != 0 {
		return 0, false
	}
	return monthOf(at(front, 0), at(front, 2), at(front, 5)).day(at(back, 6))
}

// isoMoment reads the yyyy-MM-dd HH:mm:ss[.fraction] that b begins with; the
// fraction is cut off. rest is what follows.
func isoMoment(b []byte) (day, second int, rest []byte, ok bool) {
	if len(b) < dateTimeLength {
		return 0, 0, nil, false
	}
	front, odd := numbers(word(b), yearMonthForm)
	middle, oddMiddle := numbers(word(b[8:]), dayMinuteForm)
	back, oddBack := numbers(word(b[dateTimeLength-8:]), clockForm)
	if (odd|oddMiddle|oddBack)&highs != 0 {
		return 0, 0, nil, false
	}
	day, okDay := monthOf(at(front, 0), at(front, 2), at(front, 5)).day(at(middle, 0))
	second, okClock := clock(at(middle, 3), at(middle, 6), at(back, 6))
	rest, ok = cutFraction(b[dateTimeLength:])
	return day, second, rest, ok && okDay && okClock
}

// isoMoment reads an instant of that form as the day and the second that the
// zone's clocks show.
func (z *zone) isoMoment(b []byte) (day, second int, ok bool) {
	day, second, rest, ok := isoMoment(b)
	if !ok {
		return 0, 0, false
	}
	offset, ok := parseOffset(rest)
	if !ok {
		return 0, 0, false
	}
	second -= offset
	second += int(z.offsetAt(int64(day-epochSerial)*daySeconds + int64(second)))
	for ; second < 0; second += daySeconds {
		day--
	}
	for ; second >= daySeconds; second -= daySeconds {
		day++
	}
	return day, second, true
}

// isoClock reads HH:mm:ss of one day.
func isoClock(b []byte) (second int, ok bool) {
	if len(b) != clockLength {
		return 0, false
	}
	values, odd := numbers(word(b), clockForm)
	second, ok = clock(at(values, 0), at(values, 3), at(values, 6))
	return second, ok && odd&highs == 0
}

// bareDay reads yyyyMMdd.
func bareDay(b []byte) (day int, ok bool) {
	if len(b) != bareDayLength {
		return 0, false
	}
	values, odd := numbers(word(b), bareForm)
	if odd&highs != 0 {
		return 0, false
	}
	return monthOf(at(values, 0), at(values, 2), at(values, 4)).day(at(values, 6))
}

// bareMoment reads yyyyMMddHHmmss.
func bareMoment(b []byte) (day, second int, ok bool) {
	if len(b) != bareMomentLength {
		return 0, 0, false
	}
	day, okDay := bareDay(b[:bareDayLength])
	values, odd := numbers(word(b[bareMomentLength-8:]), bareForm)
	second, okClock := clock(at(values, 2), at(values, 4), at(values, 6))
	return day, second, okDay && okClock && odd&highs == 0
}

func clock(hour, minute, second uint64) (seconds int, ok bool) {
	return int(hour*3600 + minute*60 + second), hour < 24 && minute < 60 && second < 60
}

// The years whose months are looked up.
const (
	firstKnownYear = 1900
	knownYears     = 200
)

// month is the serial number of the last day before a month and, in the lowest
// bits, the number of its days.
type month int32

const monthBits = 5

func newMonth(year, m uint64) month {
	if m < 1 || m > 12 {
		return 0
	}
	return month(int(daysFromCivil(int(year), int(m), 0)+epochSerial)<<monthBits | daysIn(int(year), int(m)))
}

// day is the serial number of a day of the month.
func (m month) day(n uint64) (day int, ok bool) {
	return int(m>>monthBits) + int(n), n-1 < uint64(m&(1<<monthBits-1))
}

var knownMonths = func() (known [knownYears * 16]month) {
	for i := range known {
		known[i] = newMonth(firstKnownYear+uint64(i/16), uint64(i%16))
	}
	return known
}()

// monthOf gives a month of a year of four digits, one without days where there is no
// such month.
func monthOf(century, year, m uint64) month {
	year += century * 100
	if year < firstKnownYear || year >= firstKnownYear+knownYears || m > 12 {
		return newMonth(year, m)
	}
	return knownMonths[(year-firstKnownYear)*16+m]
}
