package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/job"
)

// However many jobs run and requests come, a process keeps within its bounds of
// connections, which shared/boot tells.
func TestConnectionsStayWithinTheirBounds(t *testing.T) {
	t.Parallel()
	onScarce(t, func(t *testing.T, create func() scarce) {
		table, source := create(), create()
		source.exec(t, "CREATE TABLE items (id INTEGER NOT NULL PRIMARY KEY)", "INSERT INTO items VALUES (1), (2), (3)")
		sets := t.TempDir()
		pause := fmt.Sprintf(source.pause, "3600")
		write(t, filepath.Join(sets, "small.yaml"), "name: small\nsource: far\nkey: id\nselect:\n  id: i.id\n  pause: "+pause+"\nfrom: items i\ncolumns: [{field: id}, {field: pause}]\n")
		write(t, filepath.Join(sets, "large.yaml"), "name: large\nsource: far\nsql: SELECT i.id, "+pause+" AS pause FROM items i\ncount: off\ncolumns: [{field: id}, {field: pause}]\n")
		const workers = 4 + 2
		s := serve(t, t.TempDir(), []string{
			"HAEXCEL_DATABASE_URL=" + table.url, "HAEXCEL_SOURCE_FAR_URL=" + source.url, "HAEXCEL_AUTH=header", "HAEXCEL_DATASET_DIR=" + sets,
			"HAEXCEL_LEASE=2s", "HAEXCEL_MAX_ACTIVE_PER_REQUESTER=0", "HAEXCEL_RECOVERY_INTERVAL=1s", "HAEXCEL_SWEEP_INTERVAL=1s",
		})
		var ids []string
		for i := range 2 * workers { // more than there are workers
			ids = append(ids, s.submitTo(t, map[bool]string{true: "small", false: "large"}[i%3 > 0], "kim", fmt.Sprintf(`{"fileName":"%d"}`, i)))
		}
		eventually(t, "all workers work", func() bool { return source.connections(t) >= workers })
		stop, mostTable, mostSource := make(chan struct{}), 0, 0
		var asking sync.WaitGroup
		for i := range 30 {
			asking.Go(func() {
				for j := 0; ; j++ {
					select {
					case <-stop:
						return
					default:
					}
					if a, err := s.try(t, http.MethodGet, "/"+ids[(i+j)%len(ids)]+"/status", "kim", ""); err != nil || a.status != http.StatusOK {
						t.Errorf("status: %d, %v", a.status, err)
					}
				}
			})
		}
		for range 40 { // some beats and rounds of recovery
			mostTable, mostSource = max(mostTable, table.connections(t)), max(mostSource, source.connections(t))
			time.Sleep(50 * time.Millisecond)
		}
		close(stop)
		asking.Wait()
		s.cancelAll(t, "kim", ids)
		mostSource = max(mostSource, source.connections(t))
		t.Logf("the job table had %d connections, the source %d", mostTable, mostSource)
		if bound := 2*workers + 6; mostTable > bound {
			t.Errorf("the job table had %d connections, the bound is %d", mostTable, bound)
		}
		if bound := 2 * workers; mostSource > bound {
			t.Errorf("the source had %d connections, the bound is %d", mostSource, bound)
		}
	})
}

// A source whose connections are all taken delays jobs and fails none: they are
// handed over until there is room again.
func TestFullSourceDelaysJobs(t *testing.T) {
	t.Parallel()
	onScarce(t, func(t *testing.T, create func() scarce) {
		table, source := create(), create()
		source.exec(t, "CREATE TABLE items (id INTEGER NOT NULL PRIMARY KEY)")
		for i := range 3_000 / 100 {
			var values []string
			for j := range 100 {
				values = append(values, fmt.Sprintf("(%d)", i*100+j+1))
			}
			source.exec(t, "INSERT INTO items VALUES "+strings.Join(values, ", "))
		}
		user := source.limited(t, 2)
		sets := t.TempDir()
		const from = "source: far\nkey: id\nselect: {id: i.id}\nfrom: items i\ncolumns: [{field: id}]\n"
		write(t, filepath.Join(sets, "small.yaml"), "name: small\nwhere: [{sql: i.id <= 100}]\n"+from)
		write(t, filepath.Join(sets, "split.yaml"), "name: split\n"+from) // three chunks
		write(t, filepath.Join(sets, "whole.yaml"), "name: whole\nsource: far\nsql: SELECT i.id FROM items i\ncolumns: [{field: id}]\n")
		s := serve(t, t.TempDir(), []string{
			"HAEXCEL_DATABASE_URL=" + table.url, "HAEXCEL_SOURCE_FAR_URL=" + user.String(), "HAEXCEL_AUTH=header", "HAEXCEL_DATASET_DIR=" + sets,
			"HAEXCEL_RETRY_BACKOFF=1s", "HAEXCEL_ZIP_THRESHOLD=2000", "HAEXCEL_CHUNK_SIZE=1000",
		})
		store := openStore(t, table.url)
		leave := source.occupy(t, user, 2)
		rows := map[string]int64{"small": 100, "split": 3_000, "whole": 3_000}
		ids := map[string]string{}
		for name := range rows {
			ids[name] = s.submitTo(t, name, "kim", "{}")
		}
		get := func(id string) job.Job {
			t.Helper()
			j, err := store.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		for name, id := range ids {
			eventually(t, name+" is handed over, again and again", func() bool {
				j := get(id)
				if j.Status.Finished() || j.Failures != 0 {
					t.Fatalf("%s: %s %q after %d failures", name, j.Status, j.ErrorMsg, j.Failures)
				}
				return j.Hops >= 3
			})
		}
		leave()
		for name, id := range ids {
			end := s.finish(t, "kim", id)
			if j := get(id); end.Status != "DONE" || end.ProcessedRows != rows[name] || j.Failures != 0 {
				t.Errorf("%s: %s %q, %d rows after %d failures", name, end.Status, end.ErrorMsg, end.ProcessedRows, j.Failures)
			}
		}
	})
}
