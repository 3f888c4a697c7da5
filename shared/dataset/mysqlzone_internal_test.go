package dataset

import (
	"testing"
	"time"
)

// TestOffsetsAllocateNothing: an instant's offset is looked up for each value.
func TestOffsetsAllocateNothing(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	z := newMySQLZone(zone, true)
	days := [][]byte{[]byte("2026-07-01 00:00:00"), []byte("2026-07-02 10:20:30.250"), []byte("2026-08-31 23:59:59")}
	if n := testing.AllocsPerRun(100, func() {
		for _, d := range days {
			if z.offsetOf(d) != "-04:00" {
				t.Errorf("%s has the offset %s", d, z.offsetOf(d))
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestRepeatedHours: before is set for all that the clocks showed twice, and for
// nothing else.
func TestRepeatedHours(t *testing.T) {
	for _, c := range []struct{ zone, moment, before string }{
		{"America/New_York", "2026-11-01 00:59:59", ""},
		{"America/New_York", "2026-11-01 01:00:00", "2026-11-01 00:59:59"},
		{"America/New_York", "2026-11-01 01:59:59.999999", "2026-11-01 00:59:59"},
		{"America/New_York", "2026-11-01 02:00:00", ""},
		{"America/New_York", "2026-03-08 03:30:00", ""},
		{"America/New_York", "2026-03-08 01:30:00", ""},
		{"America/New_York", "0000-00-00 00:00:00", ""},
		{"Europe/London", "2026-10-25 01:30:00", "2026-10-25 00:59:59"},
		{"Asia/Seoul", "1988-10-09 02:30:00", "1988-10-09 01:59:59"},
		{"Asia/Seoul", "2026-09-02 02:30:00", ""},
		{"Australia/Lord_Howe", "2026-04-05 01:29:59", ""},
		{"Australia/Lord_Howe", "2026-04-05 01:45:00", "2026-04-05 01:29:59"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		z := newMySQLZone(zone, true)
		if got := z.before([]byte(c.moment)); got != c.before {
			t.Errorf("%s in %s: %q, want %q", c.moment, c.zone, got, c.before)
		}
		fixed := newMySQLZone(zone, false)
		if got := fixed.before([]byte(c.moment)); got != "" {
			t.Errorf("%s with an offset: %q", c.moment, got)
		}
	}
}
