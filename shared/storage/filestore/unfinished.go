package filestore

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/haexcel/haexcel/shared/storage"
)

// ListUnfinished implements storage.Driver. A temporary file does not tell its
// key, only the directory.
func (s *Store) ListUnfinished(ctx context.Context, prefix string, yield func(storage.Unfinished) bool) error {
	_, err := s.list(ctx, "", prefix, true, func(a storage.Attributes) bool {
		return yield(storage.Unfinished{Key: a.Key, ID: path.Base(a.Key), Touched: a.Modified})
	})
	return err
}

// RemoveUnfinished implements storage.Driver.
func (s *Store) RemoveUnfinished(ctx context.Context, u storage.Unfinished) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name := path.Join(path.Dir(u.Key), u.ID)
	if !isTempName(u.ID) || path.Base(u.ID) != u.ID {
		return nil // nothing that this driver has begun
	}
	if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return mapError(err, "remove a temporary file")
	}
	s.prune(path.Dir(name))
	return nil
}
