package s3store

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/awsclient"
)

// ClientOptions say where the server is and who asks.
type ClientOptions struct {
	Region string // "" leaves it to the SDK's default chain

	// Endpoint is the address of a server that speaks S3, such as
	// "https://kr.object.ncloudstorage.com"; "" is AWS. With an endpoint buckets
	// are named in the path, since few servers have a host name per bucket.
	Endpoint string

	// AccessKey and SecretKey, both or neither: without them the SDK's default
	// chain finds credentials (a Lambda function's role, for example).
	AccessKey string
	SecretKey string
}

// replyTimeout ends a request whose server took it and never answers; sending
// the body is not counted. S3 begins its answer to a long CompleteMultipartUpload
// early.
const replyTimeout = 2 * time.Minute

// damaged are the answers to a body that is not what its sender has hashed.
var damaged = []string{"BadDigest", "XAmzContentSHA256Mismatch"}

// NewClient builds a client. Its retries are the SDK's standard ones; a body that
// was damaged on the way is sent again too. A region that nothing names is
// fault.Invalid.
func NewClient(ctx context.Context, o ClientOptions) (*s3.Client, error) {
	cfg, err := awsclient.Load(ctx, awsclient.Options{
		Service: "S3", Region: o.Region, AccessKey: o.AccessKey, SecretKey: o.SecretKey, ReplyTimeout: replyTimeout,
	},
		// Servers other than S3 itself refuse or ignore the newer checksums; see
		// checksums for those that are used all the same.
		config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired),
		config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired))
	if err != nil {
		return nil, err
	}
	return s3.NewFromConfig(cfg, func(so *s3.Options) {
		so.Retryer = retry.AddWithErrorCodes(so.Retryer, damaged...)
		if o.Endpoint != "" {
			so.BaseEndpoint = &o.Endpoint
			so.UsePathStyle = true
		}
	}), nil
}
