package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// target is where an export's file goes. The bytes are collected under a
// temporary name in the same folder, so that the final name appears whole or
// not at all and an older file stays until then.
type target struct {
	folder    string
	name      string // "" means the name that the API proposes
	packaging string // as the API takes it
	file      *os.File
}

// openTarget checks the wanted file name and creates the temporary file: a
// folder that can't be written is found before any work is done.
func openTarget(out string) (*target, error) {
	t := &target{folder: ".", packaging: "auto"}
	if out != "" {
		t.folder, t.name = filepath.Dir(out), filepath.Base(out)
		switch strings.ToLower(filepath.Ext(out)) {
		case ".xlsx":
			t.packaging = "workbook"
		case ".zip":
			t.packaging = "zip"
		default:
			return nil, fmt.Errorf("%s ends neither in .xlsx (one workbook) nor in .zip (parts)", out)
		}
		if info, err := os.Stat(out); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder", out)
		}
	}
	// os.CreateTemp would make a file that only this user can read.
	name := filepath.Join(t.folder, ".haexcel-"+rand.Text()+".part")
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // as any program that saves a file; the umask decides
	if err != nil {
		var refused *fs.PathError
		if errors.As(err, &refused) {
			err = refused.Err // the temporary name would only confuse
		}
		return nil, fmt.Errorf("the folder %s can't be written: %w", t.folder, err)
	}
	t.file = file
	return t, nil
}

// baseName is the wanted name without its ending, "" when none was given.
func (t *target) baseName() string {
	return strings.TrimSuffix(t.name, filepath.Ext(t.name))
}

// Write implements io.Writer.
func (t *target) Write(p []byte) (int, error) { return t.file.Write(p) }

// commit gives the file its final name and returns the path.
func (t *target) commit(proposed string) (path string, err error) {
	name := t.name
	if name == "" {
		// The name comes from outside this function: it must stay in the folder.
		name = filepath.Base(filepath.Clean(proposed))
	}
	if err := t.file.Close(); err != nil {
		return "", err
	}
	path = filepath.Join(t.folder, name)
	return path, os.Rename(t.file.Name(), path)
}

// discard removes what was written. After commit it does nothing.
func (t *target) discard() {
	_ = t.file.Close()
	_ = os.Remove(t.file.Name())
}
