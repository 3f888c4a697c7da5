package cases

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/wake"
)

// Whatever gets into the queues, by mistake or on purpose, comes again until it
// is a dead letter, is dropped there, and touches no job. A wake that is older
// than its job is consumed at once. No database stumbles over an id.
func TestPoisonMessages(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		p := assemble(t, d)
		accepted, err := p.export(t.Context(), "good", "beside")
		if err != nil {
			t.Fatal(err)
		}
		row := p.row(t, accepted.JobID)
		id := func(text string) string { return wake.Wake{JobID: text, WokenAt: row.WokenAt}.Encode() }
		older := wake.Wake{JobID: row.ID, Attempt: row.Attempt - 1, WokenAt: row.WokenAt - 1}.Encode()
		for name, c := range map[string]struct {
			body  string
			again bool
		}{
			"half a wake":           {`{"jobId":`, true},
			"no JSON":               {"hello", true},
			"one blank":             {" ", true},
			"null":                  {"null", true},
			"a list":                {"[" + id(row.ID) + "]", true},
			"a text":                {`"` + row.ID + `"`, true},
			"two wakes":             {id(row.ID) + id(row.ID), true},
			"no id":                 {`{"attempt": 1, "wokenAt": 1}`, true},
			"an empty id":           {id(""), true},
			"an id of a number":     {`{"jobId": 5}`, true},
			"an attempt of a text":  {`{"jobId": "` + row.ID + `", "attempt": "1"}`, true},
			"an attempt too large":  {`{"jobId": "` + row.ID + `", "attempt": 1e99}`, true},
			"deep":                  {strings.Repeat("[", 20_000), true},
			"an unknown id":         {id(uuid.NewString()), true},
			"no UUID":               {id("1"), true},
			"SQL":                   {id("' OR '1'='1"), true},
			"a blank after the id":  {id(row.ID + " "), true},
			"the id in capitals":    {id(strings.ToUpper(row.ID)), true},
			"U+0000 after the id":   {id(row.ID + "\x00"), true},
			"no UTF-8":              {`{"jobId": "` + "\xff\xfe" + `", "wokenAt": 1}`, true},
			"half a surrogate":      {`{"jobId": "\ud800", "wokenAt": 1}`, true},
			"emoji":                 {id("😀"), true},
			"a long id":             {id(strings.Repeat("x", 200_000)), true},
			"a long id of Korean":   {id(strings.Repeat("가", 60_000)), true},
			"a wildcard":            {id("%"), true},
			"an older attempt":      {older, false},
			"an attempt below zero": {`{"jobId": "` + row.ID + `", "attempt": -9223372036854775808, "wokenAt": -1}`, false},
		} {
			before := p.row(t, row.ID)
			got := p.engine.Worker.Take(t.Context(), wake.Message{ID: name, Body: c.body, ReceiveCount: 1})
			if got.Again != c.again || got.Again && got.Delay <= 0 {
				t.Errorf("%s: %+v, want it again: %t", name, got, c.again)
			}
			if err := p.engine.DeadLetter.Do(t.Context(), c.body); err != nil {
				t.Errorf("%s, as a dead letter: %v", name, err)
			}
			if diff := cmp.Diff(before, p.row(t, row.ID)); diff != "" {
				t.Errorf("%s touches a job: %s", name, diff)
			}
		}
		if n := d.count(t, "SELECT COUNT(*) FROM ha_excel_job"); n != 1 || p.read("beside") != 0 {
			t.Errorf("%d rows, the job's were read %d times", n, p.read("beside"))
		}

		// What is left of the good one works.
		if got := p.engine.Worker.Take(t.Context(), wake.Message{ID: "good", Body: wakeOf(row), ReceiveCount: 4}); got.Again {
			t.Errorf("the good message: %+v", got)
		}
		if j := p.row(t, row.ID); j.Status != job.Done || j.Failures != 0 {
			t.Errorf("the job: %s after %d failures", j.Status, j.Failures)
		}
	})
}

// Of a job's wakes that became dead letters only the latest counts, once, and the
// last of its attempts ends it with a reason.
func TestDeadLettersOfAJob(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		p := assemble(t, d)
		accepted, err := p.export(t.Context(), "good", "unlucky")
		if err != nil {
			t.Fatal(err)
		}
		settle := func(body string) job.Job {
			t.Helper()
			if err := p.engine.DeadLetter.Do(t.Context(), body); err != nil {
				t.Fatal(err)
			}
			return p.row(t, accepted.JobID)
		}
		var letters []string
		for failures := 1; failures <= 3; failures++ {
			row := p.row(t, accepted.JobID)
			for _, old := range letters { // delivered late, or twice
				if after := settle(old); after.Failures != row.Failures || after.WokenAt != row.WokenAt {
					t.Errorf("an old dead letter counts: %+v", after)
				}
			}
			letters = append(letters, wakeOf(row))
			after := settle(letters[len(letters)-1])
			want := map[bool]job.Status{false: job.Pending, true: job.Fail}[failures == 3]
			if after.Failures != failures || after.Status != want || after.WokenAt == row.WokenAt && want == job.Pending {
				t.Errorf("dead letter %d: %s after %d failures, woken at %d, before at %d", failures, after.Status, after.Failures, after.WokenAt, row.WokenAt)
			}
		}
		end := p.row(t, accepted.JobID)
		if end.ErrorMsg == "" || end.Attempt != 0 || end.ActiveKey != "" {
			t.Errorf("the end: %q at attempt %d, active key %q", end.ErrorMsg, end.Attempt, end.ActiveKey)
		}
		for _, old := range letters {
			if diff := cmp.Diff(end, settle(old)); diff != "" {
				t.Errorf("a dead letter of an ended job: %s", diff)
			}
		}
	})
}
