package cases

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// agreementRows is how many random rows a database has. SQLite has fewer types.
func agreementRows(d database) int {
	if d.name == "sqlite" {
		return 1000
	}
	return 5000
}

// sample is one random value and what everybody has to make of its cell.
type sample struct {
	stored  any // bound to the INSERT
	content readers.Content
	text    string // as the readers' vocabulary has it
	shown   string // what a person sees; unforeseen where programs differ in it
}

// unforeseen marks what is not compared: how many digits of a double a cell shows
// is each program's own choice.
const unforeseen = "\x00"

// randomColumn is a column of random values. One without a type in a database is
// left out there.
type randomColumn struct {
	field, mariadb, postgres, sqlite string
	more                             string // members of the column in the dataset's file
	next                             func(r *rand.Rand) sample
}

func asText(s string) sample {
	if s == "" {
		return sample{stored: s}
	}
	return sample{s, readers.Text, s, s}
}

func asNumber(stored any, literal, shown string) sample {
	return sample{stored, readers.Number, literal, shown}
}

// randomColumns are of every kind of value and every named format.
var randomColumns = []randomColumn{
	{"words", "LONGTEXT", "text", "TEXT", "", func(r *rand.Rand) sample { return asText(randomText(r)) }},
	{"code", "VARCHAR(20)", "varchar(20)", "VARCHAR(20)", "", func(r *rand.Rand) sample { return asText(randomDigits(r, 1+r.IntN(20))) }},
	{"small", "INT", "integer", "INTEGER", "", func(r *rand.Rand) sample {
		s := strconv.Itoa(int(int32(r.Uint32())))
		return asNumber(s, s, s)
	}},
	{"big", "BIGINT", "bigint", "INTEGER", "", func(r *rand.Rand) sample {
		s := strconv.FormatInt(r.Int64()>>r.IntN(63), 10)
		if len(s) > 15 {
			return asText(s)
		}
		return asNumber(s, s, s)
	}},
	{"unsigned", "BIGINT UNSIGNED", "", "", "", func(r *rand.Rand) sample { return asText(strconv.FormatUint(r.Uint64()|1<<63, 10)) }},
	{"money", "DECIMAL(12,2)", "numeric(12,2)", "DECIMAL(12,2)", "", func(r *rand.Rand) sample {
		s := randomDecimal(r, 1+r.IntN(10), 2)
		return asNumber(s, s, s)
	}},
	{"exact", "DECIMAL(40,12)", "numeric(40,12)", "", "", func(r *rand.Rand) sample {
		s := randomDecimal(r, 1+r.IntN(28), 12)
		if significant(s) > 15 {
			return asText(s)
		}
		return asNumber(s, s, s)
	}},
	{"ratio", "DOUBLE", "double precision", "REAL", "", func(r *rand.Rand) sample {
		s := strconv.FormatFloat(math.Ldexp(r.Float64()-0.5, r.IntN(200)-100), 'g', -1, 64)
		return asNumber(s, s, unforeseen)
	}},
	{"single", "FLOAT", "real", "", "", func(r *rand.Rand) sample {
		s := strconv.FormatFloat(float64(r.Float32()*1000), 'g', -1, 32)
		return asNumber(s, s, unforeseen)
	}},
	{"flag", "", "boolean", "BOOLEAN", "", func(r *rand.Rand) sample {
		n := r.IntN(2)
		return sample{n == 1, readers.Boolean, strconv.Itoa(n), []string{"FALSE", "TRUE"}[n]}
	}},
	{"day", "DATE", "date", "DATE", "", func(r *rand.Rand) sample {
		// From 1900-03-01 to 9999-12-31.
		s := randomMoment(r, -25508, 2932896).Format(time.DateOnly)
		return sample{s, readers.Moment, s + " 00:00:00", s}
	}},
	{"early", "DATE", "date", "DATE", "", func(r *rand.Rand) sample {
		// From 1000-01-01 to 1900-02-28.
		return asText(randomMoment(r, -354285, -25509).Format(time.DateOnly))
	}},
	{"wall", "DATETIME", "timestamp", "DATETIME", "", func(r *rand.Rand) sample {
		s := randomMoment(r, -25508, 2932896).Format(time.DateTime)
		return sample{s, readers.Moment, s, s}
	}},
	{"instant", "TIMESTAMP NULL", "timestamptz", "TIMESTAMP", "", func(r *rand.Rand) sample {
		// Korea's clocks are nine hours ahead since 1988-10-09.
		at := randomMoment(r, 6900, 24855)
		shown := at.Add(9 * time.Hour).Format(time.DateTime)
		return sample{at.Format(time.DateTime + "Z"), readers.Moment, shown, shown}
	}},
	{"clock", "TIME", "time", "", "", func(r *rand.Rand) sample {
		s := randomMoment(r, 0, 1).Format(time.TimeOnly)
		return sample{s, readers.Duration, strings.TrimPrefix(s, "0"), s}
	}},
	{"span", "TIME", "", "", "", func(r *rand.Rand) sample {
		s := fmt.Sprintf("%d:%02d:%02d", 24+r.IntN(815), r.IntN(60), r.IntN(60))
		return sample{s, readers.Duration, s, s}
	}},
	{"bytes", "VARBINARY(40)", "bytea", "BLOB", "", func(r *rand.Rand) sample {
		b := make([]byte, 1+r.IntN(40))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		s := asText(strings.ToUpper(hex.EncodeToString(b)))
		s.stored = b
		return s
	}},
	{"document", "JSON", "json", "TEXT", "", func(r *rand.Rand) sample {
		return asText(fmt.Sprintf(`{"값": "%d", "n": %s}`, r.IntN(1000), randomDecimal(r, 3, 2)))
	}},
	{"won", "DECIMAL(16,2)", "numeric(16,2)", "", "excelFormat: krw", func(r *rand.Rand) sample {
		s := randomDecimal(r, 1+r.IntN(13), 2)
		whole, _, _ := strings.Cut(s, ".")
		if whole == "-0" {
			whole = "0"
		}
		return asNumber(s, whole, grouped(whole))
	}},
	{"ymd", "CHAR(8)", "char(8)", "TEXT", "excelFormat: ymd", func(r *rand.Rand) sample {
		at := randomMoment(r, -25508, 2932896)
		return sample{at.Format("20060102"), readers.Moment, at.Format(time.DateOnly + " 00:00:00"), at.Format("2006/01/02")}
	}},
	{"stamp", "CHAR(14)", "char(14)", "TEXT", "excelFormat: datetime", func(r *rand.Rand) sample {
		at := randomMoment(r, -25508, 2932896)
		return sample{at.Format("20060102150405"), readers.Moment, at.Format(time.DateTime), at.Format("2006/01/02 15:04:05")}
	}},
	{"tm", "CHAR(6)", "char(6)", "TEXT", "excelFormat: tm", func(r *rand.Rand) sample {
		at := randomMoment(r, 0, 1)
		return sample{at.Format("150405"), readers.Duration, strings.TrimPrefix(at.Format(time.TimeOnly), "0"), at.Format(time.TimeOnly)}
	}},
	{"biz", "CHAR(10)", "char(10)", "TEXT", "excelFormat: bizno", func(r *rand.Rand) sample {
		d := randomDigits(r, 10)
		s := asText(d[:3] + "-" + d[3:5] + "-" + d[5:])
		s.stored = d
		return s
	}},
	{"mobile", "CHAR(11)", "char(11)", "TEXT", "excelFormat: phone", func(r *rand.Rand) sample {
		d := "010" + randomDigits(r, 8)
		s := asText(d[:3] + "-" + d[3:7] + "-" + d[7:])
		s.stored = d
		return s
	}},
	{"share", "DECIMAL(6,1)", "numeric(6,1)", "DECIMAL(6,1)", "excelFormat: pct", func(r *rand.Rand) sample {
		s := randomDecimal(r, 1+r.IntN(4), 1)
		shown := s + "%"
		if strings.Trim(s, "-0.") == "" {
			shown = "-"
		}
		return asNumber(s, s, shown)
	}},
	{"state", "CHAR(2)", "char(2)", "TEXT", `excelCodeMap: {"01": 접수, "02": "=완료"}`, func(r *rand.Rand) sample {
		code := fmt.Sprintf("%02d", 1+r.IntN(3))
		s := asText(map[string]string{"01": "접수", "02": "=완료", "03": "03"}[code])
		s.stored = code
		return s
	}},
}

// randomText has what texts go wrong with, but for what the readers do not agree
// to give back: control characters and what looks like an escape.
func randomText(r *rand.Rand) string {
	pieces := []string{
		"가나다", "😀", "👨‍👩‍👧", "𠮷", "é", "e\u0301", "<b>&amp;\"'</b>", "=1+1", "-5", "+82", "@SUM", "a", "Z", "0", "00123", "1e5",
		" ", "  ", "\t", "\n", ",", ";", "''", "\u00a0", "\u200b", "日本", "ẞ", "\\", "/", "%", "true", "2026-09-02",
	}
	var b strings.Builder
	for range r.IntN(8) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func randomDigits(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('0' + r.IntN(10))
	}
	return string(b)
}

// randomDecimal has up to a number of digits before the point and just as many
// places as said. There is no -0.
func randomDecimal(r *rand.Rand, whole, places int) string {
	s := strings.TrimLeft(randomDigits(r, whole), "0")
	if s == "" {
		s = "0"
	}
	s += "." + randomDigits(r, places)
	if r.IntN(3) == 0 && strings.Trim(s, "0.") != "" {
		s = "-" + s
	}
	return s
}

// significant counts the digits of a decimal without the zeros at both ends.
func significant(s string) int {
	return len(strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(s), "0"))
}

func grouped(whole string) string {
	sign, digits := "", whole
	if whole[0] == '-' {
		sign, digits = "-", whole[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// randomMoment is a second of the days from first up to last, counted from
// 1970-01-01.
func randomMoment(r *rand.Rand, first, last int64) time.Time {
	return time.Unix(first*86400+r.Int64N((last-first)*86400), 0).UTC()
}

// Programs that know nothing of each other take each of many random cells of all
// types, out of every database, for the same.
func TestReadersAgreeOnRandomRows(t *testing.T) {
	t.Parallel()
	poi := machine(t)
	all := []readers.Reader{
		readers.Structure(), readers.Excelize(), poi.Reader(),
		readers.Openpyxl(testservices.OpenpyxlPython(t), false),
		readers.Exceljs(testservices.Program(t, "node"), testservices.Exceljs(t)),
	}
	office := readers.LibreOffice(testservices.LibreOffice(t))
	everywhere(t, func(t *testing.T, d database) {
		r := rand.New(rand.NewPCG(2026, 12))
		columns, rows := d.random(t, r)
		set := "name: random\nsource: " + d.name + "\nkey: id\nfrom: random_rows r\nselect: {id: r.id"
		leaves := "columns:\n"
		for _, c := range columns {
			set += ", " + c.field + ": r." + c.field + "_"
			leaves += "  - {field: " + c.field + ", " + c.more + "}\n"
		}
		s := serve(t, []string{set + "}\n" + leaves}, nil, d)
		f := s.export(t, "random", `{}`)
		f.book(t)
		for _, reader := range all {
			compareRandom(t, reader, columns, rows, read(t, reader, f.content), func(want sample, got readers.Cell) bool {
				return want.agrees(got)
			})
		}
		compareRandom(t, office, columns, rows, read(t, office, f.content), func(want sample, got readers.Cell) bool {
			return got.Text == want.shown || want.shown == unforeseen
		})
	})
}

// random makes a table of random rows.
func (d database) random(t *testing.T, r *rand.Rand) (columns []randomColumn, rows [][]sample) {
	t.Helper()
	create := "CREATE TABLE random_rows (id INTEGER NOT NULL PRIMARY KEY"
	for _, c := range randomColumns {
		if declared := d.pick(c.mariadb, c.postgres, c.sqlite); declared != "" {
			create += ", " + c.field + "_ " + declared
			columns = append(columns, c)
		}
	}
	d.exec(t, create+")")
	var bound [][]any
	for i := range agreementRows(d) {
		row := make([]sample, len(columns))
		values := []any{i + 1}
		for j, c := range columns {
			if row[j] = c.next(r); r.IntN(20) == 0 {
				row[j] = sample{}
			}
			values = append(values, d.bindable(c, row[j].stored))
		}
		rows = append(rows, row)
		bound = append(bound, values)
	}
	d.insert(t, "random_rows", bound...)
	return columns, rows
}

// bindable is a value as the database's driver takes it for the column. MariaDB
// takes an instant without its zone, in that of the session.
func (d database) bindable(c randomColumn, stored any) any {
	if s, ok := stored.(string); ok && d.name == "mariadb" && c.field == "instant" {
		return strings.TrimSuffix(s, "Z")
	}
	return stored
}

// agrees compares with a cell by its content. Readers that convert numbers may
// give another literal of the same one.
func (s sample) agrees(c readers.Cell) bool {
	if s.content != c.Content {
		return false
	}
	if s.content != readers.Number {
		return s.text == c.Text
	}
	want, errWant := strconv.ParseFloat(s.text, 64)
	got, errGot := strconv.ParseFloat(c.Text, 64)
	return errWant == nil && errGot == nil && want == got
}

func compareRandom(t *testing.T, reader readers.Reader, columns []randomColumn, want [][]sample, got [][]readers.Cell, agree func(sample, readers.Cell) bool) {
	t.Helper()
	if len(got) != 1+len(want) {
		t.Errorf("%s: %d rows, want %d and a header", reader.Name(), len(got), len(want))
		return
	}
	wrong := 0
	for i, row := range want {
		for j, s := range row {
			var c readers.Cell
			if j < len(got[i+1]) {
				c = got[i+1][j]
			}
			if agree(s, c) {
				continue
			}
			if wrong++; wrong <= 10 {
				t.Errorf("%s: row %d, %s: stored %q, found %v, want %v %q shown %q", reader.Name(), i+2, columns[j].field, s.stored, c, s.content, s.text, s.shown)
			}
		}
	}
	if wrong > 10 {
		t.Errorf("%s: %d cells are wrong", reader.Name(), wrong)
	}
}
