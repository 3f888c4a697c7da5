package readers

import (
	"math"
	"strconv"
	"time"
)

// fromNumber takes a number, as it stands in the file, for what its format makes
// it. A serial number outside of Excel's calendar is a strange cell.
func fromNumber(literal, code string) Cell {
	content := contentOf(code)
	if content == Number {
		return Cell{Number, literal, code}
	}
	days, err := strconv.ParseFloat(literal, 64)
	switch {
	case err != nil || math.IsNaN(days) || math.IsInf(days, 0):
		return Cell{Strange, literal, code}
	case content == Duration:
		return Cell{Duration, durationText(days), code}
	case days < 0 || days >= 2958466: // after 9999-12-31
		return Cell{Strange, literal, code}
	}
	return Cell{Moment, momentText(atSerial(days)), code}
}

// atSerial is the moment of a serial number, as all dates from 1900-03-01 on are
// counted.
func atSerial(days float64) time.Time {
	whole := math.Floor(days)
	ms := math.Round((days - whole) * 24 * 60 * 60 * 1000)
	return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(whole)).Add(time.Duration(ms) * time.Millisecond)
}
