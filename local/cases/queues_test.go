package cases

import (
	"context"
	"crypto/rand"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// queues are the two of one test on SQS, where messages can be counted.
type queues struct {
	client        *sqs.Client
	normal, large string // URLs
	environment   []string
}

func onSQS(t testing.TB) queues {
	t.Helper()
	endpoint := testservices.AWSEndpoint(t)
	q := queues{client: sqs.New(sqs.Options{
		Region: testRegion, BaseEndpoint: &endpoint, Credentials: credentials.NewStaticCredentialsProvider(testKey, testKey, ""),
	})}
	q.normal, q.large = q.create(t), q.create(t)
	q.environment = []string{
		"AWS_ENDPOINT_URL=" + endpoint, "AWS_REGION=" + testRegion, "AWS_ACCESS_KEY_ID=" + testKey, "AWS_SECRET_ACCESS_KEY=" + testKey,
		"HAEXCEL_WAKE=sqs", "HAEXCEL_NORMAL_QUEUE_URL=" + q.normal, "HAEXCEL_LARGE_QUEUE_URL=" + q.large,
	}
	return q
}

func (q queues) create(t testing.TB) (address string) {
	t.Helper()
	out, err := q.client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("cases-" + rand.Text())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = q.client.DeleteQueue(context.Background(), &sqs.DeleteQueueInput{QueueUrl: out.QueueUrl})
	})
	return *out.QueueUrl
}

// messages counts those in the normal queue, whether they wait or are worked on.
func (q queues) messages(t testing.TB) (n int) {
	t.Helper()
	names := []types.QueueAttributeName{
		types.QueueAttributeNameApproximateNumberOfMessages,
		types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
		types.QueueAttributeNameApproximateNumberOfMessagesDelayed,
	}
	out, err := q.client.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: &q.normal, AttributeNames: names})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		count, err := strconv.Atoi(out.Attributes[string(name)])
		if err != nil {
			t.Fatal(err)
		}
		n += count
	}
	return n
}
