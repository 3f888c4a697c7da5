package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/go-sql-driver/mysql"

	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/s3store"
	"github.com/haexcel/haexcel/shared/wake/sqswake"
)

// Where local/testenv says that its servers are.
const (
	mariaDBVariable  = "HAEXCEL_TEST_MARIADB_URL"
	endpointVariable = "HAEXCEL_TEST_AWS_ENDPOINT"
)

// LocalStack takes any keys.
const (
	testRegion = "us-east-1"
	testKey    = "test"
)

// useTestServers makes a database, a bucket and queues of this run's own and lets all
// servers use them. remove takes them away again.
func (p *program) useTestServers(ctx context.Context) (remove func(context.Context) error, err error) {
	address, endpoint := os.Getenv(mariaDBVariable), os.Getenv(endpointVariable)
	if address == "" || endpoint == "" {
		return nil, fmt.Errorf("%s and %s are missing: run this by local/testenv", mariaDBVariable, endpointVariable)
	}
	name := "haexcel_measure_" + strings.ToLower(rand.Text())
	bucket := strings.ReplaceAll(name, "_", "-")
	databaseURL, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", mariaDBVariable, err)
	}
	if err := execute(ctx, databaseURL, "CREATE DATABASE "+name+" CHARACTER SET utf8mb4"); err != nil {
		return nil, fmt.Errorf("make a database: %w", err)
	}
	drop := func(ctx context.Context) error { return execute(ctx, databaseURL, "DROP DATABASE "+name) }
	client, err := s3store.NewClient(ctx, s3store.ClientOptions{Region: testRegion, Endpoint: endpoint, AccessKey: testKey, SecretKey: testKey})
	if err == nil {
		_, err = client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &bucket})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a bucket: %w", err), drop(ctx))
	}
	queues, removeQueues, err := makeQueues(ctx, endpoint)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make queues: %w", err), drop(ctx), deleteBucket(ctx, client, bucket))
	}
	p.environment = append(p.environment, queues...)
	p.environment = append(p.environment,
		"HAEXCEL_DATABASE_URL="+databaseURL.JoinPath(name).String(),
		"HAEXCEL_STORAGE_TYPE=S3", "HAEXCEL_S3_BUCKET="+bucket, "HAEXCEL_S3_ENDPOINT="+endpoint,
		"HAEXCEL_S3_REGION="+testRegion, "HAEXCEL_S3_ACCESS_KEY="+testKey, "HAEXCEL_S3_SECRET_KEY="+testKey)
	return func(ctx context.Context) error {
		return errors.Join(drop(ctx), deleteBucket(ctx, client, bucket), removeQueues(ctx))
	}, nil
}

// makeQueues makes the two queues of wakes, and answers the settings that name
// them.
func makeQueues(ctx context.Context, endpoint string) (settings []string, remove func(context.Context) error, err error) {
	client, err := sqswake.NewClient(ctx, sqswake.ClientOptions{Region: testRegion, Endpoint: endpoint, AccessKey: testKey, SecretKey: testKey})
	if err != nil {
		return nil, nil, err
	}
	settings = []string{
		"HAEXCEL_WAKE=sqs", "AWS_ENDPOINT_URL=" + endpoint,
		"AWS_REGION=" + testRegion, "AWS_ACCESS_KEY_ID=" + testKey, "AWS_SECRET_ACCESS_KEY=" + testKey,
	}
	var urls []string
	remove = func(ctx context.Context) (err error) {
		for _, url := range urls {
			_, deleteErr := client.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: &url})
			err = errors.Join(err, deleteErr)
		}
		return err
	}
	for _, setting := range []string{"HAEXCEL_NORMAL_QUEUE_URL", "HAEXCEL_LARGE_QUEUE_URL"} {
		name := "measure-" + rand.Text()
		made, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name})
		if err != nil {
			return nil, nil, errors.Join(err, remove(ctx))
		}
		urls = append(urls, *made.QueueUrl)
		settings = append(settings, setting+"="+*made.QueueUrl)
	}
	return settings, remove, nil
}

// execute runs one statement on a MariaDB.
func execute(ctx context.Context, server *url.URL, statement string) (err error) {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User = "tcp", server.Host, server.User.Username()
	config.Passwd, _ = server.User.Password()
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, statement)
	return err
}

// deleteBucket deletes a bucket with the files in it.
func deleteBucket(ctx context.Context, client *s3.Client, name string) error {
	store, err := s3store.New(s3store.Options{Client: client, Bucket: name})
	if err != nil {
		return err
	}
	var keys []string
	err = store.List(ctx, "", func(a storage.Attributes) bool {
		keys = append(keys, a.Key)
		return true
	})
	for _, key := range keys {
		err = errors.Join(err, store.Delete(ctx, key))
	}
	_, deleteErr := client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &name})
	return errors.Join(err, deleteErr)
}
