package sqswake

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/haexcel/haexcel/shared/fault"
)

// codes are the error codes of SQS that say more than their HTTP status, which
// is 400 for nearly all. Some go by two names, of the server's older and newer
// protocol; which of them the SDK reports is the server's choice.
var codes = map[string]fault.Code{
	"AccessDenied":                fault.Forbidden,
	"AccessDeniedException":       fault.Forbidden,
	"InvalidClientTokenId":        fault.Forbidden,
	"UnrecognizedClientException": fault.Forbidden,
	"SignatureDoesNotMatch":       fault.Forbidden,
	"InvalidSecurity":             fault.Forbidden,
	"KmsAccessDenied":             fault.Forbidden,
	"KMS.AccessDeniedException":   fault.Forbidden,
	"KmsDisabled":                 fault.Forbidden,
	"KMS.DisabledException":       fault.Forbidden,
	"ExpiredToken":                fault.Unavailable, // the next try signs with fresh credentials
	"ExpiredTokenException":       fault.Unavailable,
	"RequestExpired":              fault.Unavailable,
	"OverLimit":                   fault.Unavailable, // too many messages in flight
	"RequestThrottled":            fault.Unavailable,
	"Throttling":                  fault.Unavailable,
	"ThrottlingException":         fault.Unavailable,
	"KmsThrottled":                fault.Unavailable,
	"KMS.ThrottlingException":     fault.Unavailable,
}

var messages = map[fault.Code]string{
	fault.Forbidden:   "The queue refused access.",
	fault.Invalid:     "The queue refused the request.",
	fault.Unavailable: "The queue is not available.",
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
	status := 0
	if reply, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		status = reply.HTTPStatusCode()
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

// isStaleReceipt reports that SQS does not know the receipt, or knows that its
// delivery is over. The other parameters of the calls that take a receipt are
// always valid, so a parameter that is not is the receipt.
func isStaleReceipt(err error) bool {
	if _, ok := errors.AsType[*types.ReceiptHandleIsInvalid](err); ok {
		return true
	}
	if _, ok := errors.AsType[*types.MessageNotInflight](err); ok {
		return true
	}
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && (api.ErrorCode() == "InvalidParameterValue" || api.ErrorCode() == "InvalidParameterValueException")
}
