package sqswake

import (
	"context"
	"net/http"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/haexcel/haexcel/shared/fault"
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
	if (o.AccessKey == "") != (o.SecretKey == "") {
		return nil, fault.New(fault.Invalid, "Of the SQS access key and secret key only one is set.")
	}
	load := []func(*config.LoadOptions) error{
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
			t.ResponseHeaderTimeout = replyTimeout
		})),
	}
	if o.Region != "" {
		load = append(load, config.WithRegion(o.Region))
	}
	if o.AccessKey != "" {
		load = append(load, config.WithCredentialsProvider(
			credentials.NewStaticCredentialsProvider(o.AccessKey, o.SecretKey, "")))
	}
	cfg, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "The AWS configuration cannot be read.")
	}
	if cfg.Region == "" {
		return nil, fault.New(fault.Invalid, "No SQS region is set.")
	}
	return sqs.NewFromConfig(cfg, func(so *sqs.Options) {
		if o.Endpoint != "" {
			so.BaseEndpoint = &o.Endpoint
		}
	}), nil
}
