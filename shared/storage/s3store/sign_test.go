package s3store

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
)

const koreanName = `attachment; filename="_ _ (_).xlsx"; filename*=UTF-8''%EB%A7%A4%EC%B6%9C%20%ED%98%84%ED%99%A9%20%28%EC%B5%9C%EC%A2%85%29.xlsx`

// signWith makes a link at the given time with credentials that end then; a zero
// end means they never do.
func signWith(t *testing.T, now, end time.Time, asked time.Duration) (storage.Link, error) {
	t.Helper()
	provider := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{
			AccessKeyID: "ASIAEXAMPLE", SecretAccessKey: "secret", SessionToken: "token",
			CanExpire: !end.IsZero(), Expires: end,
		}, nil
	})
	s, err := New(Options{
		Client: s3.New(s3.Options{Region: "ap-northeast-2", Credentials: provider}),
		Bucket: "bucket", Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.SignedURL(context.Background(), "exports/a b/매출.xlsx", storage.SignOptions{
		Expires: asked, ContentType: "application/zip", ContentDisposition: koreanName,
	})
}

func query(t *testing.T, link storage.Link) url.Values {
	t.Helper()
	u, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

func TestLinkNeverOutlivesItsCredentials(t *testing.T) {
	now := time.Date(2026, 9, 2, 14, 30, 25, 900_000_000, time.FixedZone("KST", 9*3600))
	whole := now.Truncate(time.Second)
	const week = 7 * 24 * time.Hour
	for name, c := range map[string]struct {
		end   time.Time
		asked time.Duration
		want  time.Duration
	}{
		"asked is shortest":           {whole.Add(time.Hour), 5 * time.Minute, 5 * time.Minute},
		"credentials are shortest":    {whole.Add(15 * time.Minute), week, 15 * time.Minute},
		"credentials in mid-second":   {whole.Add(90*time.Second + 999*time.Millisecond), week, 90 * time.Second},
		"the signature is shortest":   {time.Time{}, 30 * 24 * time.Hour, week},
		"credentials that never end":  {time.Time{}, 10 * time.Minute, 10 * time.Minute},
		"a fraction asked is cut":     {time.Time{}, 1999 * time.Millisecond, time.Second},
		"one second of credentials":   {whole.Add(time.Second), time.Hour, time.Second},
		"credentials beyond the week": {whole.Add(2 * week), 2 * week, week},
	} {
		t.Run(name, func(t *testing.T) {
			link, err := signWith(t, now, c.end, c.asked)
			if err != nil {
				t.Fatal(err)
			}
			q := query(t, link)
			life, err := time.ParseDuration(q.Get("X-Amz-Expires") + "s")
			if err != nil || life != c.want {
				t.Errorf("X-Amz-Expires %q, want %s", q.Get("X-Amz-Expires"), c.want)
			}
			signed, err := time.Parse("20060102T150405Z", q.Get("X-Amz-Date"))
			if err != nil || !signed.Equal(whole) {
				t.Errorf("X-Amz-Date %q, want %s", q.Get("X-Amz-Date"), whole.UTC())
			}
			if !link.Expires.Equal(signed.Add(life)) {
				t.Errorf("Expires %s, the link says %s", link.Expires, signed.Add(life))
			}
			if !c.end.IsZero() && link.Expires.After(c.end) {
				t.Errorf("the link ends at %s, its credentials at %s", link.Expires, c.end)
			}
			if q.Get("X-Amz-Security-Token") != "token" {
				t.Error("the link was signed with other credentials")
			}
		})
	}
}

func TestLaterLinkIsANewOne(t *testing.T) {
	start := time.Date(2026, 9, 2, 0, 0, 0, 0, time.UTC)
	first, err := signWith(t, start, start.Add(15*time.Minute), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	second, err := signWith(t, start.Add(20*time.Minute), start.Add(35*time.Minute), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if first.URL == second.URL || !second.Expires.Equal(start.Add(35*time.Minute)) {
		t.Errorf("the second link ends at %s", second.Expires)
	}
}

func TestCredentialsAboutToEnd(t *testing.T) {
	now := time.Date(2026, 9, 2, 0, 0, 0, 0, time.UTC)
	for _, left := range []time.Duration{-time.Hour, 0, 999 * time.Millisecond} {
		if _, err := signWith(t, now, now.Add(left), time.Hour); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s left: got %v, want Unavailable", left, err)
		}
	}
}

func TestLinkCarriesTheNameInASCII(t *testing.T) {
	link, err := signWith(t, time.Now(), time.Time{}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(link.URL, func(r rune) bool { return r <= 0x20 || r > 0x7e }) {
		t.Errorf("the link is not ASCII: %s", link.URL)
	}
	q := query(t, link)
	name := q.Get("response-content-disposition")
	if name != koreanName {
		t.Errorf("name %q", name)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r > 0x7e }) || strings.Contains(name, "+") {
		t.Errorf("name %q is not what every server can send", name)
	}
	if got := q.Get("response-content-type"); got != "application/zip" {
		t.Errorf("type %q", got)
	}
	// All of the query is signed: only the listed headers are not, and that is host.
	if got := q.Get("X-Amz-SignedHeaders"); got != "host" {
		t.Errorf("signed headers %q: a browser would have to send them", got)
	}
}

func TestLinkWithoutCredentials(t *testing.T) {
	failing := credentials.NewStaticCredentialsProvider("", "", "")
	for name, provider := range map[string]aws.CredentialsProvider{"none": aws.AnonymousCredentials{}, "failing": failing} {
		s, err := New(Options{Client: s3.New(s3.Options{Region: "us-east-1", Credentials: provider}), Bucket: "bucket"})
		if err != nil {
			t.Fatal(err)
		}
		if link, err := s.SignedURL(context.Background(), "key", storage.SignOptions{Expires: time.Minute}); err == nil {
			t.Errorf("%s: got %s", name, link.URL)
		}
	}
}
