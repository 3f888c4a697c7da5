package cell

import (
	"math"
	"strconv"
	"testing"
)

// shortestSerial is the rule as it stands in its comment.
func shortestSerial(dst []byte, day, second int) []byte {
	serial := float64(day) + float64(second)/daySeconds
	if off := day - epochSerial; off > -nearEpoch && off < nearEpoch && second > 0 && (serial-float64(day))*daySeconds < float64(second) {
		serial = math.Nextafter(serial, math.MaxFloat64)
	}
	return strconv.AppendFloat(dst, serial, 'f', -1, 64)
}

func checkSerial(t *testing.T, c *Column, day, second int, scratch []byte) []byte {
	t.Helper()
	scratch = shortestSerial(scratch[:0], day, second)
	if got := c.serial(day, second, 0); string(got.Text) != string(scratch) || got.Type != Number {
		t.Fatalf("day %d second %d: %s, want %s", day, second, got.Text, scratch)
	}
	return scratch
}

// serialDays are days of every number of binary places, the first and the last of
// each, and those where the way of writing changes.
var serialDays = []int{
	0, 1, 2, 3, 4, 31, 61, 127, 128, 255, 256, 511, 512, 1023, 1024, 2047, 2048, 4095, 4096, 8191, 8192, 9999, 10000, 16383, 16384,
	epochSerial - nearEpoch, epochSerial - nearEpoch + 1, epochSerial - 1, epochSerial, epochSerial + nearEpoch - 1, epochSerial + nearEpoch,
	firstUsualDay - 1, firstUsualDay, firstUsualDay + 1, 39999, 40000, 46267, lastUsualDay - 1, lastUsualDay, lastUsualDay + 1,
	99999, 100000, 131071, 131072, 262143, 262144, 524288, 1048575, 1048576, 2097151, 2097152, maxSerial,
}

// Every second of the day, on these days and on others at random.
func TestSerialOfEverySecond(t *testing.T) {
	t.Parallel()
	c := compiled(t, ColumnDef{}, Field{Kind: DateTime})
	var scratch []byte
	r := newSource(1)
	for second := range daySeconds {
		for _, day := range serialDays {
			scratch = checkSerial(t, c, day, second, scratch)
		}
		for range 8 {
			scratch = checkSerial(t, c, firstUsualDay+r.below(lastUsualDay-firstUsualDay+1), second, scratch)
			scratch = checkSerial(t, c, r.below(maxSerial+1), second, scratch)
		}
	}
}

// Every day, at some seconds.
func TestSerialOfEveryDay(t *testing.T) {
	t.Parallel()
	c := compiled(t, ColumnDef{}, Field{Kind: DateTime})
	var scratch []byte
	r := newSource(2)
	for day := range 1 << 17 {
		for _, second := range []int{0, 1, daySeconds / 2, daySeconds - 1, r.below(daySeconds), r.below(daySeconds)} {
			scratch = checkSerial(t, c, day, second, scratch)
		}
	}
	for day := 1 << 17; day <= maxSerial; day++ {
		scratch = checkSerial(t, c, day, r.below(daySeconds), scratch)
	}
}
