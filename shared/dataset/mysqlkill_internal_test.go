package dataset

import (
	"log/slog"
	"testing"
	"time"

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// TestKillReachesItsOwnServerOnly: behind a balancer a second sign-in may reach
// another server, where the connection's number is somebody else's.
func TestKillReachesItsOwnServerOnly(t *testing.T) {
	config, err := mysqlConfig(testservices.MariaDB(t))
	if err != nil {
		t.Fatal(err)
	}
	e, err := openMySQL(config, SourceOptions{MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.close(); err != nil {
			t.Error(err)
		}
	}()
	opened, err := e.begin(t.Context(), time.UTC, true)
	if err != nil {
		t.Fatal(err)
	}
	s := opened.(*mysqlSession)
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	sleep := func() (killed bool) {
		st := newStatement(mysqlDialect)
		st.write("SELECT CAST(SLEEP(2) AS SIGNED)")
		n, err := readNumber(s, st)
		return err != nil || n == 1 // SLEEP answers 1 when it was stopped
	}
	for name, spoil := range map[string]func(){
		"another host": func() { s.host += "-other" },
		"another port": func() { s.port++ },
	} {
		host, port := s.host, s.port
		spoil()
		result := make(chan error, 1)
		timer := time.AfterFunc(300*time.Millisecond, func() { result <- s.kill() })
		if sleep() {
			t.Errorf("%s: the statement was stopped", name)
		}
		if timer.Stop() {
			t.Fatalf("%s: the statement did not wait for the KILL", name)
		}
		if err := <-result; err == nil {
			t.Errorf("%s: KILL was sent", name)
		}
		s.host, s.port = host, port
	}
	result := make(chan error, 1)
	time.AfterFunc(300*time.Millisecond, func() { result <- s.kill() })
	if !sleep() {
		t.Error("the statement was not stopped at its own server")
	}
	if err := <-result; err != nil {
		t.Errorf("KILL at its own server: %v", err)
	}
}

// TestWhatCannotBeStoppedIsCut: rows that are closed early must not be read to
// their end where KILL cannot be sent.
func TestWhatCannotBeStoppedIsCut(t *testing.T) {
	config, err := mysqlConfig(testservices.MariaDB(t))
	if err != nil {
		t.Fatal(err)
	}
	e, err := openMySQL(config, SourceOptions{MaxConns: 1, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.close(); err != nil {
			t.Error(err)
		}
	}()
	for range 20 { // what closing races with would win now and then
		opened, err := e.begin(t.Context(), time.UTC, true)
		if err != nil {
			t.Fatal(err)
		}
		s := opened.(*mysqlSession)
		s.host += "-other"
		st := newStatement(mysqlDialect)
		st.write("SELECT a.seq, REPEAT('x', 500) FROM seq_1_to_1000000 a, seq_1_to_1000000 b")
		cur, err := s.query(st)
		if err != nil {
			t.Fatal(err)
		}
		if !cur.next() {
			t.Fatal(cur.err())
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}
