package export

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWarningsRoundTrip(t *testing.T) {
	if (Warnings{}).JSON() != "" {
		t.Error("no warnings must be the empty text")
	}
	w := Warnings{Messages: []string{"가", "b"}, TruncatedCells: 2}
	if diff := cmp.Diff(w, ParseWarnings(w.JSON())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Warnings{}, ParseWarnings("{broken")); diff != "" {
		t.Error(diff)
	}
}

func TestWarningsMerge(t *testing.T) {
	got := Warnings{Messages: []string{"a", "b"}, TruncatedCells: 1}.Merge(Warnings{Messages: []string{"b", "c"}, TruncatedCells: 2})
	if diff := cmp.Diff(Warnings{Messages: []string{"a", "b", "c"}, TruncatedCells: 3}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	var w Warnings
	for i := range 1000 {
		w.add(fmt.Sprint(i))
	}
	if len(w.Messages) != maxWarnings {
		t.Errorf("%d messages kept, want %d", len(w.Messages), maxWarnings)
	}
	w = Warnings{}
	w.add("field \"" + strings.Repeat("가", 100_000))
	if got := []rune(w.Messages[0]); len(got) != maxWarningRunes || !strings.HasPrefix(w.Messages[0], "field \"가") || got[len(got)-1] != '…' {
		t.Errorf("a message of %d characters kept, want %d", len(got), maxWarningRunes)
	}
}
