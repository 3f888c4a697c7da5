package sqswake

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/haexcel/haexcel/shared/awsclient"
	"github.com/haexcel/haexcel/shared/fault"
)

// sqsErrors is what the errors of SQS mean. Its HTTP status is 400 for nearly
// all. Some codes go by two names, of the server's older and newer protocol;
// which of them the SDK reports is the server's choice.
var sqsErrors = awsclient.Errors{
	Codes: map[string]fault.Code{
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
	},
	Messages: map[fault.Code]string{
		fault.Forbidden:   "The queue refused access.",
		fault.Invalid:     "The queue refused the request.",
		fault.Unavailable: "The queue is not available.",
	},
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
	return awsclient.IsCode(err, "InvalidParameterValue") || awsclient.IsCode(err, "InvalidParameterValueException")
}
