package dataset

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/haexcel/haexcel/shared/cell"
)

// How PostgreSQL's types become kinds. Everything comes as the server's text.
//
//	smallint, integer, bigint          Integer
//	oid, xid, xid8, cid                Integer, too
//	numeric                            Decimal; scale from numeric(p,s)
//	real, double precision             Float32, Float
//	boolean                            Bool
//	char(n)                            Text without the blanks that fill it up
//	varchar, text, name, "char"        Text
//	date                               Date (infinity and BC as printed)
//	timestamp                          DateTime (likewise)
//	timestamptz                        Instant; printed in the report zone with its offset
//	time                               Time
//	bytea                              Binary, decoded
//	bit(n)                             Bits: a number, as on MySQL
//	json, jsonb                        JSON
//	anything else: interval, timetz,   Other: the server's text
//	bit varying, uuid, enums, arrays,
//	money, xml, ranges, records, reg…,
//	geometry, networks, extensions
//
// A domain has the type below it. bit varying is no number, since its length is
// part of its value.
func postgresType(f pgconn.FieldDescription) (kind cell.Kind, scale int) {
	switch f.DataTypeOID {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID,
		pgtype.OIDOID, pgtype.XIDOID, pgtype.XID8OID, pgtype.CIDOID:
		return cell.Integer, 0
	case pgtype.NumericOID:
		return cell.Decimal, numericScale(f.TypeModifier)
	case pgtype.Float4OID:
		return cell.Float32, -1
	case pgtype.Float8OID:
		return cell.Float, -1
	case pgtype.BoolOID:
		return cell.Bool, -1
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID, pgtype.QCharOID:
		return cell.Text, -1
	case pgtype.DateOID:
		return cell.Date, -1
	case pgtype.TimestampOID:
		return cell.DateTime, -1
	case pgtype.TimestamptzOID:
		return cell.Instant, -1
	case pgtype.TimeOID:
		return cell.Time, -1
	case pgtype.ByteaOID:
		return cell.Binary, -1
	case pgtype.BitOID:
		return cell.Bits, -1
	case pgtype.JSONOID, pgtype.JSONBOID:
		return cell.JSON, -1
	}
	return cell.Other, -1
}

// numericScale takes the scale out of a type modifier: -1 when numeric is
// declared without one, and when it is negative, as numeric(5,-2) is.
func numericScale(modifier int32) int {
	if modifier < 4 {
		return -1
	}
	scale := (modifier - 4) & 0x7ff
	if scale&0x400 != 0 {
		return -1
	}
	return int(scale)
}

// postgresCursor reads one statement. Its values point into the connection's
// buffer.
type postgresCursor struct {
	session *postgresSession
	reader  *pgconn.ResultReader
	fields  []cell.Field
	oids    []uint32
	row     []cell.Value
	decoded []byte // binary values of the current row
	failure error
	ended   bool
}

func newPostgresCursor(s *postgresSession, reader *pgconn.ResultReader) *postgresCursor {
	c := &postgresCursor{session: s, reader: reader}
	for _, f := range reader.FieldDescriptions() {
		kind, scale := postgresType(f)
		c.fields = append(c.fields, cell.Field{Name: f.Name, Kind: kind, Scale: scale})
		c.oids = append(c.oids, f.DataTypeOID)
	}
	c.row = make([]cell.Value, len(c.fields))
	return c
}

func (c *postgresCursor) columns() []cell.Field { return c.fields }

func (c *postgresCursor) values() []cell.Value { return c.row }

func (c *postgresCursor) err() error { return c.failure }

func (c *postgresCursor) next() bool {
	if c.ended {
		return false
	}
	if !c.reader.NextRow() {
		c.ended = true
		_, c.failure = c.reader.Close()
		return false
	}
	c.decoded = c.decoded[:0]
	for i, b := range c.reader.Values() {
		if b == nil {
			c.row[i] = cell.Value{}
			continue
		}
		var err error
		switch c.fields[i].Kind {
		case cell.Text:
			if c.oids[i] == pgtype.BPCharOID {
				// They are no part of the value: the server compares and casts
				// without them, and other databases do not send them.
				b = bytes.TrimRight(b, " ")
			}
		case cell.Binary:
			b, err = c.bytea(b)
		case cell.Bits:
			b, err = c.bits(b)
		}
		if err != nil {
			c.ended = true
			c.failure = err
			c.abort()
			return false
		}
		c.row[i] = cell.Value{Kind: c.fields[i].Kind, Bytes: b}
	}
	return true
}

// bytea decodes \x00ff.
func (c *postgresCursor) bytea(text []byte) ([]byte, error) {
	digits, ok := bytes.CutPrefix(text, []byte(`\x`))
	if !ok {
		return nil, errors.New("postgres: a bytea is not in hex")
	}
	begin := len(c.decoded)
	var err error
	if c.decoded, err = hex.AppendDecode(c.decoded, digits); err != nil {
		return nil, fmt.Errorf("postgres: a bytea: %w", err)
	}
	return c.decoded[begin:], nil
}

// bits packs the text 101 into big-endian bytes.
func (c *postgresCursor) bits(text []byte) ([]byte, error) {
	begin, size := len(c.decoded), (len(text)+7)/8
	for range size {
		c.decoded = append(c.decoded, 0)
	}
	out := c.decoded[begin:]
	for i, digit := range text {
		at := len(text) - 1 - i // the bit's place from the right
		switch digit {
		case '1':
			out[size-1-at/8] |= 1 << (at % 8)
		case '0':
		default:
			return nil, errors.New("postgres: a bit string has other digits than 0 and 1")
		}
	}
	return out, nil
}

// key binds the server's own text in the column's own type.
func (c *postgresCursor) key(i int) (bound, error) {
	b := c.reader.Values()[i]
	if b == nil {
		return bound{}, errNullKey
	}
	return bound{value: bytes.Clone(b), oid: c.oids[i]}, c.orderable(i)
}

// orderable: PostgreSQL sorts as it compares, and refuses what it cannot sort. A row
// that is no type of its own cannot be sent back to it.
func (c *postgresCursor) orderable(i int) error {
	if c.oids[i] == pgtype.RecordOID || c.oids[i] == pgtype.RecordArrayOID {
		return errKeyType
	}
	return nil
}

// abort stops a statement whose rows are not wanted any more.
func (c *postgresCursor) abort() {
	c.session.stop()
	_, _ = c.reader.Close() // reads what is on the way, then the word that it was cancelled
}

func (c *postgresCursor) close() error {
	if c.ended {
		return nil
	}
	c.ended = true
	c.abort()
	return nil
}
