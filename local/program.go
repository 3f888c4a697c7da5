package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"github.com/haexcel/haexcel/local/demo"
)

// Exit codes.
const (
	exitDone    = 0
	exitFailed  = 1
	exitMisused = 2
)

// demoRowsVariable changes the size of the demo where no flag does.
const demoRowsVariable = "DEMO_ROWS"

// program is one run of the command line.
type program struct {
	environment    []string
	stdout, stderr io.Writer
}

// command is one subcommand.
type command struct {
	name, summary string
	run           func(ctx context.Context, args []string) error
}

func (p program) commands() []command {
	return []command{
		{"serve", "serve the API, with workers and schedules, until a signal ends it", p.serve},
		{"export", "run one export and save its file", p.export},
		{"migrate", "bring the job database up to date", p.migrate},
		{"demo", "make the demo orders anew", p.demo},
	}
}

// misuse is an error of the command line rather than of the work.
type misuse struct{ text string }

func (m misuse) Error() string { return m.text }

// run runs a command line and returns the process's exit code.
func (p program) run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		p.help(p.stderr)
		return exitMisused
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		p.help(p.stdout)
		return exitDone
	}
	for _, c := range p.commands() {
		if c.name != args[0] {
			continue
		}
		err := c.run(ctx, args[1:])
		var m misuse
		switch {
		case err == nil, errors.Is(err, flag.ErrHelp):
			return exitDone
		case errors.As(err, &m):
			fmt.Fprintf(p.stderr, "haexcel %s: %s\nSee: haexcel %s --help\n", c.name, m.text, c.name)
			return exitMisused
		default:
			fmt.Fprintf(p.stderr, "haexcel %s: %s\n", c.name, err)
			return exitFailed
		}
	}
	fmt.Fprintf(p.stderr, "haexcel: there is no command %q\n\n", args[0])
	p.help(p.stderr)
	return exitMisused
}

// parse reads a command's flags, which take no further arguments.
func (p program) parse(set *flag.FlagSet, args []string) error {
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		p.commandHelp(set)
		return err
	case err != nil:
		return misuse{err.Error()}
	case set.NArg() > 0:
		return misuse{fmt.Sprintf("the argument %q is not understood", set.Arg(0))}
	}
	return nil
}

// rowsFlag adds the flag for the size of the demo.
func (p program) rowsFlag(set *flag.FlagSet, name string) *demoRows {
	rows := &demoRows{rows: demo.DefaultRows}
	set.Var(rows, name, "`number` of demo orders; "+demoRowsVariable+" says it too")
	return rows
}

// fill takes the size from the environment where no flag gave one.
func (p program) fill(rows *demoRows) error {
	value := p.variable(demoRowsVariable)
	if rows.asked || value == "" {
		return nil
	}
	if err := rows.Set(value); err != nil {
		return misuse{fmt.Sprintf("%s is %q: %s", demoRowsVariable, value, err)}
	}
	return nil
}

// variable reads one environment variable.
func (p program) variable(name string) string {
	found := ""
	for _, entry := range p.environment {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			found = strings.TrimSpace(value)
		}
	}
	return found
}

// demoRows is the size of the demo as a flag.
type demoRows struct {
	rows  int
	asked bool // someone gave a size
}

// String implements flag.Value.
func (d *demoRows) String() string { return strconv.Itoa(d.rows) }

// Set implements flag.Value.
func (d *demoRows) Set(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > maxDemoRows {
		return fmt.Errorf("a whole number from 0 to %d is allowed", maxDemoRows)
	}
	d.rows, d.asked = n, true
	return nil
}

// maxDemoRows keeps a typing error from filling the disk.
const maxDemoRows = 20_000_000

// logger writes to standard error, so that standard output is what was asked
// for.
func (p program) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: level}))
}
