// Package bootstore opens the bucket that the settings name. It links the
// storage SDKs, so only programs that touch files import it.
//
// Known limits: AZURE and GCP are not there yet and fail at the start.
package bootstore

import (
	"context"
	"fmt"
	"time"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/filestore"
	"github.com/haexcel/haexcel/shared/storage/s3store"
)

// checkTimeout keeps a server that is away from holding up the start.
const checkTimeout = 5 * time.Second

// Open opens the storage of HAEXCEL_STORAGE_TYPE. A missing or wrong setting is
// an error that names it, and so is a bucket that does not exist or may not be
// used. A server that is away is none: writing and reading answer
// fault.Unavailable until it is back.
func Open(ctx context.Context, cfg config.Config) (*storage.Bucket, error) {
	if err := cfg.RequireStorage(); err != nil {
		return nil, err
	}
	driver, err := open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return storage.NewBucket(driver), nil
}

func open(ctx context.Context, cfg config.Config) (storage.Driver, error) {
	switch cfg.StorageType {
	case config.StorageLocal:
		return openDirectory("HAEXCEL_LOCAL_STORAGE_PATH", cfg.LocalStoragePath)
	case config.StorageNAS:
		return openDirectory("HAEXCEL_NAS_STORAGE_PATH", cfg.NASStoragePath)
	case config.StorageS3:
		return openS3(ctx, "HAEXCEL_S3", cfg.S3)
	case config.StorageNCP:
		return openS3(ctx, "HAEXCEL_NCP", cfg.NCP)
	default:
		return nil, fmt.Errorf("HAEXCEL_STORAGE_TYPE: %s is not supported by this version: use %s, %s, %s or %s",
			cfg.StorageType, config.StorageLocal, config.StorageNAS, config.StorageS3, config.StorageNCP)
	}
}

// openDirectory also serves NAS: filestore writes a temporary name in the same
// directory and renames, which is atomic on a mounted file system too.
func openDirectory(setting, path string) (storage.Driver, error) {
	store, err := filestore.New(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %q can't be used: %w", setting, path, err)
	}
	return store, nil
}

func openS3(ctx context.Context, prefix string, s config.ObjectStore) (storage.Driver, error) {
	client, err := s3store.NewClient(ctx, s3store.ClientOptions{
		Region:    s.Region,
		Endpoint:  s.Endpoint,
		AccessKey: s.AccessKey,
		SecretKey: s.SecretKey,
	})
	if err != nil {
		return nil, fmt.Errorf("%s_REGION, %s_ENDPOINT: %w", prefix, prefix, err)
	}
	store, err := s3store.New(s3store.Options{Client: client, Bucket: s.Bucket})
	if err != nil {
		return nil, fmt.Errorf("%s_BUCKET: %w", prefix, err)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if err := store.Check(ctx); fault.Is(err, fault.Invalid) || fault.Is(err, fault.Forbidden) {
		return nil, fmt.Errorf("%s_BUCKET: %q can't be used: %w", prefix, s.Bucket, err)
	}
	return store, nil
}
