// Command api is haexcel's functions submit, status, cancel, download and config
// in one, with the parts of this module.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/boot/bootstore"

	customworker "example.com/custom-worker"
)

func main() { os.Exit(run()) }

func run() int {
	b, err := boot.Function(os.Environ(), append(customworker.Options(), boot.WithBucketFrom(bootstore.Open))...)
	if err != nil {
		return boot.Failed(err)
	}
	router, err := customworker.Router(context.Background(), b)
	if err != nil {
		return boot.Failed(err)
	}
	lambda.Start(router.Lambda)
	return 0
}
