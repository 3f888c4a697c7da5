// Package awsclient is what the adapters of all AWS services share: how a client
// is set up, and what an SDK error means. What a single service does differently
// stays with its adapter.
//
// Guarantees: a request that is never answered ends; an ended context is
// answered by its own error; an error that never reached the server counts as
// fault.Unavailable, so that it is tried again.
package awsclient

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/haexcel/haexcel/shared/fault"
)

// Options say who asks. What is left out is found by the SDK's default chain (a
// Lambda function's role, for example).
type Options struct {
	Service   string // its name in messages
	Region    string
	AccessKey string // both keys or neither
	SecretKey string

	// ReplyTimeout ends a request whose server took it and never answers; sending
	// the body is not counted.
	ReplyTimeout time.Duration
}

// Load makes a service's configuration; more adds what only that service needs.
// Its clients retry as the SDK's standard says. Half a pair of keys and a region
// that nothing names are fault.Invalid.
func Load(ctx context.Context, o Options, more ...func(*config.LoadOptions) error) (aws.Config, error) {
	if (o.AccessKey == "") != (o.SecretKey == "") {
		return aws.Config{}, fault.New(fault.Invalid, fmt.Sprintf("Of the %s access key and secret key only one is set.", o.Service))
	}
	load := append([]func(*config.LoadOptions) error{
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
			t.ResponseHeaderTimeout = o.ReplyTimeout
		})),
	}, more...)
	if o.Region != "" {
		load = append(load, config.WithRegion(o.Region))
	}
	if o.AccessKey != "" {
		load = append(load, config.WithCredentialsProvider(
			credentials.NewStaticCredentialsProvider(o.AccessKey, o.SecretKey, "")))
	}
	cfg, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return aws.Config{}, fault.Wrap(fault.Invalid, err, "The AWS configuration cannot be read.")
	}
	if cfg.Region == "" {
		return aws.Config{}, fault.New(fault.Invalid, fmt.Sprintf("No %s region is set.", o.Service))
	}
	return cfg, nil
}
