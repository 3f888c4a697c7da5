package sqswake

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/haexcel/haexcel/shared/awsclient"
)

// ClientOptions say where the server is and who asks. Everything left out is
// found by the SDK's default chain.
type ClientOptions struct {
	Region    string
	Endpoint  string // of a server that speaks SQS; "" is AWS
	AccessKey string // both keys or neither
	SecretKey string
}

// replyTimeout ends a request that is never answered; a long poll takes 20
// seconds of it.
const replyTimeout = time.Minute

// NewClient builds a client. Its retries are the SDK's standard ones. A region
// that nothing names is fault.Invalid.
func NewClient(ctx context.Context, o ClientOptions) (*sqs.Client, error) {
	cfg, err := awsclient.Load(ctx, awsclient.Options{
		Service: "SQS", Region: o.Region, AccessKey: o.AccessKey, SecretKey: o.SecretKey, ReplyTimeout: replyTimeout,
	})
	if err != nil {
		return nil, err
	}
	return sqs.NewFromConfig(cfg, func(so *sqs.Options) {
		if o.Endpoint != "" {
			so.BaseEndpoint = &o.Endpoint
		}
	}), nil
}
