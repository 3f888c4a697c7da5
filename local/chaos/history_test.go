//go:build unix

package main

import (
	"strings"
	"testing"
)

// changesOf reads a job's life from words: state/attempt/owner/phase, with a ! in
// front where a cancel was accepted.
func changesOf(text string) (history []change) {
	var before change
	for word := range strings.FieldsSeq(text) {
		var c change
		word, c.cancelled = strings.CutPrefix(word, "!")
		parts := append(strings.Split(word, "/"), "", "", "")
		c.was, c.ownerWas, c.phaseWas = before.became, before.owner, before.phase
		c.became, c.owner, c.phase = parts[0], parts[2], parts[3]
		for _, r := range parts[1] {
			c.attempt = c.attempt*10 + int(r-'0')
		}
		history = append(history, c)
		before = c
	}
	return history
}

func TestWaysOfAJob(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		life    string
		retries int
		says    string // "" where all is right
	}{
		"done at once":            {"PENDING/0 RUNNING/1/a DONE/1/a", 0, ""},
		"a reused file":           {"DONE/0", 0, ""},
		"lost and taken over":     {"PENDING/0 RUNNING/1/a PENDING/1 RUNNING/2/b DONE/2/b", 0, ""},
		"split":                   {"PENDING/0 RUNNING/1/a RUNNING/1//CHUNKS RUNNING/2/b/PACKING DONE/2/b", 0, ""},
		"a lost packer":           {"PENDING/0 RUNNING/1/a RUNNING/1//CHUNKS RUNNING/2/b/PACKING RUNNING/2//CHUNKS RUNNING/3/c/PACKING DONE/3/c", 0, ""},
		"cancelled":               {"PENDING/0 RUNNING/1/a !FAIL/1/a", 0, ""},
		"cancelled while waiting": {"PENDING/0 !FAIL/0", 0, ""},
		"tried again":             {"PENDING/0 RUNNING/1/a FAIL/1/a PENDING/1 RUNNING/2/b DONE/2/b", 1, ""},

		"a claim of a running job":   {"PENDING/0 RUNNING/1/a RUNNING/2/b DONE/2/b", 0, "taken from its owner"},
		"a new owner without one":    {"PENDING/0 RUNNING/1/a RUNNING/1/b DONE/1/b", 0, "taken from its owner"},
		"a claim of a finished job":  {"PENDING/0 RUNNING/1/a DONE/1/a RUNNING/2/b DONE/2/b", 0, "no way for a job"},
		"a claim of a failed job":    {"PENDING/0 RUNNING/1/a FAIL/1/a RUNNING/2/b DONE/2/b", 0, "no way for a job"},
		"done without a claim":       {"PENDING/0 DONE/0", 0, "no way for a job"},
		"done twice":                 {"PENDING/0 RUNNING/1/a DONE/1/a DONE/1/b", 0, "the end was changed"},
		"done and failed":            {"PENDING/0 RUNNING/1/a DONE/1/a FAIL/1/a", 0, "no way for a job"},
		"done though cancelled":      {"PENDING/0 RUNNING/1/a !DONE/1/a", 0, "its cancel was accepted"},
		"claimed though cancelled":   {"PENDING/0 !RUNNING/1/a !FAIL/1/a", 0, "no claim"},
		"attempts that go back":      {"PENDING/0 RUNNING/1/a PENDING/0 RUNNING/1/b DONE/1/b", 0, "attempts went back"},
		"opened by nobody":           {"PENDING/0 RUNNING/1/a FAIL/1/a PENDING/1 RUNNING/2/b DONE/2/b", 0, "opened again"},
		"packed from an owner":       {"PENDING/0 RUNNING/1/a RUNNING/1//CHUNKS RUNNING/2/b/PACKING RUNNING/3/c/PACKING DONE/3/c", 0, "taken from its owner"},
		"waiting for ever":           {"PENDING/0 RUNNING/1/a PENDING/1", 0, "it has not ended"},
		"running for ever in chunks": {"PENDING/0 RUNNING/1/a RUNNING/1//CHUNKS", 0, "it has not ended"},
		"never there":                {"", 0, "it has not ended"},
	} {
		got := strings.Join(checkJob(changesOf(tc.life), tc.retries), "; ")
		if tc.says == "" && got != "" || !strings.Contains(got, tc.says) {
			t.Errorf("%s: %q, want %q", name, got, tc.says)
		}
	}
}

func TestWaysOfAChunk(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ life, says string }{
		"done at once":              {"RUNNING/1/a DONE/1/a", ""},
		"lost and taken over":       {"RUNNING/1/a PENDING/1 RUNNING/2/b DONE/2/b", ""},
		"failed and tried again":    {"RUNNING/1/a FAIL/1/a PENDING/1 RUNNING/2/b DONE/2/b", ""},
		"a claim of a running one":  {"RUNNING/1/a RUNNING/2/b DONE/2/b", "taken from its owner"},
		"a claim of a finished one": {"RUNNING/1/a DONE/1/a RUNNING/2/b DONE/2/b", "a finished chunk was changed"},
		"finished without a claim":  {"RUNNING/1/a PENDING/1 DONE/1/a", "finished without a claim"},
		"an attempt left out":       {"RUNNING/2/a DONE/2/a", "no claim of a waiting chunk"},
	} {
		history := changesOf(tc.life)
		history[0].was = pending
		got := strings.Join(checkChunk(history), "; ")
		if tc.says == "" && got != "" || !strings.Contains(got, tc.says) {
			t.Errorf("%s: %q, want %q", name, got, tc.says)
		}
	}
}

// What a killed process had claimed counts as resumed once a later attempt has
// finished it.
func TestResumedIsFinishedByALaterAttempt(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		life    string
		resumed int64
	}{
		"by a later attempt": {"PENDING/0 RUNNING/1/a PENDING/1 RUNNING/2/b DONE/2/b", 1},
		"by itself":          {"PENDING/0 RUNNING/1/a DONE/1/a", 0},
		"never":              {"PENDING/0 RUNNING/1/a PENDING/1 RUNNING/2/b FAIL/2/b", 0},
	} {
		counted := &tally{}
		lost := lostAttempt{place: place{jobID: "job"}, attempt: 1}
		tr := &trouble{tally: counted, lost: []lostAttempt{lost}}
		tr.countResumed(map[place][]change{lost.place: changesOf(tc.life)})
		if got := counted.resumed.Load(); got != tc.resumed {
			t.Errorf("%s: %d", name, got)
		}
	}
}
