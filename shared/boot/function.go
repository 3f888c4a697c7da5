package boot

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/haexcel/haexcel/shared/config"
)

// Function prepares a Lambda function: it reads the settings from an environment
// as os.Environ gives it and logs JSON to standard output, which Lambda keeps.
// The log becomes slog's default. A function handles one event at a time and is
// woken by SQS only: wakes in memory would end with the invocation.
func Function(environment []string, options ...Option) (*Boot, error) {
	log := functionLogger(os.Stdout)
	slog.SetDefault(log)
	cfg, err := config.Load(environment)
	if err != nil {
		return nil, fmt.Errorf("settings:\n%w", err)
	}
	b := Open(cfg, append([]Option{WithLogger(log)}, options...)...)
	b.function = true
	return b, nil
}

func functionLogger(to io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(to, nil))
}

// Failed logs why a program could not start and returns its exit code. What
// several parts lack is named once.
func Failed(err error) int {
	var reasons []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !slices.Contains(reasons, line) {
			reasons = append(reasons, line)
		}
	}
	slog.Error("the start failed", "reason", strings.Join(reasons, "\n"))
	return 1
}
