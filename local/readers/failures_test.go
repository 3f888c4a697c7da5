package readers_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/shared/cell"
)

func unseen(string, int, []readers.Cell) error { return errors.New("a row was shown") }

// A reader that can't read a file says what its program says.
func TestReadersSayWhyTheyFail(t *testing.T) {
	t.Parallel()
	broken := writeFile(t, []byte("PK\x03\x04 no archive"))
	says := map[string]string{
		"structure":                "zip: not a valid zip file",
		"excelize":                 "zip: not a valid zip file",
		"openpyxl, read-only mode": "BadZipFile",
		"openpyxl, normal mode":    "BadZipFile",
		"exceljs":                  "end of central directory",
		"LibreOffice":              "source file could not be loaded",
	}
	withEach(t, func(t *testing.T, r readers.Reader) {
		if err := r.Read(t.Context(), broken, unseen); err == nil || !strings.Contains(err.Error(), says[r.Name()]) {
			t.Errorf("said %v, want a word of %q", err, says[r.Name()])
		}
		if err := r.Read(t.Context(), filepath.Join(t.TempDir(), "nowhere.xlsx"), unseen); err == nil || strings.Contains(err.Error(), "a row was shown") {
			t.Errorf("said %v of a file that is not there", err)
		}
	})
}

// A reading that is cut short never looks like a whole one.
func TestContextEndsTheReading(t *testing.T) {
	t.Parallel()
	book := textBook()
	for range 3000 {
		book.rows = append(book.rows, []cell.Value{of(cell.Text, strings.Repeat("줄", 100))})
	}
	path := book.write(t)
	withEach(t, func(t *testing.T, r readers.Reader) {
		ctx, cancel := context.WithCancel(t.Context())
		rows := 0
		err := r.Read(ctx, path, func(string, int, []readers.Cell) error {
			rows++
			cancel()
			return nil
		})
		if err == nil || rows > 3000 {
			t.Errorf("%d rows were shown, error %v", rows, err)
		}
		if err := r.Read(ctx, path, unseen); err == nil || strings.Contains(err.Error(), "a row was shown") {
			t.Errorf("a reading that begins after the end: %v", err)
		}
	})
}

func TestProgramsThatAreNotThere(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	failing := filepath.Join(folder, "failing")
	if err := os.WriteFile(failing, []byte("#!/bin/sh\necho out of order >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := textBook("x").write(t)
	for _, program := range []string{failing, filepath.Join(folder, "missing")} {
		for _, r := range []readers.Reader{
			readers.Openpyxl(program, true), readers.Exceljs(program, folder), readers.LibreOffice(program),
		} {
			says := "out of order"
			if program != failing {
				says = "no such file"
			}
			if err := r.Read(t.Context(), path, unseen); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: said %v, want %q", r.Name(), err, says)
			}
		}
	}
}
