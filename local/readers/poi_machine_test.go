package readers_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/cell"
)

// startJava starts a machine of the test's own.
func startJava(t *testing.T, ctx context.Context) *readers.Java { //nolint:revive // the test comes first, as everywhere
	t.Helper()
	classpath := testservices.POIClasspath(t)
	testservices.Program(t, "javac")
	java, err := readers.StartJava(ctx, classpath)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := java.Close(); err != nil {
			t.Error(err)
		}
	})
	return java
}

func ignoreRow(string, int, []readers.Cell) error { return nil }

// longBook's cells are more than what stands between two processes at one time.
func longBook() *poiBook {
	b := textBook()
	for i := range 5000 {
		b.rows = append(b.rows, []cell.Value{of(cell.Text, fmt.Sprint(i, strings.Repeat("글", 100)))})
	}
	return b
}

// Once its context ends, a machine is of no use, and says why.
func TestJavaEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	java := startJava(t, ctx)
	path := textBook("a").write(t)
	if err := java.Reader().Read(t.Context(), path, ignoreRow); err != nil {
		t.Fatal(err)
	}
	cancel()
	deadline := time.Now().Add(time.Minute)
	for java.Reader().Read(t.Context(), path, ignoreRow) == nil {
		if time.Now().After(deadline) {
			t.Fatal("it still answers")
		}
	}
	if _, err := java.Validate(t.Context(), path); err == nil || !strings.Contains(err.Error(), "Java was stopped") {
		t.Errorf("the error %v", err)
	}
}

// The end of a call's context ends what the machine is about.
func TestJavaStopsAnAnswer(t *testing.T) {
	t.Parallel()
	java := startJava(t, t.Context())
	path := longBook().write(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := java.Reader().Read(ctx, path, func(string, int, []readers.Cell) error {
		cancel()
		time.Sleep(time.Millisecond) // so that the answer goes on for long after
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error %v", err)
	}
	if err := java.Reader().Read(t.Context(), path, ignoreRow); !errors.Is(err, context.Canceled) {
		t.Errorf("the next one's error %v", err)
	}
}

// A visit that fails, or ends its goroutine as t.Fatal does, leaves nothing behind
// for the next one.
func TestJavaReadsPastTheRest(t *testing.T) {
	t.Parallel()
	java := poi(t)
	long, short := longBook().write(t), textBook("a").write(t)
	enough := errors.New("enough")
	visits := 0
	err := java.Reader().Read(t.Context(), long, func(string, int, []readers.Cell) error {
		visits++
		return enough
	})
	if !errors.Is(err, enough) || visits != 1 {
		t.Errorf("the error %v after %d visits", err, visits)
	}
	if rows := readRows(t, java.Reader(), short); len(rows) != 2 {
		t.Errorf("%d rows after a visit that failed", len(rows))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = java.Reader().Read(t.Context(), long, func(string, int, []readers.Cell) error {
			runtime.Goexit()
			return nil
		})
	}()
	<-done
	if rows := readRows(t, java.Reader(), short); len(rows) != 2 {
		t.Errorf("%d rows after a visit that did not return", len(rows))
	}
}

// A machine leaves no file behind, and once closed it answers no more.
func TestJavaCloses(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	if _, err := readers.StartJava(t.Context(), "none.jar"); err == nil || !strings.Contains(err.Error(), "package org.apache.poi") {
		t.Errorf("without jars: the error %v", err)
	}
	java := startJava(t, t.Context())
	path := textBook("a").write(t)
	if err := java.Reader().Read(t.Context(), path, ignoreRow); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		if strings.HasPrefix(entry.Name(), "haexcel-java-") {
			t.Errorf("%s is left", entry.Name())
		}
	}
	for range 2 {
		if err := java.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := java.Reader().Read(t.Context(), path, ignoreRow); err == nil || err.Error() != "Java was closed" {
		t.Errorf("the error %v", err)
	}
}

// The process has one machine, and another once that has ended.
func TestSharedJava(t *testing.T) {
	first := poi(t)
	if second := poi(t); second != first {
		t.Error("another machine while the first one runs")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if third := poi(t); third == first {
		t.Error("the same machine after its end")
	} else if rows := readRows(t, third.Reader(), textBook("a").write(t)); len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
}
