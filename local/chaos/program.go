//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// program is one run of the command with its surroundings.
type program struct {
	environment    []string
	stdout, stderr io.Writer
}

// Exit codes.
const (
	exitKept   = 0 // every promise was kept
	exitBroken = 1 // violations, or it could not run
	exitMisuse = 2
)

// settings say what to do, and for how long.
type settings struct {
	database string // mariadb or postgres
	minutes  float64
	seed     uint64
	jobs     int // exports to submit; 0: as many as fit
	workers  int // worker processes
	slack    time.Duration
	ttl      time.Duration // how long files are kept
	out      string        // folder for the processes' logs
	s3       string        // endpoint; "" takes testenv's
	broken   bool          // workers claim without the guard
}

// jobsPerMinute is what a small machine does beside all that goes wrong.
const jobsPerMinute = 60

func (p program) run(ctx context.Context, args []string) int {
	if len(args) > 0 {
		switch role := args[0]; role {
		case roleWorker, roleFront:
			return p.child(ctx, role, args[1:])
		}
	}
	s, err := parse(args, p.stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitKept
	case err != nil:
		fmt.Fprintln(p.stderr, "chaos:", err)
		return exitMisuse
	}
	violations, err := p.chaos(ctx, s)
	if err != nil {
		fmt.Fprintln(p.stderr, "chaos:", err)
		return exitBroken
	}
	if violations > 0 {
		return exitBroken
	}
	return exitKept
}

func parse(args []string, messages io.Writer) (settings, error) {
	var s settings
	set := flag.NewFlagSet("chaos", flag.ContinueOnError)
	set.SetOutput(messages)
	set.StringVar(&s.database, "database", "mariadb", "mariadb or postgres")
	set.Float64Var(&s.minutes, "minutes", 2, "how long things go wrong")
	set.Uint64Var(&s.seed, "seed", 1, "what goes wrong")
	set.IntVar(&s.jobs, "jobs", 0, fmt.Sprintf("exports to submit (default %d a minute)", jobsPerMinute))
	set.IntVar(&s.workers, "workers", 4, "worker processes")
	set.DurationVar(&s.slack, "slack", 10*time.Second, "what recovery may take beyond its interval on this machine")
	set.DurationVar(&s.ttl, "job-ttl", 90*time.Second, "how long files are kept: long enough for clients to fetch them on this machine")
	set.StringVar(&s.out, "out", "build/chaos", "`folder` for the processes' logs")
	set.StringVar(&s.s3, "s3", "", "`endpoint` of an S3 server with the keys test and test (default testenv's)")
	set.BoolVar(&s.broken, "broken-claim", false, "let workers claim without asking whether the job is theirs to claim; the run has to fail")
	if err := set.Parse(args); err != nil {
		return settings{}, err
	}
	switch {
	case set.NArg() > 0:
		return settings{}, fmt.Errorf("what is %q? chaos takes flags only", strings.Join(set.Args(), " "))
	case s.database != mariaDB && s.database != postgres:
		return settings{}, fmt.Errorf("-database is %q: it is %s or %s", s.database, mariaDB, postgres)
	case s.minutes <= 0 || s.minutes > 24*60:
		return settings{}, errors.New("-minutes is not between 0 and a day")
	case s.ttl < 10*time.Second:
		return settings{}, errors.New("-job-ttl is below 10s")
	case s.jobs < 0 || s.workers < 1 || s.workers > 64 || s.slack < 0:
		return settings{}, errors.New("-jobs, -workers (1 to 64) or -slack is out of range")
	}
	if s.jobs == 0 {
		s.jobs = max(1, int(jobsPerMinute*s.minutes))
	}
	return s, nil
}

func (s settings) duration() time.Duration {
	return time.Duration(s.minutes * float64(time.Minute))
}
