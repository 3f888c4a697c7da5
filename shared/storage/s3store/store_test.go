package s3store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
)

var writeOptions = storage.WriteOptions{ContentType: "application/zip"}

func TestNewRefusesWrongOptions(t *testing.T) {
	client := s3.New(s3.Options{Region: "us-east-1"})
	for name, o := range map[string]Options{
		"no client":        {Bucket: "b"},
		"no bucket":        {Client: client},
		"small parts":      {Client: client, Bucket: "b", PartBytes: minPartBytes - 1},
		"large parts":      {Client: client, Bucket: "b", PartBytes: maxPartBytes + 1},
		"negative senders": {Client: client, Bucket: "b", Concurrency: -1},
	} {
		if _, err := New(o); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
	}
}

func TestNewClient(t *testing.T) {
	ctx := context.Background()
	for name, o := range map[string]ClientOptions{
		"access key alone": {Region: "us-east-1", AccessKey: "a"},
		"secret key alone": {Region: "us-east-1", SecretKey: "s"},
	} {
		if _, err := NewClient(ctx, o); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
	}

	c, err := NewClient(ctx, ClientOptions{Region: "kr-standard", Endpoint: "http://127.0.0.1:1", AccessKey: "a", SecretKey: "s"})
	if err != nil {
		t.Fatal(err)
	}
	o := c.Options()
	if !o.UsePathStyle || aws.ToString(o.BaseEndpoint) != "http://127.0.0.1:1" || o.Region != "kr-standard" {
		t.Errorf("options: path style %t, endpoint %q, region %q", o.UsePathStyle, aws.ToString(o.BaseEndpoint), o.Region)
	}
	if o.RequestChecksumCalculation != aws.RequestChecksumCalculationWhenRequired ||
		o.ResponseChecksumValidation != aws.ResponseChecksumValidationWhenRequired {
		t.Error("checksums are not the ones every server takes")
	}
	if creds, err := o.Credentials.Retrieve(ctx); err != nil || creds.AccessKeyID != "a" || creds.SecretAccessKey != "s" {
		t.Errorf("credentials %q, %v", creds.AccessKeyID, err)
	}

	t.Setenv("AWS_ACCESS_KEY_ID", "from-the-chain")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	t.Setenv("AWS_REGION", "ap-northeast-2")
	c, err = NewClient(ctx, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if o := c.Options(); o.Region != "ap-northeast-2" || o.UsePathStyle {
		t.Errorf("region %q, path style %t", o.Region, o.UsePathStyle)
	}
	if creds, err := c.Options().Credentials.Retrieve(ctx); err != nil || creds.AccessKeyID != "from-the-chain" {
		t.Errorf("credentials %q, %v", creds.AccessKeyID, err)
	}
}

func TestNewClientWithoutARegion(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	if _, err := NewClient(context.Background(), ClientOptions{AccessKey: "a", SecretKey: "s"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want Invalid", err)
	}
}

// More parts than are sent at once, so that the writer waits for senders and
// buffers are used again on the way to a real server.
func TestAnObjectOfManyParts(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	store := newTestStore(t, client, bucket)
	ctx := context.Background()
	w, err := store.NewWriter(ctx, "many", writeOptions)
	if err != nil {
		t.Fatal(err)
	}
	const size = 41<<20 + 1
	sent, read := sha256.New(), sha256.New()
	if _, err := io.CopyN(io.MultiWriter(w, sent), rand.NewChaCha8([32]byte{2}), size); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	r, err := store.NewReader(ctx, "many", 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(read, r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	if n != size || !bytes.Equal(read.Sum(nil), sent.Sum(nil)) {
		t.Errorf("%d bytes came back, with another sum", n)
	}
	head, err := client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &bucket, Key: aws.String("many"), PartNumber: aws.Int32(1)})
	if err != nil || aws.ToInt32(head.PartsCount) != 9 {
		t.Errorf("%d parts, %v", aws.ToInt32(head.PartsCount), err)
	}
}

func TestCheck(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	if err := newTestStore(t, client, bucket).Check(context.Background()); err != nil {
		t.Error(err)
	}
	if err := newTestStore(t, client, "no-such-bucket-here").Check(context.Background()); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want Invalid", err)
	}
}

func TestAMissingBucketIsPermanent(t *testing.T) {
	store := newTestStore(t, newTestClient(t), "no-such-bucket-here")
	ctx := context.Background()
	for _, size := range []int{small, big} {
		if err := writeAll(ctx, store, "key", randomBytes(size)); !fault.Is(err, fault.Invalid) || fault.Retryable(err) {
			t.Errorf("write of %d: got %v, want Invalid", size, err)
		}
	}
	if _, err := store.NewReader(ctx, "key", 0, -1); !fault.Is(err, fault.Invalid) {
		t.Errorf("read: got %v, want Invalid", err)
	}
	if err := store.List(ctx, "", func(storage.Attributes) bool { return true }); !fault.Is(err, fault.Invalid) {
		t.Errorf("list: got %v, want Invalid", err)
	}
}

func TestAServerThatIsAwayIsUnavailable(t *testing.T) {
	// A port that was free a moment ago: nothing listens there.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	endpoint := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	client := s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, UsePathStyle: true, Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider("a", "s", ""),
	})
	store := newTestStore(t, client, "bucket")
	ctx := context.Background()
	if _, err := store.Stat(ctx, "key"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("stat: got %v, want Unavailable", err)
	}
	if _, err := store.NewReader(ctx, "key", 0, -1); !fault.Is(err, fault.Unavailable) {
		t.Errorf("read: got %v, want Unavailable", err)
	}
	if err := store.Check(ctx); !fault.Is(err, fault.Unavailable) {
		t.Errorf("check: got %v, want Unavailable", err)
	}
	if err := writeAll(ctx, store, "key", randomBytes(big)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("write: got %v, want Unavailable", err)
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	cause := errors.New("cause")
	if err := s3Errors.Map(context.Background(), "act", cause); !errors.Is(err, cause) || !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
	if err := s3Errors.Map(context.Background(), "act", nil); err != nil {
		t.Errorf("got %v for nil", err)
	}
}
