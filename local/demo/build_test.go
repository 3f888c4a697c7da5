package demo

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// onEach runs a test against every database.
func onEach(t *testing.T, test func(t *testing.T, databaseURL string)) {
	t.Helper()
	for name, create := range map[string]func(testing.TB) string{
		"sqlite":   func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "demo 주문.db") },
		"mariadb":  testservices.MariaDB,
		"postgres": testservices.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, create(t))
		})
	}
}

// read returns the number of rows and one row as text.
func read(t *testing.T, databaseURL string, id int) (rows int, row map[string]string) {
	t.Helper()
	db, d, err := open(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRow("SELECT COUNT(*) FROM " + table).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	text := func(column string) string {
		if d == mysql {
			return "CAST(" + column + " AS CHAR)"
		}
		return "CAST(" + column + " AS TEXT)"
	}
	row = map[string]string{}
	for _, column := range columns {
		var value *string
		if err := db.QueryRow("SELECT " + text(column) + " FROM " + table + " WHERE id = " + strconv.Itoa(id)).Scan(&value); err != nil {
			t.Fatal(column, err)
		}
		if value != nil {
			row[column] = *value
		}
	}
	return rows, row
}

func TestBuildWritesTheOrders(t *testing.T) {
	onEach(t, func(t *testing.T, databaseURL string) {
		var reported []int
		err := Build(t.Context(), Request{DatabaseURL: databaseURL, Rows: 1001, Progress: func(n int) { reported = append(reported, n) }})
		if err != nil {
			t.Fatal(err)
		}
		rows, row := read(t, databaseURL, 2)
		if rows != 1001 {
			t.Errorf("%d rows, want 1001", rows)
		}
		if len(reported) == 0 || reported[len(reported)-1] != 1001 {
			t.Errorf("progress reported %v, want it to end with 1001", reported)
		}
		want := map[string]string{
			"order_no": "ORD-00000002", "customer_name": "김서윤", "product": "서류 보관함", "quantity": "15",
			"status": "02", "ordered_on": "2024-01-01", "ordered_at": "2024-01-01 00:13:07", "region": "대전",
		}
		for column, value := range want {
			if row[column] != value {
				t.Errorf("%s = %q, want %q", column, row[column], value)
			}
		}
		for _, column := range []string{"memo", "shipped_at"} {
			if value, there := row[column]; there {
				t.Errorf("%s = %q, want NULL", column, value)
			}
		}
	})
}

func TestEnsureRebuildsOnlyOnAnotherSize(t *testing.T) {
	onEach(t, func(t *testing.T, databaseURL string) {
		for _, step := range []struct {
			rows  int
			built bool
		}{{500, true}, {500, false}, {700, true}, {0, true}, {0, false}} {
			built, err := Ensure(t.Context(), Request{DatabaseURL: databaseURL, Rows: step.rows})
			if err != nil {
				t.Fatal(err)
			}
			if built != step.built {
				t.Errorf("Ensure of %d rows built = %v, want %v", step.rows, built, step.built)
			}
			db, _, err := open(databaseURL)
			if err != nil {
				t.Fatal(err)
			}
			var rows int
			if err := db.QueryRow("SELECT COUNT(*) FROM " + table).Scan(&rows); err != nil {
				t.Fatal(err)
			}
			_ = db.Close()
			if rows != step.rows {
				t.Errorf("%d rows, want %d", rows, step.rows)
			}
		}
	})
}

// A build that ends early must leave the rows that were there.
func TestCancelledBuildChangesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, databaseURL string) {
		if err := Build(t.Context(), Request{DatabaseURL: databaseURL, Rows: 10}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := Build(ctx, Request{DatabaseURL: databaseURL, Rows: 5000, Progress: func(int) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("err = %v, want the context's", err)
		}
		if rows, _ := read(t, databaseURL, 1); rows != 10 {
			t.Errorf("%d rows after a cancelled build, want 10", rows)
		}
		if err := Build(t.Context(), Request{DatabaseURL: databaseURL, Rows: 20}); err != nil {
			t.Fatal("build after a cancelled one:", err)
		}
		if rows, _ := read(t, databaseURL, 1); rows != 20 {
			t.Errorf("%d rows, want 20", rows)
		}
	})
}

// Two processes that start at once with the same size build once.
func TestConcurrentEnsuresBuildOnce(t *testing.T) {
	onEach(t, func(t *testing.T, databaseURL string) {
		var wait sync.WaitGroup
		built := make([]bool, 4)
		errs := make([]error, 4)
		for i := range built {
			wait.Go(func() {
				built[i], errs[i] = Ensure(t.Context(), Request{DatabaseURL: databaseURL, Rows: 2000})
			})
		}
		wait.Wait()
		count := 0
		for i := range built {
			if errs[i] != nil {
				t.Error(errs[i])
			}
			if built[i] {
				count++
			}
		}
		if count != 1 {
			t.Errorf("built %d times, want once", count)
		}
	})
}
