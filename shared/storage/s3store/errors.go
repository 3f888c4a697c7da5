package s3store

import (
	"net/http"

	"github.com/haexcel/haexcel/shared/awsclient"
	"github.com/haexcel/haexcel/shared/fault"
)

// s3Errors is what the errors of S3, and of servers that speak it, mean.
var s3Errors = awsclient.Errors{
	Codes: map[string]fault.Code{
		"NoSuchKey":                 fault.NotFound,
		"NotFound":                  fault.NotFound, // HEAD has no body to name a code in
		"NoSuchUpload":              fault.NotFound,
		"NoSuchBucket":              fault.Invalid,
		"PermanentRedirect":         fault.Invalid, // the bucket is in another region
		"AccessDenied":              fault.Forbidden,
		"AllAccessDisabled":         fault.Forbidden,
		"AccountProblem":            fault.Forbidden,
		"InvalidAccessKeyId":        fault.Forbidden,
		"SignatureDoesNotMatch":     fault.Forbidden,
		"InvalidToken":              fault.Forbidden,
		"ExpiredToken":              fault.Unavailable, // the next try signs with fresh credentials
		"TokenRefreshRequired":      fault.Unavailable,
		"RequestTimeTooSkewed":      fault.Unavailable,
		"RequestTimeout":            fault.Unavailable,
		"RequestTimeoutException":   fault.Unavailable,
		"OperationAborted":          fault.Unavailable,
		"BadDigest":                 fault.Unavailable, // damaged on the way
		"XAmzContentSHA256Mismatch": fault.Unavailable,
		"IncompleteBody":            fault.Unavailable,
		"SlowDown":                  fault.Unavailable,
		"Throttling":                fault.Unavailable,
		"ThrottlingException":       fault.Unavailable,
		"TooManyRequests":           fault.Unavailable,
		"InternalError":             fault.Unavailable,
		"ServiceUnavailable":        fault.Unavailable,
	},
	Statuses: map[int]fault.Code{
		http.StatusNotFound: fault.NotFound,
		http.StatusConflict: fault.Unavailable, // another write of the key is under way
	},
	Messages: map[fault.Code]string{
		fault.NotFound:    "The file does not exist.",
		fault.Forbidden:   "The file storage refused access.",
		fault.Invalid:     "The file storage refused the request.",
		fault.Unavailable: "The file storage is not available.",
	},
}
