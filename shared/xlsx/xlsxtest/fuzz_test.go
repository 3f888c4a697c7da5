package xlsxtest

import (
	"slices"
	"testing"
)

// FuzzCheck damages one part of the good workbook: some of its bytes are replaced.
// Whatever comes out is read or refused, without a panic, and what is read once is
// read again in the same way.
func FuzzCheck(f *testing.F) {
	for i := range good {
		f.Add(uint8(i), uint16(200), uint8(1), "")
	}
	f.Add(uint8(8), uint16(900), uint8(0), `<row><c t="s"><v>9</v></c></row>`)
	f.Add(uint8(6), uint16(170), uint8(20), `formatCode="[$-`)
	f.Add(uint8(5), uint16(300), uint8(6), `name="_x0000_"`)
	f.Fuzz(func(t *testing.T, part uint8, at uint16, length uint8, with string) {
		parts := slices.Clone(good)
		p := &parts[int(part)%len(parts)]
		from := int(at) % (len(p.text) + 1)
		to := min(len(p.text), from+int(length))
		p.text = p.text[:from] + with + p.text[to:]
		data := packed(t, parts)
		if err := check(data); err == nil {
			Open(t, data)
		}
	})
}

// FuzzCheckArchive damages the bytes of a whole workbook.
func FuzzCheckArchive(f *testing.F) {
	whole := packed(f, good)
	for _, at := range []uint16{0, 8, 14, 26, 60, 1000} {
		f.Add(at, uint16(1), []byte{0xFF})
		f.Add(uint16(len(whole))-at, uint16(2), []byte{})
	}
	f.Fuzz(func(t *testing.T, at, length uint16, with []byte) {
		from := int(at) % (len(whole) + 1)
		to := min(len(whole), from+int(length))
		data := slices.Concat(whole[:from], with, whole[to:])
		if err := check(data); err == nil {
			Open(t, data)
		}
	})
}
