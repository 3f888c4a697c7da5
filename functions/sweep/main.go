// Command sweep removes expired files and old rows. A schedule runs it, about
// once a minute; its answer counts what it did.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/haexcel/haexcel/shared/app"
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
	sweep, err := b.Sweep(ctx)
	if err != nil {
		return boot.Failed(err)
	}
	lambda.Start(func(ctx context.Context, _ events.EventBridgeEvent) (app.SweepReport, error) {
		return sweep.Do(ctx)
	})
	return 0
}
