//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/config"
)

// The settings of the processes, short enough for many lives within minutes.
const (
	lease            = 3 * time.Second
	recoveryInterval = 2 * time.Second
	sweepInterval    = 3 * time.Second
)

// What may take its time on a small and busy machine.
const (
	startPatience  = 3 * time.Minute // until the front answers
	settlePatience = 3 * time.Minute // until the next change of any row, while jobs have not ended
	cleanPatience  = 90 * time.Second
	endPatience    = time.Minute // for what is read afterwards
)

// submitShare is the part of the time in which clients come: the last ones are to
// meet trouble too.
const submitShare = 0.93

// harness is everything that one run puts together.
type harness struct {
	settings
	stderr   func(format string, args ...any)
	tally    *tally
	database *database
	bucket   *bucket
	queues   *queueServer
	storage  *storageProxy
	listener net.Listener
	folder   string // of datasets
	workers  []*slot
	front    *slot
	closers  []func() error
}

// chaos runs, reports, and returns the number of violations.
func (p program) chaos(ctx context.Context, s settings) (violations int, err error) {
	h := &harness{settings: s, tally: &tally{}, stderr: func(format string, args ...any) { fmt.Fprintf(p.stderr, "chaos: "+format+"\n", args...) }}
	defer func() {
		if closeErr := h.close(); err == nil {
			err = closeErr
		}
	}()
	if err := h.open(ctx, p.environment); err != nil {
		return 0, err
	}
	err = h.run(ctx)
	return h.tally.report(p.stdout), err
}

func variable(environment []string, name string) string {
	for _, entry := range environment {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

// open puts everything together. What it opened is closed by close, also when it
// fails.
func (h *harness) open(ctx context.Context, environment []string) (err error) {
	server := variable(environment, map[string]string{mariaDB: "HAEXCEL_TEST_MARIADB_URL", postgres: "HAEXCEL_TEST_POSTGRES_URL"}[h.settings.database])
	if h.s3 == "" {
		h.s3 = variable(environment, "HAEXCEL_TEST_AWS_ENDPOINT")
	}
	if h.s3 == "" {
		return errors.New("no S3 server: run `make chaos`, or name one by -s3")
	}
	if h.database, err = openDatabase(ctx, h.settings.database, server, variable(environment, "HAEXCEL_TEST_CONTROL")); err != nil {
		return err
	}
	h.onClose(h.database.Close)
	if err := h.database.fill(ctx); err != nil {
		return err
	}
	if h.bucket, err = newBucket(ctx, h.s3); err != nil {
		return err
	}
	h.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
		defer cancel()
		return h.bucket.remove(ctx)
	})
	if h.queues, err = newQueueServer(h.tally, h.seed, queueVisibility, maxReceives); err != nil {
		return err
	}
	h.onClose(func() error { h.queues.close(); return nil })
	if h.storage, err = newStorageProxy(h.tally, h.seed, h.s3); err != nil {
		return err
	}
	h.onClose(func() error { h.storage.close(); return nil })
	go h.storage.weather(newChance(h.seed, "weather"))
	if h.folder, err = os.MkdirTemp("", "haexcel-chaos-"); err != nil {
		return err
	}
	h.onClose(func() error { return os.RemoveAll(h.folder) })
	if err := writeDatasets(h.folder, h.settings.database); err != nil {
		return err
	}
	if err := h.migrate(ctx); err != nil {
		return err
	}
	return h.start(environment)
}

// migrate makes the job table and has its history kept.
func (h *harness) migrate(ctx context.Context) error {
	cfg, err := config.Load([]string{"HAEXCEL_DATABASE_URL=" + h.database.url})
	if err != nil {
		return err
	}
	b := boot.Open(cfg)
	_, err = b.Migrate(ctx)
	if err = errors.Join(err, b.Close()); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return h.database.keepHistory(ctx)
}

// start starts the processes.
func (h *harness) start(environment []string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	logs := filepath.Join(h.out, h.settings.database)
	if err := errors.Join(os.RemoveAll(logs), os.MkdirAll(logs, 0o755)); err != nil { //nolint:gosec // for the user to read
		return err
	}
	h.out = logs
	if h.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	h.onClose(h.listener.Close)
	inherited, err := h.listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	h.onClose(inherited.Close)

	skews := newChance(h.seed, "skew")
	workers := &crew{program: program, role: roleWorker, logs: logs, environment: h.childEnvironment(environment), args: func() []string {
		skew := []time.Duration{0, 0, 2 * time.Minute, -2 * time.Minute, 26 * time.Hour, -26 * time.Hour}[skews.below(6)]
		args := []string{"-skew=" + skew.String()}
		if h.broken {
			args = append(args, "-broken-claim")
		}
		return args
	}}
	fronts := &crew{
		program: program, role: roleFront, logs: logs, environment: h.childEnvironment(environment), files: []*os.File{inherited},
		args: func() []string { return nil },
	}
	h.front = fronts.slot("front", h.tally)
	for i := range h.settings.workers {
		h.workers = append(h.workers, workers.slot(fmt.Sprintf("worker%d", i+1), h.tally))
	}
	for _, s := range append(h.workers, h.front) {
		if err := s.fill(); err != nil {
			return err
		}
	}
	return nil
}

// childEnvironment is all that the processes get.
func (h *harness) childEnvironment(environment []string) []string {
	list := []string{
		"PATH=" + variable(environment, "PATH"),
		"AWS_ENDPOINT_URL=" + h.queues.address, "AWS_REGION=" + awsRegion, "AWS_ACCESS_KEY_ID=" + awsKey, "AWS_SECRET_ACCESS_KEY=" + awsKey,
		deadQueueSetting + "=" + h.queues.url(deadQueue),
	}
	for name, value := range map[string]string{
		"DATABASE_URL":             h.database.url,
		"DATASET_DIR":              h.folder,
		"AUTH":                     config.AuthHeader,
		"WAKE":                     config.WakeSQS,
		"NORMAL_QUEUE_URL":         h.queues.url(normalQueue),
		"LARGE_QUEUE_URL":          h.queues.url(largeQueue),
		"STORAGE_TYPE":             config.StorageS3,
		"S3_BUCKET":                h.bucket.name,
		"S3_REGION":                awsRegion,
		"S3_ENDPOINT":              h.storage.address,
		"S3_ACCESS_KEY":            awsKey,
		"S3_SECRET_KEY":            awsKey,
		"LEASE":                    lease.String(),
		"RECOVERY_INTERVAL":        recoveryInterval.String(),
		"SWEEP_INTERVAL":           sweepInterval.String(),
		"ORPHAN_THRESHOLD":         "5s",
		"RETRY_BACKOFF":            "1s",
		"MAX_ATTEMPTS":             "10",
		"CHUNK_SIZE":               "1000",
		"ZIP_THRESHOLD":            "3000",
		"JOB_TTL":                  h.ttl.String(),
		"LINK_TTL":                 "10s",
		"WORKER_COUNT":             "2",
		"LARGE_WORKER_COUNT":       "2",
		"MAX_ACTIVE_PER_REQUESTER": "0",
	} {
		list = append(list, "HAEXCEL_"+name+"="+value)
	}
	return list
}

// run lets things go wrong for the time, waits until all jobs have ended, and
// checks.
func (h *harness) run(ctx context.Context) error {
	tr := &trouble{tally: h.tally, seed: h.seed, database: h.database, workers: h.workers, front: h.front}
	watch := &leaseWatch{tally: h.tally, database: h.database, workers: h.workers, down: tr.down.Load, limit: recoveryInterval + h.slack}
	cs := newClients(h.tally, h.seed, newAPI("http://"+h.listener.Addr().String(), h.seed))
	if err := cs.probe(ctx); err != nil {
		return err
	}
	h.stderr("%s, seed %d: %s of trouble for %d exports and %d workers; logs are in %s",
		h.settings.database, h.seed, h.duration(), h.jobs, len(h.workers), h.out)

	whole, stopWhole := context.WithCancel(ctx)
	defer stopWhole()
	var beside sync.WaitGroup
	beside.Go(func() { watch.run(whole) })
	settled, stopSettling := context.WithCancel(ctx)
	defer stopSettling()
	beside.Go(func() {
		cs.submitAll(settled, h.jobs, time.Duration(submitShare*float64(h.duration())))
		stopSettling()
	})

	h.setFaults(true)
	raging, stopRaging := context.WithTimeout(ctx, h.duration())
	err := tr.rage(raging, h.duration())
	stopRaging()
	h.setFaults(false)
	if err = errors.Join(err, ctx.Err()); err != nil {
		stopSettling()
		stopWhole()
		beside.Wait()
		return err
	}
	h.stderr("the trouble is over; waiting for the jobs to end")
	h.awaitStandstill(settled)
	stopSettling()
	left, err := awaitClean(ctx, h.database, h.bucket, cleanPatience+h.slack)
	for _, l := range left {
		h.tally.violate("left behind: %s", l)
	}
	stopWhole()
	beside.Wait()
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	h.stopProcesses()

	checking, cancel := context.WithTimeout(ctx, endPatience)
	defer cancel()
	return errors.Join(h.endCheck(checking, cs, tr), checkLogs(h.tally, h.out))
}

// awaitStandstill returns when ctx ends, since all clients have seen the end of
// their jobs, or when no row has changed for so long that none will.
func (h *harness) awaitStandstill(ctx context.Context) {
	last, since := int64(0), time.Now()
	for wait(ctx, time.Second) {
		var seq int64
		err := h.database.QueryRowContext(ctx, `SELECT COALESCE(MAX(seq), 0) FROM chaos_history`).Scan(&seq)
		if err == nil && seq != last {
			last, since = seq, time.Now()
		}
		if time.Since(since) > settlePatience {
			return
		}
	}
}

func (h *harness) setFaults(on bool) {
	h.queues.faulty.Store(on)
	h.storage.faulty.Store(on)
}

// probe waits for the front and asks whether exports can be ordered.
func (cs *clients) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	r, _, err := cs.api.do(ctx, http.MethodPost, "/quick", "probe", []byte(`{"fileName":"probe","params":{"rows":10},"sort":[{"field":"grp","dir":"desc"}]}`))
	if err != nil {
		return err
	}
	cs.sorts = r.status == http.StatusAccepted
	if !cs.sorts && r.status != http.StatusBadRequest {
		return fmt.Errorf("the first submit was answered %s", r)
	}
	return nil
}

// stopProcesses ends all processes in order, once.
func (h *harness) stopProcesses() {
	var all sync.WaitGroup
	for _, s := range append(h.workers, h.front) {
		all.Go(func() {
			if err := s.close(); err != nil {
				h.tally.violate("%v", err)
			}
		})
	}
	all.Wait()
	h.workers, h.front = nil, nil
}

func (h *harness) onClose(f func() error) { h.closers = append(h.closers, f) }

// close ends what is still running, in the order opposite to its opening.
func (h *harness) close() error {
	for _, s := range append(h.workers, h.front) {
		if s != nil {
			s.retire()
		}
	}
	var faults []error
	for i := len(h.closers) - 1; i >= 0; i-- {
		faults = append(faults, h.closers[i]())
	}
	return errors.Join(faults...)
}
