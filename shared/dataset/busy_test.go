package dataset_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

// TestNoConnectionLeft: a database that refuses more connections is told from one
// that is away, and serves again when one has ended.
func TestNoConnectionLeft(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, e engine, create, grant, drop string) {
		u, err := url.Parse(e.url)
		if err != nil {
			t.Fatal(err)
		}
		name := "few_" + strings.TrimPrefix(u.Path, "/") // users are the whole server's
		u.User = url.User(name)
		e.exec(t, "CREATE TABLE scarce (id INTEGER NOT NULL PRIMARY KEY)", "INSERT INTO scarce VALUES (1)",
			fmt.Sprintf(create, name), fmt.Sprintf(grant, name))
		t.Cleanup(func() {
			for _, statement := range strings.Split(drop, "; ") {
				if _, err := e.db.ExecContext(context.WithoutCancel(t.Context()), fmt.Sprintf(statement, name)); err != nil {
					t.Errorf("%s: %v", statement, err)
				}
			}
		})
		e.url = u.String()
		const file = "name: scarce\nkey: id\nselect: {id: id}\nfrom: scarce\n"
		holder := e.sources(t, dataset.SourceOptions{MaxConns: 1})
		rows, err := load(t, holder, file).Open(t.Context(), dataset.Query{})
		if err != nil {
			t.Fatal(err)
		}
		d := load(t, e.sources(t, dataset.SourceOptions{}), file)
		_, _, count := d.Count(t.Context(), dataset.Query{})
		_, _, read := readAll(t.Context(), d, dataset.Query{})
		for what, err := range map[string]error{"count": count, "read": read, "plan": planError(t, d, dataset.Query{})} {
			if !fault.Is(err, fault.Busy) || fault.SafeMessage(err) != `Dataset "scarce": the database has no connection left.` {
				t.Errorf("%s: %v", what, err)
			}
		}
		for rows.Next() {
			continue
		}
		if err := rows.Err(); err != nil {
			t.Error(err)
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
		if err := holder.Close(); err != nil {
			t.Error(err)
		}
		eventually(t, "the database serves again", func() bool {
			_, got, err := readAll(t.Context(), d, dataset.Query{})
			if err != nil && !fault.Is(err, fault.Busy) {
				t.Error(err)
			}
			return len(got) == 1
		})
	}
	t.Run("mariadb", func(t *testing.T) {
		test(t, onMariaDB(t), "CREATE USER '%s'@'%%' WITH MAX_USER_CONNECTIONS 1", "GRANT SELECT ON scarce TO '%s'@'%%'", "DROP USER '%s'@'%%'")
	})
	t.Run("postgres", func(t *testing.T) {
		test(t, onPostgres(t), "CREATE ROLE %s LOGIN CONNECTION LIMIT 1", "GRANT SELECT ON scarce TO %s", "DROP OWNED BY %s; DROP ROLE %s")
	})
}
