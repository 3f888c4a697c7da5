//go:build unix

package main

import (
	"context"
	_ "embed"
)

// localStackVersion is the last release that needs no token.
const localStackVersion = "4.14.0"

// localStackConstraints pins everything that LocalStack pulls in: later
// releases of some of it break this one.
//
//go:embed localstack-4.14.0-constraints.txt
var localStackConstraints []byte

// installLocalStack returns the Python of a virtual environment that has
// LocalStack in it.
func installLocalStack(ctx context.Context, env *environment) (python string, err error) {
	return virtualEnvironment{
		title:        "LocalStack",
		name:         "localstack-" + localStackVersion,
		requirement:  "localstack-core[runtime]==" + localStackVersion,
		constraints:  localStackConstraints,
		installation: "a few minutes",
	}.install(ctx, env)
}
