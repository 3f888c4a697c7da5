package s3store

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"go.uber.org/goleak"

	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/storagetest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// Connections that http keeps open for the next request.
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
	)
}

// newTestClient talks to the test environment's server.
func newTestClient(t testing.TB) *s3.Client {
	t.Helper()
	client, err := NewClient(context.Background(), ClientOptions{
		Region: "us-east-1", Endpoint: testservices.AWSEndpoint(t), AccessKey: "test", SecretKey: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// newTestBucket makes a bucket that goes with the test.
func newTestBucket(t testing.TB, client *s3.Client) string {
	t.Helper()
	name := "storage-" + strings.ToLower(rand.Text())
	if _, err := client.CreateBucket(context.Background(), &s3.CreateBucketInput{Bucket: &name}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		store := newTestStore(t, client, name)
		ctx := context.Background()
		var keys []string
		err := store.List(ctx, "", func(a storage.Attributes) bool {
			keys = append(keys, a.Key)
			return true
		})
		for _, key := range keys {
			err = errors.Join(err, store.Delete(ctx, key))
		}
		_, bucketErr := client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &name})
		if err := errors.Join(err, bucketErr); err != nil {
			t.Error(err)
		}
	})
	return name
}

func newTestStore(t testing.TB, client *s3.Client, bucket string) *Store {
	t.Helper()
	s, err := New(Options{Client: client, Bucket: bucket, PartBytes: minPartBytes})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pendingUploads counts the uploads that are neither complete nor aborted.
func pendingUploads(t *testing.T, client *s3.Client, bucket, prefix string) int {
	t.Helper()
	out, err := client.ListMultipartUploads(context.Background(), &s3.ListMultipartUploadsInput{
		Bucket: &bucket, Prefix: &prefix,
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Uploads)
}

func TestConformance(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	storagetest.Run(t, storagetest.Harness{CanSign: true, Setup: func(t *testing.T) storagetest.Fixture {
		return storagetest.Fixture{
			Bucket:   storage.NewBucket(newTestStore(t, client, bucket)),
			Second:   storage.NewBucket(newTestStore(t, newTestClient(t), bucket)),
			BigBytes: 12 << 20, // three parts
			// LocalStack keeps an object's length and content in two places that it
			// does not lock together.
			LaxOverwrites: true,
			Pending: func(t *testing.T, prefix string) int {
				return pendingUploads(t, client, bucket, prefix)
			},
		}
	}})
}

// transport stands between the client and the server. Each request is shown to
// it with the operation's name; it passes the request on, or spoils it.
type transport func(op string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error)

// through returns a client whose requests go through tr, and that retries
// without long pauses.
func through(client *s3.Client, tr transport) *s3.Client {
	return s3.New(client.Options(), func(o *s3.Options) {
		inner := o.HTTPClient
		o.HTTPClient = doer(func(r *http.Request) (*http.Response, error) {
			return tr(operation(r), r, func() (*http.Response, error) { return inner.Do(r) })
		})
		quick := retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = 10 * time.Millisecond })
		o.Retryer = retry.AddWithErrorCodes(quick, damaged...)
	})
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// operation names the S3 call that a request is.
func operation(r *http.Request) string {
	q := r.URL.Query()
	switch {
	case r.Method == http.MethodPost && q.Has("uploads"):
		return "create"
	case r.Method == http.MethodPut && q.Has("partNumber"):
		return "part"
	case r.Method == http.MethodPost && q.Has("uploadId"):
		return "complete"
	case r.Method == http.MethodDelete && q.Has("uploadId"):
		return "abort"
	case r.Method == http.MethodGet && q.Has("uploadId"):
		return "parts"
	case r.Method == http.MethodPut:
		return "put"
	case r.Method == http.MethodHead:
		return "head"
	default:
		return r.Method
	}
}

// answer is a server's error reply.
func answer(r *http.Request, status int, code string) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	body := "<Error><Code>" + code + "</Code><Message>injected</Message></Error>"
	if r.Method == http.MethodHead {
		body = ""
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/xml"}},
		Body:   io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

// lose lets the server act and drops its answer.
func lose(pass func() (*http.Response, error)) (*http.Response, error) {
	reply, err := pass()
	if err != nil {
		return nil, err
	}
	_, _ = io.Copy(io.Discard, reply.Body)
	_ = reply.Body.Close()
	return nil, errCut
}

var errCut = errors.New("read: connection reset by peer (injected)")

// writeAll is a whole write; the error is the first of Write and Commit.
func writeAll(ctx context.Context, s *Store, key string, content []byte) error {
	w, err := s.NewWriter(ctx, key, storage.WriteOptions{ContentType: "application/zip"})
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit()
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

func contentType(t *testing.T, client *s3.Client, bucket, key string) string {
	t.Helper()
	out, err := client.HeadObject(context.Background(), &s3.HeadObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(out.ContentType)
}
