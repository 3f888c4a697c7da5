package dataset

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestFixedIsShortest: the quick way to a decimal's text gives what the slow one
// gives, or leaves the value to it.
func TestFixedIsShortest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	taken := 0
	check := func(v float64, scale int) {
		t.Helper()
		rule := sqliteRule{decimal: true, scale: scale}
		quick, ok := rule.fixed([]byte("x"), v)
		if !ok {
			if string(quick) != "x" {
				t.Errorf("%v with %d places: %q was written and not used", v, scale, quick)
			}
			return
		}
		taken++
		slow, fits := rule.shortest([]byte("x"), v)
		if !fits || string(quick) != string(slow) {
			t.Errorf("%v with %d places: %q, want %q, %v", v, scale, quick, slow, fits)
		}
	}
	edges := []float64{0, math.Copysign(0, -1), 1, -1, 0.05, -0.05, 0.1, 0.3, 0.1 + 0.2, 1e14, 1e15, 1e15 - 1, 1e16, 99999999999999.9,
		999999999999999, 9999999999999.99, 1e22, 1e300, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(),
		1250.5, 0.125, 0.995, 2.675, 1.005, 4503599627370497.5}
	for scale := range 12 {
		for _, v := range edges {
			check(v, scale)
			check(-v, scale)
			check(math.Nextafter(v, 0), scale)
			check(math.Nextafter(v, math.Inf(1)), scale)
		}
		for range 20_000 {
			digits := random.Int64N(int64(math.Pow10(1 + random.IntN(17))))
			v, err := strconv.ParseFloat(strconv.FormatInt(digits, 10)+"e-"+strconv.Itoa(scale), 64)
			if err != nil {
				t.Fatal(err)
			}
			check(v, scale)
			check(-v, scale)
			check(math.Nextafter(v, 0), scale)
			check(math.Float64frombits(random.Uint64()), scale)
		}
	}
	if taken < 200_000 {
		t.Errorf("the quick way was taken %d times only", taken)
	}
}
