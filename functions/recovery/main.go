// Command recovery brings back jobs that workers or queues have lost. A schedule
// runs it, about once a minute; its answer counts what it did. It also removes the
// chunks that ended jobs have left, so it reaches the storage too.
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
	recovery, err := b.Recover(ctx)
	if err != nil {
		return boot.Failed(err)
	}
	lambda.Start(func(ctx context.Context, _ events.EventBridgeEvent) (app.RecoverReport, error) {
		return recovery.Do(ctx)
	})
	return 0
}
