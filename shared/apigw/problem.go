package apigw

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/haexcel/haexcel/shared/fault"
)

// problem is the body of every error (RFC 9457), with the members that clients
// of the Java library read.
type problem struct {
	Type     string            `json:"type"`
	Title    string            `json:"title"`
	Status   int               `json:"status"`
	Detail   string            `json:"detail"`
	Instance string            `json:"instance"`
	Error    string            `json:"error"`
	Fields   map[string]string `json:"fields,omitempty"`
}

const internalText = "An internal error occurred."

// statusOf is the one place where codes become HTTP statuses.
func statusOf(code fault.Code) int {
	switch code {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Conflict:
		return http.StatusConflict
	case fault.Gone:
		return http.StatusGone
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.UnsupportedMedia:
		return http.StatusUnsupportedMediaType
	case fault.Unprocessable:
		return http.StatusUnprocessableEntity
	case fault.TooManyRequests:
		return http.StatusTooManyRequests
	case fault.HeadersTooLarge:
		return http.StatusRequestHeaderFieldsTooLarge
	case fault.Unavailable, fault.Busy, fault.UnknownOutcome:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// problemReply turns an error into the answer, and logs what may not leave.
func problemReply(ctx context.Context, log *slog.Logger, r *Request, err error) *Reply {
	if fault.CodeOf(err) == fault.Internal && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		err = fault.Wrap(fault.Unavailable, err, "The request took too long.")
	}
	status := statusOf(fault.CodeOf(err))
	text := fault.SafeMessage(err)
	if status == http.StatusInternalServerError {
		text = internalText
	}
	switch {
	case status >= http.StatusInternalServerError && errors.Is(ctx.Err(), context.Canceled):
		log.InfoContext(ctx, "the client left before its answer", "requestId", r.ID, "method", r.Method, "path", r.Path, "error", err)
	case status >= http.StatusInternalServerError:
		log.ErrorContext(ctx, "request failed", "requestId", r.ID, "method", r.Method, "path", r.Path, "status", status, "error", err)
	}
	reply := problemOf(status, text, r)
	var f *fault.Error
	if errors.As(err, &f) {
		if status == http.StatusBadRequest && len(f.Fields) > 0 {
			reply = problemWithFields(status, text, r, f.Fields)
		}
		if f.RetryAfter > 0 {
			reply.Header.Set("Retry-After", seconds(f.RetryAfter))
		}
	}
	if status == http.StatusServiceUnavailable && reply.Header.Get("Retry-After") == "" {
		reply.Header.Set("Retry-After", "5")
	}
	return reply
}

func problemOf(status int, text string, r *Request) *Reply {
	return problemWithFields(status, text, r, nil)
}

func problemWithFields(status int, text string, r *Request, fields map[string]string) *Reply {
	b, err := json.Marshal(problem{
		Type:     "about:blank",
		Title:    http.StatusText(status),
		Status:   status,
		Detail:   text,
		Instance: r.Raw,
		Error:    text,
		Fields:   fields,
	})
	if err != nil {
		panic(err) // texts and a number always marshal
	}
	reply := newReply(status)
	reply.Header.Set("Content-Type", "application/problem+json")
	reply.Body = b
	return reply
}
