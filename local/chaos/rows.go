//go:build unix

package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// The exported table has this many rows; the first wideRows of them carry a text
// that no compression makes small, so that files of several parts come about.
const (
	tableRows = 20_000
	wideRows  = 10_000
)

// row is what stands in the table, from the row's number alone: a file is checked
// without the database.
type row struct {
	n      int    // from 1
	id     int64  // the key
	group  int    // to sort by
	label  string // tells a row that is in the wrong place
	amount string // DECIMAL(14,2)
}

func rowOf(n int) row {
	cents := int64(n)*1337 - 500
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return row{
		n: n, id: int64(n)*7 + 3, group: n % 5,
		label:  fmt.Sprintf("행 %d & <%x>", n, uint32(n)*2654435761),
		amount: fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100),
	}
}

// numberOf finds a row by its key.
func numberOf(id int64) (n int, ok bool) {
	n = int((id - 3) / 7)
	return n, n >= 1 && n <= tableRows && rowOf(n).id == id
}

// fillerBytes are the random bytes in a wide row's text.
const fillerBytes = 600

// filler is the long text of a row, "" behind the wide ones.
func filler(n int) string {
	if n > wideRows {
		return ""
	}
	random := rand.NewPCG(uint64(n), 0x6861_6578)
	var text []byte
	for len(text) < fillerBytes {
		text = binary.LittleEndian.AppendUint64(text, random.Uint64())
	}
	return base64.StdEncoding.EncodeToString(text[:fillerBytes])
}
