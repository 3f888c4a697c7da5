package cell

import (
	"math"
	"time"
)

// moment is a wall-clock date and time of day, cut to the second. Its parts may
// name no real date (2026-00-10).
type moment struct {
	year, month, day     int
	hour, minute, second int
}

func (m moment) zeroDate() bool { return m.year == 0 && m.month == 0 && m.day == 0 }

// none reports whether a zero date stands for no date at all.
func (m moment) none() bool { return m.zeroDate() && m.seconds() == 0 }

func (m moment) realDate() bool {
	return m.month >= 1 && m.month <= 12 && m.day >= 1 && m.day <= daysIn(m.year, m.month)
}

func (m moment) seconds() int { return m.hour*3600 + m.minute*60 + m.second }

// serial is the number of the day; ok is false where no date cell can show it.
func (m moment) serial() (n int, ok bool) {
	if !m.realDate() {
		return 0, false
	}
	n = int(daysFromCivil(m.year, m.month, m.day)) + epochSerial
	return n, n >= minSerial && n <= maxSerial
}

// parseISO reads yyyy-MM-dd with nothing or a time behind it, as databases write
// it: [ T]HH:mm:ss[.fraction]. rest is what follows (a zone).
func parseISO(b []byte) (m moment, timed bool, rest []byte, ok bool) {
	i := 0
	for i < len(b) && i < 7 && isDigit(b[i]) {
		m.year = m.year*10 + int(b[i]-'0')
		i++
	}
	if i < 4 || len(b) < i+6 || b[i] != '-' || b[i+3] != '-' {
		return m, false, nil, false
	}
	if m.month, ok = two(b[i+1:]); !ok {
		return m, false, nil, false
	}
	if m.day, ok = two(b[i+4:]); !ok {
		return m, false, nil, false
	}
	b = b[i+6:]
	if len(b) == 0 {
		return m, false, nil, true
	}
	if b[0] != ' ' && b[0] != 'T' {
		return m, false, nil, false
	}
	if rest, ok = m.clock(b[1:]); !ok {
		return m, false, nil, false
	}
	return m, true, rest, true
}

// clock reads HH:mm:ss[.fraction] of one day; the fraction is cut off.
func (m *moment) clock(b []byte) (rest []byte, ok bool) {
	if len(b) < 8 || b[2] != ':' || b[5] != ':' {
		return nil, false
	}
	var okHour, okMinute, okSecond bool
	m.hour, okHour = two(b)
	m.minute, okMinute = two(b[3:])
	m.second, okSecond = two(b[6:])
	if !okHour || !okMinute || !okSecond || m.hour > 23 || m.minute > 59 || m.second > 59 {
		return nil, false
	}
	return cutFraction(b[8:])
}

func cutFraction(b []byte) (rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '.' {
		return b, true
	}
	i := 1
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return b[i:], i > 1
}

func two(b []byte) (n int, ok bool) {
	if len(b) < 2 || !isDigit(b[0]) || !isDigit(b[1]) {
		return 0, false
	}
	return int(b[0]-'0')*10 + int(b[1]-'0'), true
}

// parseOffset reads what follows an instant: Z or ±hh[:mm[:ss]], in seconds.
func parseOffset(b []byte) (seconds int, ok bool) {
	switch string(b) {
	case "Z", "+00", "+00:00":
		return 0, true
	}
	if len(b) < 3 || (b[0] != '+' && b[0] != '-') {
		return 0, false
	}
	negative := b[0] == '-'
	unit, limit := 3600, 24
	for b = b[1:]; ; b = b[1:] {
		n, ok := two(b)
		if !ok || n >= limit {
			return 0, false
		}
		seconds += n * unit
		b, unit, limit = b[2:], unit/60, 60
		if len(b) == 0 {
			break
		}
		if b[0] != ':' || unit == 0 {
			return 0, false
		}
	}
	if negative {
		seconds = -seconds
	}
	return seconds, true
}

// parseDuration reads [-]H…H:mm:ss[.fraction] as whole seconds.
func parseDuration(b []byte) (seconds int64, negative, ok bool) {
	i := 0
	if len(b) > 0 && b[0] == '-' {
		negative = true
		i++
	}
	start := i
	var hours int64
	for i < len(b) && i-start < 9 && isDigit(b[i]) {
		hours = hours*10 + int64(b[i]-'0')
		i++
	}
	if i == start || len(b) < i+6 || b[i] != ':' || b[i+3] != ':' {
		return 0, false, false
	}
	minute, okMinute := two(b[i+1:])
	second, okSecond := two(b[i+4:])
	rest, okRest := cutFraction(b[i+6:])
	if !okMinute || !okSecond || !okRest || len(rest) > 0 || minute > 59 || second > 59 {
		return 0, false, false
	}
	seconds = hours*3600 + int64(minute)*60 + int64(second)
	// A negative fraction of a second is negative, however little.
	return seconds, negative && (seconds > 0 || hasNonzero(b[i+6:])), true
}

func hasNonzero(b []byte) bool {
	for _, ch := range b {
		if ch >= '1' && ch <= '9' {
			return true
		}
	}
	return false
}

// parseTextMoment reads text that trimmed is yyyyMMdd or yyyy[-/.]MM[-/.]dd and a
// real date, perhaps followed by HHmmss or [ T]HH:mm:ss with or without a
// fraction.
func parseTextMoment(b []byte) (m moment, timed, ok bool) {
	b = trim(b)
	if len(b) < 8 {
		return m, false, false
	}
	century, okCentury := two(b)
	year, okYear := two(b[2:])
	if !okCentury || !okYear {
		return m, false, false
	}
	m.year = century*100 + year
	var okMonth, okDay bool
	switch {
	case isDigit(b[4]):
		m.month, okMonth = two(b[4:])
		m.day, okDay = two(b[6:])
		b = b[8:]
	case len(b) >= 10 && isDateSeparator(b[4]) && isDateSeparator(b[7]):
		m.month, okMonth = two(b[5:])
		m.day, okDay = two(b[8:])
		b = b[10:]
	}
	if !okMonth || !okDay || !m.realDate() {
		return m, false, false
	}
	switch {
	case len(b) == 0:
		return m, false, true
	case b[0] == ' ' || b[0] == 'T':
		rest, ok := m.clock(b[1:])
		return m, true, ok && len(rest) == 0
	}
	rest, ok := m.bareClock(b)
	if !ok {
		return m, false, false
	}
	rest, ok = cutFraction(rest)
	return m, true, ok && len(rest) == 0
}

func isDateSeparator(ch byte) bool { return ch == '-' || ch == '/' || ch == '.' }

// bareClock reads HHmmss.
func (m *moment) bareClock(b []byte) (rest []byte, ok bool) {
	if len(b) < 6 {
		return nil, false
	}
	var okHour, okMinute, okSecond bool
	m.hour, okHour = two(b)
	m.minute, okMinute = two(b[2:])
	m.second, okSecond = two(b[4:])
	ok = okHour && okMinute && okSecond && m.hour <= 23 && m.minute <= 59 && m.second <= 59
	return b[6:], ok
}

// parseTextClock reads text that trimmed is HHmmss or HH:mm:ss.
func parseTextClock(b []byte) (seconds int, ok bool) {
	b = trim(b)
	var m moment
	var rest []byte
	switch len(b) {
	case 6:
		rest, ok = m.bareClock(b)
	case 8:
		rest, ok = m.clock(b)
	}
	return m.seconds(), ok && len(rest) == 0
}

// zone turns instants into wall-clock moments of one time zone. It remembers the
// stretch of time with one offset that it used last.
type zone struct {
	location *time.Location
	from, to int64 // the stretch, in epoch seconds: from ≤ t < to
	offset   int64
}

func (z *zone) moment(epoch int64) moment {
	local := epoch + z.offsetAt(epoch)
	days := local / daySeconds
	seconds := int(local % daySeconds)
	if seconds < 0 {
		days, seconds = days-1, seconds+daySeconds
	}
	var m moment
	m.year, m.month, m.day = civilFromDays(days)
	m.hour, m.minute, m.second = seconds/3600, seconds/60%60, seconds%60
	return m
}

// offsetAt is what the zone's clocks were ahead by, in seconds.
func (z *zone) offsetAt(epoch int64) int64 {
	if epoch < z.from || epoch >= z.to {
		z.find(epoch)
	}
	return z.offset
}

func (z *zone) find(epoch int64) {
	t := time.Unix(epoch, 0).In(z.location)
	_, offset := t.Zone()
	from, to := t.ZoneBounds()
	z.from, z.to, z.offset = math.MinInt64, math.MaxInt64, int64(offset)
	if !from.IsZero() {
		z.from = from.Unix()
	}
	if !to.IsZero() {
		z.to = to.Unix()
	}
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysFromCivil counts the days from 1970-01-01 in the Gregorian calendar,
// computed on years that begin in March, so that the leap day is the last.
func daysFromCivil(year, month, day int) int64 {
	// Whole eras of 400 years keep the years of the divisions positive.
	const eras = 100
	y, m := year+400*eras, month-3
	if m < 0 {
		y, m = y-1, m+12
	}
	u := uint64(y)
	return int64(u*365+u/4-u/100+u/400) + int64((uint(153*m)+2)/5) + int64(day) - 1 - 719468 - 146097*eras
}

// civilFromDays is the reverse of daysFromCivil.
func civilFromDays(days int64) (year, month, day int) {
	days += 719468
	era := floorDiv(days, 146097)
	dayOfEra := days - era*146097
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	m := (5*dayOfYear + 2) / 153
	day = int(dayOfYear - (153*m+2)/5 + 1)
	year = int(yearOfEra + era*400)
	if m < 10 {
		return year, int(m + 3), day
	}
	return year + 1, int(m - 9), day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
