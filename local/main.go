// Command local runs haexcel on one machine: the API with its workers and
// schedules, one export, the migrations, the demo orders.
//
// It calls the same use cases as the Lambda functions. Settings come from the
// environment (HAEXCEL_…); without any, a SQLite file and a folder below
// .haexcel are used. See `go run ./local --help`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for an orderly end, a second one ends the process.
	context.AfterFunc(ctx, stop)
	p := program{environment: os.Environ(), stdout: os.Stdout, stderr: os.Stderr}
	os.Exit(p.run(ctx, os.Args[1:]))
}
