//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

func localStack() service {
	return service{
		name:           "localstack",
		variable:       "HAEXCEL_TEST_AWS_ENDPOINT",
		missing:        lackOfPython,
		start:          startLocalStack,
		startContainer: startLocalStackContainer,
	}
}

func startLocalStack(ctx context.Context, env *environment) (string, error) {
	python, err := installLocalStack(ctx, env)
	if err != nil {
		return "", err
	}
	home := filepath.Join(env.folder, "localstack")
	temporary := filepath.Join(home, "tmp")
	if err := os.MkdirAll(temporary, 0o755); err != nil {
		return "", err
	}
	port, err := env.serve(ctx, server{
		log: "localstack.log",
		command: func(port int) *exec.Cmd {
			address := fmt.Sprintf("127.0.0.1:%d", port)
			cmd := exec.Command(python, "-m", "localstack.runtime.main")
			cmd.Dir = home
			cmd.Env = append(pythonEnvironment(),
				"TMPDIR="+temporary,
				// On this machine itself, below a folder of its own: without the
				// first, it may take the machine for its own container.
				"OVERRIDE_IN_DOCKER=0",
				"FILESYSTEM_ROOT="+home,
				// Loopback only, and addresses that need no name resolved.
				"GATEWAY_LISTEN="+address,
				"LOCALSTACK_HOST="+address,
				"SQS_ENDPOINT_STRATEGY=path",
				"DNS_ADDRESS=0",
				// Nothing is fetched or reported.
				"SKIP_SSL_CERT_DOWNLOAD=1",
				// Signed links are checked, and refused after their time, as AWS does.
				"S3_SKIP_SIGNATURE_VALIDATION=0",
				"DISABLE_EVENTS=1",
			)
			return cmd
		},
		probe:    probeLocalStack,
		patience: 3 * time.Minute,
		stopping: syscall.SIGKILL, // it holds nothing, and its orderly end takes seconds
		orphaned: syscall.SIGKILL,
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("http://127.0.0.1:%d", port), nil
}

func probeLocalStack(ctx context.Context, port int) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/_localstack/health", port), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, response.Body)
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("health: %s", response.Status)
	}
	return nil
}
