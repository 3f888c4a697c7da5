package dataset

import (
	"fmt"
	"strconv"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
)

// converter turns Go values into cell values, all of a row in one buffer that
// the next row uses again.
type converter struct {
	fields []cell.Field
	row    []cell.Value
	buffer []byte
}

func (c *converter) convert(values []any) error {
	if len(values) != len(c.fields) {
		return fmt.Errorf("a row has %d values for %d fields", len(values), len(c.fields))
	}
	c.buffer = c.buffer[:0]
	for i, v := range values {
		value, ok := c.value(v, c.fields[i].Kind)
		if !ok {
			return fmt.Errorf("the field %q got a value of the type %T", c.fields[i].Name, v)
		}
		c.row[i] = value
	}
	return nil
}

// value converts one value; declared is its field's kind or Null. Slices of the
// buffer stay good when it grows, since it is only appended to.
func (c *converter) value(v any, declared cell.Kind) (cell.Value, bool) {
	begin := len(c.buffer)
	kind := cell.Integer
	switch v := v.(type) {
	case nil:
		return cell.Value{}, true
	case string:
		return c.text(v, declared, cell.Text), true
	case []byte:
		switch {
		case v == nil:
			return cell.Value{}, true
		case declared != cell.Null:
			return cell.Value{Kind: declared, Bytes: v}, true
		}
		return cell.Value{Kind: cell.Binary, Bytes: v}, true
	case Decimal:
		kind = cell.Decimal
		c.buffer = append(c.buffer, v...)
	case Date:
		kind = cell.Date
		c.buffer = append(c.buffer, v...)
	case DateTime:
		kind = cell.DateTime
		c.buffer = append(c.buffer, v...)
	case Time:
		kind = cell.Time
		c.buffer = append(c.buffer, v...)
	case JSON:
		kind = cell.JSON
		c.buffer = append(c.buffer, v...)
	case int:
		c.buffer = strconv.AppendInt(c.buffer, int64(v), 10)
	case int8:
		c.buffer = strconv.AppendInt(c.buffer, int64(v), 10)
	case int16:
		c.buffer = strconv.AppendInt(c.buffer, int64(v), 10)
	case int32:
		c.buffer = strconv.AppendInt(c.buffer, int64(v), 10)
	case int64:
		c.buffer = strconv.AppendInt(c.buffer, v, 10)
	case uint:
		c.buffer = strconv.AppendUint(c.buffer, uint64(v), 10)
	case uint8:
		c.buffer = strconv.AppendUint(c.buffer, uint64(v), 10)
	case uint16:
		c.buffer = strconv.AppendUint(c.buffer, uint64(v), 10)
	case uint32:
		c.buffer = strconv.AppendUint(c.buffer, uint64(v), 10)
	case uint64:
		c.buffer = strconv.AppendUint(c.buffer, v, 10)
	case float32:
		kind = cell.Float32
		c.buffer = strconv.AppendFloat(c.buffer, float64(v), 'g', -1, 32)
	case float64:
		kind = cell.Float
		c.buffer = strconv.AppendFloat(c.buffer, v, 'g', -1, 64)
	case bool:
		kind = cell.Bool
		c.buffer = strconv.AppendBool(c.buffer, v)
	case time.Time:
		kind = c.time(v, declared)
	default:
		return cell.Value{}, false
	}
	if declared != cell.Null && kind != declared {
		if !widens(kind, declared) {
			return cell.Value{}, false
		}
		kind = declared
	}
	return cell.Value{Kind: kind, Bytes: c.buffer[begin:len(c.buffer):len(c.buffer)]}, true
}

func (c *converter) text(v string, declared, kind cell.Kind) cell.Value {
	begin := len(c.buffer)
	c.buffer = append(c.buffer, v...)
	if declared != cell.Null {
		kind = declared
	}
	return cell.Value{Kind: kind, Bytes: c.buffer[begin:len(c.buffer):len(c.buffer)]}
}

// time writes what the field's kind shows of a time: its own wall clock, or by
// default the instant.
func (c *converter) time(t time.Time, declared cell.Kind) cell.Kind {
	switch declared {
	case cell.Date:
		c.buffer = t.AppendFormat(c.buffer, time.DateOnly)
	case cell.DateTime:
		c.buffer = t.AppendFormat(c.buffer, "2006-01-02 15:04:05.999999999")
	case cell.Time:
		c.buffer = t.AppendFormat(c.buffer, "15:04:05.999999999")
	default:
		c.buffer = t.AppendFormat(c.buffer, "2006-01-02 15:04:05.999999999Z07:00:00")
		return cell.Instant
	}
	return declared
}

// widens reports whether a value's text is also one of the declared kind.
func widens(kind, declared cell.Kind) bool {
	switch kind {
	case cell.Integer:
		return declared == cell.Decimal || declared == cell.Float || declared == cell.Float32
	case cell.Float32:
		return declared == cell.Float
	}
	return false
}
