package functions_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/aws/aws-lambda-go/events"

	"github.com/haexcel/haexcel/local/demo"
	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/job/jobsql"
)

// The region and the keys that LocalStack takes.
const region, awsKey = "us-east-1", "test"

// services are the parts that the functions of one test share: a database,
// queues and a bucket of its own on LocalStack.
type services struct {
	database      string
	normal, large string // queue URLs
	dead          string
	bucket        string
	sqs           *sqs.Client
	s3            *s3.Client
	environment   []string
}

func newServices(t *testing.T, databaseURL string) *services {
	t.Helper()
	endpoint := testservices.AWSEndpoint(t)
	keys := credentials.NewStaticCredentialsProvider(awsKey, awsKey, "")
	s := &services{
		database: databaseURL,
		bucket:   "functions-" + strings.ToLower(rand.Text()),
		sqs:      sqs.New(sqs.Options{Region: region, BaseEndpoint: &endpoint, Credentials: keys}),
		s3:       s3.New(s3.Options{Region: region, BaseEndpoint: &endpoint, Credentials: keys, UsePathStyle: true}),
	}
	if _, err := s.s3.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &s.bucket}); err != nil {
		t.Fatal(err)
	}
	s.dead = s.queue(t, nil)
	redrive := map[string]string{"RedrivePolicy": fmt.Sprintf(
		`{"deadLetterTargetArn":"arn:aws:sqs:%s:000000000000:%s","maxReceiveCount":"5"}`, region, path.Base(s.dead))}
	s.normal, s.large = s.queue(t, redrive), s.queue(t, redrive)

	s.environment = []string{
		"HAEXCEL_DATABASE_URL=" + databaseURL,
		"AWS_ENDPOINT_URL=" + endpoint, "AWS_REGION=" + region,
		"AWS_ACCESS_KEY_ID=" + awsKey, "AWS_SECRET_ACCESS_KEY=" + awsKey,
		"HAEXCEL_WAKE=sqs", "HAEXCEL_NORMAL_QUEUE_URL=" + s.normal, "HAEXCEL_LARGE_QUEUE_URL=" + s.large,
		"HAEXCEL_STORAGE_TYPE=S3", "HAEXCEL_S3_BUCKET=" + s.bucket, "HAEXCEL_S3_REGION=" + region, "HAEXCEL_S3_ENDPOINT=" + endpoint,
		"HAEXCEL_TENANT_CLAIM=custom:tenant",
		"HAEXCEL_HANDOVER_MARGIN=5s", // invocations here have a minute
	}
	return s
}

func (s *services) queue(t *testing.T, attributes map[string]string) string {
	t.Helper()
	out, err := s.sqs.CreateQueue(t.Context(), &sqs.CreateQueueInput{
		QueueName:  aws.String("functions-" + rand.Text()),
		Attributes: attributes,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = s.sqs.DeleteQueue(context.Background(), &sqs.DeleteQueueInput{QueueUrl: out.QueueUrl})
	})
	return *out.QueueUrl
}

// objects lists the keys in the bucket.
func (s *services) objects(t *testing.T) (keys []string) {
	t.Helper()
	out, err := s.s3.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &s.bucket})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range out.Contents {
		keys = append(keys, *o.Key)
	}
	return keys
}

// receive waits for one message and returns it as the event that Lambda would
// make of it: the sample event with the message's own values.
func (s *services) receive(t *testing.T, queueURL string) events.SQSEvent {
	t.Helper()
	out, err := s.sqs.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl:                    &queueURL,
		MaxNumberOfMessages:         1,
		WaitTimeSeconds:             20,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Messages) != 1 {
		t.Fatalf("%d messages in %s, want one", len(out.Messages), path.Base(queueURL))
	}
	var e events.SQSEvent
	if err := json.Unmarshal(event(t, "worker", ""), &e); err != nil {
		t.Fatal(err)
	}
	m, record := out.Messages[0], &e.Records[0]
	record.MessageId, record.ReceiptHandle, record.Body = *m.MessageId, *m.ReceiptHandle, *m.Body
	record.Attributes = m.Attributes
	record.EventSourceARN = "arn:aws:sqs:" + region + ":000000000000:" + path.Base(queueURL)
	return e
}

// consume deletes the event's messages but for those to come again, as Lambda
// does after an answer.
func (s *services) consume(t *testing.T, queueURL string, e events.SQSEvent, answer []byte) (again []string) {
	t.Helper()
	var response events.SQSEventResponse
	if err := json.Unmarshal(answer, &response); err != nil {
		t.Fatalf("answer %s: %v", answer, err)
	}
	for _, f := range response.BatchItemFailures {
		again = append(again, f.ItemIdentifier)
	}
	if len(again) == 0 {
		for _, record := range e.Records {
			_, err := s.sqs.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: &queueURL, ReceiptHandle: &record.ReceiptHandle})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return again
}

// onDatabases runs a test on each database that functions can have.
func onDatabases(t *testing.T, test func(t *testing.T, databaseURL string)) {
	t.Helper()
	t.Run("mariadb", func(t *testing.T) {
		t.Parallel()
		test(t, testservices.MariaDB(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, testservices.Postgres(t))
	})
}

// sqliteFile is a database for tests that look at one function alone.
func sqliteFile(t *testing.T) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "haexcel.db")
}

// migrated brings a database up to date and fills the demo orders.
func migrated(t *testing.T, databaseURL string, rows int) *jobsql.Store {
	t.Helper()
	store := openStore(t, databaseURL)
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := demo.Build(t.Context(), demo.Request{DatabaseURL: databaseURL, Rows: rows}); err != nil {
		t.Fatal(err)
	}
	return store
}

func openStore(t *testing.T, databaseURL string) *jobsql.Store {
	t.Helper()
	store, err := jobsql.Open(t.Context(), databaseURL, jobsql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// awayDatabase is the address of a database that nobody serves.
func awayDatabase() string {
	return (&url.URL{Scheme: "mysql", User: url.User("root"), Host: "127.0.0.1:1", Path: "/nowhere"}).String()
}
