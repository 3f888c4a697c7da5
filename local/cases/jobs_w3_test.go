package cases

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/storage"
	"github.com/haexcel/haexcel/shared/storage/s3store"
	"github.com/haexcel/haexcel/shared/wake"
)

// moved is a job table whose clock the test moves.
type moved struct {
	job.Store
	ahead *time.Duration
}

func (s moved) Now(ctx context.Context) (int64, error) {
	now, err := s.Store.Now(ctx)
	return now + s.ahead.Milliseconds(), err
}

// W3: a link is made for each request and ends with the credentials that signed
// it; a later request gets a new one that works, until the file's time is over.
// The lifetimes alone have their table in shared/storage/s3store.
func TestCase_W3(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		environment := onS3(t)
		p := assemble(t, d, "HAEXCEL_AUTH=header")
		ahead := -20 * time.Minute // of the first request: the last one is now
		now := func() time.Time { return time.Now().Add(ahead) }
		// A role's session: 15 minutes, and a new one when it is over.
		session := now().Add(15 * time.Minute)
		client := s3.New(s3.Options{
			Region: testRegion, BaseEndpoint: aws.String(setting(environment, "HAEXCEL_S3_ENDPOINT")), UsePathStyle: true,
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				for !session.After(now()) {
					session = session.Add(15 * time.Minute)
				}
				return aws.Credentials{AccessKeyID: testKey, SecretAccessKey: testKey, SessionToken: "of the role", CanExpire: true, Expires: session}, nil
			}),
		})
		driver, err := s3store.New(s3store.Options{Client: client, Bucket: setting(environment, "HAEXCEL_S3_BUCKET"), Now: now})
		if err != nil {
			t.Fatal(err)
		}
		bucket := storage.NewBucket(driver)
		cfg := p.boot.Config()
		cfg.LinkTTL = 7 * 24 * time.Hour // far more than the settings would take
		server := httptest.NewServer(apigw.NewRouter(apigw.NewIdentity(cfg, nil), cfg.MaxBody, slog.New(slog.DiscardHandler),
			apigw.Download(&app.Download{Store: moved{p.store, &ahead}, Bucket: bucket, Config: cfg})))
		t.Cleanup(server.Close)
		s := &site{t: t, base: server.URL + apigw.BasePath + "/", client: &http.Client{
			Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}}

		accepted, err := p.export(t.Context(), "good", "file")
		if err != nil {
			t.Fatal(err)
		}
		w, err := wake.Parse(wakeOf(p.row(t, accepted.JobID)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.work.Do(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		row := p.row(t, accepted.JobID)
		copied(t, p.work.Bucket, bucket, row.FilePath)

		links := map[string]bool{}
		for _, minutes := range []time.Duration{-20, -19, -6, 0} {
			ahead = minutes * time.Minute
			a := s.do(t, http.MethodGet, row.ID+"/file", "")
			if a.code != http.StatusFound {
				t.Fatalf("download: %d %s", a.code, a.body)
			}
			link, err := url.Parse(a.header.Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			signed, dateErr := time.Parse("20060102T150405Z", link.Query().Get("X-Amz-Date"))
			life, lifeErr := strconv.Atoi(link.Query().Get("X-Amz-Expires"))
			ends := signed.Add(time.Duration(life) * time.Second)
			if dateErr != nil || lifeErr != nil || life < 1 || life > 900 || ends.After(session) || ends.Before(session.Add(-2*time.Second)) {
				t.Errorf("at %s: the link is of %v and lives %d seconds, its credentials end at %v", ahead, signed, life, session)
			}
			if links[link.String()] {
				t.Errorf("at %s: the same link again", ahead)
			}
			links[link.String()] = true
			info := decoded[struct{ ExpiresAt time.Time }](t, s.do(t, http.MethodGet, row.ID+"/file?redirect=false", "").body)
			if info.ExpiresAt.After(session) {
				t.Errorf("at %s: the answer says that the link lives until %v", ahead, info.ExpiresAt)
			}
			if ahead == 0 {
				response, err := http.Get(link.String())
				if err != nil {
					t.Fatal(err)
				}
				content, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if err != nil || response.StatusCode != http.StatusOK || int64(len(content)) != row.FileBytes {
					t.Errorf("the last link: %d, %d bytes of %d, %v", response.StatusCode, len(content), row.FileBytes, err)
				}
			}
		}
		text, err := json.Marshal(p.row(t, row.ID))
		if err != nil || strings.Contains(string(text), "X-Amz") {
			t.Errorf("a link is stored: %s, %v", text, err)
		}

		ahead = cfg.JobTTL + time.Minute
		for _, path := range []string{"/file", "/file?redirect=false"} {
			if a := s.do(t, http.MethodGet, row.ID+path, ""); a.code != http.StatusGone {
				t.Errorf("after the file's time: %d %s", a.code, a.body)
			}
		}
	})
}

// copied puts an object of one bucket into another.
func copied(t *testing.T, from, to *storage.Bucket, key string) {
	t.Helper()
	in, err := from.NewReader(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := to.NewWriter(t.Context(), key, storage.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
}
