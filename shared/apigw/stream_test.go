package apigw_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/app"
)

// leaving gives the bytes; by the time the end is read, the client has left.
type leaving struct {
	io.Reader
	ctx   context.Context
	leave context.CancelFunc
}

func (l leaving) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if err != nil {
		l.leave()
		return n, l.ctx.Err()
	}
	return n, nil
}

func (leaving) Close() error { return nil }

// A client may close the connection with the last byte.
func TestClientThatLeavesWithTheWholeFileIsNotBrokenOff(t *testing.T) {
	const file = "the whole file"
	ctx, leave := context.WithCancel(t.Context())
	var logs bytes.Buffer
	router := apigw.NewRouter(apigw.HeaderIdentity{}, 1<<20, slog.New(slog.NewTextHandler(&logs, nil)), apigw.Endpoint{
		Method: http.MethodGet, Path: "/{id}/file", Public: true,
		Do: func(context.Context, app.Caller, *apigw.Request) (*apigw.Reply, error) {
			return &apigw.Reply{Status: http.StatusOK, Header: http.Header{}, Bytes: int64(len(file)),
				Open: func(ctx context.Context) (io.ReadCloser, error) {
					return leaving{bytes.NewReader([]byte(file)), ctx, leave}, nil
				}}, nil
		},
	})
	w := httptest.NewRecorder()
	router.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/api/excel/x/file", http.NoBody))
	if w.Body.String() != file || logs.Len() > 0 {
		t.Errorf("body %q, logs %s", w.Body, &logs)
	}
}
