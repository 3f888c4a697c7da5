package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/haexcel/haexcel/shared/cell"
)

// transient makes the library copy a bound value at once.
const transient = ^uintptr(0)

var errNoMemory = errors.New("sqlite: out of memory")

// openSQLiteFile opens an existing file. The handle is not 0 after some errors
// too, and must be closed then.
func openSQLiteFile(tls *libc.TLS, path string) (db uintptr, err error) {
	name, err := libc.CString(path)
	if err != nil {
		return 0, err
	}
	defer libc.Xfree(tls, name)
	out := libc.Xcalloc(tls, 1, 8)
	if out == 0 {
		return 0, errNoMemory
	}
	defer libc.Xfree(tls, out)
	// Never created here; a file without write permission is opened read-only. A
	// session is one goroutine's, so that the library need not lock for every
	// value; its interrupt is allowed from any other.
	rc := sqlite3.Xsqlite3_open_v2(tls, name, out, sqlite3.SQLITE_OPEN_READWRITE|sqlite3.SQLITE_OPEN_NOMUTEX, 0)
	db = pointerAt(out)
	if rc != sqlite3.SQLITE_OK {
		return db, sqliteFailure(tls, db, rc)
	}
	sqlite3.Xsqlite3_extended_result_codes(tls, db, 1)
	return db, nil
}

// pointerAt reads the C pointer that is stored at address p.
func pointerAt(p uintptr) uintptr {
	return *(*uintptr)(unsafe.Pointer(unsafe.SliceData(libc.GoBytes(p, int(unsafe.Sizeof(p))))))
}

func sqliteFailure(tls *libc.TLS, db uintptr, rc int32) error {
	e := &sqliteError{code: rc, text: libc.GoString(sqlite3.Xsqlite3_errstr(tls, rc))}
	if db != 0 {
		e.text = libc.GoString(sqlite3.Xsqlite3_errmsg(tls, db))
	}
	return e
}

// sqliteCursor steps through one statement. Its values point into the library's
// memory.
type sqliteCursor struct {
	session *sqliteSession
	stmt    uintptr
	fields  []cell.Field
	rules   []sqliteRule
	row     []cell.Value
	text    []byte // numbers of the current row as text
	failure error
}

func newSQLiteCursor(s *sqliteSession, st *statement) (*sqliteCursor, error) {
	c := &sqliteCursor{session: s}
	if err := c.prepare(st.sql()); err != nil {
		return nil, err
	}
	for i, b := range st.values {
		if err := c.bind(int32(i+1), b.value); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	for i := range sqlite3.Xsqlite3_column_count(s.tls, c.stmt) {
		rule := sqliteType(libc.GoString(sqlite3.Xsqlite3_column_decltype(s.tls, c.stmt, i)))
		c.rules = append(c.rules, rule)
		name := libc.GoString(sqlite3.Xsqlite3_column_name(s.tls, c.stmt, i))
		c.fields = append(c.fields, rule.field(name))
	}
	c.row = make([]cell.Value, len(c.fields))
	return c, nil
}

func (c *sqliteCursor) prepare(sql string) error {
	tls := c.session.tls
	text, err := libc.CString(sql)
	if err != nil {
		return err
	}
	defer libc.Xfree(tls, text)
	out := libc.Xcalloc(tls, 1, 8)
	if out == 0 {
		return errNoMemory
	}
	defer libc.Xfree(tls, out)
	if rc := sqlite3.Xsqlite3_prepare_v2(tls, c.session.db, text, int32(len(sql)), out, 0); rc != sqlite3.SQLITE_OK {
		return sqliteFailure(tls, c.session.db, rc)
	}
	if c.stmt = pointerAt(out); c.stmt == 0 {
		return &sqliteError{code: sqlite3.SQLITE_MISUSE, text: "the statement is empty"}
	}
	return nil
}

func (c *sqliteCursor) bind(i int32, value any) error {
	tls := c.session.tls
	var rc int32
	switch v := value.(type) {
	case nil:
		rc = sqlite3.Xsqlite3_bind_null(tls, c.stmt, i)
	case int64:
		rc = sqlite3.Xsqlite3_bind_int64(tls, c.stmt, i, v)
	case float64:
		rc = sqlite3.Xsqlite3_bind_double(tls, c.stmt, i, v)
	case string:
		p, err := libc.CString(v)
		if err != nil {
			return err
		}
		defer libc.Xfree(tls, p)
		rc = sqlite3.Xsqlite3_bind_text(tls, c.stmt, i, p, int32(len(v)), transient)
	case []byte:
		p, err := libc.CString(string(v))
		if err != nil {
			return err
		}
		defer libc.Xfree(tls, p)
		rc = sqlite3.Xsqlite3_bind_blob(tls, c.stmt, i, p, int32(len(v)), transient)
	default:
		return fmt.Errorf("sqlite: a %T cannot be bound", value)
	}
	if rc != sqlite3.SQLITE_OK {
		return sqliteFailure(tls, c.session.db, rc)
	}
	return nil
}

func (c *sqliteCursor) columns() []cell.Field { return c.fields }

func (c *sqliteCursor) values() []cell.Value { return c.row }

func (c *sqliteCursor) err() error { return c.failure }

func (c *sqliteCursor) next() bool {
	if c.stmt == 0 || c.failure != nil {
		return false
	}
	switch rc := sqlite3.Xsqlite3_step(c.session.tls, c.stmt); rc {
	case sqlite3.SQLITE_ROW:
	case sqlite3.SQLITE_DONE:
		c.failure = c.finalize()
		return false
	default:
		c.failure = sqliteFailure(c.session.tls, c.session.db, rc)
		return false
	}
	c.text = c.text[:0]
	for i := range c.row {
		if c.row[i], c.failure = c.value(int32(i)); c.failure != nil {
			return false
		}
	}
	return true
}

// value reads one column as it is stored and applies the rule of its declared
// type. The column is looked up once; the functions of its value may be called
// because the connection is used by one goroutine at a time.
func (c *sqliteCursor) value(i int32) (cell.Value, error) {
	tls, rule := c.session.tls, &c.rules[i]
	v := sqlite3.Xsqlite3_column_value(tls, c.stmt, i)
	begin := len(c.text)
	var kind cell.Kind
	switch sqlite3.Xsqlite3_value_type(tls, v) {
	case sqlite3.SQLITE_INTEGER:
		c.text, kind = rule.integer(c.text, sqlite3.Xsqlite3_value_int64(tls, v))
		return cell.Value{Kind: kind, Bytes: c.text[begin:]}, nil
	case sqlite3.SQLITE_FLOAT:
		c.text, kind = rule.real(c.text, sqlite3.Xsqlite3_value_double(tls, v))
		return cell.Value{Kind: kind, Bytes: c.text[begin:]}, nil
	case sqlite3.SQLITE_TEXT:
		b, err := c.textOf(v)
		if err != nil {
			return cell.Value{}, err
		}
		var value cell.Value
		value, c.text = rule.text(b, c.text)
		return value, nil
	case sqlite3.SQLITE_BLOB:
		b, err := c.blobOf(v)
		return cell.Value{Kind: cell.Binary, Bytes: b}, err
	}
	return cell.Value{}, nil
}

// textOf is a text in the library's memory, valid for the current row.
func (c *sqliteCursor) textOf(v uintptr) ([]byte, error) {
	// The text first: it may have to be converted, which changes its length.
	p := sqlite3.Xsqlite3_value_text(c.session.tls, v)
	if p == 0 {
		return nil, errNoMemory
	}
	return libc.GoBytes(p, int(sqlite3.Xsqlite3_value_bytes(c.session.tls, v))), nil
}

// blobOf is a blob in the library's memory, valid for the current row.
func (c *sqliteCursor) blobOf(v uintptr) ([]byte, error) {
	p := sqlite3.Xsqlite3_value_blob(c.session.tls, v)
	n := sqlite3.Xsqlite3_value_bytes(c.session.tls, v)
	switch {
	case n == 0: // has no address
		return []byte{}, nil
	case p == 0:
		return nil, errNoMemory
	}
	return libc.GoBytes(p, int(n)), nil
}

// key binds a value as it is stored: SQLite compares by that.
func (c *sqliteCursor) key(i int) (bound, error) {
	tls := c.session.tls
	v := sqlite3.Xsqlite3_column_value(tls, c.stmt, int32(i))
	switch sqlite3.Xsqlite3_value_type(tls, v) {
	case sqlite3.SQLITE_INTEGER:
		return bound{value: sqlite3.Xsqlite3_value_int64(tls, v)}, nil
	case sqlite3.SQLITE_FLOAT:
		return bound{value: sqlite3.Xsqlite3_value_double(tls, v)}, nil
	case sqlite3.SQLITE_TEXT:
		b, err := c.textOf(v)
		return bound{value: string(b)}, err
	case sqlite3.SQLITE_BLOB:
		b, err := c.blobOf(v)
		return bound{value: bytes.Clone(b)}, err
	}
	return bound{}, errNullKey
}

// orderable: SQLite sorts as it compares.
func (c *sqliteCursor) orderable(int) error { return nil }

// finalize ends the statement. It repeats the error of the last step, which has
// been reported then.
func (c *sqliteCursor) finalize() error {
	if c.stmt == 0 {
		return nil
	}
	stmt := c.stmt
	c.stmt = 0
	if rc := sqlite3.Xsqlite3_finalize(c.session.tls, stmt); rc != sqlite3.SQLITE_OK && c.failure == nil {
		return sqliteFailure(c.session.tls, c.session.db, rc)
	}
	return nil
}

func (c *sqliteCursor) close() error { return c.finalize() }
