package main

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/s3store"
)

// newS3Client speaks to LocalStack, which takes any keys.
func newS3Client(ctx context.Context, endpoint string) (*s3.Client, error) {
	return s3store.NewClient(ctx, s3store.ClientOptions{Region: "us-east-1", Endpoint: endpoint, AccessKey: "test", SecretKey: "test"})
}

func createBucket(ctx context.Context, endpoint, name string) error {
	client, err := newS3Client(ctx, endpoint)
	if err != nil {
		return err
	}
	_, err = client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &name})
	return err
}

// deleteBucket deletes a bucket with what a run that failed may have left there.
func deleteBucket(ctx context.Context, endpoint, name string) error {
	client, err := newS3Client(ctx, endpoint)
	if err != nil {
		return err
	}
	bucket, err := openBucket(ctx, endpoint, name)
	if err != nil {
		return err
	}
	var keys []string
	err = bucket.List(ctx, "", func(a storage.Attributes) bool {
		keys = append(keys, a.Key)
		return true
	})
	for _, key := range keys {
		err = errors.Join(err, bucket.Delete(ctx, key))
	}
	_, deleteErr := client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &name})
	return errors.Join(err, deleteErr)
}

func openBucket(ctx context.Context, endpoint, name string) (*storage.Bucket, error) {
	client, err := newS3Client(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	store, err := s3store.New(s3store.Options{Client: client, Bucket: name})
	if err != nil {
		return nil, err
	}
	return storage.NewBucket(store), nil
}
