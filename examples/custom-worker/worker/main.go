// Command worker is haexcel's function worker with the datasets of this module.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/boot/bootstore"
	"github.com/haexcel/haexcel/shared/sqsevent"

	customworker "example.com/custom-worker"
)

func main() { os.Exit(run()) }

func run() int {
	ctx := context.Background()
	b, err := boot.Function(os.Environ(), append(customworker.Options(), boot.WithBucketFrom(bootstore.Open))...)
	if err != nil {
		return boot.Failed(err)
	}
	work, err := b.Work(ctx)
	if err != nil {
		return boot.Failed(err)
	}
	queues, err := b.QueueNamed(ctx)
	if err != nil {
		return boot.Failed(err)
	}
	worker := sqsevent.Worker{Work: work, Queue: queues, Config: b.Config(), Logger: b.Logger()}
	lambda.Start(worker.Handle)
	return 0
}
