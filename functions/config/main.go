// Command config tells front ends the settings and datasets: GET /api/excel/config and
// GET /api/excel/datasets.
package main

import (
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/boot"
)

func main() { os.Exit(run()) }

func run() int {
	b, err := boot.Function(os.Environ())
	if err != nil {
		return boot.Failed(err)
	}
	datasets, err := b.Datasets()
	if err != nil {
		return boot.Failed(err)
	}
	cfg := b.Config()
	router := apigw.NewRouter(apigw.NewIdentity(cfg, b.Identity()), cfg.MaxBody, b.Logger(),
		apigw.ClientConfig(b.ClientConfig()), apigw.Datasets(datasets))
	lambda.Start(router.Lambda)
	return 0
}
