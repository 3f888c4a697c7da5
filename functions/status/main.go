// Command status describes jobs: GET /api/excel/{jobId}/status and, as a list, GET
// /api/excel/jobs.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/boot"
)

func main() { os.Exit(run()) }

func run() int {
	ctx := context.Background()
	b, err := boot.Function(os.Environ())
	if err != nil {
		return boot.Failed(err)
	}
	status, err := b.Status(ctx)
	if err != nil {
		return boot.Failed(err)
	}
	jobs, err := b.Jobs(ctx)
	if err != nil {
		return boot.Failed(err)
	}
	cfg := b.Config()
	router := apigw.NewRouter(apigw.NewIdentity(cfg, b.Identity()), cfg.MaxBody, b.Logger(),
		apigw.Status(status), apigw.Jobs(jobs))
	lambda.Start(router.Lambda)
	return 0
}
