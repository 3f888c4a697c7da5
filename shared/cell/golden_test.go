package cell

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"hash"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew, after a rule was changed on purpose")

// goldenCells holds a digest of the corpus's cells for each kind and format.
const goldenCells = "testdata/cells.golden"

// The cells of the corpus, byte for byte, whatever way they are made. Where a rule
// was meant to change, -update writes the digests anew.
func TestCellsOfTheCorpus(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for k := Null; k <= Other; k++ {
		for _, format := range corpusFormats {
			fmt.Fprintf(&out, "%d %q %x\n", k, format, corpusDigest(k, ColumnDef{Field: "x", ExcelFormat: format}))
		}
		codes := map[string]string{"": "none", "1": "하나", "true": "참", "서울특별시 강남구 테헤란로": "a\r\nb", "2026-09-02": "x"}
		fmt.Fprintf(&out, "%d codes %x\n", k, corpusDigest(k, ColumnDef{Field: "x", ExcelCodeMap: codes}))
	}
	if *update {
		if err := os.WriteFile(goldenCells, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(goldenCells)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(out.String(), "\n"), strings.Split(string(golden), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("cells changed: %s, want %s", got[i], want[i])
		}
	}
}

// corpusDigest sums up the cells of a kind in columns that declare the kind, none
// or another one.
func corpusDigest(k Kind, leaf ColumnDef) []byte {
	sum := sha256.New()
	for _, field := range []Field{{Kind: k, Scale: -1}, {Kind: k, Scale: 0}, {Kind: k, Scale: 2}, {Kind: k, Scale: 40}, {Kind: Null, Scale: -1}, {Kind: Text}} {
		// A zone with no rules: the history of real ones is corrected at times.
		c, _ := Compile(leaf, field, true, time.FixedZone("", 9*3600))
		for _, in := range corpusEdges {
			sumCell(sum, c, c.Cell(value(k, in)))
		}
		if field.Kind == k && field.Scale == 0 {
			sumCell(sum, c, c.Cell(value(k, repeat("한", MaxText)+"x")))
		}
		r := newSource(uint64(k))
		for range 500 {
			sumCell(sum, c, c.Cell(value(k, corpusValue(r, k))))
		}
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(c.Truncated())))
	}
	return sum.Sum(nil)[:12]
}

func sumCell(sum hash.Hash, c *Column, out Cell) {
	line := append([]byte{byte(out.Type), byte(out.Format)}, c.Formats()[out.Format]...)
	line = binary.BigEndian.AppendUint32(line, uint32(len(out.Text)))
	sum.Write(line)
	sum.Write(out.Text)
}
