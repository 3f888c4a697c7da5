// Command recovery brings back jobs that workers or queues have lost. A schedule
// runs it, about once a minute; its answer counts what it did.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/events"
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
	recovery, err := b.Recover(context.Background())
	if err != nil {
		return boot.Failed(err)
	}
	lambda.Start(func(ctx context.Context, _ events.EventBridgeEvent) (app.RecoverReport, error) {
		return recovery.Do(ctx)
	})
	return 0
}
