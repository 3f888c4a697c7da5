package s3store

import (
	"context"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
)

// maxLinkLife is what the signature allows at most.
const maxLinkLife = 7 * 24 * time.Hour

// SignedURL implements storage.Driver. A link dies with the credentials that
// signed it, so it never claims to live longer than they do. Credentials that
// do not tell their end (those in a Lambda function's environment) cannot be
// heeded: keep lifetimes short there.
func (s *Store) SignedURL(ctx context.Context, key string, opt storage.SignOptions) (storage.Link, error) {
	provider := s.client.Options().Credentials
	if provider == nil {
		return storage.Link{}, fault.New(fault.Invalid, "The S3 client has no credentials to sign links with.")
	}
	creds, err := provider.Retrieve(ctx)
	if err != nil {
		return storage.Link{}, s3Errors.Map(ctx, "find credentials", err)
	}
	now := s.now().UTC().Truncate(time.Second) // the signature's date has whole seconds
	life := min(opt.Expires, maxLinkLife)
	if creds.CanExpire {
		life = min(life, creds.Expires.Sub(now))
	}
	life = life.Truncate(time.Second)
	if life < time.Second {
		return storage.Link{}, fault.New(fault.Unavailable, "The storage's credentials are about to expire.")
	}
	in := &s3.GetObjectInput{Bucket: &s.bucket, Key: &key}
	if opt.ContentType != "" {
		in.ResponseContentType = &opt.ContentType
	}
	if opt.ContentDisposition != "" {
		in.ResponseContentDisposition = &opt.ContentDisposition
	}
	signer := s3.NewPresignClient(s.client, s3.WithPresignExpires(life), func(o *s3.PresignOptions) {
		o.Presigner = fixedPresigner{creds: creds, at: now}
	})
	req, err := signer.PresignGetObject(ctx, in)
	if err != nil {
		return storage.Link{}, s3Errors.Map(ctx, "sign a link", err)
	}
	return storage.Link{URL: req.URL, Expires: now.Add(life)}, nil
}

// fixedPresigner signs with the credentials and the time that the lifetime was
// reckoned from: the SDK's own could have been refreshed, or be another clock.
type fixedPresigner struct {
	creds aws.Credentials
	at    time.Time
}

func (p fixedPresigner) PresignHTTP(
	ctx context.Context, _ aws.Credentials, r *http.Request, payloadHash, service, region string, _ time.Time,
	opts ...func(*v4.SignerOptions),
) (string, http.Header, error) {
	signer := v4.NewSigner(func(o *v4.SignerOptions) {
		o.DisableURIPathEscaping = true // S3 signs the path as it is sent
	})
	return signer.PresignHTTP(ctx, p.creds, r, payloadHash, service, region, p.at, opts...)
}
