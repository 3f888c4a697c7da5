// Command measure tells how much memory a serving process takes at most. It makes
// demo orders and exports them through servers of its own, in two ways:
//
//   - demos of several sizes, one after the other, each by a new process. The peak
//     must not grow by more than -limit from the smallest to the largest.
//   - four normal and two large jobs at once, in one process with its default
//     numbers of workers. One large file is a zip of parts, the other a single
//     workbook. Normal jobs follow on each other until both are done. The peak must
//     stay below -ceiling, and all six must have been seen at work at one moment.
//   - with -only split: one large file in one go, and split over one and over two
//     processes that have one worker each. Every sheet must be the same, byte for
//     byte. This needs -testenv.
//
// A bound that is not kept ends it with code 1. The peak is the greatest resident
// memory that the system has counted for the process (VmHWM); the demo is made by
// another one.
//
// The servers get this program's environment, so the HAEXCEL_ settings of another
// database or storage measure those. With -testenv they are a database and a
// bucket that it makes, and removes, on the MariaDB and the LocalStack that
// local/testenv has started:
//
//	go build -o build/testenv ./local/testenv
//	build/testenv -only mariadb,localstack -- go run ./local/measure -testenv
//
// It reads /proc and so runs on Linux only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The measurements, as -only names them.
const (
	onlyGrowth   = "growth"
	onlyTogether = "together"
	onlySplit    = "split"
)

// options are what the command line asks for.
type options struct {
	only     string // "" for the two of memory
	sizes    sizes
	limit    float64
	together together
	ceiling  float64
	split    int // rows
	testenv  bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := options{sizes: sizes{100_000, 1_000_000}}
	set := flag.NewFlagSet("measure", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.StringVar(&o.only, "only", "", "`measurement` to make: "+onlyGrowth+", "+onlyTogether+" or "+onlySplit+" (default "+onlyGrowth+" and "+onlyTogether+")")
	set.Var(&o.sizes, "rows", "`sizes` of the demo, smallest first")
	set.Float64Var(&o.limit, "limit", 25, "`percent` by which the peak may grow")
	set.IntVar(&o.together.normalRows, "normal", 90_000, "`rows` of each of the normal jobs at once")
	set.IntVar(&o.together.largeRows, "large", 1_000_000, "`rows` of each of the large jobs at once")
	set.Float64Var(&o.ceiling, "ceiling", 256, "`MiB` that the jobs at once may take")
	set.IntVar(&o.split, "split", 2_000_000, "`rows` of the job that is split")
	set.BoolVar(&o.testenv, "testenv", false, "measure with the MariaDB and the S3 of local/testenv")
	err := set.Parse(args)
	if err == nil {
		err = o.check()
		if err != nil {
			fmt.Fprintln(stderr, "measure:", err)
		}
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if err := o.measure(ctx, stdout); err != nil {
		fmt.Fprintln(stderr, "measure:", err)
		return 1
	}
	return 0
}

func (o options) check() error {
	switch {
	case o.only != "" && o.only != onlyGrowth && o.only != onlyTogether && o.only != onlySplit:
		return fmt.Errorf("-only is %s, %s or %s, not %q", onlyGrowth, onlyTogether, onlySplit, o.only)
	case o.only == onlySplit && !o.testenv:
		return errors.New("-only split needs -testenv: processes find each other's work by SQS")
	case o.together.normalRows < 1 || o.together.largeRows <= o.together.normalRows:
		return errors.New("-normal is at least 1 and -large is more")
	}
	return nil
}

func (o options) measure(ctx context.Context, stdout io.Writer) (err error) {
	p, err := buildProgram(ctx, os.Environ())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	if o.testenv {
		remove, openErr := p.useTestServers(ctx)
		if openErr != nil {
			return fmt.Errorf("-testenv: %w", openErr)
		}
		defer func() { err = errors.Join(err, remove(context.WithoutCancel(ctx))) }()
	}
	if o.only == onlySplit {
		return p.measureSplit(ctx, o.split, stdout)
	}
	// Both bounds are looked at, whichever is not kept.
	var faults []error
	if o.only != onlyTogether {
		faults = append(faults, p.measureGrowth(ctx, o.sizes, o.limit, stdout))
	}
	if o.only != onlyGrowth {
		faults = append(faults, p.measureTogether(ctx, o.together, o.ceiling, stdout))
	}
	return errors.Join(faults...)
}

// sizes are numbers of rows; flag.Value.
type sizes []int

func (s *sizes) String() string {
	texts := make([]string, len(*s))
	for i, n := range *s {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}

func (s *sizes) Set(list string) error {
	*s = nil
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of rows", text)
		}
		*s = append(*s, n)
	}
	return nil
}
