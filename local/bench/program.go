package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// program is one run of the command with its surroundings.
type program struct {
	servers servers
	// watch is the process that the servers run below; 0 leaves their CPU time
	// out.
	watch          int
	environment    []string
	stdout, stderr io.Writer
}

// servers are the addresses of the servers that are there.
type servers struct {
	mariaDB, postgres string // URLs
	s3                string // endpoint
}

// settings say what to measure.
type settings struct {
	rows    int64
	cols    int
	out     string // folder
	rounds  int
	shapes  []string // nil: all
	writers []string // nil: all
}

// minRounds makes the median one that a single disturbed round does not move.
const minRounds = 3

func (p program) run(ctx context.Context, args []string) int {
	s, child, err := parse(args, p.stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(p.stderr, "bench:", err)
		return 2
	case child != "":
		err = runChild(ctx, child, p.stdout)
	default:
		err = p.bench(ctx, s)
	}
	if err != nil {
		fmt.Fprintln(p.stderr, "bench:", err)
		return 1
	}
	return 0
}

// parse reads the command line. child is the job of a process that the benchmark
// started itself.
func parse(args []string, messages io.Writer) (s settings, child string, err error) {
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	set.SetOutput(messages)
	set.Int64Var(&s.rows, "rows", fullRows, "`number` of rows; the shapes other than mixed shrink with it")
	set.IntVar(&s.cols, "cols", shapeCols, "`number` of columns of the shape mixed")
	set.StringVar(&s.out, "out", "build/bench", "`folder` for the results and one file of each writer")
	set.IntVar(&s.rounds, "rounds", minRounds, "`number` of rounds")
	shapes := set.String("shapes", "all", "comma-separated `list` of shapes: "+strings.Join(shapeNames(), ", "))
	chosen := set.String("writers", "all", "comma-separated `list` of writers: "+strings.Join(writerNames(), ", "))
	set.StringVar(&child, "child", "", "`job` of one run, as the benchmark gives it to its own processes")
	if err := set.Parse(args); err != nil {
		return settings{}, "", err
	}
	if s.shapes, err = choose("shape", *shapes, shapeNames()); err != nil {
		return settings{}, "", err
	}
	if s.writers, err = choose("writer", *chosen, writerNames()); err != nil {
		return settings{}, "", err
	}
	switch {
	case set.NArg() > 0:
		return settings{}, "", fmt.Errorf("unexpected argument %q", set.Arg(0))
	case s.rows < 1:
		return settings{}, "", fmt.Errorf("%d rows can't be measured", s.rows)
	case s.cols < 1 || s.cols > maxCols:
		return settings{}, "", fmt.Errorf("%d columns are not within 1–%d", s.cols, maxCols)
	case s.rounds < minRounds:
		return settings{}, "", fmt.Errorf("%d rounds are fewer than %d", s.rounds, minRounds)
	}
	return s, child, nil
}

// choose reads a list of names; "all" is nil.
func choose(what, list string, known []string) ([]string, error) {
	if list == "all" {
		return nil, nil
	}
	names := strings.Split(list, ",")
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if !slices.Contains(known, names[i]) {
			return nil, fmt.Errorf("unknown %s %q; there are %s", what, name, strings.Join(known, ", "))
		}
	}
	return names, nil
}

// bench measures everything and writes the results. They are written anew after
// each shape, so that those of a run that ends early are there.
func (p program) bench(ctx context.Context, s settings) error {
	cases := plan(s, p.servers, p.say)
	if len(cases) == 0 {
		return errors.New("none of the chosen writers runs with the chosen shapes; those that need servers run with " + mixedShape + " only")
	}
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	var results []result
	var report strings.Builder
	report.WriteString(introduction(s))
	fmt.Fprint(p.stdout, report.String())
	for _, c := range cases {
		measured, err := p.measureCase(ctx, s, c)
		if err != nil {
			return fmt.Errorf("%s of %d rows: %w", c.shape, c.rows, err)
		}
		results = append(results, measured...)
		section := c.section(measured)
		report.WriteString(section)
		fmt.Fprint(p.stdout, section)
		if err := writeResults(s.out, results, report.String()); err != nil {
			return err
		}
	}
	growth := growthNote(results)
	report.WriteString(growth)
	fmt.Fprint(p.stdout, growth)
	return writeResults(s.out, results, report.String())
}

// say tells the user one line beside the results.
func (p program) say(format string, args ...any) {
	fmt.Fprintf(p.stderr, "bench: "+format+"\n", args...)
}
