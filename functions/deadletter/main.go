// Command deadletter settles wakes that were delivered too often: it handles the
// messages of the dead-letter queue.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/sqsevent"
)

func main() { os.Exit(run()) }

func run() int {
	b, err := boot.Function(os.Environ())
	if err != nil {
		return boot.Failed(err)
	}
	settle, err := b.DeadLetter(context.Background())
	if err != nil {
		return boot.Failed(err)
	}
	letters := sqsevent.DeadLetter{Settle: settle.Do, Logger: b.Logger()}
	lambda.Start(letters.Handle)
	return 0
}
