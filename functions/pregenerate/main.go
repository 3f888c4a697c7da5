// Command pregenerate submits the exports that datasets want built beforehand. A
// schedule runs it as often as the shortest of their rates, or more often: it
// builds what is due. An event that names a dataset, {"dataset":"orders"}, builds
// that one now. Its answer counts what it did.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/boot"
)

func main() { os.Exit(run()) }

func run() int {
	b, err := boot.Function(os.Environ())
	if err != nil {
		return boot.Failed(err)
	}
	pregenerate, err := b.Pregenerate(context.Background())
	if err != nil {
		return boot.Failed(err)
	}
	lambda.Start(func(ctx context.Context, in app.PregenerateInput) (app.PregenerateReport, error) {
		return pregenerate.Do(ctx, in)
	})
	return 0
}
