package deflate_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	kflate "github.com/klauspost/compress/flate"

	"github.com/haexcel/haexcel/shared/deflate"
)

// table is rows of cells in the making.
type table struct {
	text  []byte
	spans []deflate.Span
}

func (t *table) cell(markup, value string) {
	t.text = append(t.text, markup...)
	start := uint32(len(t.text))
	t.text = append(t.text, value...)
	t.spans = append(t.spans, deflate.Span{Start: start, End: uint32(len(t.text))})
}

const columns = 4

// sheet is rows of a number, a text that grows, one of a few texts and a phrase.
func sheet(rows int) *table {
	r := rand.New(rand.NewPCG(1, 2))
	t := new(table)
	states := []string{"결제완료", "배송중", "PAID", "CANCELLED"}
	words := []string{"빠른 ", "배송 ", "부탁 ", "please ", "ring ", "the ", "bell ", "R&amp;D "}
	for i := range rows {
		t.cell(fmt.Sprintf(`<row r="%d"><c r="A%d" s="1"><v>`, i+2, i+2), fmt.Sprint(r.IntN(1e9)))
		t.cell(fmt.Sprintf(`</v></c><c r="B%d" t="inlineStr"><is><t>`, i+2), fmt.Sprintf("ORD-%08d", i*3))
		t.cell(fmt.Sprintf(`</t></is></c><c r="C%d" t="inlineStr"><is><t>`, i+2), states[r.IntN(len(states))])
		phrase := ""
		for range r.IntN(9) {
			phrase += words[r.IntN(len(words))]
		}
		t.cell(fmt.Sprintf(`</t></is></c><c r="D%d" t="inlineStr"><is><t>`, i+2), phrase)
		t.text = append(t.text, `</t></is></c></row>`...)
	}
	return t
}

// inflate reads a stream with two decoders, which must agree.
func inflate(t testing.TB, stream []byte) []byte {
	t.Helper()
	got, err := io.ReadAll(flate.NewReader(bytes.NewReader(stream)))
	if err != nil {
		t.Fatalf("compress/flate: %v", err)
	}
	again, err := io.ReadAll(kflate.NewReader(bytes.NewReader(stream)))
	if err != nil {
		t.Fatalf("klauspost/compress: %v", err)
	}
	if !bytes.Equal(got, again) {
		t.Fatal("the decoders differ")
	}
	return got
}

// roundTrip compresses and reads back, behind bytes that must stay.
func roundTrip(t testing.TB, c *deflate.Compressor, text []byte, spans []deflate.Span, columns int) []byte {
	t.Helper()
	out := c.Append([]byte("before"), text, spans, columns)
	packed, ok := bytes.CutPrefix(out, []byte("before"))
	if !ok {
		t.Fatal("what stood before has changed")
	}
	got := inflate(t, append(bytes.Clone(packed), deflate.Final...))
	if !bytes.Equal(got, text) {
		t.Fatalf("%d bytes become %d others", len(text), len(got))
	}
	return packed
}

func TestSheet(t *testing.T) {
	for _, rows := range []int{0, 1, 2, 10, 500, 3000} {
		s := sheet(rows)
		var fast, thorough deflate.Compressor
		thorough.Thorough = true
		size := len(roundTrip(t, &fast, s.text, s.spans, columns))
		smaller := len(roundTrip(t, &thorough, s.text, s.spans, columns))
		if rows < 500 {
			continue
		}
		if general := general(t, s.text, 1); size > general {
			t.Errorf("%d rows: %d bytes, a general compressor needs %d", rows, size, general)
		}
		if general := general(t, s.text, 6); smaller > general {
			t.Errorf("%d rows: thoroughly %d bytes, a general compressor needs %d", rows, smaller, general)
		}
	}
}

// general is what a general compressor makes of a text.
func general(t *testing.T, text []byte, level int) int {
	t.Helper()
	var out bytes.Buffer
	w, err := kflate.NewWriter(&out, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// Outputs join, whoever made them, and the same input gives the same output.
func TestOutputsJoin(t *testing.T) {
	var stream, want []byte
	for _, rows := range []int{100, 1, 0, 700, 700} {
		s := sheet(rows)
		var fresh deflate.Compressor
		stream = fresh.Append(stream, s.text, s.spans, columns)
		want = append(want, s.text...)
	}
	if got := inflate(t, append(stream, deflate.Final...)); !bytes.Equal(got, want) {
		t.Error("the joined stream differs")
	}
	s := sheet(700)
	var used, fresh deflate.Compressor
	used.Append(nil, want, nil, 1)
	if !bytes.Equal(used.Append(nil, s.text, s.spans, columns), fresh.Append(nil, s.text, s.spans, columns)) {
		t.Error("the output depends on what was compressed before")
	}
}

// Texts that are hard on matches, codes and stored blocks.
func TestShapes(t *testing.T) {
	random := make([]byte, 200_000)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	far := append(bytes.Clone(random[:40_000]), random[:40_000]...)
	window := append(bytes.Clone(random[:32<<10]), random[:1000]...)
	beyond := append(bytes.Clone(random[:32<<10+1]), random[:1000]...)
	// Counts like Fibonacci's numbers make the longest codes.
	var skewed []byte
	for symbol, a, b := 0, 1, 1; symbol < 27; symbol, a, b = symbol+1, b, a+b {
		skewed = append(skewed, bytes.Repeat([]byte{byte('A' + symbol)}, a)...)
	}
	r.Shuffle(len(skewed), func(i, j int) { skewed[i], skewed[j] = skewed[j], skewed[i] })
	for name, text := range map[string][]byte{
		"empty": nil, "one": {'x'}, "two": []byte("ab"), "same": bytes.Repeat([]byte{0}, 100_000),
		"random": random, "far": far, "at the window": window, "beyond the window": beyond, "skewed": skewed,
		"long runs": []byte(strings.Repeat(strings.Repeat("0123456789", 60)+"\n", 50)),
	} {
		for _, spans := range [][]deflate.Span{nil, {{0, uint32(len(text))}}, every(text, 7), every(text, 300), every(text, 32<<10)} {
			for _, columns := range []int{-5, 1, 2, 5} {
				c := deflate.Compressor{Thorough: columns < 0}
				columns = max(columns, -columns)
				packed := roundTrip(t, &c, text, spans, columns)
				if most := len(text) + len(text)/1000 + 64; len(packed) > most {
					t.Errorf("%s: %d bytes become %d", name, len(text), len(packed))
				}
			}
		}
	}
}

// every makes a span of every n bytes.
func every(text []byte, n int) (spans []deflate.Span) {
	for i := 0; i+n <= len(text); i += n {
		spans = append(spans, deflate.Span{Start: uint32(i + n/2), End: uint32(i + n)})
	}
	return spans
}

// Whatever the hints are, the text comes back.
func FuzzAppend(f *testing.F) {
	s := sheet(20)
	hints := make([]byte, 0, 8*len(s.spans))
	for _, span := range s.spans {
		hints = binary.LittleEndian.AppendUint16(hints, uint16(span.Start))
		hints = binary.LittleEndian.AppendUint16(hints, uint16(span.End))
	}
	f.Add(s.text, hints, uint8(columns))
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaa"), []byte{4, 0, 2, 0, 0, 0, 255, 255}, uint8(1))
	f.Add([]byte{}, []byte{}, uint8(1))
	f.Fuzz(func(t *testing.T, text, hints []byte, columns uint8) {
		var spans []deflate.Span
		for ; len(hints) >= 4; hints = hints[4:] {
			spans = append(spans, deflate.Span{
				Start: uint32(binary.LittleEndian.Uint16(hints)), End: uint32(binary.LittleEndian.Uint16(hints[2:])),
			})
		}
		for _, thorough := range []bool{false, true} {
			c := deflate.Compressor{Thorough: thorough}
			roundTrip(t, &c, text, spans, int(max(columns, 1)))
		}
	})
}

func TestAppendDoesNotAllocate(t *testing.T) {
	s := sheet(500)
	var c deflate.Compressor
	dst := c.Append(nil, s.text, s.spans, columns)
	if n := testing.AllocsPerRun(20, func() { dst = c.Append(dst[:0], s.text, s.spans, columns) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	s := sheet(1000)
	for name, c := range map[string]*deflate.Compressor{"fast": {}, "thorough": {Thorough: true}} {
		b.Run(name, func(b *testing.B) {
			dst := c.Append(nil, s.text, s.spans, columns)
			b.SetBytes(int64(len(s.text)))
			b.ReportAllocs()
			for b.Loop() {
				dst = c.Append(dst[:0], s.text, s.spans, columns)
			}
			b.ReportMetric(float64(len(dst))/float64(len(s.text)), "ratio")
		})
	}
}
