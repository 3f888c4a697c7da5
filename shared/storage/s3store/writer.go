package s3store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/haexcel/haexcel/shared/awsclient"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
)

// uploadAPI is what a writer needs of *s3.Client.
type uploadAPI interface {
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	CreateMultipartUpload(context.Context, *s3.CreateMultipartUploadInput, ...func(*s3.Options)) (*s3.CreateMultipartUploadOutput, error)
	UploadPart(context.Context, *s3.UploadPartInput, ...func(*s3.Options)) (*s3.UploadPartOutput, error)
	CompleteMultipartUpload(context.Context, *s3.CompleteMultipartUploadInput, ...func(*s3.Options)) (*s3.CompleteMultipartUploadOutput, error)
	AbortMultipartUpload(context.Context, *s3.AbortMultipartUploadInput, ...func(*s3.Options)) (*s3.AbortMultipartUploadOutput, error)
	ListParts(context.Context, *s3.ListPartsInput, ...func(*s3.Options)) (*s3.ListPartsOutput, error)
	HeadObject(context.Context, *s3.HeadObjectInput, ...func(*s3.Options)) (*s3.HeadObjectOutput, error)
}

// target is the object to be.
type target struct {
	bucket, key, contentType string
}

// writer fills one part while up to concurrency others are being sent. Write,
// Commit and Abort are called by one goroutine; senders only touch what mu
// guards, and the buffer they were given.
type writer struct {
	api    uploadAPI
	target target
	sizes  partSizes
	sums   *checksums
	mark   string // proves later that an object is this writer's

	ctx     context.Context // the caller's
	sending context.Context // ends with ctx, at the first failure and at Abort
	stop    context.CancelFunc

	buf      []byte // the part being filled
	started  int32  // parts given to senders
	total    int64  // bytes written
	uploadID string // "" before the upload is created and once it is gone
	checked  bool   // the server compares each part's CRC-32
	ended    bool   // by Commit or Abort

	slots   chan struct{} // one for each part being sent
	free    chan []byte   // buffers of parts that were sent
	senders sync.WaitGroup

	mu    sync.Mutex
	err   error // the first failure
	parts []types.CompletedPart
}

var _ storage.Writer = (*writer)(nil)

// manner is how the writers of a store send.
type manner struct {
	sizes       partSizes
	concurrency int // parts of one object at once
	sums        *checksums
}

func newWriter(ctx context.Context, api uploadAPI, to target, how manner) *writer {
	w := &writer{
		api: api, target: to, sizes: how.sizes, sums: how.sums, mark: rand.Text(), ctx: ctx,
		slots: make(chan struct{}, how.concurrency), free: make(chan []byte, how.concurrency),
	}
	w.sending, w.stop = context.WithCancel(ctx)
	return w
}

var errEnded = fault.New(fault.Internal, "The upload was committed or aborted already.")

// Write implements io.Writer. A full part is sent once more bytes follow, so an
// object of at most one part never becomes a multipart upload.
func (w *writer) Write(p []byte) (int, error) {
	if w.ended {
		return 0, errEnded
	}
	if err := w.failure(); err != nil {
		return 0, err
	}
	written := 0
	for len(p) > 0 {
		size := w.sizes.of(w.started + 1)
		if int64(len(w.buf)) >= size {
			if err := w.send(); err != nil {
				return written, err
			}
			continue
		}
		n := min(int64(len(p)), size-int64(len(w.buf)))
		if w.total+n > maxObjectBytes {
			return written, w.fail(fault.New(fault.Invalid, "The file is larger than S3 can hold."))
		}
		w.grow(int(n), size)
		w.buf = append(w.buf, p[:n]...)
		p = p[n:]
		w.total += n
		written += int(n)
	}
	return written, nil
}

// grow makes room for n more bytes. The first part grows by doubling, for most
// files are small; later ones are allocated whole. append alone could reserve
// more than a part.
func (w *writer) grow(n int, size int64) {
	need := int64(len(w.buf) + n)
	if need <= int64(cap(w.buf)) {
		return
	}
	room := size
	if w.started == 0 {
		room = min(size, max(need, 2*int64(cap(w.buf)), 64<<10))
	}
	buf := make([]byte, len(w.buf), room)
	copy(buf, w.buf)
	w.buf = buf
}

// failure is why the write cannot go on, nil while it can.
func (w *writer) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err
}

// fail notes the first failure, ends the other senders, and returns the noted.
func (w *writer) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		w.stop()
	}
	return w.err
}

// send hands the filled part to a sender, waiting for one to be free.
func (w *writer) send() error {
	if w.uploadID == "" {
		if err := w.create(); err != nil {
			return w.fail(err)
		}
	}
	if w.started == maxParts {
		return w.fail(fault.New(fault.Invalid, "The file is larger than S3 can hold."))
	}
	select {
	case w.slots <- struct{}{}:
	case <-w.sending.Done():
	}
	if err := w.failure(); err != nil {
		return err
	}
	w.started++
	number, body := w.started, w.buf
	w.buf = nil
	select {
	case old := <-w.free:
		w.buf = old[:0]
	default:
	}
	w.senders.Go(func() {
		defer func() { <-w.slots }()
		w.sendPart(number, body)
	})
	return nil
}

// sendPart sends one part. The buffer of a part that failed is not used again,
// since the transport may still be reading it.
func (w *writer) sendPart(number int32, body []byte) {
	in := &s3.UploadPartInput{
		Bucket: &w.target.bucket, Key: &w.target.key, UploadId: &w.uploadID,
		PartNumber: &number,
	}
	if w.checked {
		in.ChecksumCRC32 = sumOf(body)
	}
	out, err := w.sums.part(w.sending, w.api, in, body)
	if err != nil {
		err = s3Errors.Map(w.ctx, fmt.Sprintf("upload part %d", number), err)
		if fault.Is(err, fault.NotFound) { // the upload was aborted by somebody else
			err = fault.Wrap(fault.Unavailable, err, "The unfinished upload has disappeared.")
		}
		_ = w.fail(err) // Write and Commit return it
		return
	}
	w.mu.Lock()
	w.parts = append(w.parts, types.CompletedPart{PartNumber: &number, ETag: out.ETag, ChecksumCRC32: in.ChecksumCRC32})
	w.mu.Unlock()
	select {
	case w.free <- body:
	default:
	}
}

// create begins the multipart upload. It does not end with the caller's context:
// an upload whose id never arrived could not be aborted.
func (w *writer) create() error {
	ctx, cancel := w.detached()
	defer cancel()
	var err error
	w.uploadID, w.checked, err = w.sums.begin(ctx, w.api, &s3.CreateMultipartUploadInput{
		Bucket: &w.target.bucket, Key: &w.target.key, ContentType: &w.target.contentType, Metadata: w.metadata(),
	})
	return s3Errors.Map(w.ctx, "begin an upload", err)
}

// Commit implements storage.Writer.
func (w *writer) Commit() error {
	if w.ended {
		return errEnded
	}
	w.ended = true
	defer w.stop()
	if err := w.failure(); err != nil {
		return errors.Join(err, w.discard())
	}
	if w.uploadID == "" {
		return w.put()
	}
	err := w.send()
	w.senders.Wait()
	if err == nil {
		err = w.failure()
	}
	if err != nil {
		return errors.Join(err, w.discard())
	}
	return w.complete()
}

// put stores an object of a single part.
func (w *writer) put() error {
	err := w.sums.put(w.buf, func(sum *string) error {
		_, err := w.api.PutObject(w.sending, &s3.PutObjectInput{
			Bucket: &w.target.bucket, Key: &w.target.key, ContentType: &w.target.contentType, Metadata: w.metadata(),
			Body: bytes.NewReader(w.buf), ChecksumCRC32: sum,
		})
		return err
	})
	if err == nil {
		return nil
	}
	mapped := s3Errors.Map(w.ctx, "store the object", err)
	if refused(err) {
		return mapped
	}
	switch landed, lookErr := w.landed(); {
	case landed:
		return nil
	case lookErr != nil || awsclient.Status(err) == 0:
		// The server may have the request and not be through with it.
		return unknown(mapped, lookErr)
	default:
		return mapped
	}
}

// complete makes the parts an object. When the answer is lost the upload is
// ended first, so that nothing can appear after the second look.
func (w *writer) complete() error {
	slices.SortFunc(w.parts, func(a, b types.CompletedPart) int { return cmp.Compare(*a.PartNumber, *b.PartNumber) })
	_, err := w.api.CompleteMultipartUpload(w.sending, &s3.CompleteMultipartUploadInput{
		Bucket: &w.target.bucket, Key: &w.target.key, UploadId: &w.uploadID,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: w.parts},
	})
	if err == nil {
		w.uploadID = ""
		return nil
	}
	mapped := s3Errors.Map(w.ctx, "complete the upload", err)
	if fault.Is(mapped, fault.NotFound) {
		mapped = fault.Wrap(fault.Unavailable, mapped, "The unfinished upload has disappeared.")
	}
	// A retry after a lost answer is told that there is no such upload.
	if refused(err) && !awsclient.IsCode(err, "NoSuchUpload") {
		return errors.Join(mapped, w.discard())
	}
	if landed, _ := w.landed(); landed {
		w.uploadID = ""
		return nil
	}
	discardErr := w.discard()
	switch landed, lookErr := w.landed(); {
	case landed:
		return nil
	case lookErr != nil || discardErr != nil:
		return unknown(mapped, lookErr, discardErr)
	default:
		return mapped
	}
}

// refused reports that the server answered and did nothing.
func refused(err error) bool {
	status := awsclient.Status(err)
	return status >= 400 && status < 500 && status != http.StatusRequestTimeout
}

func unknown(causes ...error) error {
	return fault.Wrap(fault.UnknownOutcome, errors.Join(causes...), "It is not known whether the file was stored.")
}
