package boot_test

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// comingUp stands before a PostgreSQL and refuses its first connections.
func comingUp(t *testing.T, server string, refuse int64) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it lives as long as the test
	if err != nil {
		t.Fatal(err)
	}
	var accepted atomic.Int64
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			if accepted.Add(1) <= refuse {
				_ = client.Close()
				continue
			}
			serving.Go(func() { forward(client, server) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	return listener.Addr().String()
}

func forward(client net.Conn, server string) {
	defer func() { _ = client.Close() }()
	target, err := net.Dial("tcp", server) //nolint:noctx // it lives as long as the client
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(target, client)
		_ = target.Close()
	}()
	_, _ = io.Copy(client, target)
}

// A database that comes up while a program starts does not end it, at whatever
// moment it does.
func TestStartWhileTheDatabaseComesUp(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(testservices.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	if _, err := open(t, []string{"HAEXCEL_DATABASE_URL=" + u.String()}).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for refuse := range int64(8) {
		t.Run(fmt.Sprint(refuse, " refused"), func(t *testing.T) {
			t.Parallel()
			u := *u
			u.Host = comingUp(t, server, refuse)
			if _, err := open(t, []string{"HAEXCEL_DATABASE_URL=" + u.String()}).Status(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
