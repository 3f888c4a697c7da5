// Command cancel ends jobs and runs failed ones again: DELETE
// /api/excel/{jobId}/cancel and POST /api/excel/{jobId}/retry.
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
	cancel, err := b.Cancel(ctx)
	if err != nil {
		return boot.Failed(err)
	}
	retry, err := b.Retry(ctx)
	if err != nil {
		return boot.Failed(err)
	}
	cfg := b.Config()
	router := apigw.NewRouter(apigw.NewIdentity(cfg, b.Identity()), cfg.MaxBody, b.Logger(),
		apigw.Cancel(cancel), apigw.Retry(retry))
	lambda.Start(router.Lambda)
	return 0
}
