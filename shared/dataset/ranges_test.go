package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
)

// plan finds places by hops of the given lengths, the last of which is used again.
func plan(t *testing.T, d *dataset.SQL, q dataset.Query, hops ...int64) (fields []cell.Field, places []string) {
	t.Helper()
	p, err := d.OpenPlanner(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if p.AsOf() < 1_700_000_000_000 {
		t.Errorf("asOf = %d", p.AsOf())
	}
	after := ""
	for i := 0; ; i++ {
		place, last, err := p.Next(after, hops[min(i, len(hops)-1)])
		if err != nil {
			t.Fatalf("%v: after %s: %v", q.Sort, after, err)
		}
		if last {
			if place != "" {
				t.Errorf("the last place is %s", place)
			}
			break
		}
		places = append(places, place)
		after = place
	}
	fields = p.Fields()
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	return fields, places
}

// ranges are the queries of the parts between places.
func ranges(q dataset.Query, places []string) []dataset.Query {
	var out []dataset.Query
	after := ""
	for _, p := range append(slices.Clone(places), "") {
		q.After, q.UpTo = after, p
		out = append(out, q)
		after = p
	}
	return out
}

// TestRanges: the parts between places, put together, are what is read in one go;
// each has as many rows as were hopped over.
func TestRanges(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, e engine) {
		random := rand.New(rand.NewPCG(3, 4))
		setUpSorting(t, e)
		columns, paged := sortTable(t, e, "ranged", 40, random), e.pagedSources(t)
		check := func(sort []dataset.SortKey, option string, size int, hops ...int64) {
			t.Helper()
			d := load(t, paged(size), sortFile(e, "ranged", columns)+option)
			q := dataset.Query{Sort: sort}
			wantFields, want := mustRead(t, d, q)
			fields, places := plan(t, d, q, hops...)
			if diff := cmp.Diff(wantFields, fields); diff != "" {
				t.Errorf("sorted by %v: the planner's fields: %s", sort, diff)
			}
			var got []row
			for i, part := range ranges(q, places) {
				partFields, rows := mustRead(t, d, part)
				if diff := cmp.Diff(wantFields, partFields); diff != "" {
					t.Errorf("sorted by %v: a part's fields: %s", sort, diff)
				}
				if n := hops[min(i, len(hops)-1)]; int64(len(rows)) > n || part.UpTo != "" && int64(len(rows)) != n {
					t.Errorf("sorted by %v: %d rows after %s up to %s, want %d", sort, len(rows), part.After, part.UpTo, n)
				}
				got = append(got, rows...)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("sorted by %v, divided by %v: %s", sort, hops, diff)
			}
		}
		check(nil, "", 3, 7)
		check(nil, "", 3, 40) // exactly what is there
		check(nil, "", 3, 1000)
		check(nil, "snapshot: off\n", 1, 13)
		for _, c := range columns {
			for _, desc := range []bool{false, true} {
				check([]dataset.SortKey{{Field: c, Desc: desc}}, "", 1+random.IntN(9), 1+random.Int64N(3), 3+random.Int64N(6))
			}
		}
		for range 15 {
			option := []string{"", "snapshot: off\n"}[random.IntN(2)]
			check(randomSort(random, columns), option, 1+random.IntN(9), 1+random.Int64N(10), 1+random.Int64N(10))
		}
	})
}

// TestPlanWithinRange plans a part of the rows, from a place and up to one.
func TestPlanWithinRange(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, e engine) {
		e.exec(t, "CREATE TABLE within (id INTEGER NOT NULL PRIMARY KEY)")
		for i := range 20 {
			e.exec(t, fmt.Sprintf("INSERT INTO within VALUES (%d)", i))
		}
		d := load(t, e.sources(t, dataset.SourceOptions{}), "name: within\nkey: id\nselect: {id: id}\nfrom: within\nsort: id\n")
		_, places := plan(t, d, dataset.Query{}, 5)
		q := dataset.Query{After: places[0], UpTo: places[2]}
		_, inner := plan(t, d, q, 4)
		var sizes []int
		for _, part := range append(ranges(dataset.Query{}, inner)[:len(inner)], dataset.Query{After: inner[len(inner)-1], UpTo: places[2]}) {
			if part.After == "" {
				part.After = q.After
			}
			_, rows := mustRead(t, d, part)
			sizes = append(sizes, len(rows))
		}
		if diff := cmp.Diff([]int{4, 4, 2}, sizes); diff != "" {
			t.Error(diff)
		}
		// Nothing lies between a place and itself, or before it.
		for _, q := range []dataset.Query{{After: places[1], UpTo: places[1]}, {After: places[1], UpTo: places[0]}} {
			if _, rows := mustRead(t, d, q); len(rows) > 0 {
				t.Errorf("%d rows after %s up to %s", len(rows), q.After, q.UpTo)
			}
		}
	})
}

// TestRowsChangeBetweenRanges: whatever is inserted, deleted and changed while the
// parts are read, rows that are left alone are read once.
func TestRowsChangeBetweenRanges(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, e engine) {
		random := rand.New(rand.NewPCG(5, 6))
		setUpSorting(t, e)
		columns := sortTable(t, e, "moving", 60, random)
		d := load(t, e.sources(t, dataset.SourceOptions{PageRows: 3, ReportZone: seoul(t)}), sortFile(e, "moving", columns))
		next := 1000
		for range 12 {
			q := dataset.Query{Sort: randomSort(random, columns), Fields: []string{"id"}}
			_, places := plan(t, d, q, 1+random.Int64N(9))
			untouched, changed, seen := map[string]bool{}, map[string]bool{}, map[string]int{}
			for _, id := range inOrder(t, e, "moving", nil) {
				untouched[id] = true
			}
			parts := ranges(q, places)
			random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			for _, part := range parts {
				fields, rows := mustRead(t, d, part)
				for _, id := range ids(t, fields, rows) {
					seen[id]++
				}
				left := inOrder(t, e, "moving", nil)
				victim := left[random.IntN(len(left))]
				delete(untouched, victim)
				switch random.IntN(3) {
				case 0: // the rows at places go as well as others
					e.exec(t, "DELETE FROM moving WHERE id = "+victim)
				case 1:
					changed[victim] = true
					e.exec(t, fmt.Sprintf("UPDATE moving SET whole = %d, filled = %d WHERE id = %s", random.IntN(9)-4, random.IntN(5), victim))
				}
				e.exec(t, fmt.Sprintf("INSERT INTO moving (grp, id, whole, filled) VALUES (%d, %d, %s, %d)", random.IntN(3), next,
					[]string{"NULL", "0", "3"}[random.IntN(3)], random.IntN(4)))
				next++
			}
			for id := range untouched {
				if seen[id] != 1 {
					t.Errorf("sorted by %v: the row %s was read %d times", q.Sort, id, seen[id])
				}
			}
			for id, n := range seen {
				if n > 1 && !changed[id] {
					t.Errorf("sorted by %v: the row %s, perhaps new or deleted, was read %d times", q.Sort, id, n)
				}
			}
			e.exec(t, fmt.Sprintf("DELETE FROM moving WHERE id >= 1000 AND id < %d", next-20))
		}
	})
}

// TestPlacesOutliveTheSession reads from places of another process's zone, which
// MySQL's instants must not depend on.
func TestPlacesOutliveTheSession(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, e engine) {
		setUpSorting(t, e)
		kind := map[string]string{"sqlite": "TIMESTAMP", "mariadb": "TIMESTAMP(3) NULL", "postgres": "timestamptz(3)"}[e.name]
		if e.name == "postgres" {
			e.db.SetMaxOpenConns(1)
			e.exec(t, "SET TimeZone = 'UTC'")
		}
		if e.name == "mariadb" {
			teachZone(t, e, "America/New_York")
		}
		e.exec(t, "CREATE TABLE lasting (id INTEGER NOT NULL PRIMARY KEY, at "+kind+")")
		for i := range 30 {
			// Over the hour that New York's clocks show twice.
			e.exec(t, fmt.Sprintf("INSERT INTO lasting VALUES (%d, '2026-11-01 %02d:%02d:00.250')", i, 3+i/6, i%6*10))
		}
		const file = "name: lasting\nkey: id\nselect: {id: l.id, at: l.at}\nfrom: lasting l\nsort: [at]\n"
		zones := []string{"America/New_York", "Asia/Seoul", "Etc/GMT+3", "Europe/London"}
		for _, desc := range []bool{false, true} {
			q := dataset.Query{Sort: []dataset.SortKey{{Field: "at", Desc: desc}}}
			for i, zone := range zones {
				for _, hop := range []int64{1, 3, 4} {
					s := e.sources(t, dataset.SourceOptions{PageRows: 2, ReportZone: zoneOf(t, zone)})
					_, places := plan(t, load(t, s, file), q, hop)
					other := e.sources(t, dataset.SourceOptions{PageRows: int(hop), ReportZone: zoneOf(t, zones[(i+int(hop))%len(zones)])})
					var got []string
					for _, part := range ranges(q, places) {
						fields, rows := mustRead(t, load(t, other, file), part)
						got = append(got, ids(t, fields, rows)...)
					}
					if diff := cmp.Diff(inOrder30(desc), got); diff != "" {
						t.Errorf("%s, descending %t, hops of %d: %s", zone, desc, hop, diff)
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
					if err := other.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		}
	})
}

func inOrder30(desc bool) []string {
	var out []string
	for i := range 30 {
		if desc {
			i = 29 - i
		}
		out = append(out, fmt.Sprint(i))
	}
	return out
}

// TestPlannerIsAskedAnyhow: places may be asked for in any order and of any length,
// and a planner may be closed in the middle.
func TestPlannerIsAskedAnyhow(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, e engine) {
		e.exec(t, "CREATE TABLE anyhow (id INTEGER NOT NULL PRIMARY KEY, n INTEGER)")
		for i := range 20 {
			e.exec(t, fmt.Sprintf("INSERT INTO anyhow VALUES (%d, %d)", i, i%3))
		}
		d := load(t, e.sources(t, dataset.SourceOptions{MaxConns: 1}), "name: anyhow\nkey: id\nselect: {id: id}\nfrom: anyhow\nsort: id\n")
		for _, sort := range [][]dataset.SortKey{nil, {{Field: "id"}}} {
			p, err := d.OpenPlanner(t.Context(), dataset.Query{Sort: sort})
			if err != nil {
				t.Fatal(err)
			}
			next := func(after string, n int64, want string) string {
				t.Helper()
				place, last, err := p.Next(after, n)
				if err != nil || last != (want == "") || !strings.Contains(place, `"text":"`+want+`"`) && want != "" {
					t.Fatalf("%v: after %s, %d on: %s, %t, %v; want %s", sort, after, n, place, last, err, want)
				}
				return place
			}
			fourth := next("", 5, "4")
			fifth := next(fourth, 1, "5")
			next(fifth, 13, "18")
			next(fourth, 2, "6")
			next("", 20, "")
			next("", 19, "18")
			next(fifth, 14, "")
			next(fifth, 1, "6")
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if fields, rows := mustRead(t, d, dataset.Query{After: fifth, Sort: sort}); len(rows) != 14 || len(fields) != 1 {
				t.Errorf("%d rows", len(rows))
			}
			ctx, cancel := context.WithCancel(t.Context())
			if p, err = d.OpenPlanner(ctx, dataset.Query{Sort: sort}); err != nil {
				t.Fatal(err)
			}
			next("", 5, "4")
			cancel()
			if _, last, err := p.Next(fourth, 1); !errors.Is(err, context.Canceled) || last {
				t.Errorf("%v: after the context's end: %t, %v", sort, last, err)
			}
			if err := p.Close(); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	})
}
