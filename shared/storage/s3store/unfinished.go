package s3store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
)

// ListUnfinished implements storage.Driver: the multipart uploads that are open.
func (s *Store) ListUnfinished(ctx context.Context, prefix string, yield func(storage.Unfinished) bool) error {
	in := &s3.ListMultipartUploadsInput{Bucket: &s.bucket, Prefix: &prefix}
	for {
		out, err := s.client.ListMultipartUploads(ctx, in)
		if err != nil {
			return s3Errors.Map(ctx, "list the unfinished uploads", err)
		}
		for _, u := range out.Uploads {
			if !yield(storage.Unfinished{Key: aws.ToString(u.Key), ID: aws.ToString(u.UploadId), Touched: aws.ToTime(u.Initiated)}) {
				return nil
			}
		}
		// A page that leads nowhere would be asked for again and again.
		if !aws.ToBool(out.IsTruncated) || aws.ToString(out.NextKeyMarker) == "" {
			return nil
		}
		in.KeyMarker, in.UploadIdMarker = out.NextKeyMarker, out.NextUploadIdMarker
	}
}

// RemoveUnfinished implements storage.Driver.
func (s *Store) RemoveUnfinished(ctx context.Context, u storage.Unfinished) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	if u.ID == "" {
		return fault.New(fault.Invalid, "The unfinished upload has no id.")
	}
	return abortUpload(ctx, s.client, s.bucket, u.Key, u.ID)
}
