// Command migrate brings the job table up to date, as a custom resource of the
// CloudFormation stack: at its creation and at each update. Its deletion leaves
// the table alone.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/fault"
)

// resourceID never changes: CloudFormation deletes a resource whose id does.
const resourceID = "haexcel-migrations"

func main() { os.Exit(run()) }

func run() int {
	b, err := boot.Function(os.Environ())
	if err != nil {
		return boot.Failed(err)
	}
	lambda.Start(cfn.LambdaWrap(func(ctx context.Context, e cfn.Event) (string, map[string]any, error) {
		if e.RequestType == cfn.RequestDelete {
			return resourceID, nil, nil
		}
		applied, err := b.Migrate(ctx)
		if err != nil {
			b.Logger().ErrorContext(ctx, "the migration failed", "applied", applied, "error", err)
			return resourceID, nil, errors.New(fault.SafeMessage(err) + " The function's log says more.")
		}
		b.Logger().InfoContext(ctx, "migrated", "applied", applied)
		return resourceID, map[string]any{"Applied": len(applied)}, nil
	}))
	return 0
}
