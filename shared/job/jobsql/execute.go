package jobsql

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
)

// How long a statement is tried. Waits double from the first to the longest and
// are jittered, so that contenders don't meet again.
const (
	// tryLimit bounds the tries of one statement together: a caller behind API
	// Gateway waits no longer for an answer.
	tryLimit = 25 * time.Second
	// statementLimit bounds one statement or transaction at a server that has
	// taken the connection and says nothing.
	statementLimit = 20 * time.Second
	lostTries      = 5 // a cut connection: the next one is dialled anew
	firstWait      = 4 * time.Millisecond
	longWait       = 400 * time.Millisecond
)

// tries counts the tries of one statement.
type tries struct {
	began time.Time
	n     int // failed so far
	lost  int // of those, by a cut connection
}

func beginTries() *tries { return &tries{began: time.Now()} }

// again reports whether a statement that failed so is to be tried once more,
// after its wait. retryLost says whether it may be after a lost reply.
func (t *tries) again(ctx context.Context, o outcome, retryLost bool) bool {
	n := t.n
	t.n++
	switch o {
	case outcomeBusy:
	case outcomeLost:
		t.lost++
		if !retryLost || t.lost >= lostTries {
			return false
		}
	default:
		return false
	}
	return time.Since(t.began) < tryLimit && pause(ctx, n) == nil
}

// pause waits before try number n (0-based); its error is the context's.
func pause(ctx context.Context, n int) error {
	wait := longWait
	if n < 7 {
		wait = firstWait << n
	}
	wait = wait/2 + rand.N(wait)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// executor is what *sql.DB and *sql.Tx share.
type executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// exec runs one writing statement in its own transaction and answers its count.
// While the engine rolls it back in favour of others it is tried again. A lost
// reply is fault.UnknownOutcome: the caller settles it by reading.
func (s *Store) exec(ctx context.Context, op string, t *template, p params) (int64, error) {
	for tried := beginTries(); ; {
		n, err := s.execOnce(ctx, t, p)
		if err == nil {
			return n, nil
		}
		if !tried.again(ctx, s.classify(err), false) {
			return 0, s.translate(op, err)
		}
		s.log.DebugContext(ctx, "statement again", "op", op, "try", tried.n, "error", err)
	}
}

func (s *Store) execOnce(ctx context.Context, t *template, p params) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, statementLimit)
	defer cancel()
	return s.execIn(ctx, s.db, t, p)
}

func (s *Store) execIn(ctx context.Context, e executor, t *template, p params) (int64, error) {
	st := s.statements[t]
	result, err := e.ExecContext(ctx, st.text, st.arguments(p)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// read runs a query and hands each row to scan. Reading changes nothing, so it
// is tried again after a lost connection, too; begin is called before each try,
// to forget what an earlier one scanned.
func (s *Store) read(ctx context.Context, op string, t *template, p params, begin func(), scan func(*sql.Rows) error) error {
	for tried := beginTries(); ; {
		begin()
		err := s.readOnce(ctx, t, p, scan)
		if err == nil {
			return nil
		}
		if tried.again(ctx, s.classify(err), true) {
			s.log.DebugContext(ctx, "query again", "op", op, "try", tried.n, "error", err)
			continue
		}
		f := s.translate(op, err)
		if fault.Is(f, fault.UnknownOutcome) { // a query leaves nothing to be unsure of
			f = fault.Wrap(fault.Unavailable, f, "The job table can't be reached.")
		}
		return f
	}
}

func (s *Store) readOnce(ctx context.Context, t *template, p params, scan func(*sql.Rows) error) error {
	ctx, cancel := context.WithTimeout(ctx, statementLimit)
	defer cancel()
	return s.readIn(ctx, s.db, t, p, scan)
}

func (s *Store) readIn(ctx context.Context, e executor, t *template, p params, scan func(*sql.Rows) error) (err error) {
	st := s.statements[t]
	rows, err := e.QueryContext(ctx, st.text, st.arguments(p)...)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := rows.Close(); err == nil {
			err = closeErr
		}
	}()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// texts runs a query of one text column; NULLs are left out.
func (s *Store) texts(ctx context.Context, op string, t *template, p params) ([]string, error) {
	var texts []string
	err := s.read(ctx, op, t, p, func() { texts = nil }, appendTo(&texts))
	return texts, err
}

func (s *Store) textsIn(ctx context.Context, e executor, t *template, p params) ([]string, error) {
	var texts []string
	err := s.readIn(ctx, e, t, p, appendTo(&texts))
	return texts, err
}

func appendTo(texts *[]string) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var text string
		if err := rows.Scan(opt(&text)); err != nil {
			return err
		}
		if text != "" {
			*texts = append(*texts, text)
		}
		return nil
	}
}

// number runs a query of one row and one column; no row or NULL is 0.
func (s *Store) number(ctx context.Context, op string, t *template, p params) (int64, error) {
	var n sql.Null[int64]
	err := s.read(ctx, op, t, p,
		func() { n = sql.Null[int64]{} },
		func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n.V, err
}

// transaction runs fn in one transaction, again from its start when the engine
// rolled it back or the connection broke before the commit was sent. A commit
// whose reply was lost is fault.UnknownOutcome. fn returns driver errors as they
// are, or faults of its own, which roll back.
func (s *Store) transaction(ctx context.Context, op string, fn func(tx *sql.Tx) error) error {
	for tried := beginTries(); ; {
		committing, err := s.transactOnce(ctx, fn)
		if err == nil {
			return nil
		}
		if isFault(err) {
			return err
		}
		if tried.again(ctx, s.classify(err), !committing) {
			s.log.DebugContext(ctx, "transaction again", "op", op, "try", tried.n, "error", err)
			continue
		}
		f := s.translate(op, err)
		if !committing && fault.Is(f, fault.UnknownOutcome) { // rolled back by the server
			f = fault.Wrap(fault.Unavailable, f, "The job table can't be reached.")
		}
		return f
	}
}

func (s *Store) transactOnce(ctx context.Context, fn func(tx *sql.Tx) error) (committing bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, statementLimit)
	defer cancel()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	if err := fn(tx); err != nil {
		// The rollback's own error says nothing that err does not.
		_ = tx.Rollback()
		return false, err
	}
	return true, tx.Commit()
}
