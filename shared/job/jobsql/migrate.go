package jobsql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/crc64"
	"io/fs"
	"path"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"

	"github.com/haexcel/haexcel/migrations"
	"github.com/haexcel/haexcel/shared/fault"
)

// versionTable is haexcel's own, so that a database which someone else migrates
// with goose keeps its numbers.
const versionTable = "ha_excel_version"

// migrateWait bounds the wait for another process that migrates.
const migrateWait = 10 * time.Minute

// A database without a version is looked at so often, with a pause between.
const (
	freshTries = 10
	freshPause = 200 * time.Millisecond
)

// Migrate brings the table to the newest version and returns the names of the
// files it applied. Processes that start at once wait for each other, and the
// later ones find nothing to do.
func (s *Store) Migrate(ctx context.Context) (applied []string, err error) {
	provider, unlock, err := s.provider(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	before, err := s.version(ctx)
	if err != nil {
		return nil, s.migrateError(err)
	}
	for try := 1; ; try++ {
		results, upErr := provider.Up(ctx)
		for _, r := range results {
			applied = append(applied, path.Base(r.Source.Path))
		}
		if upErr == nil {
			return applied, nil
		}
		if err == nil { // the first error says most
			err = upErr
		}
		// Up looks without the lock whether anything is to be done, and fails when it
		// meets a version table that another process is just making: look again.
		if before > 0 || len(applied) > 0 || try == freshTries {
			return applied, s.migrateError(err)
		}
		select {
		case <-ctx.Done():
			return applied, s.migrateError(err)
		case <-time.After(freshPause):
		}
	}
}

func (s *Store) migrateError(err error) error {
	if isFault(err) { // it says already what could not be done
		return err
	}
	if f := s.translate("migrate", err); fault.Is(f, fault.Unavailable) || fault.Is(f, fault.UnknownOutcome) {
		return fault.Wrap(fault.Unavailable, f, "The job table can't be reached to be migrated.")
	}
	return fault.Wrap(fault.Internal, err, "The job table could not be migrated.")
}

// provider builds goose's with a lock for the engine. unlock must be called
// when the provider is done with.
func (s *Store) provider(ctx context.Context) (*goose.Provider, func() error, error) {
	unlock := func() error { return nil }
	files, err := migrations.FS(s.dialect.name)
	if err != nil {
		return nil, nil, fault.Wrap(fault.Internal, err, "The migrations are missing.")
	}
	options := []goose.ProviderOption{
		goose.WithTableName(versionTable),
		goose.WithDisableGlobalRegistry(true),
		goose.WithSlog(s.log),
	}
	var dialect database.Dialect
	switch s.dialect {
	case MySQL:
		dialect = database.DialectMySQL
		options = append(options, goose.WithSessionLocker(mysqlLocker{}))
	case Postgres:
		dialect = database.DialectPostgres
		locker, err := lock.NewPostgresSessionLocker(
			lock.WithLockID(int64(crc64.Checksum([]byte(versionTable), crc64.MakeTable(crc64.ECMA))>>1)),
			lock.WithLockTimeout(1, uint64(migrateWait/time.Second)))
		if err != nil {
			return nil, nil, fault.Wrap(fault.Internal, err, "The migrations can't be locked.")
		}
		options = append(options, goose.WithSessionLocker(locker))
	default:
		dialect = database.DialectSQLite3
		if unlock, err = s.lockSQLite(ctx); err != nil {
			return nil, nil, err
		}
	}
	provider, err := goose.NewProvider(dialect, s.db, files, options...)
	if err != nil {
		return nil, nil, errors.Join(fault.Wrap(fault.Internal, err, "The migrations are not well-formed."), unlock())
	}
	return provider, unlock, nil
}

// mysqlLocker serialises migrations with a lock of the session, which the server
// releases when the connection ends, however that happens.
type mysqlLocker struct{}

// mysqlLockName holds the database's name, since such locks are the server's.
const mysqlLockName = `CONCAT('haexcel.', LEFT(SHA2(DATABASE(), 256), 40))`

func (mysqlLocker) SessionLock(ctx context.Context, conn *sql.Conn) error {
	var got sql.Null[int64]
	row := conn.QueryRowContext(ctx, "SELECT GET_LOCK("+mysqlLockName+", ?)", int64(migrateWait/time.Second))
	if err := row.Scan(&got); err != nil {
		return err
	}
	if got.V != 1 {
		return fault.New(fault.Unavailable, "Another process has been migrating the job table for too long.")
	}
	return nil
}

func (mysqlLocker) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	var released sql.Null[int64]
	return conn.QueryRowContext(ctx, "SELECT RELEASE_LOCK("+mysqlLockName+")").Scan(&released)
}

// lockSQLite serialises migrations by the write lock of an empty database beside
// the file, <file>-migrate: SQLite has no lock that outlives a transaction, and
// goose needs several. The system releases it when the process ends. The lock
// file stays, since removing it would let two processes hold one each.
func (s *Store) lockSQLite(ctx context.Context) (unlock func() error, err error) {
	file, err := s.sqliteFile(ctx)
	if err != nil {
		return nil, err
	}
	if file == "" { // not backed by a file: nobody else can see it
		return func() error { return nil }, nil
	}
	connector, err := openSQLite(file+"-migrate", fmt.Sprintf("_busy_timeout=%d&_txlock=exclusive", migrateWait.Milliseconds()))
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	tx, err := db.BeginTx(ctx, nil) // ends with ctx, as the migration itself does
	if err != nil {
		return nil, errors.Join(s.migrateError(err), db.Close())
	}
	return func() error {
		if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
			return errors.Join(err, db.Close())
		}
		return db.Close()
	}, nil
}

// sqliteFile asks SQLite for the main database's file.
func (s *Store) sqliteFile(ctx context.Context) (string, error) {
	var file sql.Null[string]
	err := s.db.QueryRowContext(ctx, "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&file)
	if err != nil {
		return "", s.migrateError(err)
	}
	return file.V, nil
}

var versionSQL = define("table version", `SELECT MAX(version_id) FROM `+versionTable+` WHERE is_applied`)

// CheckVersion fails unless the table is at least at the version this program
// was built for; the message names the first missing one. A newer table is fine:
// migrations only add. It changes nothing.
func (s *Store) CheckVersion(ctx context.Context) error {
	current, err := s.version(ctx)
	if err != nil {
		return err
	}
	names, err := migrationNames(s.dialect.name)
	if err != nil {
		return err
	}
	if current >= int64(len(names)) {
		return nil
	}
	return fault.New(fault.Unavailable, fmt.Sprintf(
		"The job table is at version %d and lacks %s: run the migrate function.", current, names[current]))
}

// version is the newest applied migration, 0 where there is none.
func (s *Store) version(ctx context.Context) (int64, error) {
	var tables int64
	if err := s.db.QueryRowContext(ctx, s.dialect.tableExists, versionTable).Scan(&tables); err != nil {
		return 0, s.translate("check the version", err)
	}
	if tables == 0 {
		return 0, nil
	}
	return s.number(ctx, "check the version", versionSQL, nil)
}

// migrationNames are the files of a dialect in order. Their numbers start at 1
// and have no gaps, so that a version is an index.
func migrationNames(dialect string) ([]string, error) {
	files, err := migrations.FS(dialect)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "The migrations are missing.")
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "The migrations are missing.")
	}
	return names, nil
}
