// Command submit accepts exports: POST /api/excel/{bizNm}.
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
	submit, err := b.Submit(ctx)
	if err != nil {
		return boot.Failed(err)
	}
	cfg := b.Config()
	router := apigw.NewRouter(apigw.NewIdentity(cfg, b.Identity()), cfg.MaxBody, b.Logger(),
		apigw.Submit(submit))
	lambda.Start(router.Lambda)
	return 0
}
