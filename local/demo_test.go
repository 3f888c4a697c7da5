package main

import (
	"testing"
)

func TestDemoRebuildsWhateverIsThere(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, rows := range []string{"30", "30", "20"} {
		code, stdout, stderr := run(t, folder, nil, "demo", "--rows", rows)
		if want := "made " + rows + " demo orders\n"; code != exitDone || stdout != want {
			t.Fatalf("code %d: %q, want %q: %s", code, stdout, want, stderr)
		}
	}
	if n := countOrders(t, folder); n != 20 {
		t.Errorf("%d orders, want 20", n)
	}
}

func TestDemoSizeByVariable(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if code, _, stderr := run(t, folder, []string{"DEMO_ROWS=15"}, "demo"); code != exitDone {
		t.Fatalf("code %d: %s", code, stderr)
	}
	if n := countOrders(t, folder); n != 15 {
		t.Errorf("%d orders, want 15", n)
	}
}
