package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A job table with fewer connections than the workers want delays jobs and fails
// none; a submit is accepted or answered with 503 and the advice to come again.
func TestScarceJobTableDelaysJobs(t *testing.T) {
	t.Parallel()
	onScarce(t, func(t *testing.T, create func() scarce) {
		table, source := create(), create()
		makeOrders(t, source.url, 200)
		user := table.limited(t, 3)
		sets := t.TempDir()
		write(t, filepath.Join(sets, "items.yaml"), "name: items\nsource: far\nkey: id\nselect: {id: o.id}\nfrom: demo_orders o\ncolumns: [{field: id}]\n")
		s := serve(t, t.TempDir(), []string{
			"HAEXCEL_DATABASE_URL=" + user.String(), "HAEXCEL_SOURCE_FAR_URL=" + source.url, "HAEXCEL_AUTH=header", "HAEXCEL_DATASET_DIR=" + sets,
			"HAEXCEL_RETRY_BACKOFF=1s", "HAEXCEL_LEASE=8s", "HAEXCEL_RECOVERY_INTERVAL=1s", "HAEXCEL_ORPHAN_THRESHOLD=10s",
		})
		store := openStore(t, table.url)
		const users, each = 12, 5
		var submitting sync.WaitGroup
		var refused atomic.Int64
		for user := range users {
			submitting.Go(func() {
				for i := range each {
					body := fmt.Sprintf(`{"fileName":"%d"}`, i)
					for {
						a, err := s.try(t, http.MethodPost, "/items", fmt.Sprintf("user-%d", user), body)
						if err == nil && a.status == http.StatusAccepted {
							break
						}
						if err != nil || a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
							t.Errorf("submit: %d %s, %v", a.status, a.body, err)
							return
						}
						refused.Add(1)
						time.Sleep(50 * time.Millisecond)
					}
				}
			})
		}
		submitting.Wait()
		if refused.Load() == 0 {
			t.Error("no submit was refused: the connections were not scarce")
		}
		eventually(t, "all jobs have ended", func() bool {
			var unfinished int
			if err := store.DB().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM ha_excel_job WHERE status IN ('PENDING', 'RUNNING')").Scan(&unfinished); err != nil {
				t.Fatal(err)
			}
			return unfinished == 0
		})
		var all, good int
		err := store.DB().QueryRowContext(t.Context(), "SELECT COUNT(*), COUNT(CASE WHEN status = 'DONE' AND failures = 0 AND processed_rows = 200 THEN 1 END) FROM ha_excel_job").Scan(&all, &good)
		if err != nil || all != users*each || good != all {
			t.Errorf("%d jobs, %d of them done without a failure, want %d, %v", all, good, users*each, err)
		}
	})
}
