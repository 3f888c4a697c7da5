package dataset_test

import (
	"net"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

// A server that takes the connection and then says nothing, as a stopped
// machine behind a proxy does, must not hold a worker.
func TestServerThatSaysNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	address := l.Addr().String()
	for name, url := range map[string]string{
		"MySQL":      "mysql://u:p@" + address + "/db?timeout=100ms",
		"PostgreSQL": "postgres://u:p@" + address + "/db?connect_timeout=1&sslmode=disable",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sources, err := dataset.NewSources(map[string]string{"": url}, dataset.SourceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := sources.Close(); err != nil {
					t.Error(err)
				}
			}()
			d := load(t, sources, "name: a\nselect: {id: id}\nfrom: t\n")
			opened := make(chan error, 1)
			go func() {
				_, err := d.Open(t.Context(), dataset.Query{})
				opened <- err
			}()
			select {
			case err := <-opened:
				if !fault.Is(err, fault.Unavailable) {
					t.Errorf("got %v, want Unavailable", err)
				}
			case <-time.After(30 * time.Second):
				t.Error("still waiting for the server")
			}
		})
	}
}
