package rows

import (
	"fmt"
	"strconv"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
)

// A kind is what one column holds.
type kind uint8

const (
	id kind = iota
	code
	name
	quantity
	price
	amount
	counter
	flag
	date
	timestamp
	status
	note
	memo
)

// kinds says what the columns of each kind are called, and which values they have.
var kinds = [...]struct {
	field, header string
	value         cell.Kind
	scale         int
}{
	id:        {"id", "번호", cell.Integer, -1},
	code:      {"code", "주문번호", cell.Text, -1},
	name:      {"name", "고객명", cell.Text, -1},
	quantity:  {"quantity", "수량", cell.Integer, -1},
	price:     {"price", "단가", cell.Decimal, 2},
	amount:    {"amount", "금액", cell.Float, -1},
	counter:   {"counter", "누계", cell.Integer, -1},
	flag:      {"flag", "여부", cell.Bool, -1},
	date:      {"date", "주문일", cell.Date, -1},
	timestamp: {"timestamp", "처리일시", cell.DateTime, -1},
	status:    {"status", "상태", cell.Text, -1},
	note:      {"note", "비고", cell.Text, -1},
	memo:      {"memo", "메모", cell.Text, -1},
}

var mixed = [10]kind{id, code, name, quantity, price, amount, date, timestamp, status, note}

var shapes = map[string][10]kind{
	"mixed":   mixed,
	"wide":    mixed,
	"memory":  mixed,
	"text":    {id, code, name, note, memo, status, note, name, memo, note},
	"numbers": {id, quantity, price, amount, counter, price, amount, counter, amount, flag},
}

// Known reports whether there is a shape of that name.
func Known(shape string) bool {
	_, known := shapes[shape]
	return known
}

const (
	days       = 2192 // 2020 to 2025
	daySeconds = 86400
	// maxText is more than the bytes of any value: a memo has at most 156
	// characters of three bytes.
	maxText = 512
)

// firstDay is the first of the dates, in seconds since 1970.
var firstDay = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// Generator makes the rows of one shape. It is not safe for concurrent use.
type Generator struct {
	columns []kind
	values  []cell.Value
	buffers [][]byte
	anys    []any

	dates []byte   // yyyy-MM-dd of each day, one behind the other
	names []string // by h % 600
}

// New gives the generator of a shape with a number of columns. It panics where
// there is no such shape or fewer than one column.
func New(shape string, cols int) *Generator {
	list, known := shapes[shape]
	if !known || cols < 1 {
		panic(fmt.Sprintf("rows: no shape %q of %d columns", shape, cols))
	}
	g := &Generator{
		columns: make([]kind, cols),
		values:  make([]cell.Value, cols),
		buffers: make([][]byte, cols),
		anys:    make([]any, cols),
	}
	for c := range cols {
		g.columns[c] = list[c%len(list)]
		g.buffers[c] = make([]byte, 0, maxText)
	}
	for day := range int64(days) {
		g.dates = time.Unix(firstDay+day*daySeconds, 0).UTC().AppendFormat(g.dates, time.DateOnly)
	}
	for n := range len(families) * len(givens) {
		g.names = append(g.names, families[n%len(families)]+givens[n/len(families)])
	}
	return g
}

// Header gives the columns as a request names them: without widths and formats.
func (g *Generator) Header() []cell.ColumnDef {
	header := make([]cell.ColumnDef, len(g.columns))
	for c, f := range g.Fields() {
		header[c] = cell.ColumnDef{Field: f.Name, HeaderName: kinds[g.columns[c]].header + " " + strconv.Itoa(c+1)}
	}
	return header
}

// Fields describe the values. A name is the kind's with the column's number, from
// 1: id_1, code_2; it also suits as the name of a table's column. Column 1 is
// unique and grows with the rows.
func (g *Generator) Fields() []cell.Field {
	fields := make([]cell.Field, len(g.columns))
	for c, k := range g.columns {
		fields[c] = cell.Field{Name: kinds[k].field + "_" + strconv.Itoa(c+1), Kind: kinds[k].value, Scale: kinds[k].scale}
	}
	return fields
}

// Row gives row i, from 0. The slice and its bytes are valid until the next call
// and must not be changed.
func (g *Generator) Row(i int64) []cell.Value {
	base := mix(uint64(i))
	for c, k := range g.columns {
		h := mix(base + uint64(c))
		g.values[c] = cell.Value{Kind: kinds[k].value}
		if k == note && noNote(h) {
			g.values[c].Kind = cell.Null
			continue
		}
		g.values[c].Bytes = g.text(g.buffers[c][:0], k, i, c, h)
	}
	return g.values
}

// Values gives row i, from 0, as the values of a Go program: int64, float64,
// string, bool, time.Time in UTC, and nil for NULL. A decimal is the float64 next
// to it. The slice is valid until the next call.
func (g *Generator) Values(i int64) []any {
	base := mix(uint64(i))
	for c, k := range g.columns {
		g.anys[c] = g.value(k, i, c, mix(base+uint64(c)))
	}
	return g.anys
}

// text gives the text of a value, perhaps in b.
func (g *Generator) text(b []byte, k kind, i int64, c int, h uint64) []byte {
	switch k {
	case id:
		return strconv.AppendInt(b, idOf(i, c), 10)
	case code:
		return appendCode(b, i, h)
	case name:
		return append(b, g.nameOf(h)...)
	case quantity:
		return strconv.AppendInt(b, quantityOf(h), 10)
	case price:
		return appendFixed(b, hundredths(h), 100)
	case amount:
		return trimZeros(appendFixed(b, thousandths(h), 1000))
	case counter:
		return strconv.AppendInt(b, counterOf(h), 10)
	case flag:
		return append(b, '0'+byte(h%2))
	case date:
		return append(b, g.dateOf(h)...)
	case timestamp:
		return appendClock(append(append(b, g.dateOf(h)...), ' '), secondOf(h))
	case status:
		return append(b, statusOf(h)...)
	case note:
		return appendPhrase(b, h, noteLength(h))
	default:
		return appendPhrase(b, h, memoLength(h))
	}
}

// value gives the same value as text, as a Go program has it.
func (g *Generator) value(k kind, i int64, c int, h uint64) any {
	switch k {
	case id:
		return idOf(i, c)
	case name:
		return g.nameOf(h)
	case quantity:
		return quantityOf(h)
	case price:
		return float64(hundredths(h)) / 100
	case amount:
		return float64(thousandths(h)) / 1000
	case counter:
		return counterOf(h)
	case flag:
		return h%2 == 1
	case date:
		return time.Unix(firstDay+int64(h%days)*daySeconds, 0).UTC()
	case timestamp:
		return time.Unix(firstDay+int64(h%days)*daySeconds+secondOf(h), 0).UTC()
	case status:
		return statusOf(h)
	case note:
		if noNote(h) {
			return nil
		}
	}
	return string(g.text(g.buffers[c][:0], k, i, c, h))
}

// mix is the step of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

func idOf(i int64, c int) int64 { return i + 1 + 10_000_000*int64(c/len(mixed)) }

func (g *Generator) nameOf(h uint64) string { return g.names[h%uint64(len(g.names))] }

func (g *Generator) dateOf(h uint64) []byte {
	const width = len(time.DateOnly)
	at := int(h%days) * width
	return g.dates[at : at+width]
}

func quantityOf(h uint64) int64 { return int64(h%100) + 1 }

func counterOf(h uint64) int64 { return int64(h % 1_000_000_000_000) }

func hundredths(h uint64) int64 { return int64(h%999_999_900) + 100 }

func thousandths(h uint64) int64 { return int64(h%1_000_000_000_000) + 1 }

func secondOf(h uint64) int64 { return int64(h / days % daySeconds) }

func statusOf(h uint64) string { return statuses[h%uint64(len(statuses))] }

func noNote(h uint64) bool { return h%25 == 0 }

func noteLength(h uint64) int { return 12 + int(h/25%22) }

func memoLength(h uint64) int { return 60 + int(h/25%90) }

func appendCode(b []byte, i int64, h uint64) []byte {
	b = append(b, "ORD-00000000"...)
	n := (3*uint64(i) + h%3 + 1) % 100_000_000
	for at := len(b) - 1; n > 0; at-- {
		b[at] += byte(n % 10)
		n /= 10
	}
	return b
}

// appendFixed writes n parts of a whole, 100 or 1000 to one, with all decimal
// places.
func appendFixed(b []byte, n, parts int64) []byte {
	b = strconv.AppendInt(b, n/parts, 10)
	// The digit in front becomes the point.
	at := len(b)
	b = strconv.AppendInt(b, parts+n%parts, 10)
	b[at] = '.'
	return b
}

// trimZeros takes zeros, and a point that then ends the number, off its end.
func trimZeros(b []byte) []byte {
	end := len(b)
	for b[end-1] == '0' {
		end--
	}
	if b[end-1] == '.' {
		end--
	}
	return b[:end]
}

func appendClock(b []byte, second int64) []byte {
	hour, minute, second := second/3600, second/60%60, second%60
	return append(b,
		'0'+byte(hour/10), '0'+byte(hour%10), ':',
		'0'+byte(minute/10), '0'+byte(minute%10), ':',
		'0'+byte(second/10), '0'+byte(second%10))
}

// appendPhrase writes words until there are length characters at least.
func appendPhrase(b []byte, h uint64, length int) []byte {
	words := english
	if h/550%2 == 1 {
		words = korean
	}
	x := mix(h)
	first := &words[x%uint64(len(words))]
	if h/1100%8 == 0 {
		first = &marked[x%uint64(len(marked))]
	}
	b = append(b, first.text...)
	for characters := first.characters; characters < length; {
		x = mix(x)
		next := &words[x%uint64(len(words))]
		b = append(append(b, ' '), next.text...)
		characters += 1 + next.characters
	}
	return b
}
