package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/haexcel/haexcel/local/demo"
)

// demo makes the demo orders anew.
func (p program) demo(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("demo", flag.ContinueOnError)
	rows := p.rowsFlag(set, "rows")
	if err := p.parse(set, args); err != nil {
		return err
	}
	if err := p.fill(rows); err != nil {
		return err
	}
	settings, _, err := loadSettings(p.environment)
	if err != nil {
		return err
	}
	bar := newMeter(p.stderr)
	err = demo.Build(ctx, demo.Request{DatabaseURL: settings.DatabaseURL, Rows: rows.rows, Progress: buildProgress(bar, rows.rows)})
	bar.clear()
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "made %d demo orders\n", rows.rows)
	return nil
}

// ensureDemo makes the demo orders where another number of them is there.
func (p program) ensureDemo(ctx context.Context, databaseURL string, rows int, bar *meter) error {
	_, err := demo.Ensure(ctx, demo.Request{DatabaseURL: databaseURL, Rows: rows, Progress: buildProgress(bar, rows)})
	return err
}

func buildProgress(bar *meter, total int) func(int) {
	return func(rows int) { bar.show("demo orders", int64(rows), int64(total)) }
}
