package customworker

import (
	"context"
	"errors"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/boot"
)

// Router is the whole API. Every path takes the same identity: a job that a team
// submitted is nobody's where its requester is still the user.
func Router(ctx context.Context, b *boot.Boot) (*apigw.Router, error) {
	submit, submitErr := b.Submit(ctx)
	status, statusErr := b.Status(ctx)
	jobs, jobsErr := b.Jobs(ctx)
	cancel, cancelErr := b.Cancel(ctx)
	retry, retryErr := b.Retry(ctx)
	download, downloadErr := b.Download(ctx)
	datasets, datasetsErr := b.Datasets()
	if err := errors.Join(submitErr, statusErr, jobsErr, cancelErr, retryErr, downloadErr, datasetsErr); err != nil {
		return nil, err
	}
	cfg := b.Config()
	return apigw.NewRouter(apigw.NewIdentity(cfg, b.Identity()), cfg.MaxBody, b.Logger(),
		apigw.Submit(submit), apigw.Status(status), apigw.Jobs(jobs), apigw.Cancel(cancel), apigw.Retry(retry),
		apigw.Download(download), apigw.ClientConfig(b.ClientConfig()), apigw.Datasets(datasets)), nil
}
