package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/dataset"
)

func TestDatasetsShowsWhatTheCallerMayExport(t *testing.T) {
	b := setup(t)
	b.add(t, &orders{info: func(i *dataset.Info) {
		i.Name, i.Allow, i.Columns, i.Sort = "asales", []string{"sales"}, nil, nil
		i.Params = []dataset.Param{
			{Name: "status", Type: dataset.StringParam, List: true, Required: true, Enum: []string{"A", "B"}, Default: &dataset.Value{Type: dataset.StringParam, List: true, Items: []string{"A"}}},
			{Name: "n", Type: dataset.IntegerParam, Default: &dataset.Value{Type: dataset.IntegerParam, Items: []string{"5"}}},
		}
	}}, &orders{info: func(i *dataset.Info) { i.Name, i.Caller = "scoped", []string{"tenant"} }})
	u := &app.Datasets{Catalog: b.catalog}
	names := func(c app.Caller) string {
		var out []string
		for _, d := range u.Do(c).Datasets {
			out = append(out, d.Name)
		}
		return strings.Join(out, " ")
	}
	for want, c := range map[string]app.Caller{
		"orders":               u1,
		"asales orders":        {Subject: "u", Roles: []string{"x", "sales"}},
		"orders scoped":        {Subject: "u", Tenant: "t"},
		"asales orders scoped": {Subject: "u", Tenant: "t", Roles: []string{"sales"}},
	} {
		if got := names(c); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	reply, err := json.Marshal(u.Do(app.Caller{Subject: "u", Roles: []string{"sales"}}).Datasets[0])
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"name":"asales","title":"주문 목록","params":[{"name":"status","type":"[string]","required":true,"enum":["A","B"],"default":["A"]},{"name":"n","type":"integer","required":false,"default":"5"}],"columns":[],"sort":[]}`
	if string(reply) != want {
		t.Errorf("got  %s\nwant %s", reply, want)
	}
	if got := u.Do(u1).Datasets[0].Columns; len(got) != 2 || got[0].Field != "id" {
		t.Errorf("default columns %v", got)
	}
}

func TestConfigIsSafe(t *testing.T) {
	b := setup(t, "HAEXCEL_DATABASE_URL=mysql://root:hunter2@db/x", "HAEXCEL_CLIENT_THRESHOLD=7")
	reply, err := json.Marshal((&app.ClientConfig{Config: b.cfg}).Do())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"clientThreshold":7,"zipThreshold":100000,"chunkSize":50000,"maxBody":1048576,"reportZone":"Asia/Seoul"}`
	if string(reply) != want {
		t.Errorf("got %s", reply)
	}
}

func TestEstimateGrowsWithTheQueue(t *testing.T) {
	b := setup(t, "HAEXCEL_WORKER_COUNT=2", "HAEXCEL_ESTIMATED_SECONDS=30")
	var last string
	for i := range 3 {
		last = b.submit(t, fmt.Sprintf(`{"fileName":"%d"}`, i)).JobID
		time.Sleep(2 * time.Millisecond) // another created_at
	}
	r, err := (&app.Status{Store: b.store, Config: b.cfg}).Do(t.Context(), u1, last)
	if err != nil {
		t.Fatal(err)
	}
	if r.QueuePosition == nil || *r.QueuePosition != 3 || r.EstimatedSeconds == nil || *r.EstimatedSeconds != 60 {
		t.Errorf("reply %+v", r)
	}
}
