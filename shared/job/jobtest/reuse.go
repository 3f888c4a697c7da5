package jobtest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// reuse10m is what most tests ask for.
var reuse10m = job.Reuse{MaxAge: 10 * time.Minute, TTL: ttl}

// file is a finished job whose rows are as old as that.
func (f Fixture) file(t testing.TB, n job.New, asOfAge time.Duration) job.Job {
	t.Helper()
	submit(t, f.Store, n)
	j := claim(t, f.Store, n.ID)
	done := completion(j)
	done.AsOf, done.AsOfEnd, done.WarningsJSON = f.now(t)-asOfAge.Milliseconds(), f.now(t), `{"messages":["w"]}`
	ok(t, f.Store.Complete(t.Context(), j.Fence(), done))
	return get(t, f.Store, n.ID)
}

// sameFile is another requester's submit of the same content.
func sameFile(as job.New, r job.Reuse) job.New {
	n := newJob()
	n.Requester, n.FilterHash, n.Reuse = "lee", as.FilterHash, r
	return n
}

func testReuse(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store
	// try submits and answers the job; reused tells whether a file served it.
	try := func(t *testing.T, n job.New) (j job.Job, reused bool) {
		t.Helper()
		answer := must[job.Submitted](t)(s.Submit(t.Context(), n, noLimits))
		equal(t, "created", answer.Created, true)
		equal(t, "answer", answer.Job, get(t, s, n.ID))
		sound(t, answer.Job)
		return answer.Job, answer.Job.ReusedFrom != ""
	}

	t.Run("the new row is done and has all of the file but nothing of its requester", func(t *testing.T) {
		n := newJob()
		source := f.file(t, n, time.Minute)
		again := job.New{
			ID: uuid.NewString(), Dataset: "orders", FileName: "다른 이름", Requester: "lee",
			ParamsJSON: `{"a":"b"}`, ColumnsJSON: `[{"field":"x"}]`, TemplateID: "tpl-1", Queue: job.Large, TotalRows: 77,
			FilterHash: n.FilterHash, ExportHash: hash("other export", n.ID), IdempotencyKey: hash("key", n.ID), RequestID: "req-2",
			ScopeJSON: `{"tenant":"t1"}`, OptionsJSON: `{"packaging":"zip"}`, WarningsJSON: "not looked at", Reuse: reuse10m,
		}
		from := f.now(t)
		j, _ := try(t, again)
		if j.CompletedAt < from || j.CompletedAt > f.now(t) || j.CreatedAt != j.CompletedAt || j.UpdatedAt != j.CompletedAt {
			t.Errorf("created at %d, updated at %d, completed at %d: not this moment", j.CreatedAt, j.UpdatedAt, j.CompletedAt)
		}
		j.CreatedAt, j.UpdatedAt, j.CompletedAt = 0, 0, 0
		equal(t, "job", j, job.Job{
			ID: again.ID, Dataset: again.Dataset, FileName: again.FileName, Requester: again.Requester, Status: job.Done,
			ProcessedRows: source.ProcessedRows, TotalRows: source.TotalRows, FilePath: source.FilePath,
			ParamsJSON: again.ParamsJSON, ColumnsJSON: again.ColumnsJSON, TemplateID: again.TemplateID, Queue: job.Large,
			FilterHash: n.FilterHash, ExportHash: again.ExportHash, IdempotencyKey: again.IdempotencyKey, RequestID: again.RequestID,
			AsOf: source.AsOf, AsOfEnd: source.AsOfEnd, FileBytes: source.FileBytes,
			ScopeJSON: again.ScopeJSON, OptionsJSON: again.OptionsJSON, WarningsJSON: source.WarningsJSON, ReusedFrom: source.ID,
		})
		unchanged(t, s, source)
	})

	t.Run("warnings may be changed on the way", func(t *testing.T) {
		n := newJob()
		source := f.file(t, n, 0)
		r := reuse10m
		r.Warnings = strings.ToUpper
		j, _ := try(t, sameFile(n, r))
		equal(t, "warnings", j.WarningsJSON, strings.ToUpper(source.WarningsJSON))
		r.Warnings = func(string) string { return "" }
		j, _ = try(t, sameFile(n, r))
		equal(t, "warnings", j.WarningsJSON, "")
	})

	for name, c := range map[string]struct {
		age    time.Duration
		reuse  job.Reuse
		change map[string]any // of the file's row
		want   bool
	}{
		"young enough":            {9 * time.Minute, reuse10m, nil, true},
		"too old":                 {11 * time.Minute, reuse10m, nil, false},
		"no reuse asked for":      {0, job.Reuse{TTL: ttl}, nil, false},
		"as of an unknown moment": {0, reuse10m, map[string]any{"as_of": nil}, false},
		"swept":                   {0, reuse10m, map[string]any{"swept_at": int64(1), "file_path": nil}, false},
		"marked swept":            {0, reuse10m, map[string]any{"swept_at": int64(1)}, false},
		"without a file":          {0, reuse10m, map[string]any{"file_path": nil}, false},
		"failed":                  {0, reuse10m, map[string]any{"status": "FAIL", "error_msg": "x"}, false},
		"still running":           {0, reuse10m, map[string]any{"status": "RUNNING"}, false},
		"expired":                 {0, reuse10m, map[string]any{"completed_at": int64(1)}, false},
		"of an unknown end":       {0, reuse10m, map[string]any{"completed_at": nil}, false},
		"of another filter":       {0, reuse10m, map[string]any{"filter_hash": hash("another")}, false},
		"of no filter":            {0, reuse10m, map[string]any{"filter_hash": nil}, false},
		"pregenerated, past its ttl": {90 * time.Minute, job.Reuse{TTL: ttl, Pregenerated: 2 * time.Hour},
			map[string]any{"worker": job.Pregenerator, "completed_at": int64(1)}, true},
		"pregenerated, too old": {121 * time.Minute, job.Reuse{TTL: ttl, Pregenerated: 2 * time.Hour},
			map[string]any{"worker": job.Pregenerator}, false},
		"pregenerated, not asked for":                     {90 * time.Minute, reuse10m, map[string]any{"worker": job.Pregenerator}, false},
		"pregenerated, like any other":                    {5 * time.Minute, reuse10m, map[string]any{"worker": job.Pregenerator}, true},
		"a user's, where pregenerated ones are asked for": {5 * time.Minute, job.Reuse{TTL: ttl, Pregenerated: 2 * time.Hour}, nil, false},
		"a name that ends in a blank": {5 * time.Minute, job.Reuse{TTL: ttl, Pregenerated: 2 * time.Hour},
			map[string]any{"worker": job.Pregenerator + " "}, false},
	} {
		t.Run("a file "+name, func(t *testing.T) {
			n := newJob()
			source := f.file(t, n, c.age)
			if c.change != nil {
				f.SetJob(t, source.ID, c.change)
			}
			j, reused := try(t, sameFile(n, c.reuse))
			if reused != c.want || (j.Status == job.Done) != c.want || !reused && j.Status != job.Pending {
				t.Errorf("reused %v, the job is %s", reused, j.Status)
			}
		})
	}

	t.Run("a submit without a filter hash reuses nothing", func(t *testing.T) {
		n := newJob()
		n.FilterHash = ""
		f.file(t, n, 0)
		_, reused := try(t, sameFile(n, reuse10m))
		equal(t, "reused", reused, false)
	})

	t.Run("the newest file of several", func(t *testing.T) {
		n := newJob()
		var files []job.Job
		for i, age := range []time.Duration{5 * time.Minute, time.Minute, 3 * time.Minute} {
			if i > 0 {
				n.ID, n.ExportHash = uuid.NewString(), hash("several", n.ID)
			}
			files = append(files, f.file(t, n, age))
		}
		j, _ := try(t, sameFile(n, reuse10m))
		equal(t, "reused from", j.ReusedFrom, files[1].ID)
		f.SetJob(t, files[1].ID, map[string]any{"swept_at": int64(1), "file_path": nil})
		f.SetJob(t, j.ID, map[string]any{"swept_at": int64(1), "file_path": nil})
		j, _ = try(t, sameFile(n, reuse10m))
		equal(t, "reused from", j.ReusedFrom, files[2].ID)
	})

	t.Run("a reused file is reused again while its rows are young enough", func(t *testing.T) {
		n := newJob()
		source := f.file(t, n, time.Minute)
		first, _ := try(t, sameFile(n, reuse10m))
		f.SetJob(t, source.ID, map[string]any{"swept_at": int64(1), "file_path": nil})
		second, _ := try(t, sameFile(n, reuse10m))
		equal(t, "reused from", second.ReusedFrom, first.ID)
		equal(t, "file", second.FilePath, source.FilePath)
		equal(t, "as of", second.AsOf, source.AsOf)
		f.SetJob(t, first.ID, map[string]any{"as_of": source.AsOf - ttl.Milliseconds()})
		f.SetJob(t, second.ID, map[string]any{"as_of": source.AsOf - ttl.Milliseconds()})
		_, reused := try(t, sameFile(n, reuse10m))
		equal(t, "reused", reused, false)
	})

	t.Run("both keys go before", func(t *testing.T) {
		n := newJob()
		f.file(t, n, 0)
		active := n
		active.ID, active.IdempotencyKey = uuid.NewString(), hash("before", n.ID)
		submit(t, s, active) // asks for no reuse
		again := active
		again.ID, again.IdempotencyKey, again.Reuse = uuid.NewString(), "", reuse10m
		answer := must[job.Submitted](t)(s.Submit(ctx, again, noLimits))
		equal(t, "answer by the active key", answer.Job.ID, active.ID)
		equal(t, "created", answer.Created, false)
		must[job.Job](t)(s.Cancel(ctx, active.ID))
		again.IdempotencyKey = active.IdempotencyKey
		answer = must[job.Submitted](t)(s.Submit(ctx, again, noLimits))
		equal(t, "answer by the idempotency key", answer.Job.ID, active.ID)
		equal(t, "created", answer.Created, false)
		equal(t, "rows", f.CountJobs(t, "job_id", again.ID), 0)
	})

	t.Run("limits come after", func(t *testing.T) {
		n := newJob()
		n.Requester = "limited"
		f.file(t, n, 0)
		waiting := newJob()
		waiting.Requester = "limited"
		submit(t, s, waiting)
		again := sameFile(n, reuse10m)
		again.Requester = "limited"
		lim := job.SubmitLimits{Window: window, MaxActive: 1, MaxPending: 1}
		equal(t, "status", must[job.Submitted](t)(s.Submit(ctx, again, lim)).Job.Status, job.Done)
		again = newJob()
		again.Requester = "limited"
		_, err := s.Submit(ctx, again, lim)
		wantCode(t, err, fault.TooManyRequests)
	})

	t.Run("its idempotency key answers with it", func(t *testing.T) {
		n := newJob()
		f.file(t, n, 0)
		first := sameFile(n, reuse10m)
		first.IdempotencyKey = hash("reused", n.ID)
		j, _ := try(t, first)
		again := first
		again.ID = uuid.NewString()
		answer := must[job.Submitted](t)(s.Submit(ctx, again, noLimits))
		equal(t, "answer", answer.Job, j)
		equal(t, "created", answer.Created, false)
		other := sameFile(n, reuse10m) // another export, since it has a hash of its own
		other.IdempotencyKey = first.IdempotencyKey
		_, err := s.Submit(ctx, other, noLimits)
		wantCode(t, err, fault.Unprocessable)
		equal(t, "rows", f.CountJobs(t, "job_id", other.ID), 0)
	})

	t.Run("the same id again counts as inserted", func(t *testing.T) {
		n := newJob()
		source := f.file(t, n, 0)
		again := sameFile(n, reuse10m)
		first, _ := try(t, again)
		second, _ := try(t, again)
		equal(t, "answer", second, first)
		f.SetJob(t, source.ID, map[string]any{"as_of": int64(1)})
		f.SetJob(t, first.ID, map[string]any{"as_of": int64(1)})
		third, _ := try(t, again) // with no file to be found
		equal(t, "id", third.ID, first.ID)
		equal(t, "rows", f.CountJobs(t, "filter_hash", n.FilterHash), 2)
	})

	t.Run("the object is named until its last row is swept", func(t *testing.T) {
		n := newJob()
		source := f.file(t, n, 0)
		j, _ := try(t, sameFile(n, reuse10m))
		for i, id := range []string{source.ID, j.ID} {
			f.age(t, id, 2*ttl)
			keys, swept, err := s.MarkSwept(ctx, id, ttl)
			ok(t, err)
			equal(t, "swept", swept, true)
			if !slices.Equal(keys, []string{source.FilePath}) {
				t.Errorf("keys %q", keys)
			}
			equal(t, "named", must[bool](t)(s.Named(ctx, source.FilePath)), i == 0)
		}
		_, reused := try(t, sameFile(n, reuse10m))
		equal(t, "reused after its end", reused, false)
	})

	t.Run("a lost reply is settled", func(t *testing.T) {
		faults := &Faults{}
		faulty := f.OpenFaulty(t, faults)
		for _, loss := range losses {
			for _, key := range []string{"", hash("lost reuse", loss.name)} {
				n := newJob()
				f.file(t, n, 0)
				again := sameFile(n, reuse10m)
				again.IdempotencyKey = key
				loss.set(faults)
				answer := must[job.Submitted](t)(faulty.Submit(ctx, again, noLimits))
				equal(t, "a fault is left", faults.Pending(), false)
				equal(t, "created", answer.Created, true)
				equal(t, "id", answer.Job.ID, again.ID)
				equal(t, "status", answer.Job.Status, job.Done)
				equal(t, "rows", f.CountJobs(t, "filter_hash", n.FilterHash), 2)
			}
		}
	})
}

func testPregenerated(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store
	pregenerated := func(t *testing.T, filterHash string) job.Job {
		t.Helper()
		n := newJob()
		n.Requester, n.FilterHash = job.Pregenerator, filterHash
		return f.file(t, n, 0)
	}
	listed := func(t *testing.T) map[string]bool {
		t.Helper()
		ids := map[string]bool{}
		for _, p := range must[[]job.Pregenerated](t)(s.ExpiredPregenerated(t.Context(), ttl, 1000)) {
			equal(t, "row", p.Job, get(t, s, p.ID))
			ids[p.ID] = p.Succeeded
		}
		return ids
	}
	expired := func(t *testing.T) (ids []string) {
		t.Helper()
		for _, j := range must[[]job.Job](t)(s.Expired(t.Context(), ttl, 1000)) {
			ids = append(ids, j.ID)
		}
		return ids
	}

	t.Run("newest", func(t *testing.T) {
		filter := hash("newest")
		_, err := s.Newest(ctx, job.Pregenerator, filter)
		wantCode(t, err, fault.NotFound)
		first := pregenerated(t, filter)
		f.age(t, first.ID, time.Minute)
		n := newJob()
		n.Requester, n.FilterHash = job.Pregenerator+" ", filter
		submit(t, s, n)
		equal(t, "newest", must[job.Job](t)(s.Newest(ctx, job.Pregenerator, filter)).ID, first.ID)
		n = newJob()
		n.Requester, n.FilterHash = job.Pregenerator, filter
		second := submit(t, s, n) // whatever its status
		equal(t, "newest", must[job.Job](t)(s.Newest(ctx, job.Pregenerator, filter)), second)
		_, err = s.Newest(ctx, "kim", filter)
		wantCode(t, err, fault.NotFound)
	})

	t.Run("expired ones are listed apart, with what came after them", func(t *testing.T) {
		first := pregenerated(t, hash("line"))
		f.age(t, first.ID, ttl-time.Minute)
		_, found := listed(t)[first.ID]
		equal(t, "listed before its time", found, false)

		f.age(t, first.ID, 2*time.Minute)
		succeeded, found := listed(t)[first.ID]
		if !found || succeeded {
			t.Errorf("listed %v, succeeded %v", found, succeeded)
		}
		other := pregenerated(t, hash("another line"))
		mine := newJob() // a user's is no successor
		mine.FilterHash = first.FilterHash
		f.file(t, mine, 0)
		failed := newJob() // nor is one that failed
		failed.Requester, failed.FilterHash = job.Pregenerator, first.FilterHash
		submit(t, s, failed)
		must[job.Job](t)(s.Fail(ctx, claim(t, s, failed.ID).Fence(), "broken"))
		equal(t, "succeeded", listed(t)[first.ID], false)

		second := pregenerated(t, first.FilterHash)
		equal(t, "succeeded", listed(t)[first.ID], true)
		f.age(t, second.ID, 2*ttl-time.Minute-time.Second)
		f.age(t, first.ID, 2*ttl)
		f.age(t, other.ID, 2*ttl)
		ids := listed(t)
		equal(t, "first succeeded", ids[first.ID], true)
		equal(t, "second succeeded", ids[second.ID], false)
		list := must[[]job.Pregenerated](t)(s.ExpiredPregenerated(ctx, ttl, 1))
		if len(list) != 1 || list[0].ID != first.ID {
			t.Errorf("listed %+v, want the one that has a successor", list)
		}

		_, swept, err := s.MarkSwept(ctx, first.ID, ttl)
		ok(t, err)
		equal(t, "swept", swept, true)
		_, found = listed(t)[first.ID]
		equal(t, "listed after its sweep", found, false)
	})

	t.Run("Expired lists those that failed, and users' jobs", func(t *testing.T) {
		kept := pregenerated(t, hash("kept"))
		n := newJob()
		n.Requester = job.Pregenerator
		submit(t, s, n)
		broken := must[job.Job](t)(s.Fail(ctx, claim(t, s, n.ID).Fence(), "broken"))
		user := finished(t, s)
		for _, id := range []string{kept.ID, broken.ID, user.ID} {
			f.age(t, id, 2*ttl)
		}
		ids := expired(t)
		for id, want := range map[string]bool{kept.ID: false, broken.ID: true, user.ID: true} {
			equal(t, "listed", slices.Contains(ids, id), want)
		}
		_, found := listed(t)[broken.ID]
		equal(t, "a failed one among the pregenerated", found, false)
	})
}
