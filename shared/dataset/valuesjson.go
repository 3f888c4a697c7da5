package dataset

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/haexcel/haexcel/shared/fault"
)

// safeDigits is how many significant digits every JSON reader keeps, those
// that hold numbers in a float64 included.
const safeDigits = 15

// JSON returns the values as a JSON object with sorted members, equal texts for
// equal values. Numbers of more than 15 digits are written as strings, which
// lose nothing on any reader. ParseValues and Normalise read it back.
func (v Values) JSON() string {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range slices.Sorted(maps.Keys(v)) {
		if i > 0 {
			b.WriteByte(',')
		}
		writeString(&b, name)
		b.WriteByte(':')
		v[name].write(&b)
	}
	b.WriteByte('}')
	return b.String()
}

func (v Value) write(b *bytes.Buffer) {
	if v.List {
		b.WriteByte('[')
	}
	for i, item := range v.Items {
		if i > 0 {
			b.WriteByte(',')
		}
		switch {
		case v.Type == BooleanParam, (v.Type == IntegerParam || v.Type == DecimalParam) && safeNumber(item):
			b.WriteString(item)
		default:
			writeString(b, item)
		}
	}
	if v.List {
		b.WriteByte(']')
	}
}

// safeNumber reports whether a canonical number reads the same through a
// float64. Very small ones are left out, since they come back with an exponent.
func safeNumber(item string) bool {
	digits := strings.TrimPrefix(item, "-")
	return len(strings.ReplaceAll(digits, ".", "")) <= safeDigits && !strings.HasPrefix(digits, "0.000000")
}

func writeString(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	// A string always encodes, and a Buffer takes everything.
	_ = e.Encode(s)
	b.Truncate(b.Len() - 1) // the encoder's line end
}

// ParseValues reads what JSON wrote. It fails with Invalid when the text does
// not fit the declarations, which may have changed since.
func ParseValues(params []Param, text string) (Values, error) {
	raw := RawParams{}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &raw); err != nil {
			return nil, fault.Wrap(fault.Invalid, err, "The stored parameters are malformed.")
		}
	}
	values, _, fields := Normalise(params, raw)
	if len(fields) > 0 {
		err := fault.New(fault.Invalid, "The stored parameters do not fit the dataset any more.")
		for path, reason := range fields {
			err = err.WithField(path, reason)
		}
		return nil, err
	}
	return values, nil
}
