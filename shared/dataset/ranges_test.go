package dataset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
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
				check([]dataset.SortKey{{Field: c, Desc: desc}}, "", 1+random.IntN(9), 1+random.Int64N(3), 1+random.Int64N(6))
			}
		}
		for range 30 {
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
				for hop := int64(1); hop < 5; hop++ {
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

// TestFaultyOrders: what cannot be sorted, divided or understood is said so, for good.
func TestFaultyOrders(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, e engine) {
		kind := map[string]string{"sqlite": "TEXT", "mariadb": "ENUM('x','a')", "postgres": "json"}[e.name]
		e.exec(t, "CREATE TABLE faulty (id INTEGER NOT NULL PRIMARY KEY, n INTEGER, odd "+kind+")", "INSERT INTO faulty VALUES (1, 1, NULL), (2, NULL, NULL)")
		s := e.sources(t, dataset.SourceOptions{MaxConns: 1})
		d := load(t, s, "name: faulty\nkey: id\nselect: {id: id, n: n, odd: odd, more: n}\nfrom: faulty\nsort: [n, odd]\n")
		unkeyed := load(t, s, "name: unkeyed\nselect: {id: id, n: n}\nfrom: faulty\n")
		_, places := plan(t, d, dataset.Query{}, 1)
		byN := []dataset.SortKey{{Field: "n"}}
		place := places[0]
		bad := func(text string) string { return fmt.Sprintf("Dataset %q: %s.", "faulty", text) }
		const unknown = "the place to read from or to is none of its order"
		for _, c := range []struct {
			d    *dataset.SQL
			q    dataset.Query
			want string
		}{
			{d, dataset.Query{Sort: []dataset.SortKey{{Field: "more"}}}, bad(`it is not sorted by the field "more"`)},
			{d, dataset.Query{Sort: []dataset.SortKey{{Field: "N"}}}, bad(`it is not sorted by the field "N"`)},
			{unkeyed, dataset.Query{Sort: byN}, `Dataset "unkeyed": it has no key, so that it can be neither sorted nor read in parts.`},
			{unkeyed, dataset.Query{UpTo: place}, `Dataset "unkeyed": it has no key, so that it can be neither sorted nor read in parts.`},
			{d, dataset.Query{After: "secret"}, bad(unknown)},
			{d, dataset.Query{UpTo: "{}"}, bad(unknown)},
			{d, dataset.Query{After: place + "x"}, bad(unknown)},
			{d, dataset.Query{After: place, Sort: byN}, bad(unknown)},
			{d, dataset.Query{After: strings.Replace(place, `"db":"`, `"db":"other`, 1)}, bad(unknown)},
			{d, dataset.Query{After: strings.Replace(place, `"v":1`, `"v":2`, 1)}, bad(unknown)},
			{d, dataset.Query{After: strings.Replace(place, "+id", "-id", 1)}, bad(unknown)},
		} {
			if _, err := c.d.Open(t.Context(), c.q); !fault.Is(err, fault.Unprocessable) || fault.SafeMessage(err) != c.want {
				t.Errorf("%+v: %v", c.q, err)
			}
			if c.d == unkeyed {
				c.want = `Dataset "unkeyed": it has no key, so that it cannot be read in parts.`
			}
			if _, err := c.d.OpenPlanner(t.Context(), c.q); !fault.Is(err, fault.Unprocessable) || fault.SafeMessage(err) != c.want {
				t.Errorf("plan %+v: %v", c.q, err)
			}
		}
		p, err := d.OpenPlanner(t.Context(), dataset.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if _, last, err := p.Next("secret", 1); !fault.Is(err, fault.Unprocessable) || last || fault.SafeMessage(err) != bad(unknown) {
			t.Errorf("next: %t, %v", last, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if _, last, err := p.Next("", 1); err == nil || last {
			t.Errorf("next after the end: %t, %v", last, err)
		}
		odd := dataset.Query{Sort: []dataset.SortKey{{Field: "n"}, {Field: "odd", Desc: true}}}
		_, _, err = readAll(t.Context(), d, odd)
		if e.name == "sqlite" {
			if err != nil {
				t.Error(err)
			}
			return
		}
		for what, err := range map[string]error{"read": err, "plan": planError(t, d, odd)} {
			if !fault.Is(err, fault.Unprocessable) || fault.SafeMessage(err) != bad(`the field "odd" is of a type that cannot be sorted by`) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

func planError(t *testing.T, d *dataset.SQL, q dataset.Query) error {
	t.Helper()
	p, err := d.OpenPlanner(t.Context(), q)
	if err == nil {
		_ = p.Close()
	}
	return err
}

// TestNullKeysOfRanges: a row without a whole key is in no part, and so a fault.
func TestNullKeysOfRanges(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, e engine) {
		e.exec(t, "CREATE TABLE keyless (grp INTEGER, id INTEGER, n INTEGER)")
		for i := range 9 {
			e.exec(t, fmt.Sprintf("INSERT INTO keyless VALUES (%d, %d, %d)", i/3, i, i%2))
		}
		d := load(t, e.sources(t, dataset.SourceOptions{PageRows: 2}), "name: keyless\nkey: [grp, id]\nselect: {id: id, grp: grp, n: n}\nfrom: keyless\nsort: [n, id]\n")
		const want = `Dataset "keyless": the key [grp id] is not unique or NULL in some rows.`
		for _, sort := range [][]dataset.SortKey{nil, {{Field: "n", Desc: true}}, {{Field: "id", Desc: true}}, {{Field: "id"}}} {
			q := dataset.Query{Sort: sort}
			_, places := plan(t, d, q, 4)
			for _, null := range []string{"(NULL, 50, 0)", "(1, NULL, 0)", "(NULL, NULL, 1)"} {
				e.exec(t, "INSERT INTO keyless VALUES "+null)
				var failed error
				for _, part := range ranges(q, places) {
					if _, _, err := readAll(t.Context(), d, part); err != nil {
						failed = err
					}
				}
				if !fault.Is(failed, fault.Unprocessable) || fault.SafeMessage(failed) != want {
					t.Errorf("%s in parts sorted by %v: %v", null, sort, failed)
				}
				p, err := d.OpenPlanner(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				after, last := "", false
				for !last && err == nil {
					after, last, err = p.Next(after, 3)
				}
				if !fault.Is(err, fault.Unprocessable) || fault.SafeMessage(err) != want {
					t.Errorf("%s planned by %v: %v", null, sort, err)
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
				// In one go it is a row like others, or a fault.
				if _, rows, err := readAll(t.Context(), d, q); err == nil && len(rows) != 10 {
					t.Errorf("%s sorted by %v: %d rows", null, sort, len(rows))
				}
				e.exec(t, "DELETE FROM keyless WHERE grp IS NULL OR id IS NULL")
			}
		}
	})
}
