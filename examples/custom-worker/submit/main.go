// Command submit is haexcel's function submit with the datasets of this module.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/boot"

	customworker "example.com/custom-worker"
)

func main() { os.Exit(run()) }

func run() int {
	b, err := boot.Function(os.Environ(), customworker.Options()...)
	if err != nil {
		return boot.Failed(err)
	}
	submit, err := b.Submit(context.Background())
	if err != nil {
		return boot.Failed(err)
	}
	cfg := b.Config()
	identity := apigw.MappedIdentity{SignIn: apigw.NewIdentity(cfg), Map: b.Identity()}
	lambda.Start(apigw.NewRouter(identity, cfg.MaxBody, b.Logger(), apigw.Submit(submit)).Lambda)
	return 0
}
