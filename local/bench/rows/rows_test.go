package rows

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/haexcel/haexcel/shared/cell"
)

// every lists the shapes and a number of columns for each.
var every = map[string]int{"mixed": 10, "wide": 50, "memory": 10, "text": 10, "numbers": 10}

func line(row []cell.Value) string {
	var texts []string
	for _, v := range row {
		text := string(v.Bytes)
		if v.Kind == cell.Null {
			text = "NULL"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "|")
}

// The first rows are known by heart, so that the same rows are measured for
// years.
func TestFirstRows(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		shape string
		i     int64
		line  string
	}{
		{"mixed", 0, `1|ORD-00000002|김은지|11|2483560.98|18667680.84|2024-08-26|2025-03-17 17:52:41|PAID|express no express door please express`},
		{"mixed", 2, `3|ORD-00000007|정시우|98|9128869.16|270012094.145|2022-12-27|2024-10-25 14:33:40|PAYMENT_PENDING|경비실에 세금계산서 확인 오전 앞에 영수증`},
		{"mixed", 11, `12|ORD-00000034|송가은|99|3802151.38|747985213.79|2023-06-15|2020-03-25 08:37:48|PREPARING|<5kg front express before`},
		{"mixed", 38, `39|ORD-00000116|권지민|93|8006084.52|867713520.233|2025-10-10|2023-03-12 11:03:30|PAID|NULL`},
		{"mixed", 999999, `1000000|ORD-03000000|서혜진|49|9056507.66|635218097.908|2020-05-15|2025-10-30 06:13:50|CANCELLED|refund Friday spare`},
		{"mixed", 4999999, `5000000|ORD-14999998|안나연|3|9307503.89|532272570.564|2020-12-08|2020-10-02 03:14:36|PREPARING|확인 확인 오후 후 요청 요청 포장`},
		{"text", 0, `1|ORD-00000002|김은지|긴급 긴급 발행 추가 부재시 주의 주문 동봉|주문 확인 오전 주의 오전 환불 맡겨 추가 영수증 배송 교환 바랍니다 교환 주문 확인 바랍니다 건 경비실에 경비실에 주세요 전 주세요 확인 건 경비실에|PAID|영수증 영수증 발행 주문 교환 주의 긴급|권하준|<5kg 주문 바랍니다 주세요 바랍니다 건 확인 확인 건 연락 동봉 주세요 출고 부재시 포장 환불 바랍니다 앞에 후 발행 선물 오전|express no express door please express`},
		{"numbers", 0, `1|96|2116837.40|457536601.211|559324631798|3975917.39|860148366.724|537930879614|306284509.832|1`},
	} {
		if got := line(New(want.shape, 10).Row(want.i)); got != want.line {
			t.Errorf("row %d of %s is\n%s, want\n%s", want.i, want.shape, got, want.line)
		}
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	if got := mix(0); got != 0xE220A8397B1DCDAF {
		t.Errorf("mix(0) = %X", got)
	}
	if got := mix(mix(1) + 2); got != 0xBCD9DBB49673066B {
		t.Errorf("h of row 1, column 2 = %X", got)
	}
}

// A row is the same whichever rows were made before it.
func TestRowsInAnyOrder(t *testing.T) {
	t.Parallel()
	for shape, cols := range every {
		g := New(shape, cols)
		var forwards []string
		for i := range int64(200) {
			forwards = append(forwards, line(g.Row(i)))
		}
		for i := int64(199); i >= 0; i-- {
			if got := line(g.Row(i)); got != forwards[i] {
				t.Fatalf("%s, row %d: %s, was %s", shape, i, got, forwards[i])
			}
		}
	}
}

// Columns beyond the tenth have the kinds again, with values of their own.
func TestColumnsRepeat(t *testing.T) {
	t.Parallel()
	g := New("wide", 25)
	row := g.Row(7)
	if len(row) != 25 || string(row[0].Bytes) != "8" || string(row[10].Bytes) != "10000008" || string(row[20].Bytes) != "20000008" {
		t.Errorf("row 7 is %s", line(row))
	}
	if bytes.Equal(row[5].Bytes, row[15].Bytes) {
		t.Errorf("two columns have the same amount: %s", line(row))
	}
	if fields := g.Fields(); fields[10].Name != "id_11" || fields[14].Kind != cell.Decimal || fields[14].Scale != 2 {
		t.Errorf("fields are %v", fields)
	}
	if header := g.Header(); header[12].Field != "name_13" || header[12].HeaderName != "고객명 13" {
		t.Errorf("header is %v", header)
	}
}

// A row's bytes stay until the next one, each in a place of its own, and each
// value is of the kind that its field says.
func TestValuesFitTheirFields(t *testing.T) {
	t.Parallel()
	for shape, cols := range every {
		g := New(shape, cols)
		fields := g.Fields()
		for i := range int64(2000) {
			for c, v := range g.Row(i) {
				if err := fits(fields[c], v); err != nil {
					t.Fatalf("%s, row %d, %s: %v", shape, i, fields[c].Name, err)
				}
			}
		}
	}
}

func fits(f cell.Field, v cell.Value) (err error) {
	text := string(v.Bytes)
	kind, _, _ := strings.Cut(f.Name, "_")
	if v.Kind == cell.Null && kind == "note" {
		return nil
	}
	if v.Kind != f.Kind {
		return fmt.Errorf("%q has kind %d, want %d", text, v.Kind, f.Kind)
	}
	switch kind {
	case "id", "quantity", "counter":
		_, err = strconv.ParseInt(text, 10, 64)
	case "price":
		if len(text) < 4 || text[len(text)-3] != '.' {
			return fmt.Errorf("%q has not two places", text)
		}
	case "amount":
		var f float64
		if f, err = strconv.ParseFloat(text, 64); err == nil && strconv.FormatFloat(f, 'f', -1, 64) != text {
			return fmt.Errorf("%q is not the shortest text of its number", text)
		}
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "timestamp":
		_, err = time.Parse(time.DateTime, text)
	case "note":
		if n := utf8.RuneCountInString(text); n < 10 || n > 40 || !strings.Contains(text, " ") {
			return fmt.Errorf("%q has %d characters", text, n)
		}
	case "memo":
		if n := utf8.RuneCountInString(text); n < 60 || n > 157 {
			return fmt.Errorf("%q has %d characters", text, n)
		}
	}
	return err
}

// Both forms of a row say the same.
func TestValuesAreTheRows(t *testing.T) {
	t.Parallel()
	for shape, cols := range every {
		rows, values := New(shape, cols), New(shape, cols)
		for i := range int64(2000) {
			row := rows.Row(i)
			for c, v := range values.Values(i) {
				if got, want := asText(v, row[c].Kind), string(row[c].Bytes); got != want {
					t.Fatalf("%s, row %d, column %d: %v, want %s", shape, i, c, v, want)
				}
			}
		}
	}
}

func asText(v any, kind cell.Kind) string {
	switch v := v.(type) {
	case nil:
		return ""
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if kind == cell.Decimal {
			return strconv.FormatFloat(v, 'f', 2, 64)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		if v {
			return "1"
		}
		return "0"
	case time.Time:
		if kind == cell.Date {
			return v.Format(time.DateOnly)
		}
		return v.Format(time.DateTime)
	case string:
		return v
	default:
		return fmt.Sprintf("%T", v)
	}
}

// What makes files awkward is there, in the wanted shares.
func TestNotesVary(t *testing.T) {
	t.Parallel()
	const rows = 10_000
	g := New("mixed", 10)
	var null, foreign, special int
	names := map[string]bool{}
	for i := range int64(rows) {
		row := g.Row(i)
		names[string(row[2].Bytes)] = true
		text := row[9].Bytes
		if row[9].Kind == cell.Null {
			null++
		}
		if len(text) != utf8.RuneCount(text) {
			foreign++
		}
		if bytes.ContainsAny(text, "&<>") {
			special++
		}
	}
	for _, share := range []struct {
		what             string
		n, atLeast, most int
	}{
		{"NULL", null, rows * 3 / 100, rows * 5 / 100},
		{"in Korean", foreign, rows * 40 / 100, rows * 55 / 100},
		{"with & < >", special, rows * 8 / 100, rows * 16 / 100},
	} {
		if share.n < share.atLeast || share.n > share.most {
			t.Errorf("%d of %d notes are %s, want %d to %d", share.n, rows, share.what, share.atLeast, share.most)
		}
	}
	if len(names) != 600 {
		t.Errorf("%d names, want 600", len(names))
	}
}

func TestRowsDoNotAllocate(t *testing.T) {
	for shape, cols := range every {
		g := New(shape, cols)
		i := int64(0)
		if n := testing.AllocsPerRun(1000, func() { g.Row(i); i++ }); n > 0 {
			t.Errorf("%s: %v allocations a row", shape, n)
		}
	}
}

func TestUnknownShape(t *testing.T) {
	t.Parallel()
	if Known("round") || !Known("mixed") {
		t.Error("Known does not know the shapes")
	}
	defer func() {
		if recover() == nil {
			t.Error("a generator of an unknown shape was made")
		}
	}()
	New("round", 10)
}

func BenchmarkRow(b *testing.B) {
	for _, shape := range []string{"mixed", "text", "numbers"} {
		b.Run(shape, func(b *testing.B) {
			g := New(shape, 10)
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				g.Row(i)
			}
		})
	}
}
