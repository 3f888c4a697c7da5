package readers

import "testing"

func TestContentOf(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]Content{
		"General": Number, "": Number, "0": Number, "@": Number, "#,##0.00": Number, `#,##0"원"`: Number, "0.00E+00": Number, "# ?/?": Number,
		"[Red]-0;0": Number, "[$₩-412]#,##0": Number, `0"d"`: Number, `0\d`: Number, `"yyyy"0`: Number, "_d0": Number, "*d0": Number, "0;yyyy": Number,
		"yyyy-mm-dd": Moment, "yyyy-mm-dd hh:mm:ss": Moment, `yyyy"년" m"월"`: Moment, "mmm": Moment, "YY.M.D": Moment, "[$-412]yyyy": Moment, "dd.mm.yyyy": Moment,
		"[h]:mm:ss": Duration, "[hh]:mm:ss": Duration, "[mm]:ss": Duration, "[s]": Duration, "hh:mm": Duration, "h:mm AM/PM": Duration, "mm:ss.0": Duration, `h"시"`: Duration,
		`"open`: Number, `0\`: Number,
	} {
		if got := contentOf(code); got != want {
			t.Errorf("%q shows %s, want %s", code, got, want)
		}
	}
}

func TestFromNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		literal, code string
		want          Cell
	}{
		{"1E-07", "General", Cell{Number, "1E-07", "General"}},
		{"46267.604456018518", "yyyy-mm-dd hh:mm:ss", Cell{Moment, "2026-09-02 14:30:25", "yyyy-mm-dd hh:mm:ss"}},
		{"46267.999999999", "yyyy-mm-dd", Cell{Moment, "2026-09-03 00:00:00", "yyyy-mm-dd"}},
		{"46267.5000057870", "yyyy-mm-dd", Cell{Moment, "2026-09-02 12:00:00.500", "yyyy-mm-dd"}},
		{"61", "yyyy-mm-dd", Cell{Moment, "1900-03-01 00:00:00", "yyyy-mm-dd"}},
		{"2958465.99", "yyyy", Cell{Moment, "9999-12-31 23:45:36", "yyyy"}},
		{"2958466", "yyyy", Cell{Strange, "2958466", "yyyy"}},
		{"-1", "yyyy", Cell{Strange, "-1", "yyyy"}},
		{"NaN", "hh:mm", Cell{Strange, "NaN", "hh:mm"}},
		{"1.0625", "[h]:mm", Cell{Duration, "25:30:00", "[h]:mm"}},
		{"-0.5", "hh:mm", Cell{Duration, "-12:00:00", "hh:mm"}},
		{"0.0000000001", "hh:mm", Cell{Duration, "0:00:00", "hh:mm"}},
		{"-0.0000000001", "hh:mm", Cell{Duration, "0:00:00", "hh:mm"}},
		{"0.0000115856", "hh:mm", Cell{Duration, "0:00:01.001", "hh:mm"}},
	} {
		if got := fromNumber(c.literal, c.code); got != c.want {
			t.Errorf("%s in %q is %s, want %s", c.literal, c.code, got, c.want)
		}
	}
}
