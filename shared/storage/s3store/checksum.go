package s3store

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"sync/atomic"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/haexcel/haexcel/shared/awsclient"
)

// checksums knows whether the server takes the CRC-32 that is sent along with
// each part and each small object, for it to refuse what was damaged on the way.
// S3 does, and so do MinIO and Ceph; others refuse a request that has one, or
// read over it. The first upload finds it out.
type checksums struct {
	unwanted atomic.Bool
	signed   atomic.Bool // the server insists on a signature over the body
}

// begin creates a multipart upload. With checked the server has confirmed that
// it compares each part's CRC-32, which all parts must have then. An id beside
// an error is that of an upload that has to be aborted.
func (c *checksums) begin(ctx context.Context, api uploadAPI, in *s3.CreateMultipartUploadInput) (id string, checked bool, err error) {
	if !c.unwanted.Load() {
		asking := *in
		asking.ChecksumAlgorithm = types.ChecksumAlgorithmCrc32
		out, err := api.CreateMultipartUpload(ctx, &asking)
		switch {
		case err == nil && out.ChecksumAlgorithm == types.ChecksumAlgorithmCrc32:
			return *out.UploadId, true, nil
		case err == nil:
			// Without a word on the checksum nobody knows what such an upload takes.
			if err := abortUpload(ctx, api, *in.Bucket, *in.Key, *out.UploadId); err != nil {
				return *out.UploadId, false, err
			}
		case !unsupported(err):
			return "", false, err
		}
	}
	out, err := api.CreateMultipartUpload(ctx, in)
	if err != nil {
		return "", false, err
	}
	c.unwanted.Store(true)
	return *out.UploadId, false, nil
}

// part sends one part, whose sum is in the request where the upload is checked. A
// server that takes no part without a signature over its body gets it with one.
func (c *checksums) part(ctx context.Context, api uploadAPI, in *s3.UploadPartInput, body []byte) (*s3.UploadPartOutput, error) {
	in.Body = bytes.NewReader(body)
	if in.ChecksumCRC32 == nil || c.signed.Load() {
		return api.UploadPart(ctx, in)
	}
	out, err := api.UploadPart(ctx, in, unsigned)
	if !unsupported(err) && !awsclient.IsCode(err, "XAmzContentSHA256Mismatch") {
		return out, err
	}
	in.Body = bytes.NewReader(body)
	if out, err = api.UploadPart(ctx, in); err == nil {
		c.signed.Store(true)
	}
	return out, err
}

// put stores an object in one request, which send makes with a checksum or
// without.
func (c *checksums) put(body []byte, send func(sum *string) error) error {
	if c.unwanted.Load() {
		return send(nil)
	}
	err := send(sumOf(body))
	if !unsupported(err) {
		return err
	}
	if err = send(nil); err == nil {
		c.unwanted.Store(true)
	}
	return err
}

// sumOf is the CRC-32 as S3 writes it.
func sumOf(body []byte) *string {
	sum := base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)))
	return &sum
}

// unsigned leaves the body out of a request's signature, as the SDK itself does
// over TLS. Over plain HTTP it would hash every body with SHA-256, which costs
// more than all else of an upload and which some servers never compare. It is for
// parts whose CRC-32 the server has said to compare. Whoever is able to change
// plain requests on their way can change the downloads as well.
var unsigned = s3.WithAPIOptions(v4.SwapComputePayloadSHA256ForUnsignedPayloadMiddleware)

// unsupported reports that something in the request is more than the server can;
// it may be the checksum.
func unsupported(err error) bool {
	switch awsclient.Status(err) {
	case http.StatusBadRequest:
		return awsclient.IsCode(err, "InvalidArgument") || awsclient.IsCode(err, "InvalidRequest") || awsclient.IsCode(err, "NotImplemented")
	case http.StatusNotImplemented:
		return true
	default:
		return false
	}
}
