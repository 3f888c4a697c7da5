package dataset_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

// given is a provider of the rows, ended by err unless that is nil.
func given(err error, rows ...dataset.Row) func(context.Context, dataset.Query) iter.Seq2[dataset.Row, error] {
	return func(context.Context, dataset.Query) iter.Seq2[dataset.Row, error] {
		return func(yield func(dataset.Row, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
		}
	}
}

func TestGoValues(t *testing.T) {
	moment := time.Date(2026, time.September, 2, 14, 30, 25, 500_000_000, time.FixedZone("", 9*3600))
	for _, c := range []struct {
		value    any
		declared cell.Kind
		want     string // ! for a refusal
	}{
		{nil, cell.Null, "null"},
		{nil, cell.Decimal, "null"},
		{"00123", cell.Null, "text:00123"},
		{"1.10", cell.Decimal, "decimal:1.10"},
		{"2026-09-02", cell.Date, "date:2026-09-02"},
		{[]byte{0, 255}, cell.Null, "binary:00FF"},
		{[]byte("1.10"), cell.Decimal, "decimal:1.10"},
		{[]byte(nil), cell.Binary, "null"},
		{dataset.Decimal("1250.10"), cell.Null, "decimal:1250.10"},
		{dataset.Date("2026-09-02"), cell.Null, "date:2026-09-02"},
		{dataset.DateTime("2026-09-02 14:30:25"), cell.Null, "datetime:2026-09-02 14:30:25"},
		{dataset.Time("25:30:00"), cell.Null, "time:25:30:00"},
		{dataset.JSON(`{"n":1.10}`), cell.Null, `json:{"n":1.10}`},
		{5, cell.Null, "integer:5"},
		{int8(-5), cell.Null, "integer:-5"},
		{int16(5), cell.Null, "integer:5"},
		{int32(5), cell.Decimal, "decimal:5"},
		{int64(5), cell.Float, "float:5"},
		{uint(5), cell.Null, "integer:5"},
		{uint8(5), cell.Null, "integer:5"},
		{uint16(5), cell.Null, "integer:5"},
		{uint32(5), cell.Null, "integer:5"},
		{uint64(18446744073709551615), cell.Null, "integer:18446744073709551615"},
		{float32(0.1), cell.Null, "float32:0.1"},
		{0.30000000000000004, cell.Null, "float:0.30000000000000004"},
		{true, cell.Null, "bool:true"},
		{moment, cell.Null, "instant:2026-09-02 14:30:25.5+09:00:00"},
		{moment.UTC(), cell.Instant, "instant:2026-09-02 05:30:25.5Z"},
		{moment, cell.Date, "date:2026-09-02"},
		{moment, cell.DateTime, "datetime:2026-09-02 14:30:25.5"},
		{moment, cell.Time, "time:14:30:25.5"},
		{true, cell.Integer, "!"},
		{1.5, cell.Decimal, "!"},
		{moment, cell.Integer, "!"},
		{struct{}{}, cell.Null, "!"},
		{moment.Sub(moment), cell.Null, "!"},
	} {
		d := dataset.FromSeq(dataset.Info{Name: "go"}, []cell.Field{{Name: "before", Kind: cell.Text}, {Name: "v", Kind: c.declared}},
			given(nil, dataset.Row{"앞", c.value}, dataset.Row{"next", nil}))
		_, rows, err := readAll(t.Context(), d, dataset.Query{})
		if c.want == "!" {
			if !fault.Is(err, fault.Unprocessable) || !strings.Contains(fault.SafeMessage(err), `the field "v" got a value of the type`) {
				t.Errorf("%T as %s: %v", c.value, kindNames[c.declared], err)
			}
			continue
		}
		if diff := cmp.Diff([]row{{"text:앞", c.want}, {"text:next", "null"}}, rows); diff != "" || err != nil {
			t.Errorf("%T as %s: %s %v", c.value, kindNames[c.declared], diff, err)
		}
	}
}

func TestProviderFaults(t *testing.T) {
	fields := []cell.Field{{Name: "a"}}
	own := fault.New(fault.Unavailable, "The shop is closed.")
	panics := func(context.Context, dataset.Query) iter.Seq2[dataset.Row, error] {
		return func(yield func(dataset.Row, error) bool) {
			yield(dataset.Row{"x"}, nil)
			panic("secret detail")
		}
	}
	for _, c := range []struct {
		what   string
		fields []cell.Field
		seq    func(context.Context, dataset.Query) iter.Seq2[dataset.Row, error]
		code   fault.Code
		text   string
	}{
		{"an error", fields, given(errors.New("secret detail"), dataset.Row{"x"}), fault.Internal, `Dataset "go": its provider failed.`},
		{"a fault", fields, given(own, dataset.Row{"x"}), fault.Unavailable, "The shop is closed."},
		{"a panic", fields, panics, fault.Internal, `Dataset "go": its provider failed.`},
		{"a panic at once", fields, func(context.Context, dataset.Query) iter.Seq2[dataset.Row, error] { panic("secret") }, fault.Internal, `Dataset "go": its provider failed.`},
		{"a short row", fields, given(nil, dataset.Row{}), fault.Unprocessable, `Dataset "go": a row has 0 values for 1 fields.`},
		{"two names", []cell.Field{{Name: "a"}, {Name: "a"}}, given(nil), fault.Unprocessable, `Dataset "go": two columns are named "a".`},
	} {
		_, _, err := readAll(t.Context(), dataset.FromSeq(dataset.Info{Name: "go"}, c.fields, c.seq), dataset.Query{})
		if !fault.Is(err, c.code) || fault.SafeMessage(err) != c.text {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestProviderIsStopped checks that the provider's own clean-up runs.
func TestProviderIsStopped(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		cleaned := false
		ctx, cancel := context.WithCancel(t.Context())
		d := dataset.FromSeq(dataset.Info{Name: "go"}, []cell.Field{{Name: "n"}}, func(ctx context.Context, _ dataset.Query) iter.Seq2[dataset.Row, error] {
			return func(yield func(dataset.Row, error) bool) {
				defer func() { cleaned = true }()
				for i := 0; ctx.Err() == nil; i++ {
					if !yield(dataset.Row{i}, nil) {
						return
					}
				}
			}
		})
		rows, err := d.Open(ctx, dataset.Query{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if !rows.Next() {
				t.Fatal(rows.Err())
			}
		}
		if cancelled {
			cancel()
			if rows.Next() || !errors.Is(rows.Err(), context.Canceled) {
				t.Errorf("after the context's end: %v", rows.Err())
			}
		}
		if err := errors.Join(rows.Close(), rows.Close()); err != nil {
			t.Error(err)
		}
		if !cleaned || rows.Next() {
			t.Error("the provider was not stopped")
		}
		cancel()
	}
}

func TestFromQuery(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		bindingTable(t, e)
		query := "SELECT id, status, price, ordered_on FROM bind_orders WHERE status = ? ORDER BY id"
		if e.name == "postgres" {
			query = strings.Replace(query, "?", "$1", 1)
		}
		d := dataset.FromQuery(dataset.Info{Name: "own"}, e.db, query, func(q dataset.Query) []any {
			return []any{q.Params["status"].Items[0]}
		})
		status := dataset.Query{Params: dataset.Values{"status": {Type: dataset.StringParam, Items: []string{"가"}}}}
		fields, rows := mustRead(t, d, status)
		if len(rows) != 2 || len(fields) != 4 || rows[1][0] != "integer:4" || rows[1][1] != "text:가" || rows[1][3] != "date:2026-09-04" {
			t.Errorf("%v", rows)
		}
		if e.name != "sqlite" && rows[0][2] != "decimal:1.1050" {
			t.Errorf("price %v", rows[0])
		}
		broken := dataset.FromQuery(dataset.Info{Name: "own"}, e.db, "SELECT nothing FROM nowhere", nil)
		if _, _, err := readAll(t.Context(), broken, dataset.Query{}); !fault.Is(err, fault.Internal) || fault.SafeMessage(err) != `Dataset "own": the query failed.` {
			t.Errorf("broken: %v", err)
		}
		twice := dataset.FromQuery(dataset.Info{Name: "own"}, e.db, "SELECT id, id FROM bind_orders", nil)
		if _, _, err := readAll(t.Context(), twice, dataset.Query{}); !fault.Is(err, fault.Unprocessable) {
			t.Errorf("two names: %v", err)
		}
	})
}
