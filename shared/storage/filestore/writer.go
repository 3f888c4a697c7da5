package filestore

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
)

// A temporary file is named tempPrefix, 26 random characters, tempSuffix.
const (
	tempPrefix = ".haexcel-"
	tempSuffix = ".tmp"
)

func tempName() string { return tempPrefix + rand.Text() + tempSuffix }

func isTempName(base string) bool {
	return strings.HasPrefix(base, tempPrefix) && strings.HasSuffix(base, tempSuffix)
}

// checkName refuses keys that look like a temporary file, which List hides.
func checkName(key string) error {
	if isTempName(path.Base(key)) {
		return fault.New(fault.Invalid, "The object key is not valid.").WithField("key", "reserved name")
	}
	return nil
}

// writer is one object being written.
type writer struct {
	ctx   context.Context
	store *Store
	key   string
	temp  string
	file  *os.File // nil once committed or aborted
	err   error    // the first failure; Commit answers it
}

var _ storage.Writer = (*writer)(nil)

// NewWriter implements storage.Driver.
func (s *Store) NewWriter(ctx context.Context, key string, _ storage.WriteOptions) (storage.Writer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkName(key); err != nil {
		return nil, err
	}
	temp := path.Join(path.Dir(key), tempName())
	f, err := s.create(temp)
	if err != nil {
		f := s.mapError(err, "create the file")
		if fault.Is(f, fault.NotFound) {
			// A parent that is a file, or that a deleter took every time.
			return nil, fault.Wrap(fault.Invalid, err, "The file storage cannot hold this key.")
		}
		return nil, f
	}
	return &writer{ctx: ctx, store: s, key: key, temp: temp, file: f}, nil
}

// create makes a file and its parents. A deleter may remove a parent that is
// still empty between the two steps, or between the two looks of MkdirAll, which
// then says that it exists; so they are tried again. Once the file is there, its
// directory cannot go.
func (s *Store) create(name string) (*os.File, error) {
	const tries = 100
	var err error
	for range tries {
		if dir := path.Dir(name); dir != "." {
			if err = s.root.MkdirAll(dir, dirMode); err != nil {
				if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
					continue
				}
				return nil, err
			}
		}
		var f *os.File
		f, err = s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, err
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	if w.file == nil {
		return 0, errEnded
	}
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.file.Write(p)
	if err != nil {
		w.err = mapError(err, "write the file")
	}
	return n, w.err
}

var errEnded = fault.New(fault.Internal, "The file was committed or aborted already.")

// Commit implements storage.Writer.
func (w *writer) Commit() error {
	if w.file == nil {
		return errEnded
	}
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	if w.err == nil {
		if err := w.file.Sync(); err != nil {
			w.err = mapError(err, "flush the file")
		}
	}
	if err := w.file.Close(); err != nil && w.err == nil {
		w.err = mapError(err, "close the file")
	}
	w.file = nil
	if w.err == nil {
		w.err = w.ctx.Err() // flushing may have taken long
	}
	if w.err == nil {
		err := w.store.root.Rename(w.temp, w.key)
		if errors.Is(err, fs.ErrNotExist) { // somebody cleaned the directory up
			w.err = fault.Wrap(fault.Unavailable, err, "The unfinished file has disappeared.")
		} else if err != nil {
			w.err = mapError(err, "rename the file")
		}
	}
	if w.err != nil {
		return errors.Join(w.err, w.discard())
	}
	if err := w.store.syncParents(w.key); err != nil {
		return fault.Wrap(fault.UnknownOutcome, err, "It is not known whether the file was stored.")
	}
	return nil
}

// Abort implements storage.Writer.
func (w *writer) Abort() error {
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	w.file = nil
	return errors.Join(err, w.discard())
}

// discard removes the temporary file and the directories made for it.
func (w *writer) discard() error {
	if err := w.store.root.Remove(w.temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return mapError(err, "remove the temporary file")
	}
	w.store.prune(path.Dir(w.temp))
	return nil
}

// syncParents makes the new name, and the names of directories made for it,
// survive a power cut, where the file system can flush a directory (Windows and
// some shares cannot).
func (s *Store) syncParents(key string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	for dir := path.Dir(key); ; dir = path.Dir(dir) {
		f, err := s.root.Open(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the object was deleted again already
		}
		if err != nil {
			return err
		}
		err = f.Sync()
		if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		if dir == "." {
			return nil
		}
	}
}
