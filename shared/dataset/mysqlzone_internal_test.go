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

// TestRepeatedHours: by how much the clocks went back is known for all that they
// showed twice, and for nothing else.
func TestRepeatedHours(t *testing.T) {
	for _, c := range []struct {
		zone, moment string
		back         time.Duration
	}{
		{"America/New_York", "2026-11-01 00:59:59", 0},
		{"America/New_York", "2026-11-01 01:00:00", time.Hour},
		{"America/New_York", "2026-11-01 01:59:59.999999", time.Hour},
		{"America/New_York", "2026-11-01 02:00:00", 0},
		{"America/New_York", "2026-03-08 03:30:00", 0},
		{"America/New_York", "2026-03-08 01:30:00", 0},
		{"America/New_York", "0000-00-00 00:00:00", 0},
		{"Europe/London", "2026-10-25 01:30:00", time.Hour},
		{"Asia/Seoul", "1988-10-09 02:30:00", time.Hour},
		{"Asia/Seoul", "2026-09-02 02:30:00", 0},
		{"Australia/Lord_Howe", "2026-04-05 01:29:59", 0},
		{"Australia/Lord_Howe", "2026-04-05 01:45:00", 30 * time.Minute},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		z := newMySQLZone(zone, true)
		if got := z.shownTwice([]byte(c.moment)); got != c.back {
			t.Errorf("%s in %s: %v, want %v", c.moment, c.zone, got, c.back)
		}
		fixed := newMySQLZone(zone, false)
		if got := fixed.shownTwice([]byte(c.moment)); got != 0 {
			t.Errorf("%s with an offset: %v", c.moment, got)
		}
	}
}
