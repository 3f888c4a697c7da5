// Package s3store keeps objects in an S3 bucket, or in a server that speaks S3.
//
// Guarantees. An object is uploaded in one PutObject or as a multipart upload
// that is completed at Commit, so it appears whole or not at all. A write that
// fails or is cancelled aborts its upload and looks until no part is left,
// also after its context has ended. Memory is Concurrency+1 parts per writer
// whatever the object's size; while the server takes nothing, Write waits. What
// was damaged on the way is refused and sent again where the server compares
// checksums; see checksums. A Commit whose reply was lost is settled by
// reading a mark that each writer puts into its object's metadata.
//
// Why not a library's uploader: feature/s3/manager is deprecated, and both it
// and its successor transfermanager abort with the upload's own context, which
// does nothing once that has ended, do not look whether parts are left, and give
// up a stream of unknown length at 10,000 parts of one fixed size.
//
// Known limits. An upload whose creation was answered but whose answer was lost
// cannot be told from another writer's, nor can the uploads of a killed process
// be removed by it: ListUnfinished shows both. Without s3:ListBucket S3 answers a missing key with 403, which reads
// as Forbidden. A reader whose connection breaks fails; it does not resume. In a
// versioned bucket Delete leaves older versions to the bucket's rules.
package s3store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/awsclient"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
)

// Options of a Store.
type Options struct {
	Client *s3.Client // see NewClient; required
	Bucket string     // required

	// PartBytes is the size of the first parts, 5 MiB when 0 and at least
	// (S3's minimum). Later parts grow, so that 10,000 parts hold 5 TiB.
	PartBytes int64

	// Concurrency is how many parts of one object are sent at once, 2 when 0:
	// that outruns the rows, and each part is held in memory.
	Concurrency int

	// Now dates signed links; time.Now when nil.
	Now func() time.Time
}

// Store is a storage.Driver over a bucket. It is safe for concurrent use.
type Store struct {
	client *s3.Client
	bucket string
	how    manner
	now    func() time.Time
}

var _ storage.Driver = (*Store)(nil)

// New returns a driver. It does not call the server: see Check.
func New(o Options) (*Store, error) {
	if o.PartBytes == 0 {
		o.PartBytes = defaultPartBytes
	}
	if o.Concurrency == 0 {
		o.Concurrency = 2
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	switch {
	case o.Client == nil:
		return nil, fault.New(fault.Invalid, "No S3 client is set.")
	case o.Bucket == "":
		return nil, fault.New(fault.Invalid, "No bucket is set.")
	case o.PartBytes < minPartBytes || o.PartBytes > maxPartBytes:
		return nil, fault.New(fault.Invalid, "The part size is not between 5 MiB and 5 GiB.")
	case o.Concurrency < 1:
		return nil, fault.New(fault.Invalid, "The number of parts sent at once is below 1.")
	}
	return &Store{
		client: o.Client, bucket: o.Bucket, now: o.Now,
		how: manner{sizes: partSizes{first: o.PartBytes}, concurrency: o.Concurrency, sums: &checksums{}},
	}, nil
}

// Check asks whether the bucket is there and open to these credentials: Invalid
// or Forbidden when a setting is wrong, Unavailable when the server is away. It
// needs s3:ListBucket.
func (s *Store) Check(ctx context.Context) error {
	_, err := s.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &s.bucket})
	err = s3Errors.Map(ctx, "look at the bucket", err)
	if fault.Is(err, fault.NotFound) {
		return fault.Wrap(fault.Invalid, err, fmt.Sprintf("The bucket %q does not exist.", s.bucket))
	}
	return err
}

// NewWriter implements storage.Driver.
func (s *Store) NewWriter(ctx context.Context, key string, opt storage.WriteOptions) (storage.Writer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return newWriter(ctx, s.client, target{bucket: s.bucket, key: key, contentType: opt.ContentType}, s.how), nil
}

// NewReader implements storage.Driver.
func (s *Store) NewReader(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if length == 0 { // a range header cannot say so
		if _, err := s.Stat(ctx, key); err != nil {
			return nil, err
		}
		return http.NoBody, nil
	}
	in := &s3.GetObjectInput{Bucket: &s.bucket, Key: &key}
	switch {
	case length > 0:
		in.Range = aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))
	case offset > 0:
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", offset))
	}
	out, err := s.client.GetObject(ctx, in)
	if awsclient.IsCode(err, "InvalidRange") { // it begins at or after the end
		return http.NoBody, nil
	}
	if err != nil {
		return nil, s3Errors.Map(ctx, "read the object", err)
	}
	return &reader{ctx: ctx, body: out.Body}, nil
}

// reader maps what breaks a download half-way. A body that is shorter than its
// announced length is an error of net/http, never a silent end.
type reader struct {
	ctx  context.Context
	body io.ReadCloser
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = s3Errors.Map(r.ctx, "read the object", err)
	}
	return n, err
}

func (r *reader) Close() error { return r.body.Close() }

// Stat implements storage.Driver.
func (s *Store) Stat(ctx context.Context, key string) (storage.Attributes, error) {
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
	if err != nil {
		return storage.Attributes{}, s3Errors.Map(ctx, "look at the object", err)
	}
	return storage.Attributes{
		Key: key, Bytes: aws.ToInt64(out.ContentLength), Modified: aws.ToTime(out.LastModified),
	}, nil
}

// Delete implements storage.Driver.
func (s *Store) Delete(ctx context.Context, key string) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key})
	err = s3Errors.Map(ctx, "delete the object", err)
	if fault.Is(err, fault.NotFound) { // some servers say so
		return nil
	}
	return err
}

// List implements storage.Driver.
func (s *Store) List(ctx context.Context, prefix string, yield func(storage.Attributes) bool) error {
	pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return s3Errors.Map(ctx, "list the objects", err)
		}
		for _, o := range page.Contents {
			a := storage.Attributes{Key: aws.ToString(o.Key), Bytes: aws.ToInt64(o.Size), Modified: aws.ToTime(o.LastModified)}
			if !yield(a) {
				return nil
			}
		}
	}
	return nil
}
