package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/haexcel/haexcel/local/demo"
	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/job/jobsql"
)

// Two servers over one MariaDB and one folder of files: 400 jobs of 40 users are
// each done exactly once, and a file made by one is fetched from the other.
func TestTwoServersOnOneDatabase(t *testing.T) {
	t.Parallel()
	databaseURL := testservices.MariaDB(t)
	files := t.TempDir()
	makeOrders(t, databaseURL, 150)
	environment := []string{"HAEXCEL_DATABASE_URL=" + databaseURL, "HAEXCEL_LOCAL_STORAGE_PATH=" + files, "HAEXCEL_AUTH=header"}
	first := serve(t, t.TempDir(), append(environment, "HAEXCEL_SERVER_ID=first"))
	second := serve(t, t.TempDir(), append(environment, "HAEXCEL_SERVER_ID=second"))

	ids := submitMany(t, []server{first, second}, 40, 10)
	store := openStore(t, databaseURL)
	byFirst, bySecond := settled(t, store, ids, 150)
	if len(byFirst) == 0 || len(bySecond) == 0 {
		t.Errorf("the first server did %d jobs, the second %d: both should work", len(byFirst), len(bySecond))
	}
	if objects := stored(t, files); len(objects) != len(ids) {
		t.Errorf("%d objects for %d jobs", len(objects), len(ids))
	}
	for maker, job := range map[string]job.Job{"first": byFirst[0], "second": bySecond[0]} {
		other := map[string]server{"first": second, "second": first}[maker]
		a := other.do(t, http.MethodGet, "/"+job.ID+"/file", job.Requester, "")
		if a.status != http.StatusOK {
			t.Fatalf("a file of the %s server, fetched from the other: %d %s", maker, a.status, a.body)
		}
		checkOrders(t, a.body, 1, 150)
	}
}

// Two servers woken through SQS, with files in S3: any of them may do any job.
func TestTwoServersOnSQSAndS3(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(testing.TB) string{"mariadb": testservices.MariaDB, "postgres": testservices.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL := create(t)
			makeOrders(t, databaseURL, 2_500)
			environment := append(onLocalStack(t),
				"HAEXCEL_DATABASE_URL="+databaseURL, "HAEXCEL_AUTH=header", "HAEXCEL_ZIP_THRESHOLD=2000", "HAEXCEL_CHUNK_SIZE=1000")
			first := serve(t, t.TempDir(), append(environment, "HAEXCEL_SERVER_ID=first"))
			second := serve(t, t.TempDir(), append(environment, "HAEXCEL_SERVER_ID=second"))

			ids := submitMany(t, []server{first, second}, 10, 3)
			byFirst, bySecond := settled(t, openStore(t, databaseURL), ids, 2_500)
			if len(byFirst)+len(bySecond) != len(ids) {
				t.Errorf("the first server did %d jobs, the second %d, of %d", len(byFirst), len(bySecond), len(ids))
			}
			// The client follows the redirect to the signed link.
			a := first.do(t, http.MethodGet, "/"+ids[0]+"/file", "user-0", "")
			if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/zip" {
				t.Fatalf("download: %d, %s", a.status, a.header.Get("Content-Type"))
			}
			if d := a.header.Get("Content-Disposition"); !strings.Contains(d, "filename*=UTF-8''job-0-0_") {
				t.Errorf("Content-Disposition %q", d)
			}
			checkParts(t, a.body, "job-0-0", 1000, 2_500)
		})
	}
}

// A killed server's jobs come back: the running one when its lease has run out,
// the waiting one, whose wake died with its process, after the orphan threshold.
func TestKilledServersJobsAreTakenOver(t *testing.T) {
	t.Parallel()
	databaseURL := testservices.MariaDB(t)
	const rows = 200
	makeOrders(t, databaseURL, rows)
	sets, files := t.TempDir(), t.TempDir()
	write(t, filepath.Join(sets, "slow.yaml"), "name: slow\nsql: SELECT order_no, SLEEP(0.02) AS pause FROM demo_orders ORDER BY id\ncolumns: [{field: order_no}]\n")
	environment := []string{
		"HAEXCEL_DATABASE_URL=" + databaseURL, "HAEXCEL_LOCAL_STORAGE_PATH=" + files, "HAEXCEL_AUTH=header", "HAEXCEL_DATASET_DIR=" + sets,
		"HAEXCEL_LEASE=3s", "HAEXCEL_ORPHAN_THRESHOLD=3s", "HAEXCEL_RECOVERY_INTERVAL=1s",
	}
	doomed := serve(t, t.TempDir(), append(environment, "HAEXCEL_SERVER_ID=doomed", "HAEXCEL_WORKER_COUNT=1"))
	heir := serve(t, t.TempDir(), append(environment, "HAEXCEL_SERVER_ID=heir"))

	submitSlow := func() string {
		a := doomed.do(t, http.MethodPost, "/slow", "kim", fmt.Sprintf(`{"fileName":"%s"}`, rand.Text()))
		if a.status != http.StatusAccepted {
			t.Fatalf("submit: %d %s", a.status, a.body)
		}
		var accepted state
		a.json(t, &accepted)
		return accepted.JobID
	}
	running := submitSlow()
	eventually(t, "the first job runs", func() bool { return doomed.status(t, "kim", running).Status == "RUNNING" })
	waiting := submitSlow()
	doomed.signal(syscall.SIGKILL)
	doomed.wait()

	store := openStore(t, databaseURL)
	for id, attempt := range map[string]int{running: 2, waiting: 1} {
		if end := heir.finish(t, "kim", id); end.Status != "DONE" || end.ProcessedRows != rows {
			t.Errorf("job %s ended %+v", id, end)
		}
		j, err := store.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if j.Attempt != attempt || !strings.HasPrefix(j.Token, "heir#") {
			t.Errorf("done by %s at attempt %d, want the heir at %d", j.Token, j.Attempt, attempt)
		}
		if a := heir.do(t, http.MethodGet, "/"+id+"/file", "kim", ""); a.status != http.StatusOK {
			t.Errorf("download: %d %s", a.status, a.body)
		}
	}
}

// Servers that start at the same moment on an empty database wait for each
// other's migrations, and the demo is built once.
func TestServersStartTogether(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(testing.TB) string{
		"mariadb":  testservices.MariaDB,
		"postgres": testservices.Postgres,
		"sqlite":   func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "jobs.db") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environment := []string{"HAEXCEL_DATABASE_URL=" + create(t), "HAEXCEL_LISTEN=127.0.0.1:0", "HAEXCEL_LOCAL_STORAGE_PATH=" + t.TempDir()}
			var servers []server
			for range 3 {
				servers = append(servers, server{process: launch(t, t.TempDir(), environment, "serve", "--demo", "--demo-rows", "2000")})
			}
			for i := range servers {
				s := &servers[i]
				s.awaitAddress(t)
				if end := s.finish(t, "kim", s.submit(t, "kim", fmt.Sprintf(`{"fileName":"%d"}`, i))); end.Status != "DONE" || end.ProcessedRows != 2_000 {
					t.Errorf("server %d: %+v", i, end)
				}
			}
		})
	}
}

// submitMany submits for each user the given number of jobs, in turn at the
// servers, and returns their ids: those of user 0 first.
func submitMany(t *testing.T, servers []server, users, each int) []string {
	t.Helper()
	ids := make([]string, users*each)
	var wait sync.WaitGroup
	for user := range users {
		wait.Go(func() {
			for i := range each {
				s := servers[(user+i)%len(servers)]
				a, err := s.try(t, http.MethodPost, "/orders", fmt.Sprintf("user-%d", user), fmt.Sprintf(`{"fileName":"job-%d-%d"}`, user, i))
				var accepted state
				if err == nil && a.status == http.StatusAccepted {
					a.json(t, &accepted)
				} else {
					t.Errorf("submit: %d %s, %v", a.status, a.body, err)
				}
				ids[user*each+i] = accepted.JobID
			}
		})
	}
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return ids
}

// settled waits until all jobs have ended, checks that each was done at its
// first attempt, and tells who did them.
func settled(t *testing.T, store *jobsql.Store, ids []string, rows int64) (byFirst, bySecond []job.Job) {
	t.Helper()
	unfinished := -1
	for end := time.Now().Add(4 * patience); unfinished != 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		err := store.DB().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM ha_excel_job WHERE status IN ('PENDING', 'RUNNING')").Scan(&unfinished)
		if err != nil {
			t.Fatal(err)
		}
	}
	if unfinished != 0 {
		t.Fatalf("%d jobs never ended", unfinished)
	}
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			t.Errorf("two submits were answered with one job: %s", id)
		}
		seen[id] = true
		j, err := store.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		// A hand-over to the large queue is one more claim, and so is packing.
		claims := 1 + j.Hops
		if j.CheckpointJSON != "" {
			claims++
		}
		if j.Status != job.Done || j.Attempt != claims || j.Failures != 0 || j.ProcessedRows != rows {
			t.Errorf("job %s: %s (%s) at attempt %d after %d failures and %d hops, %d rows", id, j.Status, j.ErrorMsg, j.Attempt, j.Failures, j.Hops, j.ProcessedRows)
		}
		switch owner, _, _ := strings.Cut(j.Token, "#"); owner {
		case "first":
			byFirst = append(byFirst, j)
		case "second":
			bySecond = append(bySecond, j)
		default:
			t.Errorf("job %s was done by %q", id, j.Token)
		}
	}
	return byFirst, bySecond
}

// makeOrders fills the demo orders without the program.
func makeOrders(t *testing.T, databaseURL string, rows int) {
	t.Helper()
	if err := demo.Build(t.Context(), demo.Request{DatabaseURL: databaseURL, Rows: rows}); err != nil {
		t.Fatal(err)
	}
}

// onLocalStack makes queues and a bucket of the test's own and returns the
// settings that name them.
func onLocalStack(t *testing.T) (environment []string) {
	t.Helper()
	const region, key = "us-east-1", "test"
	endpoint := testservices.AWSEndpoint(t)
	keys := credentials.NewStaticCredentialsProvider(key, key, "")
	queues := sqs.New(sqs.Options{Region: region, BaseEndpoint: &endpoint, Credentials: keys})
	objects := s3.New(s3.Options{Region: region, BaseEndpoint: &endpoint, Credentials: keys, UsePathStyle: true})

	bucket := "local-" + strings.ToLower(rand.Text())
	if _, err := objects.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	queue := func() string {
		out, err := queues.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("local-" + rand.Text())})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_, _ = queues.DeleteQueue(context.Background(), &sqs.DeleteQueueInput{QueueUrl: out.QueueUrl})
		})
		return *out.QueueUrl
	}
	return []string{
		"AWS_ENDPOINT_URL=" + endpoint, "AWS_REGION=" + region, "AWS_ACCESS_KEY_ID=" + key, "AWS_SECRET_ACCESS_KEY=" + key,
		"HAEXCEL_WAKE=sqs", "HAEXCEL_NORMAL_QUEUE_URL=" + queue(), "HAEXCEL_LARGE_QUEUE_URL=" + queue(),
		"HAEXCEL_STORAGE_TYPE=S3", "HAEXCEL_S3_BUCKET=" + bucket, "HAEXCEL_S3_REGION=" + region, "HAEXCEL_S3_ENDPOINT=" + endpoint,
	}
}
