package jobtest

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// testText: ids, requesters and JSON are bytes on every database.
func testText(t *testing.T, f Fixture) {
	ctx, s := t.Context(), f.Store

	t.Run("requesters differ by case, accent, width and trailing blanks", func(t *testing.T) {
		users := []string{"user", "USER", "user ", "user  ", " user", "üser", "u\u0308ser", "ｕser", "user\t"}
		ids := map[string]string{}
		for _, user := range users {
			n := newJob()
			n.Requester = user
			ids[user] = submit(t, s, n).ID
		}
		for _, user := range users {
			jobs := must[job.Page](t)(s.List(ctx, user, 10, "")).Jobs
			if len(jobs) != 1 || jobs[0].ID != ids[user] || jobs[0].Requester != user {
				t.Errorf("%q sees %d jobs", user, len(jobs))
			}
		}
	})

	t.Run("ids too", func(t *testing.T) {
		j := submit(t, s, newJob())
		for _, other := range []string{strings.ToUpper(j.ID), j.ID + " ", " " + j.ID, j.ID + "\x00", "\xff"} {
			_, err := s.Get(ctx, other)
			wantCode(t, err, fault.NotFound)
			_, err = s.Cancel(ctx, other)
			wantCode(t, err, fault.NotFound)
			_, err = s.Reopen(ctx, other)
			wantCode(t, err, fault.NotFound)
			_, _, err = s.Claim(ctx, other, "host", lease)
			wantCode(t, err, fault.NotFound)
			_, _, err = s.Pack(ctx, other, "host", lease)
			wantCode(t, err, fault.NotFound)
			_, err = s.AddChunk(ctx, job.Fence{JobID: other, Token: "x", Attempt: 1}, job.Chunk{No: 1})
			wantCode(t, err, fault.NotFound)
			_, claimed, err := s.ClaimChunk(ctx, other, "host", lease)
			ok(t, err)
			equal(t, "chunk claimed", claimed, false)
			_, err = s.BeatChunk(ctx, job.ChunkFence{JobID: other, No: 1, Token: "x", Attempt: 1}, 1, lease)
			wantCode(t, err, fault.Lost)
			equal(t, "chunks", len(must[[]job.Chunk](t)(s.Chunks(ctx, other))), 0)
			_, verdict, err := s.DeadLetter(ctx, other, j.WokenAt, attempts)
			ok(t, err)
			equal(t, "dead letter", verdict, job.DeadDropped)
			_, swept, err := s.MarkSwept(ctx, other, -time.Hour)
			ok(t, err)
			equal(t, "swept", swept, false)
		}
		unchanged(t, s, j)
	})

	t.Run("JSON comes back as it went in", func(t *testing.T) {
		n := newJob()
		n.ParamsJSON = "{\"b\":1, \"a\" : [1.10, 1e5,\"\\u0000\\ud83d\\ude00 가\"] }  \n"
		n.ColumnsJSON = "[" + strings.Repeat(`{"field":"가나다","headerName":"x'\\\"; --"},`, 20_000) + "0]"
		n.OptionsJSON = `{"sort":[{"field":"a","dir":"desc"}]} `
		n.ScopeJSON = `{"tenant":"T "}`
		submit(t, s, n)
		j := get(t, s, n.ID)
		equal(t, "params", j.ParamsJSON, n.ParamsJSON)
		equal(t, "options", j.OptionsJSON, n.OptionsJSON)
		equal(t, "scope", j.ScopeJSON, n.ScopeJSON)
		if j.ColumnsJSON != n.ColumnsJSON {
			t.Error("a long JSON text changed")
		}
	})

	t.Run("what can't be stored is refused, and nothing is written", func(t *testing.T) {
		for _, bad := range []string{"a\x00b", "a\xffb", "\xed\xa0\xbd"} {
			n := newJob()
			n.FileName = bad
			_, err := s.Submit(ctx, n, noLimits)
			wantCode(t, err, fault.Invalid)
			equal(t, "rows", f.CountJobs(t, "job_id", n.ID), 0)
		}
		running := running(t, s)
		wantCode(t, s.Complete(ctx, running.Fence(), job.Completion{FilePath: "a\x00b"}), fault.Invalid)
		_, err := s.HandOver(ctx, running.Fence(), job.HandOver{CheckpointJSON: "\xff", MaxHops: 5})
		wantCode(t, err, fault.Invalid)
		unchanged(t, s, running)
	})

	t.Run("error messages are cut at a character", func(t *testing.T) {
		for name, c := range map[string]struct{ in, want string }{
			"short":        {"고장", "고장"},
			"exact":        {strings.Repeat("가", 1000), strings.Repeat("가", 1000)},
			"long":         {strings.Repeat("가", 1001), strings.Repeat("가", 1000)},
			"emoji":        {strings.Repeat("a", 999) + "😀😀", strings.Repeat("a", 999) + "😀"},
			"forbidden":    {"a\x00b\xffc", "ab\uFFFDc"},
			"own quotes":   {`it's "so" \ -- ?`, `it's "so" \ -- ?`},
			"placeholders": {":message {now} $1 ? %s", ":message {now} $1 ? %s"},
		} {
			t.Run(name, func(t *testing.T) {
				j := must[job.Job](t)(s.Fail(t.Context(), running(t, s).Fence(), c.in))
				equal(t, "message", j.ErrorMsg, c.want)
			})
		}
	})

	t.Run("a token fits its column whatever the server is called", func(t *testing.T) {
		for _, server := range []string{"", strings.Repeat("서", 300), "a\x00\xff#b"} {
			j, claimed, err := s.Claim(ctx, submit(t, s, newJob()).ID, server, lease)
			ok(t, err)
			equal(t, "claimed", claimed, true)
			if n := utf8.RuneCountInString(j.Token); n > 128 || !strings.Contains(j.Token, "#") {
				t.Errorf("token of %d characters: %q", n, j.Token)
			}
			cancelled, err := s.Beat(ctx, j.Fence(), job.Progress{}, lease)
			ok(t, err)
			equal(t, "cancel wanted", cancelled, false)
		}
	})

	t.Run("objects are named by bytes", func(t *testing.T) {
		j := running(t, s)
		c := completion(j)
		c.FilePath = "exports/" + uuid.NewString() + "/1/Ab.xlsx"
		ok(t, s.Complete(ctx, j.Fence(), c))
		for key, want := range map[string]bool{
			c.FilePath:                  true,
			c.FilePath + " ":            false,
			strings.ToLower(c.FilePath): false,
			"":                          false,
		} {
			equal(t, key+" is named", must[bool](t)(s.Named(ctx, key)), want)
		}
	})
}
