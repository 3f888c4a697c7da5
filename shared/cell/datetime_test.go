package cell

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
)

func TestZeroDates(t *testing.T) {
	checkRows(t, "", 0, []row{
		{Date, "0000-00-00", "empty"},
		{DateTime, "0000-00-00 00:00:00", "empty"},
		{DateTime, "0000-00-00 00:00:00.000000", "empty"},
		{Instant, "0000-00-00 00:00:00+00:00", "empty"},
		{Date, "2026-00-10", "s:2026-00-10 |yyyy-mm-dd"},
		{Date, "2026-05-00", "s:2026-05-00 |yyyy-mm-dd"},
		{Date, "2026-02-30", "s:2026-02-30 |yyyy-mm-dd"},
		{DateTime, "2026-00-10 01:02:03", "s:2026-00-10 01:02:03 |yyyy-mm-dd hh:mm:ss"},
		{DateTime, "0000-00-00 10:00:00", "s:0000-00-00 10:00:00 |yyyy-mm-dd hh:mm:ss"},
	})
	checkRows(t, "ymd", 0, []row{
		{Date, "0000-00-00", "empty"},
		{DateTime, "0000-00-00 00:00:00", "empty"},
		{Date, "2026-00-10", "s:2026/00/10 |yyyy/mm/dd"},
	})
	checkRows(t, "datetime", 0, []row{
		{DateTime, "0000-00-00 00:00:00", "empty"},
		{DateTime, "2026-00-10 01:02:03", "s:2026/00/10 01:02:03 |yyyy/mm/dd hh:mm:ss"},
	})
}

func TestInstants(t *testing.T) {
	const stamp = "n:46267.60445601852 |yyyy-mm-dd hh:mm:ss"
	checkRows(t, "", 0, []row{
		{Instant, "2026-09-02 05:30:25+00", stamp},
		{Instant, "2026-09-02 05:30:25Z", stamp},
		{Instant, "2026-09-02T05:30:25.999999Z", stamp},
		{Instant, "2026-09-02 14:30:25+09:00", stamp},
		{Instant, "2026-09-02 01:30:25-04", stamp},
		{Instant, "2026-09-02 11:00:25+05:30", stamp},
		{Instant, "2026-09-02 13:58:17+08:27:52", stamp},
		{DateTime, "2026-09-02 14:30:25", stamp},
		{DateTime, "2026-09-02T14:30:25.9", stamp},
		{Date, "2026-09-02", "n:46267 |yyyy-mm-dd"},
		{Date, "2026-09-02 00:00:00", "n:46267 |yyyy-mm-dd"},
		{Date, "2026-09-02 00:00:01", "s:2026-09-02 00:00:01"},
		{Instant, "2026-08-31 15:30:00+00", "n:46266.020833333336 |yyyy-mm-dd hh:mm:ss"},
		{DateTime, "2026-09-02", "n:46267 |yyyy-mm-dd hh:mm:ss"},
		{Instant, "2026-09-02 05:30:25", "s:2026-09-02 05:30:25"}, // an instant without its zone is none
		{Instant, "2026-09-02 05:30:25+0", "s:2026-09-02 05:30:25+0"},
		{Instant, "2026-09-02 05:30:25+00:00:00:00", "s:2026-09-02 05:30:25+00:00:00:00"},
	})
}

func TestDurations(t *testing.T) {
	checkRows(t, "", 0, []row{
		{Time, "25:30:00", "n:1.0625 |[hh]:mm:ss"},
		{Time, "838:59:59", "n:34.958321759259256 |[hh]:mm:ss"},
		{Time, "-25:30:00.500", "s:-25:30:00.500"},
		{Time, "-00:00:00.5", "s:-00:00:00.5"},
		{Time, "-00:00:00", "n:0 |[hh]:mm:ss"},
		{Time, "00:00:00", "n:0 |[hh]:mm:ss"},
		{Time, "24:00:00", "n:1 |[hh]:mm:ss"},
		{Time, "23:59:59.999999", "n:0.999988425925926 |[hh]:mm:ss"},
		{Time, "14:30:25+09", "s:14:30:25+09"},
		{Time, "999999999:00:00", "s:999999999:00:00"},
		{Time, "1:60:00", "s:1:60:00"},
	})
}

func TestEndsOfTheCalendar(t *testing.T) {
	checkRows(t, "", 0, []row{
		{Date, "1592-05-23", "s:1592-05-23 |yyyy-mm-dd"},
		{Date, "1899-12-31", "s:1899-12-31 |yyyy-mm-dd"},
		{Date, "1900-01-01", "s:1900-01-01 |yyyy-mm-dd"},
		{Date, "1900-02-28", "s:1900-02-28 |yyyy-mm-dd"},
		{Date, "1900-03-01", "n:61 |yyyy-mm-dd"},
		{Date, "9999-12-31", "n:2958465 |yyyy-mm-dd"},
		{Date, "10000-01-01", "s:10000-01-01 |yyyy-mm-dd"},
		{Date, "infinity", "s:infinity"},
		{Date, "-infinity", "s:-infinity"},
		{Date, "0044-03-15 BC", "s:0044-03-15 BC"},
		{Date, "5874897-12-31", "s:5874897-12-31 |yyyy-mm-dd"},
		{DateTime, "1899-12-31 23:59:59.5", "s:1899-12-31 23:59:59 |yyyy-mm-dd hh:mm:ss"},
		{DateTime, "9999-12-31 23:59:59.999999", "n:2958465.999988426 |yyyy-mm-dd hh:mm:ss"},
		{Instant, "9999-12-31 15:00:00+00", "s:10000-01-01 00:00:00 |yyyy-mm-dd hh:mm:ss"},
		{Instant, "1900-02-28 23:59:59+00", "n:61.35267361111111 |yyyy-mm-dd hh:mm:ss"}, // local mean time until 1908: +08:27:52
		{Instant, "infinity", "s:infinity"},
		{Instant, "0044-03-15 11:32:08+08:27:52 BC", "s:0044-03-15 11:32:08+08:27:52 BC"},
	})
	checkRows(t, "ymd", 0, []row{
		{Date, "1899-12-31", "s:1899/12/31 |yyyy/mm/dd"},
		{Date, "10000-01-01", "s:10000/01/01 |yyyy/mm/dd"},
		{Text, "18991231", "s:1899/12/31 |yyyy/mm/dd"},
		{Date, "infinity", "s:infinity"},
	})
	checkRows(t, `yy"년" m"월" d"일" hh:mm:ss`, 0, []row{
		{DateTime, "1899-02-03 04:05:06", `s:99년 2월 3일 04:05:06 |yy"년" m"월" d"일" hh:mm:ss`},
	})
	checkRows(t, "yyyy mmm", 0, []row{{Date, "1899-02-03", "s:1899-02-03 |yyyy mmm"}})
}

// display imitates a program that rounds to the shown second (Excel) or that rounds
// to milliseconds and cuts (most libraries).
func display(t *testing.T, serial string) (day, second, cutSecond int) {
	t.Helper()
	v, err := strconv.ParseFloat(serial, 64)
	if err != nil {
		t.Fatal(err)
	}
	day = int(math.Floor(v))
	raw := (v - math.Floor(v)) * daySeconds
	return day, int(math.Round(raw)), int(math.Floor(math.Round(raw*1000) / 1000))
}

func TestEverySecondOfADay(t *testing.T) {
	stamps := compiled(t, ColumnDef{}, Field{Kind: DateTime})
	clocks := compiled(t, ColumnDef{}, Field{Kind: Time})
	days := map[string]int{"1900-03-01": 61, "1969-12-31": 25568, "1970-01-01": 25569, "2026-09-02": 46267, "9999-12-31": 2958465}
	for second := range daySeconds {
		clock := fmt.Sprintf("%02d:%02d:%02d", second/3600, second/60%60, second%60)
		for date, day := range days {
			out := stamps.Cell(value(DateTime, date+" "+clock+".999999"))
			gotDay, got, cut := display(t, string(out.Text))
			if out.Type != Number || gotDay != day || got != second || cut != second {
				t.Fatalf("%s %s: serial %s is day %d second %d (cut %d)", date, clock, out.Text, gotDay, got, cut)
			}
		}
		out := clocks.Cell(value(Time, clock))
		if gotDay, got, cut := display(t, string(out.Text)); gotDay != 0 || got != second || cut != second {
			t.Fatalf("%s: serial %s", clock, out.Text)
		}
	}
}

// Around 1970 LibreOffice cuts what is as little as 10⁻⁷ seconds short.
func TestSerialsNear1970AreNotShort(t *testing.T) {
	for day := epochSerial - 1000; day <= epochSerial+1000; day += 83 {
		for second := range daySeconds {
			v, err := strconv.ParseFloat(string(appendSerial(nil, day, second)), 64)
			if short := float64(second) - (v-float64(day))*daySeconds; err != nil || short > 1e-9 || short < -1e-6 {
				t.Fatalf("day %d second %d: %v is %g seconds short", day, second, v, short)
			}
		}
	}
}

func TestRandomMomentsAgainstTime(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Unix()
	first, last := time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
	for _, name := range []string{"UTC", "Asia/Seoul", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := Compile(ColumnDef{Field: "x"}, Field{Kind: Instant}, true, zone)
		for range 50_000 {
			at := time.Unix(first+86400+random.Int64N(last-first-2*86400), random.Int64N(1e9))
			if random.IntN(2) == 0 {
				at = time.Unix(random.Int64N(2e9), 0)
			}
			local := at.In(zone)
			_, offset := local.Zone()
			wall := at.Unix() + int64(offset) - epoch
			out := c.Cell(value(Instant, at.UTC().Format("2006-01-02 15:04:05.999999999Z07:00")))
			day, second, cut := display(t, string(out.Text))
			if out.Type != Number || int64(day) != wall/daySeconds || int64(second) != wall%daySeconds || second != cut {
				t.Fatalf("%s in %s: %s", at.UTC(), name, out.Text)
			}
		}
	}
}

func TestCivilDaysBothWays(t *testing.T) {
	at := time.Date(-4000, 1, 1, 0, 0, 0, 0, time.UTC)
	for at.Year() < 12000 {
		days := daysFromCivil(at.Year(), int(at.Month()), at.Day())
		if want := at.Unix() / daySeconds; days != want {
			t.Fatalf("%s: %d days, want %d", at, days, want)
		}
		y, m, d := civilFromDays(days)
		if y != at.Year() || m != int(at.Month()) || d != at.Day() {
			t.Fatalf("%s: back as %d-%d-%d", at, y, m, d)
		}
		at = at.AddDate(0, 0, 13)
	}
}
