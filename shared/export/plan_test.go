package export_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
)

func TestPlan(t *testing.T) {
	b := setup(t)
	boom := fault.New(fault.Unavailable, "away")
	slow := func(ctx context.Context) (int64, bool, error) { <-ctx.Done(); return 0, false, ctx.Err() }
	for _, c := range []struct {
		name  string
		count func(context.Context) (int64, bool, error)
		limit int64
		want  export.Plan
		code  fault.Code
	}{
		{"small", nil, 0, export.Plan{Count: 1999, Known: true}, ""},
		{"at the limit", nil, 1999, export.Plan{Count: 1999, Known: true}, ""},
		{"over the limit", nil, 1998, export.Plan{}, fault.Unprocessable},
		{"large", func(context.Context) (int64, bool, error) { return 2000, true, nil }, 0, export.Plan{Count: 2000, Known: true, Large: true}, ""},
		{"count off", func(context.Context) (int64, bool, error) { return 0, false, nil }, 0, export.Plan{Large: true}, ""},
		{"too slow", slow, 0, export.Plan{Large: true}, ""},
		{"fails", func(context.Context) (int64, bool, error) { return 0, false, boom }, 0, export.Plan{}, fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newNumbers(1999)
			d.count = c.count
			d.info.MaxRows = c.limit
			s := b.settings
			if c.name == "too slow" {
				s.CountTimeout = time.Millisecond
			}
			got, err := export.New(s).Plan(context.Background(), request(d))
			if fault.CodeOf(err) != c.code {
				t.Fatalf("error %v, want code %q", err, c.code)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if c.code == fault.Unprocessable && !strings.Contains(fault.SafeMessage(err), "1998") {
				t.Errorf("the message does not name the limit: %s", fault.SafeMessage(err))
			}
		})
	}
}

func TestPlanEndsWithItsContext(t *testing.T) {
	b := setup(t)
	d := newNumbers(1)
	d.count = func(ctx context.Context) (int64, bool, error) { <-ctx.Done(); return 0, false, ctx.Err() }
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := export.New(b.settings).Plan(ctx, request(d)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}
