//go:build unix

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestMisuse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		says string
	}{
		"another database": {[]string{"-database", "sqlite"}, "mariadb or postgres"},
		"no time":          {[]string{"-minutes", "0"}, "-minutes"},
		"no workers":       {[]string{"-workers", "0"}, "-workers"},
		"a word":           {[]string{"now"}, "flags only"},
		"an unknown flag":  {[]string{"-explode"}, "-explode"},
	} {
		var stdout, stderr bytes.Buffer
		p := program{environment: os.Environ(), stdout: &stdout, stderr: &stderr}
		if code := p.run(t.Context(), tc.args); code != exitMisuse || !strings.Contains(stderr.String(), tc.says) || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, %s%s", name, code, stdout.String(), stderr.String())
		}
	}
}

// Without a database to restart nothing is begun.
func TestNoServers(t *testing.T) {
	t.Parallel()
	for name, environment := range map[string][]string{
		"nothing":    nil,
		"no control": {"HAEXCEL_TEST_AWS_ENDPOINT=http://127.0.0.1:1", "HAEXCEL_TEST_MARIADB_URL=mysql://root@127.0.0.1:1/"},
	} {
		var stdout, stderr bytes.Buffer
		p := program{environment: environment, stdout: &stdout, stderr: &stderr}
		if code := p.run(t.Context(), []string{"-out", t.TempDir()}); code != exitBroken || !strings.Contains(stderr.String(), "make chaos") {
			t.Errorf("%s: exit code %d, %s", name, code, stderr.String())
		}
	}
}

func TestLastLine(t *testing.T) {
	t.Parallel()
	counted := &tally{}
	counted.jobs.Add(3)
	counted.restarts.Add(2)
	counted.violate("job %d", 1)
	counted.violate("job %d", 1) // the same once more
	counted.violate("job %d", 2)
	var w bytes.Buffer
	if n := counted.report(&w); n != 2 {
		t.Errorf("%d violations", n)
	}
	const want = "violation: job 1\nviolation: job 2\nchaos: jobs=3 done=0 kills=0 resumed=0 pauses=0 duplicates=0 lost=0 faults=0 restarts=2 violations=2\n"
	if w.String() != want {
		t.Errorf("got %q", w.String())
	}
}

// The same seed decides alike, another one does not, and neither do two parts of
// one run.
func TestSeedDecides(t *testing.T) {
	t.Parallel()
	decisions := func(seed uint64, part string) (list [20]int) {
		c := newChance(seed, part)
		for i := range list {
			list[i] = c.below(1000)
		}
		return list
	}
	first := decisions(1, "kill")
	if decisions(1, "kill") != first {
		t.Error("one seed decides in two ways")
	}
	if decisions(2, "kill") == first || decisions(1, "pause") == first {
		t.Error("two seeds or two parts decide alike")
	}
}
