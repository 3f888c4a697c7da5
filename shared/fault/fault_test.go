package fault_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
)

var all = []fault.Code{
	fault.Invalid, fault.Unauthenticated, fault.Forbidden, fault.NotFound, fault.Conflict, fault.Gone, fault.TooLarge,
	fault.UnsupportedMedia, fault.Unprocessable, fault.TooManyRequests, fault.HeadersTooLarge, fault.Internal,
	fault.Unavailable, fault.Busy, fault.Lost, fault.Cancelled, fault.Duplicate, fault.UnknownOutcome,
}

func TestCodesDiffer(t *testing.T) {
	seen := map[fault.Code]bool{}
	for _, code := range all {
		if code == "" || seen[code] {
			t.Errorf("%q is empty or taken", code)
		}
		seen[code] = true
	}
}

func TestCodeOf(t *testing.T) {
	inner := fault.New(fault.NotFound, "inner")
	for name, c := range map[string]struct {
		err  error
		want fault.Code
	}{
		"nil":                {nil, ""},
		"a fault":            {inner, fault.NotFound},
		"a wrapped fault":    {fmt.Errorf("open: %w", inner), fault.NotFound},
		"outermost decides":  {fault.Wrap(fault.Unavailable, inner, "outer"), fault.Unavailable},
		"joined":             {errors.Join(errors.New("x"), inner), fault.NotFound},
		"no fault":           {errors.New("x"), fault.Internal},
		"an ended context":   {context.Canceled, fault.Internal},
		"with field":         {inner.WithField("a", "b"), fault.NotFound},
		"with advice":        {inner.WithRetryAfter(time.Second), fault.NotFound},
		"wrapped without it": {fault.Wrap(fault.Lost, nil, "x"), fault.Lost},
	} {
		if got := fault.CodeOf(c.err); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		for _, code := range all {
			if got := fault.Is(c.err, code); got != (c.err != nil && code == c.want) {
				t.Errorf("%s: Is(%q) is %t", name, code, got)
			}
		}
	}
	if fault.Is(nil, "") {
		t.Error("nil is a fault")
	}
}

func TestSafeMessageNeverShowsTheCause(t *testing.T) {
	secret := errors.New("dial tcp 10.1.2.3:3306: password hunter2")
	for name, err := range map[string]error{
		"unknown":        secret,
		"wrapped":        fault.Wrap(fault.Unavailable, secret, "The database is not available."),
		"around a fault": fmt.Errorf("claim job: %w: %w", secret, fault.New(fault.Lost, "The lease is lost.")),
		"no message":     fault.Wrap(fault.Internal, secret, ""),
		"outer":          fault.Wrap(fault.Invalid, fault.New(fault.Internal, "inner"), "outer"),
	} {
		got := fault.SafeMessage(err)
		if got == "" || strings.Contains(got, "hunter2") || strings.Contains(got, "inner") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := fault.SafeMessage(fmt.Errorf("x: %w", fault.New(fault.Lost, "The lease is lost."))); got != "The lease is lost." {
		t.Errorf("got %q", got)
	}
}

func TestErrorIsForLogs(t *testing.T) {
	cause := errors.New("cause")
	err := fault.Wrap(fault.Unavailable, cause, "Away.")
	if got := err.Error(); got != "Away: cause" {
		t.Errorf("got %q", got)
	}
	if got := fault.New(fault.Invalid, "Bad.").Error(); got != "Bad." {
		t.Errorf("got %q", got)
	}
	if !errors.Is(err, cause) {
		t.Error("the cause is not in the chain")
	}
}

func TestWithReturnsACopy(t *testing.T) {
	base := fault.New(fault.Invalid, "Bad.")
	one := base.WithField("a", "missing")
	two := one.WithField("b", "too long").WithRetryAfter(time.Second)
	if base.Fields != nil || len(one.Fields) != 1 || len(two.Fields) != 2 {
		t.Errorf("fields %v, %v, %v", base.Fields, one.Fields, two.Fields)
	}
	if two.Fields["a"] != "missing" || two.Fields["b"] != "too long" || two.Message != "Bad." {
		t.Errorf("got %+v", two)
	}
	if one.RetryAfter != 0 || two.RetryAfter != time.Second {
		t.Errorf("advice %s, %s", one.RetryAfter, two.RetryAfter)
	}
}

func TestRetryable(t *testing.T) {
	yes := map[fault.Code]bool{
		fault.Internal: true, fault.Unavailable: true, fault.Busy: true, fault.TooManyRequests: true, fault.UnknownOutcome: true,
	}
	for _, code := range all {
		if got := fault.Retryable(fmt.Errorf("x: %w", fault.New(code, "m"))); got != yes[code] {
			t.Errorf("%s: %t", code, got)
		}
	}
	if !fault.Retryable(errors.New("cut")) {
		t.Error("an unknown error is not retryable")
	}
	if fault.Retryable(nil) {
		t.Error("nil is retryable")
	}
}
