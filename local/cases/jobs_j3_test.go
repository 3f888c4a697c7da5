package cases

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/job"
)

// cancel asks for it as kim and answers the status code.
func (s *site) cancel(t testing.TB, jobID string) int {
	t.Helper()
	return s.ask(t, http.MethodDelete, jobID+"/cancel", "", "X-User-Id", "kim").code
}

// wantCancelled checks the row of a job whose cancel was accepted.
func wantCancelled(t testing.TB, row job.Job) {
	t.Helper()
	if row.Status != job.Fail || row.ErrorMsg != job.CancelledMessage || row.FilePath != "" || row.ActiveKey != "" || row.Failures != 0 {
		t.Errorf("a cancelled job's row: %s %q, file %q, active key %q, %d failures", row.Status, row.ErrorMsg, row.FilePath, row.ActiveKey, row.Failures)
	}
}

// J3 (a): a job that waits is cancelled at once; its message is consumed and no
// worker takes it. (d): one that is done stays done.
func TestCase_J3_WaitingAndDone(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		sets := []string{d.sales(t, 10)}
		table, queues := newJobTable(t, d), onSQS(t)
		front := table.start(t, sets, append(queues.environment, withoutWorkers...)...)
		id := front.submit(t, "sales", "{}")
		if code := front.cancel(t, id); code != http.StatusOK {
			t.Fatalf("cancel: %d", code)
		}
		before := table.row(t, id)
		wantCancelled(t, before)
		if code := front.cancel(t, id); code != http.StatusConflict {
			t.Errorf("cancel once more: %d", code)
		}

		worker := table.start(t, sets, queues.environment...)
		if again := worker.submit(t, "sales", "{}"); again == id {
			t.Error("a cancelled job answers a new submit")
		} else if end := worker.await(t, again); end.Status != "DONE" {
			t.Errorf("the job after it ended %+v", end)
		} else {
			file := worker.do(t, http.MethodGet, again+"/file", "")
			if code := worker.cancel(t, again); code != http.StatusConflict {
				t.Errorf("cancel of a done job: %d", code)
			}
			if later := worker.do(t, http.MethodGet, again+"/file", ""); later.code != http.StatusOK || !bytes.Equal(file.body, later.body) {
				t.Errorf("its file afterwards: %d, %d bytes of %d", later.code, len(later.body), len(file.body))
			}
		}
		until(t, "the messages are consumed", func() bool { return queues.messages(t) == 0 })
		if diff := cmp.Diff(before, table.row(t, id)); diff != "" {
			t.Errorf("the cancelled row was changed: %s", diff)
		}
	})
}

// J3 (c): at whichever moment a cancel comes, its answer and the end of the job
// agree. shared/job/jobtest has 1,000 timings of it against each statement of a
// worker, on each database; shared/app has them against whole exports.
func TestCase_J3_AnyMoment(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		table := newJobTable(t, d)
		p := table.start(t, []string{d.sales(t, 200)}, "HAEXCEL_LEASE=1s", "HAEXCEL_MAX_ACTIVE_PER_REQUESTER=0")
		usual, done := time.Hour, 0
		for ; done < 3; done++ {
			began := time.Now()
			p.await(t, p.submit(t, "sales", "{}"))
			usual = min(usual, time.Since(began))
		}
		for i := range 60 {
			id := p.submit(t, "sales", fmt.Sprintf(`{"fileName": "%d"}`, i))
			time.Sleep(rand.N(usual + usual/2))
			code := p.cancel(t, id)
			end := p.await(t, id)
			file := p.do(t, http.MethodGet, id+"/file", "").code
			switch code {
			case http.StatusOK:
				wantCancelled(t, table.row(t, id))
				if file != http.StatusConflict {
					t.Errorf("the file of a cancelled job: %d", file)
				}
			case http.StatusConflict:
				done++
				if end.Status != "DONE" || file != http.StatusOK {
					t.Errorf("too late for a cancel: %s, file %d", end.Status, file)
				}
			default:
				t.Errorf("cancel: %d", code)
			}
		}
		until(t, "the objects of cancelled jobs are gone", func() bool { return len(table.stored(t)) == done })
	})
}

// J3 (e): a cancel during the upload leaves neither an object nor an upload.
func TestCase_J3_Upload(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.exec(t, "CREATE TABLE blank (no INTEGER)")
		endless := d.pick("SELECT seq, MD5(seq) AS a, SHA2(seq, 256) AS b FROM seq_1_to_1000000000",
			"SELECT n, md5(n::text) AS a, sha256(n::text::bytea) AS b FROM generate_series(1, 1000) a1, generate_series(1, 1000) a2, generate_series(1, 1000) n",
			"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n, hex(randomblob(16)) AS a, hex(randomblob(32)) AS b FROM c")
		set := "name: endless\nsql: " + endless + "\ncolumns: [{field: a}, {field: b}]\ncount: off\n"
		table, storage := newJobTable(t, d), onS3(t)
		p := table.start(t, []string{set}, append(storage, "HAEXCEL_LEASE=4s")...)
		bucket := setting(storage, "HAEXCEL_S3_BUCKET")
		client := s3Client(storage)
		uploads := func() int {
			out, err := client.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: &bucket})
			if err != nil {
				t.Fatal(err)
			}
			return len(out.Uploads)
		}
		id := p.submit(t, "endless", `{"packaging": "workbook"}`)
		until(t, "the upload has begun", func() bool { return uploads() == 1 })
		if code := p.cancel(t, id); code != http.StatusOK {
			t.Fatalf("cancel: %d", code)
		}
		if phase := decoded[struct{ Phase, Status string }](t, p.do(t, http.MethodGet, id+"/status", "").body); phase.Status == "RUNNING" && phase.Phase != "cancelling" {
			t.Errorf("after the cancel: %+v", phase)
		}
		p.await(t, id)
		wantCancelled(t, table.row(t, id))
		until(t, "the upload is gone", func() bool { return uploads() == 0 })
		out, err := client.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &bucket})
		if err != nil || len(out.Contents) != 0 {
			t.Errorf("the bucket holds %d objects, %v", len(out.Contents), err)
		}
	})
}

// setting is the value of a variable.
func setting(environment []string, name string) string {
	i := slices.IndexFunc(environment, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
	return strings.TrimPrefix(environment[i], name+"=")
}

// s3Client talks to the storage of the settings.
func s3Client(environment []string) *s3.Client {
	endpoint := setting(environment, "HAEXCEL_S3_ENDPOINT")
	return s3.New(s3.Options{
		Region: testRegion, BaseEndpoint: &endpoint, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(testKey, testKey, ""),
	})
}
