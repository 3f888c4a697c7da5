package awsclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/haexcel/haexcel/shared/awsclient"
	"github.com/haexcel/haexcel/shared/fault"
)

// answered is an SDK error for a server's answer.
func answered(status int, code string) error {
	return &awshttp.ResponseError{ResponseError: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
		Err:      &smithy.GenericAPIError{Code: code},
	}}
}

func TestErrors(t *testing.T) {
	e := awsclient.Errors{
		Codes:    map[string]fault.Code{"SlowDown": fault.Unavailable},
		Statuses: map[int]fault.Code{http.StatusNotFound: fault.NotFound},
		Messages: map[fault.Code]string{fault.Unavailable: "It is not available."},
	}
	for name, tc := range map[string]struct {
		err  error
		want fault.Code
	}{
		"a known code":                {answered(400, "SlowDown"), fault.Unavailable},
		"a status of its own":         {answered(404, "?"), fault.NotFound},
		"unauthorised":                {answered(401, "?"), fault.Forbidden},
		"forbidden":                   {answered(403, "?"), fault.Forbidden},
		"request timeout":             {answered(408, "?"), fault.Unavailable},
		"too many":                    {answered(429, "?"), fault.Unavailable},
		"redirect":                    {answered(301, "?"), fault.Invalid},
		"another fault of the call":   {answered(409, "?"), fault.Invalid},
		"a fault of the server":       {answered(500, "?"), fault.Unavailable},
		"wrapped":                     {fmt.Errorf("x: %w", answered(403, "?")), fault.Forbidden},
		"it never reached the server": {errors.New("connection refused"), fault.Unavailable},
	} {
		err := e.Map(t.Context(), "act", tc.err)
		if !fault.Is(err, tc.want) || !errors.Is(err, tc.err) {
			t.Errorf("%s: %v, want %s with its cause", name, err, tc.want)
		}
		if tc.want == fault.Unavailable && fault.SafeMessage(err) != "It is not available." {
			t.Errorf("%s: message %q", name, fault.SafeMessage(err))
		}
	}
	if err := e.Map(t.Context(), "act", nil); err != nil {
		t.Errorf("no error became %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Map(ended, "act", answered(500, "?")); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

func TestStatusAndCode(t *testing.T) {
	err := answered(404, "NoSuchUpload")
	if awsclient.Status(err) != 404 || awsclient.Status(errors.New("x")) != 0 {
		t.Error("status")
	}
	if !awsclient.IsCode(err, "NoSuchUpload") || awsclient.IsCode(err, "NoSuchKey") || awsclient.IsCode(errors.New("NoSuchUpload"), "NoSuchUpload") {
		t.Error("code")
	}
}

func TestLoad(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	for name, o := range map[string]awsclient.Options{
		"half a pair of keys": {Service: "S3", Region: "us-east-1", AccessKey: "a"},
		"no region":           {Service: "S3", AccessKey: "a", SecretKey: "b"},
	} {
		if _, err := awsclient.Load(t.Context(), o); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	cfg, err := awsclient.Load(t.Context(), awsclient.Options{
		Service: "S3", Region: "ap-northeast-2", AccessKey: "a", SecretKey: "b", ReplyTimeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := cfg.Credentials.Retrieve(t.Context())
	if err != nil || keys.AccessKeyID != "a" || keys.SecretAccessKey != "b" || cfg.Region != "ap-northeast-2" {
		t.Errorf("%s, %s, %v", cfg.Region, keys.AccessKeyID, err)
	}
	client, ok := cfg.HTTPClient.(*awshttp.BuildableClient)
	if !ok || client.GetTransport().ResponseHeaderTimeout != time.Minute {
		t.Errorf("the reply is waited for without end: %T", cfg.HTTPClient)
	}
}
