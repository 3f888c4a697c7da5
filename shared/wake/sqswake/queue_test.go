package sqswake

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"go.uber.org/goleak"

	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/wake"
	"github.com/haexcel/haexcel/shared/wake/waketest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// Connections that http keeps open for the next request.
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
	)
}

func newTestClient(t *testing.T) *sqs.Client {
	t.Helper()
	client, err := NewClient(context.Background(), ClientOptions{
		Region: "us-east-1", Endpoint: testservices.AWSEndpoint(t), AccessKey: "test", SecretKey: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// newTestQueue makes a queue that goes with the test.
func newTestQueue(t *testing.T, client *sqs.Client, attributes map[string]string) string {
	t.Helper()
	ctx := context.Background()
	out, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{
		QueueName: aws.String("wake-" + strings.ToLower(rand.Text())), Attributes: attributes,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := client.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: out.QueueUrl}); err != nil {
			t.Error(err)
		}
	})
	return *out.QueueUrl
}

func TestConformance(t *testing.T) {
	client := newTestClient(t)
	waketest.Run(t, waketest.Harness{Setup: func(t *testing.T) waketest.Fixture {
		dead := newTestQueue(t, client, nil)
		arn, err := client.GetQueueAttributes(context.Background(), &sqs.GetQueueAttributesInput{
			QueueUrl: &dead, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
		})
		if err != nil {
			t.Fatal(err)
		}
		policy, err := json.Marshal(map[string]any{
			"deadLetterTargetArn": arn.Attributes["QueueArn"], "maxReceiveCount": 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		queue := newTestQueue(t, client, map[string]string{"VisibilityTimeout": "2", "RedrivePolicy": string(policy)})
		return waketest.Fixture{
			Queue: New(client, queue), DeadLetter: New(client, dead), MaxReceives: 3, Visibility: 2 * time.Second,
		}
	}})
}

// spoiled returns a client whose server answers every request with that error.
func spoiled(status int, code string) *sqs.Client {
	return sqs.New(sqs.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "s", ""),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond }),
		HTTPClient: doer(func(r *http.Request) (*http.Response, error) {
			if status == 0 {
				return nil, errors.New("connection reset by peer (injected)")
			}
			body := `{"__type":"com.amazonaws.sqs#` + code + `","message":"injected"}`
			return &http.Response{
				StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
				Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
				Body:   io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
			}, nil
		}),
	})
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

func TestErrorsBecomeFaults(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
		want   fault.Code
	}{
		{0, "", fault.Unavailable},
		{500, "InternalFailure", fault.Unavailable},
		{503, "ServiceUnavailable", fault.Unavailable},
		{400, "RequestThrottled", fault.Unavailable},
		{400, "ThrottlingException", fault.Unavailable},
		{403, "RequestThrottled", fault.Unavailable},
		{403, "ExpiredToken", fault.Unavailable},
		{429, "TooMany", fault.Unavailable},
		{403, "OverLimit", fault.Unavailable},
		{400, "AccessDeniedException", fault.Forbidden},
		{403, "InvalidClientTokenId", fault.Forbidden},
		{400, "KmsAccessDenied", fault.Forbidden},
		{400, "QueueDoesNotExist", fault.Invalid},
		{400, "InvalidMessageContents", fault.Invalid},
		{404, "SomethingElse", fault.Invalid},
	} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			q := New(spoiled(c.status, c.code), "https://sqs.us-east-1.amazonaws.com/123456789012/q")
			_, receiveErr := q.Receive(ctx, 1, 0)
			for op, err := range map[string]error{
				"send":           q.Send(ctx, "x", wake.SendOptions{}),
				"receive":        receiveErr,
				"delete":         q.Delete(ctx, "r"),
				"set visibility": q.SetVisibility(ctx, "r", time.Second),
			} {
				if got := fault.CodeOf(err); got != c.want {
					t.Errorf("%s: got %q (%v), want %q", op, got, err, c.want)
				}
			}
		})
	}
}

func TestStaleReceipts(t *testing.T) {
	ctx := context.Background()
	for _, code := range []string{"ReceiptHandleIsInvalid", "InvalidParameterValue", "InvalidParameterValueException", "MessageNotInflight"} {
		q := New(spoiled(400, code), "https://sqs.us-east-1.amazonaws.com/123456789012/q")
		if err := q.Delete(ctx, "r"); err != nil {
			t.Errorf("%s: delete: %v", code, err)
		}
		if err := q.SetVisibility(ctx, "r", time.Second); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: set visibility: got %v, want NotFound", code, err)
		}
	}
}

func TestAMissingQueueIsPermanent(t *testing.T) {
	client := newTestClient(t)
	q := New(client, strings.TrimSuffix(testservices.AWSEndpoint(t), "/")+"/000000000000/no-such-queue")
	ctx := context.Background()
	if err := q.Send(ctx, "x", wake.SendOptions{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("send: got %v, want Invalid", err)
	}
	if _, err := q.Receive(ctx, 1, 0); !fault.Is(err, fault.Invalid) {
		t.Errorf("receive: got %v, want Invalid", err)
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
	client := sqs.New(sqs.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider("a", "s", ""),
	})
	if err := New(client, endpoint+"/000000000000/q").Send(context.Background(), "x", wake.SendOptions{}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v, want Unavailable", err)
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]int32{
		-time.Hour: 0, 0: 0, 1: 1, time.Second: 1, time.Second + 1: 2, 90 * time.Second: 90, time.Hour: 900,
	} {
		if got := seconds(d, maxDelay); got != want {
			t.Errorf("%s: got %d, want %d", d, got, want)
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
	c, err := NewClient(ctx, ClientOptions{Region: "ap-northeast-2", Endpoint: "http://127.0.0.1:1", AccessKey: "a", SecretKey: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if o := c.Options(); aws.ToString(o.BaseEndpoint) != "http://127.0.0.1:1" || o.Region != "ap-northeast-2" {
		t.Errorf("endpoint %q, region %q", aws.ToString(o.BaseEndpoint), o.Region)
	}
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
	if _, err := NewClient(ctx, ClientOptions{AccessKey: "a", SecretKey: "s"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("no region: got %v, want Invalid", err)
	}
}
