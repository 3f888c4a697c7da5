package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everywhere are servers of all kinds.
var everywhere = servers{mariaDB: "mysql://m/", postgres: "postgres://p/", s3: "http://s"}

// planned writes cases in short, and what was left out.
func planned(s settings, there servers) (cases, omitted []string) {
	for _, c := range plan(s, there, func(format string, args ...any) { omitted = append(omitted, fmt.Sprintf(format, args...)) }) {
		names := []string{}
		for _, w := range c.writers {
			names = append(names, w.name)
		}
		cases = append(cases, fmt.Sprintf("%s %dx%d %s", c.shape, c.rows, c.cols, strings.Join(names, " ")))
	}
	return cases, omitted
}

func TestPlan(t *testing.T) {
	t.Parallel()
	const inProcess = "haexcel haexcel-small haexcel-1core excelize excelize-1core idle rows floor-xml floor-deflate"
	got, omitted := planned(settings{rows: 1_000_000, cols: 12}, everywhere)
	want := []string{
		"mixed 1000000x12 " + inProcess + " read-mariadb read-postgres upload-s3 pipeline-mariadb pipeline-postgres",
		"wide 200000x50 " + inProcess,
		"text 400000x10 " + inProcess,
		"numbers 600000x10 " + inProcess,
		"memory 100000x10 haexcel idle",
		"memory 5000000x10 haexcel idle",
	}
	if diff := cmp.Diff(want, got); diff != "" || omitted != nil {
		t.Errorf("left out %q (-want +got):\n%s", omitted, diff)
	}
}

func TestSmallPlansShrink(t *testing.T) {
	t.Parallel()
	got, _ := planned(settings{rows: 1000, cols: 10, writers: []string{"idle"}}, servers{})
	want := []string{"mixed 1000x10 idle", "wide 200x50 idle", "text 400x10 idle", "numbers 600x10 idle", "memory 100x10 idle", "memory 5000x10 idle"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, _ := planned(settings{rows: 1, cols: 10, shapes: []string{"wide"}, writers: []string{"rows"}}, servers{}); !slices.Equal(got, []string{"wide 1x50 rows"}) {
		t.Errorf("one row is planned as %q", got)
	}
}

// What can't run is named.
func TestPlanLeavesOut(t *testing.T) {
	t.Parallel()
	got, omitted := planned(settings{rows: 2_000_000, cols: 10, shapes: []string{"mixed"}, writers: []string{
		"idle", "excelize", "upload-s3", "read-postgres", "pipeline-postgres",
	}}, servers{postgres: "postgres://p/"})
	if !slices.Equal(got, []string{"mixed 2000000x10 idle read-postgres"}) {
		t.Errorf("planned: %q", got)
	}
	want := []string{
		"excelize is left out of mixed with 2000000 rows: it writes no second sheet",
		"upload-s3 is left out of mixed with 2000000 rows: there is no s3",
		"pipeline-postgres is left out of mixed with 2000000 rows: there is no s3",
	}
	if diff := cmp.Diff(want, omitted); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}

// Every round has every writer once; each begins with another one, and the first
// is as listed.
func TestRoundsAlternate(t *testing.T) {
	t.Parallel()
	begins := map[string]bool{}
	for round := range 3 {
		list := order(writers, round, 3)
		names := []string{}
		for _, w := range list {
			names = append(names, w.name)
		}
		begins[names[0]] = true
		if round == 0 && !slices.Equal(names, writerNames()) {
			t.Errorf("the first round is %q", names)
		}
		slices.Sort(names)
		if all := slices.Sorted(slices.Values(writerNames())); !slices.Equal(names, all) {
			t.Errorf("round %d has %q", round, names)
		}
	}
	if len(begins) != 3 {
		t.Errorf("the rounds begin with %v", begins)
	}
}
