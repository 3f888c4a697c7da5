package demo

import (
	"context"
	"database/sql"
	"fmt"
)

// batchRows is the number of rows of one INSERT: 13 values each, below every
// database's limit of bound values.
const batchRows = 400

// dialect is the database's language.
type dialect int

const (
	sqlite dialect = iota
	mysql
	postgres
)

// Request says what to build.
type Request struct {
	DatabaseURL string
	Rows        int
	// Progress is called with the rows written so far; nil for none.
	Progress func(rows int)
}

// Build makes the demo orders anew, whatever is there.
func Build(ctx context.Context, r Request) error {
	_, err := run(ctx, r, true)
	return err
}

// Ensure makes the demo orders unless exactly as many rows are there already,
// and reports whether it did.
func Ensure(ctx context.Context, r Request) (built bool, err error) {
	return run(ctx, r, false)
}

func run(ctx context.Context, r Request, always bool) (built bool, err error) {
	if r.Rows < 0 {
		return false, fmt.Errorf("a demo of %d rows is not possible", r.Rows)
	}
	db, d, err := open(r.DatabaseURL)
	if err != nil {
		return false, fmt.Errorf("open the database of the demo orders: %w", err)
	}
	defer func() { err = firstError(err, db.Close()) }()
	conn, err := connect(ctx, db, d)
	if err != nil {
		return false, fmt.Errorf("open the database of the demo orders: %w", err)
	}
	defer func() { err = firstError(err, conn.Close()) }()

	b := builder{conn: conn, dialect: d, request: r}
	// A look without the lock first: a start that has nothing to build then waits
	// for nobody.
	if ready, err := b.ready(ctx); err != nil || ready && !always {
		return false, err
	}
	if built, err = b.build(ctx, always); err != nil {
		if ctx.Err() != nil {
			// Drivers name an interrupted build in their own ways.
			err = context.Cause(ctx)
		}
		return false, fmt.Errorf("build the demo orders: %w", err)
	}
	return built, nil
}

type builder struct {
	conn    *sql.Conn
	dialect dialect
	request Request
}

// ready reports whether the table is there with the wanted number of rows.
func (b builder) ready(ctx context.Context) (bool, error) {
	exists, err := b.exists(ctx)
	if err != nil || !exists {
		return false, err
	}
	var rows int
	if err := b.conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+table).Scan(&rows); err != nil {
		return false, fmt.Errorf("count the demo orders: %w", err)
	}
	return rows == b.request.Rows, nil
}

func (b builder) exists(ctx context.Context) (bool, error) {
	query := map[dialect]string{
		sqlite:   "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = '" + table + "'",
		mysql:    "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '" + table + "'",
		postgres: "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = '" + table + "'",
	}[b.dialect]
	var n int
	if err := b.conn.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return false, fmt.Errorf("look for the demo orders: %w", err)
	}
	return n > 0, nil
}

// build fills a new table and puts it in the old one's place, holding a lock
// against a second builder, which may have been first: hence the second look.
func (b builder) build(ctx context.Context, always bool) (built bool, err error) {
	release, err := b.lock(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = firstError(err, release(err == nil)) }()
	if ready, err := b.ready(ctx); err != nil || ready && !always {
		return false, err
	}
	for _, statement := range []string{"DROP TABLE IF EXISTS " + building, createTable(building, b.dialect)} {
		if err := b.exec(ctx, statement); err != nil {
			return false, err
		}
	}
	if err := b.fill(ctx); err != nil {
		return false, err
	}
	return true, b.replace(ctx)
}

// lock keeps other builders out. On SQLite and PostgreSQL it opens the one
// transaction of the build, whose end is the table's appearance; MariaDB commits
// at each CREATE, so there it is a named lock.
func (b builder) lock(ctx context.Context) (release func(commit bool) error, err error) {
	end := func(statement string) error {
		return b.exec(context.WithoutCancel(ctx), statement)
	}
	endTransaction := func(commit bool) error {
		if commit {
			return end("COMMIT")
		}
		return end("ROLLBACK")
	}
	switch b.dialect {
	case sqlite:
		return endTransaction, b.exec(ctx, "BEGIN IMMEDIATE")
	case postgres:
		if err := b.exec(ctx, "BEGIN"); err != nil {
			return nil, err
		}
		if err := b.exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('"+building+"'))"); err != nil {
			return nil, firstError(err, endTransaction(false))
		}
		return endTransaction, nil
	default:
		var got sql.NullInt64
		if err := b.conn.QueryRowContext(ctx, "SELECT GET_LOCK('"+building+"', 600)").Scan(&got); err != nil {
			return nil, err
		}
		if got.Int64 != 1 {
			return nil, fmt.Errorf("another build of the demo orders has been running for ten minutes")
		}
		return func(bool) error { return end("DO RELEASE_LOCK('" + building + "')") }, nil
	}
}

func (b builder) fill(ctx context.Context) error {
	whole, err := b.conn.PrepareContext(ctx, insert(building, batchRows, b.dialect))
	if err != nil {
		return err
	}
	defer func() { _ = whole.Close() }()
	args := make([]any, 0, batchRows*len(columns))
	for done := 0; done < b.request.Rows; {
		n := min(batchRows, b.request.Rows-done)
		args = args[:0]
		for i := range n {
			args = append(args, OrderAt(int64(done+i+1)).values()...)
		}
		if n == batchRows {
			_, err = whole.ExecContext(ctx, args...)
		} else {
			_, err = b.conn.ExecContext(ctx, insert(building, n, b.dialect), args...)
		}
		if err != nil {
			return err
		}
		done += n
		if b.request.Progress != nil {
			b.request.Progress(done)
		}
	}
	return nil
}

// replace puts the finished table in the old one's place.
func (b builder) replace(ctx context.Context) error {
	if b.dialect != mysql {
		if err := b.exec(ctx, "DROP TABLE IF EXISTS "+table); err != nil {
			return err
		}
		return b.exec(ctx, "ALTER TABLE "+building+" RENAME TO "+table)
	}
	// One RENAME of both is atomic; a DROP and a RENAME would leave a moment
	// without a table.
	if err := b.exec(ctx, "DROP TABLE IF EXISTS "+replaced); err != nil {
		return err
	}
	exists, err := b.exists(ctx)
	if err != nil {
		return err
	}
	if !exists {
		return b.exec(ctx, "RENAME TABLE "+building+" TO "+table)
	}
	if err := b.exec(ctx, "RENAME TABLE "+table+" TO "+replaced+", "+building+" TO "+table); err != nil {
		return err
	}
	return b.exec(ctx, "DROP TABLE "+replaced)
}

func (b builder) exec(ctx context.Context, statement string) error {
	_, err := b.conn.ExecContext(ctx, statement)
	return err
}

// firstError keeps the error that came first: the one of a clean-up says less.
func firstError(first, second error) error {
	if first != nil {
		return first
	}
	return second
}
