package dataset

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/fault"
)

// engine is one source database. It connects when it is first used.
type engine interface {
	// begin takes a connection and, with snapshot, opens one read-only snapshot
	// on it. Its errors are the driver's.
	begin(ctx context.Context, zone *time.Location, snapshot bool) (session, error)
	// classify tells a broken statement (Unprocessable) from a database that is
	// away or busy (Unavailable) and from one without a connection left (Busy).
	classify(err error) fault.Code
	close() error
}

// session is one connection with its snapshot, used by one goroutine. The
// context of begin holds for all of it: when it ends, the running statement is
// stopped at the database.
type session interface {
	// asOf is the moment of the snapshot by the database's clock.
	asOf() int64
	// query runs a statement. One cursor is open at a time.
	query(st *statement) (cursor, error)
	// close gives the connection back. Where rows are still unread, it stops
	// their statement first. Closing twice is no error.
	close() error
}

// cursor is the result of one statement.
type cursor interface {
	columns() []cell.Field
	next() bool
	// values are those of the current row, valid until the next call of next.
	values() []cell.Value
	// key copies a column of the current row for binding it, in its own type.
	key(i int) (bound, error)
	// orderable is nil when the values of a column compare as they sort.
	orderable(i int) error
	// err is why next answered false; nil at the end of the data.
	err() error
	// close ends the statement after its last row or an error.
	close() error
}

// Why a value cannot be bound to go on behind its row.
var (
	errNullKey  = errors.New("the key is NULL")
	errKeyType  = errors.New("the type sorts and compares differently")
	errLongText = errors.New("the text is longer than what is sorted by")
)

// readNumber reads a result of one integer.
func readNumber(s session, st *statement) (n int64, err error) {
	text, err := readText(s, st)
	if err == nil {
		n, err = strconv.ParseInt(text, 10, 64)
	}
	return n, err
}

// readText reads a result of one value.
func readText(s session, st *statement) (string, error) {
	cur, err := s.query(st)
	if err != nil {
		return "", err
	}
	var text string
	rows := 0
	for cur.next() {
		rows++
		text = string(cur.values()[0].Bytes)
	}
	if err := errors.Join(cur.err(), cur.close()); err != nil {
		return "", err
	}
	if rows != 1 {
		return "", fmt.Errorf("a value came in %d rows", rows)
	}
	return text, nil
}
