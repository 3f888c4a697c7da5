package awsclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/haexcel/haexcel/shared/fault"
)

// Errors is what a service's errors mean.
type Errors struct {
	Codes    map[string]fault.Code // error codes that say more than their HTTP status
	Statuses map[int]fault.Code    // HTTP statuses that mean something else here than elsewhere
	Messages map[fault.Code]string // safe texts
}

// Map turns an SDK error into a fault, or into the context's own error when that
// has ended. What names neither a code nor a status never reached the server, or
// its answer was lost: Unavailable.
func (e Errors) Map(ctx context.Context, action string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	code := e.code(err)
	return fault.Wrap(code, fmt.Errorf("%s: %w", action, err), e.Messages[code])
}

func (e Errors) code(err error) fault.Code {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		if code, ok := e.Codes[api.ErrorCode()]; ok {
			return code
		}
	}
	status := Status(err)
	if code, ok := e.Statuses[status]; ok {
		return code
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.Forbidden
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests:
		return fault.Unavailable
	case status >= 300 && status < 500:
		return fault.Invalid
	default:
		return fault.Unavailable
	}
}

// Status is the HTTP status of the server's last answer, 0 without one.
func Status(err error) int {
	if reply, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		return reply.HTTPStatusCode()
	}
	return 0
}

// IsCode reports whether the service answered with that error code.
func IsCode(err error, code string) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && api.ErrorCode() == code
}
