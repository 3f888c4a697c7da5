// Package filestore keeps objects as files below one directory: the LOCAL
// storage, and NAS over a mounted share.
//
// Guarantees. An object is written under a temporary name in its own directory,
// flushed to the disk and renamed: readers and listings see the old object or
// the new one, never part of it. Renaming within one directory never crosses a
// mount. Several processes may use one directory at once. No key, and no
// symbolic link, leads outside the directory (os.Root).
//
// Known limits. A key cannot be an object and the prefix "key/" of others at
// once. A segment of a key is a file name, so what the file system takes (255
// bytes nearly everywhere) is the limit; on a file system that ignores case, so
// do keys. The content type is not kept: the reader of a download knows it. A
// process that is killed leaves its temporary file, which New removes once
// nothing has been written to it for StaleAfter. Links cannot be signed. A
// directory that is removed or replaced under a Store (a share mounted anew) is
// fault.Unavailable from then on, until a new Store looks at it.
package filestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
)

const (
	dirMode  = 0o750 // exports may hold personal data
	fileMode = 0o640
)

// StaleAfter is how long a temporary file must have been left alone before New
// takes it for a killed process's.
const StaleAfter = 24 * time.Hour

// Store is a storage.Driver over a directory. It is safe for concurrent use.
type Store struct {
	root *os.Root
	dir  string // absolute
}

var _ storage.Driver = (*Store)(nil)

// New opens the directory, making it where it is missing, tries a write in it
// and removes stale temporary files. A directory that cannot be used is
// fault.Invalid; the message names the directory, the caller adds the setting.
func New(dir string) (*Store, error) {
	if dir == "" {
		return nil, fault.New(fault.Invalid, "No storage directory is set.")
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, fault.Wrap(fault.Invalid, err, fmt.Sprintf("The storage directory %q cannot be made.", dir))
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, fmt.Sprintf("The storage directory %q cannot be found.", dir))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, fmt.Sprintf("The storage directory %q cannot be opened.", dir))
	}
	s := &Store{root: root, dir: absolute}
	if err := s.probe(); err != nil {
		return nil, errors.Join(fault.Wrap(fault.Invalid, err,
			fmt.Sprintf("The storage directory %q cannot be written to.", dir)), root.Close())
	}
	if err := s.removeStale("", time.Now().Add(-StaleAfter)); err != nil {
		return nil, errors.Join(fault.Wrap(fault.Invalid, err,
			fmt.Sprintf("The storage directory %q cannot be read.", dir)), root.Close())
	}
	return s, nil
}

// Close lets the directory go. Objects that are open stay usable.
func (s *Store) Close() error { return s.root.Close() }

// probe writes and removes a file, which permissions alone do not foretell.
func (s *Store) probe() error {
	name := tempName()
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = f.WriteString("probe")
	return errors.Join(err, f.Close(), s.root.Remove(name))
}

// removeStale removes temporary files below dir last written before the limit.
func (s *Store) removeStale(dir string, limit time.Time) error {
	entries, err := s.readDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			if err := s.removeStale(name, limit); err != nil {
				return err
			}
		case e.Type().IsRegular() && isTempName(e.Name()):
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // its writer ended just now
			}
			if err != nil {
				return err
			}
			if info.ModTime().Before(limit) {
				if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				s.prune(path.Dir(name))
			}
		}
	}
	return nil
}

// NewReader implements storage.Driver.
func (s *Store) NewReader(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkName(key); err != nil {
		return nil, err
	}
	f, err := s.root.Open(key)
	if err != nil {
		return nil, s.mapError(err, "open the file")
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err == nil {
		_, err = f.Seek(offset, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(mapError(err, "open the file"), f.Close())
	}
	r := &reader{ctx: ctx, file: f, from: f}
	if length >= 0 {
		r.from = io.LimitReader(f, length)
	}
	return r, nil
}

// reader ends with its context.
type reader struct {
	ctx  context.Context
	file *os.File
	from io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = mapError(err, "read the file")
	}
	return n, err
}

func (r *reader) Close() error { return r.file.Close() }

// Stat implements storage.Driver.
func (s *Store) Stat(ctx context.Context, key string) (storage.Attributes, error) {
	if err := ctx.Err(); err != nil {
		return storage.Attributes{}, err
	}
	if err := checkName(key); err != nil {
		return storage.Attributes{}, err
	}
	info, err := s.root.Stat(key)
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return storage.Attributes{}, s.mapError(err, "look at the file")
	}
	return storage.Attributes{Key: key, Bytes: info.Size(), Modified: info.ModTime()}, nil
}

// Delete implements storage.Driver. Directories that it leaves empty go too.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := checkName(key); err != nil {
		return err
	}
	// Remove would take an empty directory as well, which is no object.
	info, err := s.root.Lstat(key)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		err = s.root.Remove(key)
	}
	if err != nil {
		if err := s.mapError(err, "remove the file"); !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	s.prune(path.Dir(key))
	return nil
}

// prune removes dir and its parents as long as they are empty. A writer that
// needs one of them makes it again (see create). Errors are of no consequence:
// the first directory in use ends it.
func (s *Store) prune(dir string) {
	for ; dir != "." && dir != "/" && dir != ""; dir = path.Dir(dir) {
		if info, err := s.root.Lstat(dir); err != nil || !info.IsDir() {
			return
		}
		if s.root.Remove(dir) != nil {
			return
		}
	}
}

// List implements storage.Driver.
func (s *Store) List(ctx context.Context, prefix string, yield func(storage.Attributes) bool) error {
	_, err := s.list(ctx, "", prefix, false, yield)
	return err
}

// list walks one directory for the objects in it, or for the temporary files;
// more is false once yield has had enough.
func (s *Store) list(ctx context.Context, dir, prefix string, temporary bool, yield func(storage.Attributes) bool) (more bool, err error) {
	entries, err := s.readDir(dir)
	if err != nil {
		return false, mapError(err, "list the files")
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		key := path.Join(dir, e.Name())
		if e.IsDir() {
			below := key + "/"
			if !strings.HasPrefix(below, prefix) && !strings.HasPrefix(prefix, below) {
				continue
			}
			if more, err := s.list(ctx, key, prefix, temporary, yield); err != nil || !more {
				return false, err
			}
			continue
		}
		if !e.Type().IsRegular() || isTempName(e.Name()) != temporary || !strings.HasPrefix(key, prefix) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted since the directory was read
		}
		if err != nil {
			return false, mapError(err, "list the files")
		}
		if !yield(storage.Attributes{Key: key, Bytes: info.Size(), Modified: info.ModTime()}) {
			return false, nil
		}
	}
	return true, nil
}

// readDir gives a directory's entries in the order of the keys they stand for:
// a directory sorts as "name/", since "a-b" comes before "a/b". A directory that
// is gone is empty.
func (s *Store) readDir(dir string) ([]fs.DirEntry, error) {
	name := dir
	if name == "" {
		name = "."
	}
	f, err := s.root.Open(name)
	switch {
	case dir != "" && errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	entries, err := f.ReadDir(-1)
	if err := errors.Join(err, f.Close()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(sortName(a), sortName(b)) })
	return entries, nil
}

func sortName(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

// SignedURL implements storage.Driver: files have no links.
func (s *Store) SignedURL(context.Context, string, storage.SignOptions) (storage.Link, error) {
	return storage.Link{}, storage.ErrCannotSign
}

// mapError is the function of that name, except that nothing can be said of a
// file whose storage directory is not there: it has not expired, and trying
// again later may help.
func (s *Store) mapError(err error, action string) error {
	f := mapError(err, action)
	if fault.Is(f, fault.NotFound) && s.lost() {
		return fault.Wrap(fault.Unavailable,
			fmt.Errorf("%s: the directory %s was removed or replaced: %w", action, s.dir, err), "The file storage is not available.")
	}
	return f
}

// lost reports whether the directory's path no longer leads to the directory
// that New has opened.
func (s *Store) lost() bool {
	opened, err := s.root.Stat(".")
	if err != nil {
		return true
	}
	found, err := os.Stat(s.dir)
	return err != nil || !os.SameFile(opened, found)
}

// mapError turns an error of the file system into a fault. What is not known is
// Unavailable: a full disk or a share that is away may pass.
func mapError(err error, action string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fault.Wrap(fault.NotFound, err, "The file does not exist.")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fault.Wrap(fault.Forbidden, fmt.Errorf("%s: %w", action, err), "The file storage refused access.")
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EISDIR), errors.Is(err, fs.ErrExist):
		return fault.Wrap(fault.Invalid, fmt.Errorf("%s: %w", action, err), "The file storage cannot hold this key.")
	default:
		return fault.Wrap(fault.Unavailable, fmt.Errorf("%s: %w", action, err), "The file storage is not available.")
	}
}
