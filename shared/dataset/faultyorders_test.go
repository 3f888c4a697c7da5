package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

// TestFaultyOrders: what cannot be sorted, divided or understood is said so, for good.
func TestFaultyOrders(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, e engine) {
		e.exec(t, "CREATE TABLE faulty (id INTEGER NOT NULL PRIMARY KEY, n INTEGER)", "INSERT INTO faulty VALUES (1, 1), (2, NULL)")
		s := e.sources(t, dataset.SourceOptions{MaxConns: 1})
		d := load(t, s, "name: faulty\nkey: id\nselect: {id: id, n: n, more: n}\nfrom: faulty\nsort: [n]\n")
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
	})
}

// TestUnsortable: types that sort otherwise than they compare, or not at all, are
// named with their field.
func TestUnsortable(t *testing.T) {
	t.Parallel()
	kinds := map[string][]string{
		"mariadb":  {"ENUM('x','a')", "SET('x','a')", "POINT"},
		"postgres": {"json", "xml", "point", "xid", "json[]", "record"},
	}
	test := func(t *testing.T, e engine) {
		s := e.sources(t, dataset.SourceOptions{MaxConns: 1})
		e.exec(t, "CREATE TABLE odd (id INTEGER NOT NULL PRIMARY KEY, n INTEGER)", "INSERT INTO odd VALUES (1, 1), (2, NULL)")
		for i, kind := range kinds[e.name] {
			expression := fmt.Sprintf("odd%d", i)
			if kind == "record" {
				expression = "ROW(n, id)"
			} else {
				e.exec(t, "ALTER TABLE odd ADD "+expression+" "+kind)
			}
			d := load(t, s, "name: odd\nkey: id\nselect: {id: id, n: n, v: \""+expression+"\"}\nfrom: odd\nsort: [n, v]\n")
			q := dataset.Query{Sort: []dataset.SortKey{{Field: "n"}, {Field: "v", Desc: true}}}
			_, _, err := readAll(t.Context(), d, q)
			for what, err := range map[string]error{"read": err, "plan": planError(t, d, q)} {
				if !fault.Is(err, fault.Unprocessable) || fault.SafeMessage(err) != `Dataset "odd": the field "v" is of a type that cannot be sorted by.` {
					t.Errorf("%s, %s: %v", kind, what, err)
				}
			}
			if _, rows := mustRead(t, d, dataset.Query{Sort: q.Sort[:1]}); len(rows) != 2 {
				t.Errorf("%s: %d rows in another order", kind, len(rows))
			}
		}
	}
	t.Run("mariadb", func(t *testing.T) { test(t, onMariaDB(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, onPostgres(t)) })
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
