//go:build unix

package main

import (
	"context"
	"fmt"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that is waited with
	mobynetwork "github.com/moby/moby/api/types/network"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/modules/localstack"
	"github.com/testcontainers/testcontainers-go/wait"
)

// The images used where a server's own programs can't be had.
const (
	mariaDBImage    = "mariadb:10.11"
	postgresImage   = "postgres:15"
	localStackImage = "localstack/localstack:" + localStackVersion
)

// containerPatience is how long a container may take to answer, its image
// pulled first.
const containerPatience = 5 * time.Minute

// containerEngine returns nil when a container engine answers.
func containerEngine(ctx context.Context) (err error) {
	log.SetDefault(log.NewNoopLogger())
	// The library panics where it finds no engine at all.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return err
	}
	defer func() { _ = provider.Close() }()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return provider.Health(ctx)
}

func startMariaDBContainer(ctx context.Context, env *environment) (string, error) {
	const port = "3306/tcp"
	container, err := testcontainers.Run(ctx, mariaDBImage,
		testcontainers.WithEnv(map[string]string{"MARIADB_ALLOW_EMPTY_ROOT_PASSWORD": "1"}),
		testcontainers.WithCmd(mariaDBSettings...),
		testcontainers.WithExposedPorts(port),
		testcontainers.WithWaitStrategyAndDeadline(containerPatience,
			wait.ForSQL(port, "mysql", func(host string, port mobynetwork.Port) string {
				return fmt.Sprintf("root@tcp(%s:%s)/", host, port.Port())
			}).WithStartupTimeout(containerPatience)),
	)
	return env.contained(ctx, container, err, port, "mysql://root@%s/")
}

func startPostgresContainer(ctx context.Context, env *environment) (string, error) {
	const port = "5432/tcp"
	container, err := testcontainers.Run(ctx, postgresImage,
		testcontainers.WithEnv(map[string]string{
			"POSTGRES_HOST_AUTH_METHOD": "trust",
			"POSTGRES_INITDB_ARGS":      "--encoding=UTF8 --locale=C.UTF-8",
		}),
		testcontainers.WithCmd(postgresSettings...),
		testcontainers.WithExposedPorts(port),
		testcontainers.WithWaitStrategyAndDeadline(containerPatience,
			wait.ForSQL(port, "pgx", func(host string, port mobynetwork.Port) string {
				return postgresAddress(host, int(port.Num()))
			}).WithStartupTimeout(containerPatience)),
	)
	return env.contained(ctx, container, err, port, "postgres://postgres@%s/postgres?sslmode=disable")
}

func startLocalStackContainer(ctx context.Context, env *environment) (string, error) {
	container, err := localstack.Run(ctx, localStackImage,
		testcontainers.WithEnv(map[string]string{
			"DISABLE_EVENTS":         "1",
			"SKIP_SSL_CERT_DOWNLOAD": "1",
			// Signed links are checked, and refused after their time, as AWS does.
			"S3_SKIP_SIGNATURE_VALIDATION": "0",
			// Queues' addresses name the host that was asked: the port outside is
			// not the one inside.
			"SQS_ENDPOINT_STRATEGY": "dynamic",
		}),
		testcontainers.WithLogger(log.NewNoopLogger()),
	)
	return env.contained(ctx, container, err, "4566/tcp", "http://%s")
}

// contained returns a started container's address in the given form and has
// the container removed at the end; one that failed to start is removed at
// once.
func (e *environment) contained(ctx context.Context, container testcontainers.Container, err error, port, form string) (string, error) {
	if err != nil {
		_ = testcontainers.TerminateContainer(container)
		return "", err
	}
	e.onClose(func() {
		if err := testcontainers.TerminateContainer(container, testcontainers.StopTimeout(0)); err != nil {
			e.say("remove a container: %v", err)
		}
	})
	endpoint, err := container.PortEndpoint(ctx, port, "") // host:port
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(form, endpoint), nil
}
