package s3store

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/haexcel/haexcel/shared/fault"
)

// codes are the error codes of S3 that say more than their HTTP status.
var codes = map[string]fault.Code{
	"NoSuchKey":               fault.NotFound,
	"NotFound":                fault.NotFound, // HEAD has no body to name a code in
	"NoSuchUpload":            fault.NotFound,
	"NoSuchBucket":            fault.Invalid,
	"PermanentRedirect":       fault.Invalid, // the bucket is in another region
	"AccessDenied":            fault.Forbidden,
	"AllAccessDisabled":       fault.Forbidden,
	"AccountProblem":          fault.Forbidden,
	"InvalidAccessKeyId":      fault.Forbidden,
	"SignatureDoesNotMatch":   fault.Forbidden,
	"InvalidToken":            fault.Forbidden,
	"ExpiredToken":            fault.Unavailable, // the next try signs with fresh credentials
	"TokenRefreshRequired":    fault.Unavailable,
	"RequestTimeTooSkewed":    fault.Unavailable,
	"RequestTimeout":          fault.Unavailable,
	"RequestTimeoutException": fault.Unavailable,
	"OperationAborted":        fault.Unavailable,
	"BadDigest":               fault.Unavailable, // damaged on the way
	"IncompleteBody":          fault.Unavailable,
	"SlowDown":                fault.Unavailable,
	"Throttling":              fault.Unavailable,
	"ThrottlingException":     fault.Unavailable,
	"TooManyRequests":         fault.Unavailable,
	"InternalError":           fault.Unavailable,
	"ServiceUnavailable":      fault.Unavailable,
}

var messages = map[fault.Code]string{
	fault.NotFound:    "The file does not exist.",
	fault.Forbidden:   "The file storage refused access.",
	fault.Invalid:     "The file storage refused the request.",
	fault.Unavailable: "The file storage is not available.",
}

// mapError turns an SDK error into a fault, or into the context's own error when
// that has ended. What names neither a code nor a status never reached the
// server, or its answer was lost: Unavailable.
func mapError(ctx context.Context, action string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	code := codeOf(err)
	return fault.Wrap(code, fmt.Errorf("%s: %w", action, err), messages[code])
}

func codeOf(err error) fault.Code {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		if code, ok := codes[api.ErrorCode()]; ok {
			return code
		}
	}
	switch status := statusOf(err); {
	case status == http.StatusNotFound:
		return fault.NotFound
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.Forbidden
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status == http.StatusConflict:
		return fault.Unavailable
	case status >= 300 && status < 500:
		return fault.Invalid
	default:
		return fault.Unavailable
	}
}

// statusOf is the HTTP status of the server's last answer, 0 without one.
func statusOf(err error) int {
	if reply, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		return reply.HTTPStatusCode()
	}
	return 0
}

func isCode(err error, code string) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && api.ErrorCode() == code
}
