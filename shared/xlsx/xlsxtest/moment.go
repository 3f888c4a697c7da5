package xlsxtest

import (
	"math"
	"strconv"
	"time"
)

// Moment is the wall-clock moment that a serial number shows, to the second, in
// UTC.
func Moment(serial string) (time.Time, error) {
	v, err := strconv.ParseFloat(serial, 64)
	if err != nil {
		return time.Time{}, err
	}
	days := math.Floor(v)
	seconds := math.Round((v - days) * 86400)
	return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days)).Add(time.Duration(seconds) * time.Second), nil
}
