// Command measure exports demos of several sizes through a server of their own
// and prints the peak memory of each serving process. It ends with code 1 when
// the peak grows by more than the limit from the smallest to the largest size.
//
// The servers get this program's environment, so the HAEXCEL_ settings of
// another database or storage measure those. It reads /proc and so runs on Linux
// only.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet("measure", flag.ContinueOnError)
	set.SetOutput(stderr)
	rows := set.String("rows", "100000,1000000", "`sizes` of the demo, smallest first")
	limit := set.Float64("limit", 25, "`percent` by which the peak may grow")
	if err := set.Parse(args); err != nil {
		return 2
	}
	if err := measure(ctx, strings.Split(*rows, ","), *limit, stdout); err != nil {
		fmt.Fprintln(stderr, "measure:", err)
		return 1
	}
	return 0
}

// killAfter is how long a server may take to end.
const killAfter = 20 * time.Second

// figures are what one size gave.
type figures struct {
	fileBytes int64
	took      time.Duration
	peakKiB   int64 // VmHWM of the serving process
}

func measure(ctx context.Context, sizes []string, limit float64, stdout io.Writer) error {
	folder, err := os.MkdirTemp("", "haexcel-measure-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	binary := filepath.Join(folder, "haexcel")
	if output, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/haexcel/haexcel/local").CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, output)
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "rows\tseconds\tfile MiB\tpeak memory MiB\t")
	var first, last figures
	for i, size := range sizes {
		if last, err = measureSize(ctx, binary, folder, strings.TrimSpace(size)); err != nil {
			return fmt.Errorf("%s rows: %w", size, err)
		}
		if i == 0 {
			first = last
		}
		fmt.Fprintf(table, "%s\t%.1f\t%.1f\t%.1f\t\n", size, last.took.Seconds(), float64(last.fileBytes)/(1<<20), float64(last.peakKiB)/(1<<10))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	growth := 100 * (float64(last.peakKiB)/float64(first.peakKiB) - 1)
	fmt.Fprintf(stdout, "the peak grows by %.1f %%\n", growth)
	if growth > limit {
		return fmt.Errorf("the limit is %.1f %%", limit)
	}
	return nil
}

// measureSize exports one demo. It is made by a process of its own, so that the
// peak is the serving process's alone.
func measureSize(ctx context.Context, binary, folder, rows string) (f figures, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	command := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, binary, args...)
		// An orderly end: a killed server's last request to a queue would take a
		// message along.
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = killAfter
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "HAEXCEL_LISTEN=127.0.0.1:0")
		cmd.Stderr = os.Stderr
		return cmd
	}
	if err := command("demo", "--rows", rows).Run(); err != nil {
		return figures{}, fmt.Errorf("make the demo: %w", err)
	}
	server := command("serve", "--demo", "--demo-rows", rows)
	server.Stderr = nil // its log is of no interest here
	out, err := server.StdoutPipe()
	if err != nil {
		return figures{}, err
	}
	if err := server.Start(); err != nil {
		return figures{}, err
	}
	defer func() {
		stop()
		_ = server.Wait() // it was told to end
	}()
	api, err := address(out)
	if err != nil {
		return figures{}, err
	}
	started := time.Now()
	if f.fileBytes, err = export(ctx, api); err != nil {
		return figures{}, err
	}
	f.took = time.Since(started)
	f.peakKiB, err = peak(server.Process.Pid)
	return f, err
}

var serving = regexp.MustCompile(`haexcel serves (http://\S+)`)

// address waits for the line that says where the server is.
func address(out io.Reader) (string, error) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := serving.FindStringSubmatch(lines.Text()); found != nil {
			return found[1], nil
		}
	}
	return "", errors.New("the server ended before it served")
}

// export runs one export to its end and returns the file's size.
func export(ctx context.Context, api string) (int64, error) {
	var status struct {
		JobID, Status, ErrorMsg string
		Bytes                   int64
	}
	if err := call(ctx, http.MethodPost, api+"/orders", &status); err != nil {
		return 0, err
	}
	for status.Status != "DONE" {
		if status.Status == "FAIL" {
			return 0, errors.New(status.ErrorMsg)
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
		if err := call(ctx, http.MethodGet, api+"/"+status.JobID+"/status", &status); err != nil {
			return 0, err
		}
	}
	return status.Bytes, nil
}

func call(ctx context.Context, method, address string, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	r.Header.Set("X-User-Id", "measure")
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s", method, address, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// peak reads a process's greatest resident memory.
func peak(pid int) (kib int64, err error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		}
	}
	return 0, errors.New("the system does not tell the peak")
}
