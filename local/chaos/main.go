//go:build unix

// Command chaos shows that nothing is ever lost: it runs haexcel on a real
// database, with storage, queues and processes that fail all the time, and then
// checks every job.
//
//	make chaos DATABASE=mariadb MINUTES=2 SEED=1
//
// Workers and the API are processes of their own, put together as a user's own
// program is. For a fixed seed and time they are killed and paused, also for
// longer than a lease; their clocks are wrong; wakes get lost, come several times
// and come late; the storage answers errors, hangs and cuts its replies; the
// database is killed and stopped and comes back; exports are submitted, cancelled,
// retried and submitted again by clients that repeat what got no answer.
//
// Then the faults end, and when all jobs have, each of these that does not hold is
// a violation, a line of its own:
//
//   - every accepted job is in the table and has come to exactly one end, and its
//     row went only the ways that a row may go;
//   - a DONE job has one valid file, with every row exactly once;
//   - no accepted cancel is DONE, and no submit was accepted as two jobs;
//   - no object, unfinished upload or chunk row is left, but for what DONE rows and
//     failed jobs within the TTL name;
//   - no row or chunk stayed RUNNING with an expired lease for longer than the
//     recovery interval and its slack, while the database and a worker were up;
//   - no process has panicked or raced.
//
// The last line tells what happened; a violation makes the exit code 1.
//
// What is decided at random follows from the seed. When a process comes to do
// what, does not: a seed that found something has to be run a few times.
//
// Known limits: a database of testenv's, with -control; unix only. Kills of idle
// processes are not counted, nor are jobs whose lost attempt nobody repeated.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	p := program{environment: os.Environ(), stdout: os.Stdout, stderr: os.Stderr}
	os.Exit(p.run(ctx, os.Args[1:]))
}
