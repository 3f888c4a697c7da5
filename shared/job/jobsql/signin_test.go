package jobsql

import (
	"database/sql"
	"net"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
)

// silent is the address of a server that takes connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

func TestSilentServerIsUnavailable(t *testing.T) {
	for _, scheme := range []string{"mysql", "postgres"} {
		t.Run(scheme, func(t *testing.T) {
			connector, dialect, err := Connector(scheme + "://user:secret@" + silent(t) + "/jobs")
			if err != nil {
				t.Fatal(err)
			}
			limited, ok := connector.(*signInConnector)
			if !ok {
				t.Fatalf("the connector has no limit: %T", connector)
			}
			limited.limit = 50 * time.Millisecond
			s := New(sql.OpenDB(limited), dialect, Options{})
			t.Cleanup(func() { _ = s.Close() })
			if _, err := s.Now(t.Context()); !fault.Is(err, fault.Unavailable) {
				t.Errorf("reading: %v, want Unavailable", err)
			}
			if _, err := s.exec(t.Context(), "touch job", dropActiveKeySQL, params{"id": "x", "key": "y", "window": 1}); !fault.Is(err, fault.Unavailable) {
				t.Errorf("writing: %v, want Unavailable", err)
			}
		})
	}
}

// A file that another process keeps locked is given up after a while: the
// number of tries alone would not bound the wait.
func TestTriesAreBoundedByTime(t *testing.T) {
	tried := &tries{began: time.Now().Add(-tryLimit)}
	if tried.again(t.Context(), outcomeBusy, false) {
		t.Error("a busy statement is tried beyond the limit")
	}
	tried = beginTries()
	for range lostTries - 1 {
		if !tried.again(t.Context(), outcomeLost, true) {
			t.Fatal("a lost reply is not tried again")
		}
	}
	if tried.again(t.Context(), outcomeLost, true) {
		t.Error("a lost reply is tried without end")
	}
	if beginTries().again(t.Context(), outcomeLost, false) || beginTries().again(t.Context(), outcomeDefect, true) {
		t.Error("what must not be tried again is")
	}
}
