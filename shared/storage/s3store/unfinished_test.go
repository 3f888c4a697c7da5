package s3store

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/haexcel/haexcel/shared/storage"
)

func TestUnfinishedUploadsAreListedPageByPage(t *testing.T) {
	client := newTestClient(t)
	bucket := newTestBucket(t, client)
	var pages atomic.Int32
	paged := through(client, func(op string, r *http.Request, pass func() (*http.Response, error)) (*http.Response, error) {
		if q := r.URL.Query(); op == http.MethodGet && q.Has("uploads") {
			pages.Add(1)
			q.Set("max-uploads", "2")
			r.URL.RawQuery = q.Encode()
		}
		return pass()
	})
	ctx := context.Background()
	store := newTestStore(t, paged, bucket)
	want := map[string]int{}
	for i := range 5 {
		// Two uploads of one key: their ids are part of where a page begins.
		key := fmt.Sprintf("paged/%d", i/2)
		w, err := store.NewWriter(ctx, key, writeOptions)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(randomBytes(big)); err != nil {
			t.Fatal(err)
		}
		want[key]++
	}
	got, ids := map[string]int{}, map[string]storage.Unfinished{}
	err := store.ListUnfinished(ctx, "paged/", func(u storage.Unfinished) bool {
		got[u.Key]++
		ids[u.ID] = u
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(ids) != 5 {
		t.Errorf("got %v with %d ids, want %v", got, len(ids), want)
	}
	if pages.Load() < 3 {
		t.Errorf("%d pages: the test tests nothing", pages.Load())
	}
	for _, u := range ids {
		if err := store.RemoveUnfinished(ctx, u); err != nil {
			t.Errorf("remove %+v: %v", u, err)
		}
	}
	if n := pendingUploads(t, client, bucket, "paged/"); n != 0 {
		t.Errorf("%d uploads are left", n)
	}
}
