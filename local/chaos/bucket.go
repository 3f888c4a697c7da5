//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/storage/s3store"
)

// How the harness signs in at the S3 server, and its processes everywhere.
const (
	awsRegion = "us-east-1"
	awsKey    = "test"
)

// bucket is the harness's own way to the objects, past the faults.
type bucket struct {
	client *s3.Client
	name   string
}

func newBucket(ctx context.Context, endpoint string) (*bucket, error) {
	client, err := s3store.NewClient(ctx, s3store.ClientOptions{Region: awsRegion, Endpoint: endpoint, AccessKey: awsKey, SecretKey: awsKey})
	if err != nil {
		return nil, err
	}
	b := &bucket{client: client, name: "chaos-" + strings.ToLower(rand.Text())}
	if _, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &b.name}); err != nil {
		return nil, fmt.Errorf("make a bucket: %w", err)
	}
	return b, nil
}

// objects lists the keys of all objects.
func (b *bucket) objects(ctx context.Context) (keys []string, err error) {
	pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{Bucket: &b.name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, o := range page.Contents {
			keys = append(keys, *o.Key)
		}
	}
	return keys, nil
}

// uploads lists the keys of all unfinished uploads.
func (b *bucket) uploads(ctx context.Context) (keys []string, err error) {
	pages := s3.NewListMultipartUploadsPaginator(b.client, &s3.ListMultipartUploadsInput{Bucket: &b.name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, u := range page.Uploads {
			keys = append(keys, *u.Key)
		}
	}
	return keys, nil
}

// remove deletes the bucket with all that is in it: the server may be shared.
func (b *bucket) remove(ctx context.Context) error {
	keys, err := b.objects(ctx)
	for i := range keys {
		_, deleteErr := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &keys[i]})
		err = errors.Join(err, deleteErr)
	}
	_, deleteErr := b.client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &b.name})
	return errors.Join(err, deleteErr)
}
