package cell

import (
	"fmt"
	"testing"
	"time"
)

// Every real date of four-digit years, and no other.
func TestDaysFromText(t *testing.T) {
	t.Parallel()
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Unix()
	for year := range 10000 {
		first := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		for month := range 20 {
			for day := range 34 {
				at := first.AddDate(0, month-1, day-1)
				real := int(at.Month()) == month && at.Day() == day
				if !real && year%100 > 4 && day%8 > 1 {
					continue // what is wrong in one year is so in the next
				}
				iso := appendMoment(nil, moment{year: year, month: month, day: day}, false, '-')
				bare := append(append(append([]byte(nil), iso[:4]...), iso[5:7]...), iso[8:]...)
				got, ok := isoDay(iso)
				gotBare, okBare := bareDay(bare)
				if ok != real || okBare != real {
					t.Fatalf("%s: %v, %v without marks", iso, ok, okBare)
				}
				if want := int((at.Unix() - epoch) / daySeconds); real && (got != want || gotBare != want) {
					t.Fatalf("%s: %d, %d without marks, want %d", iso, got, gotBare, want)
				}
			}
		}
	}
}

func TestClocksFromText(t *testing.T) {
	for hour := range 100 {
		for minute := range 100 {
			for second := range 100 {
				if hour%10 > 4 && minute%10 > 1 && second%10 > 1 {
					continue
				}
				clock := fmt.Appendf(nil, "%02d:%02d:%02d", hour, minute, second)
				want, ok := hour*3600+minute*60+second, hour < 24 && minute < 60 && second < 60
				if got, gotOK := isoClock(clock); gotOK != ok || ok && got != want {
					t.Fatalf("%s: %d %v", clock, got, gotOK)
				}
				day, got, rest, gotOK := isoMoment(append([]byte("2026-09-02 "), clock...))
				if gotOK != ok || ok && (got != want || day != 46267 || len(rest) > 0) {
					t.Fatalf("%s with a date: %d %d %q %v", clock, day, got, rest, gotOK)
				}
				bare := fmt.Appendf(nil, "20260902%02d%02d%02d", hour, minute, second)
				day, got, gotOK = bareMoment(bare)
				if gotOK != ok || ok && (got != want || day != 46267) {
					t.Fatalf("%s: %d %d %v", bare, day, got, gotOK)
				}
			}
		}
	}
}

// Any other byte in any place is another form.
func TestOtherFormsOfDates(t *testing.T) {
	for _, form := range []string{"2026-09-02", "2026-09-02 14:30:25", "14:30:25", "20260902", "20260902143025"} {
		for i := range form {
			for ch := range 256 {
				text := []byte(form)
				digit := isDigit(text[i])
				text[i] = byte(ch)
				if string(text) == form || digit && isDigit(byte(ch)) {
					continue
				}
				_, okDay := isoDay(text)
				_, _, _, okMoment := isoMoment(text)
				_, okClock := isoClock(text)
				_, okBareDay := bareDay(text)
				_, _, okBare := bareMoment(text)
				// The day stands before what was changed behind it.
				if okDay && i < dateLength || okMoment || okClock || okBareDay || okBare {
					t.Fatalf("%q is read as %s is", text, form)
				}
			}
		}
		for n := range form {
			text := []byte(form[:n])
			_, okDay := isoDay(text)
			_, _, _, okMoment := isoMoment(text)
			_, okClock := isoClock(text)
			_, _, okBare := bareMoment(text)
			if okDay && n < dateLength || okMoment || okClock || okBare {
				t.Fatalf("%q is read as %s is", text, form)
			}
		}
	}
}
