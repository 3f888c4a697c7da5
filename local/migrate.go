package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"

	"github.com/haexcel/haexcel/shared/boot"
)

// migrate brings the job table up to date.
func (p program) migrate(ctx context.Context, args []string) (err error) {
	if err := p.parse(flag.NewFlagSet("migrate", flag.ContinueOnError), args); err != nil {
		return err
	}
	settings, _, err := loadSettings(p.environment)
	if err != nil {
		return err
	}
	b := boot.Open(settings, boot.WithLogger(p.logger(slog.LevelWarn)))
	defer func() { err = errors.Join(err, b.Close()) }()
	applied, err := b.Migrate(ctx)
	for _, name := range applied {
		fmt.Fprintln(p.stdout, "applied", name)
	}
	if err != nil {
		return err
	}
	if len(applied) == 0 {
		fmt.Fprintln(p.stdout, "the job table is up to date")
	}
	return nil
}
