package apigw

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/fault"
)

// Submit is POST /{bizNm}.
func Submit(u *app.Submit) Endpoint {
	return Endpoint{Method: http.MethodPost, Path: "/{id}", Do: func(ctx context.Context, c app.Caller, r *Request) (*Reply, error) {
		in := app.SubmitInput{
			Dataset:     r.Param("id"),
			ContentType: r.Header.Get("Content-Type"),
			Body:        r.Body,
			RequestID:   r.ID,
		}
		if len(r.Header.Values("Idempotency-Key")) > 0 {
			key, err := single(r, "Idempotency-Key")
			if err != nil {
				return nil, err
			}
			in.IdempotencyKey = &key
		}
		return accepted(r)(u.Do(ctx, c, in))
	}}
}

// Retry is POST /{jobId}/retry.
func Retry(u *app.Retry) Endpoint {
	return Endpoint{Method: http.MethodPost, Path: "/{id}/retry", Do: func(ctx context.Context, c app.Caller, r *Request) (*Reply, error) {
		return accepted(r)(u.Do(ctx, c, r.Param("id"), r.ID))
	}}
}

// accepted answers 202 with the address to poll.
func accepted(r *Request) func(app.SubmitReply, error) (*Reply, error) {
	return func(body app.SubmitReply, err error) (*Reply, error) {
		if err != nil {
			return nil, err
		}
		reply, err := jsonReply(http.StatusAccepted, body)
		if err != nil {
			return nil, err
		}
		reply.Header.Set("Location", r.address("/"+body.JobID+"/status"))
		return reply, nil
	}
}

// Status is GET /{jobId}/status.
func Status(u *app.Status) Endpoint {
	return Endpoint{Method: http.MethodGet, Path: "/{id}/status", Do: func(ctx context.Context, c app.Caller, r *Request) (*Reply, error) {
		body, err := u.Do(ctx, c, r.Param("id"))
		if err != nil {
			return nil, err
		}
		reply, err := jsonReply(http.StatusOK, body)
		if err == nil && body.RetryAfter > 0 {
			reply.Header.Set("Retry-After", seconds(body.RetryAfter))
		}
		return reply, err
	}}
}

// Jobs is GET /jobs.
func Jobs(u *app.Jobs) Endpoint {
	return Endpoint{Method: http.MethodGet, Path: "/jobs", Do: func(ctx context.Context, c app.Caller, r *Request) (*Reply, error) {
		limit := app.DefaultJobs
		if text := r.Query.Get("limit"); text != "" || r.Query.Has("limit") {
			n, err := strconv.Atoi(text)
			if err != nil {
				n = -1 // refused together with the numbers out of range
			}
			limit = n
		}
		body, err := u.Do(ctx, c, limit, r.Query.Get("cursor"))
		if err != nil {
			return nil, err
		}
		return jsonReply(http.StatusOK, body)
	}}
}

// Cancel is DELETE /{jobId}/cancel.
func Cancel(u *app.Cancel) Endpoint {
	return Endpoint{Method: http.MethodDelete, Path: "/{id}/cancel", Do: func(ctx context.Context, c app.Caller, r *Request) (*Reply, error) {
		body, err := u.Do(ctx, c, r.Param("id"), r.ID)
		if err != nil {
			return nil, err
		}
		return jsonReply(http.StatusOK, body)
	}}
}

// ClientConfig is GET /config. It needs no identity: front ends ask before
// anyone has signed in.
func ClientConfig(u *app.ClientConfig) Endpoint {
	return Endpoint{Method: http.MethodGet, Path: "/config", Public: true, Do: func(context.Context, app.Caller, *Request) (*Reply, error) {
		return jsonReply(http.StatusOK, u.Do())
	}}
}

// Datasets is GET /datasets.
func Datasets(u *app.Datasets) Endpoint {
	return Endpoint{Method: http.MethodGet, Path: "/datasets", Do: func(_ context.Context, c app.Caller, _ *Request) (*Reply, error) {
		return jsonReply(http.StatusOK, u.Do(c))
	}}
}

// Template is GET /template/{templateId}.
func Template(u *app.Template) Endpoint {
	return Endpoint{Method: http.MethodGet, Path: "/template/{id}", Do: func(_ context.Context, _ app.Caller, r *Request) (*Reply, error) {
		return nil, u.Do(r.Param("id"))
	}}
}

// Download is GET /{jobId}/file.
func Download(u *app.Download) Endpoint {
	return Endpoint{Method: http.MethodGet, Path: "/{id}/file", Do: func(ctx context.Context, c app.Caller, r *Request) (*Reply, error) {
		redirect, err := wantsRedirect(r)
		if err != nil {
			return nil, err
		}
		f, err := u.Do(ctx, c, r.Param("id"))
		if err != nil {
			return nil, err
		}
		switch {
		case !redirect:
			return fileInfo(r, f)
		case f.URL != "":
			reply := newReply(http.StatusFound)
			reply.Header.Set("Location", f.URL)
			return reply, nil
		default:
			reply := newReply(http.StatusOK)
			reply.Header.Set("Content-Type", f.ContentType)
			reply.Header.Set("Content-Disposition", f.Disposition)
			reply.Open, reply.Bytes = f.Open, f.Bytes
			return reply, nil
		}
	}}
}

func wantsRedirect(r *Request) (bool, error) {
	text := r.Query.Get("redirect")
	if text == "" {
		return true, nil
	}
	redirect, err := strconv.ParseBool(text)
	if err != nil {
		return false, fault.New(fault.Invalid, "The request is not valid: redirect.").WithField("redirect", "must be true or false")
	}
	return redirect, nil
}

// fileInfo answers with the link as JSON. Where the storage cannot sign, the
// link is this endpoint itself, which streams.
func fileInfo(r *Request, f app.File) (*Reply, error) {
	link := f.URL
	if link == "" {
		link = r.address("/" + r.Param("id") + "/file")
	}
	return jsonReply(http.StatusOK, struct {
		URL       string  `json:"url"`
		ExpiresAt string  `json:"expiresAt"`
		FileName  string  `json:"fileName"`
		Bytes     int64   `json:"bytes"`
		AsOf      *string `json:"asOf"`
	}{link, f.ExpiresAt, f.Name, f.Bytes, f.AsOf})
}

// seconds is a wait as Retry-After takes it.
func seconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}
