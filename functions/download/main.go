// Command download hands out finished files: GET /api/excel/{jobId}/file.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/boot/bootstore"
)

func main() { os.Exit(run()) }

func run() int {
	ctx := context.Background()
	b, err := boot.Function(os.Environ(), boot.WithBucketFrom(bootstore.Open))
	if err != nil {
		return boot.Failed(err)
	}
	download, err := b.Download(ctx)
	if err != nil {
		return boot.Failed(err)
	}
	cfg := b.Config()
	router := apigw.NewRouter(apigw.NewIdentity(cfg, b.Identity()), cfg.MaxBody, b.Logger(),
		apigw.Download(download))
	lambda.Start(router.Lambda)
	return 0
}
