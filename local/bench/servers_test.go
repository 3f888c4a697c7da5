package main

import (
	"testing"

	"github.com/haexcel/haexcel/shared/cell"
)

var awkward = []cell.Value{
	{Kind: cell.Integer, Bytes: []byte("-5")},
	{Kind: cell.Text, Bytes: []byte("it's a\\b\t주문\n")},
	{Kind: cell.Null},
	{Kind: cell.Date, Bytes: []byte("2026-09-02")},
}

func TestLiterals(t *testing.T) {
	t.Parallel()
	if got, want := string(appendTuple(nil, awkward)), `(-5,'it\'s a\\b`+"\t주문\n"+`',NULL,'2026-09-02')`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := string(appendCopied(nil, awkward)), "-5\tit's a\\\\b\\\t주문\\\n\t\\N\t2026-09-02\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
