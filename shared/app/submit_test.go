package app_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/wake"
)

func TestSubmitStoresWhatWasAsked(t *testing.T) {
	b := setup(t)
	b.orders.info = func(i *dataset.Info) { i.Caller = []string{"sub", "tenant", "region"} }
	caller := app.Caller{Subject: "u1", Tenant: "t1", Claims: map[string]string{"region": "KR", "other": "x"}}
	body := `{"fileName":"2026_Q3","totalCnt":"150","params":{"status":"PAID","amount":1.10,"ids":["007",8],"since":"20260902","name":null,"typo":1},
		"columns":[{"field":"id","headerName":"ID","width":140.5}],"templateId":" ","packaging":"zip","sheetName":"시트","sort":[{"field":"name","dir":"desc"},{"field":"id"}],"unknown":{"a":[1]}}`
	got, err := b.submitter().Do(t.Context(), caller, app.SubmitInput{Dataset: "orders", ContentType: "application/json; charset=UTF-8", Body: []byte(body), RequestID: "req-7"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != job.Pending {
		t.Errorf("status %s", got.Status)
	}
	j := b.get(t, got.JobID)
	if j.Dataset != "orders" || j.FileName != "2026_Q3" || j.Requester != "u1" || j.TotalRows != 150 || j.Queue != job.Normal || j.RequestID != "req-7" {
		t.Errorf("row %+v", j)
	}
	for name, pair := range map[string][2]string{
		"params":  {j.ParamsJSON, `{"amount":1.1,"ids":[7,8],"since":"2026-09-02","status":"PAID"}`},
		"scope":   {j.ScopeJSON, `{"region":"KR","sub":"u1","tenant":"t1"}`},
		"options": {j.OptionsJSON, `{"packaging":"zip","sheetName":"시트","sort":[{"Field":"name","Desc":true},{"Field":"id","Desc":false}],"totalCnt":150}`},
		"columns": {j.ColumnsJSON, `[{"field":"id","headerName":"ID","width":140.5}]`},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s, want %s", name, pair[0], pair[1])
		}
	}
	if !strings.Contains(j.WarningsJSON, `\"typo\"`) {
		t.Errorf("warnings %q do not name the ignored parameter", j.WarningsJSON)
	}
	if len(j.ExportHash) != 64 || len(j.FilterHash) != 64 || j.ActiveKey != j.ExportHash || j.IdempotencyKey != "" {
		t.Errorf("hashes %q %q %q", j.ExportHash, j.FilterHash, j.ActiveKey)
	}
	want := wake.Wake{JobID: j.ID, WokenAt: j.WokenAt, RequestID: "req-7", Queue: "normal", Group: wake.Group("u1")}
	if diff := cmp.Diff(want, receive(t, b.normal)); diff != "" {
		t.Error(diff)
	}
	empty(t, b.large)
}

func TestSubmitDefaults(t *testing.T) {
	b := setup(t)
	j := b.get(t, b.submit(t, `{}`).JobID)
	if j.ColumnsJSON != "" || j.FileName != "" || j.TotalRows != 0 || j.OptionsJSON != `{"packaging":"auto"}` || j.WarningsJSON != "" {
		t.Errorf("row %+v", j)
	}
}

func TestSubmitTotalCntPicksTheQueue(t *testing.T) {
	for hint, want := range map[string]job.Queue{
		`99999`: job.Normal, `100000`: job.Large, `"100000"`: job.Large, `100000.9`: job.Large, `1e5`: job.Large,
		`-5`: job.Normal, `null`: job.Normal, `""`: job.Normal,
	} {
		b := setup(t)
		if got := b.get(t, b.submit(t, `{"totalCnt":`+hint+`}`).JobID).Queue; got != want {
			t.Errorf("totalCnt %s: queue %s, want %s", hint, got, want)
		}
		if want == job.Large {
			receive(t, b.large)
			empty(t, b.normal)
		}
	}
}

func TestSubmitCleansTheFileName(t *testing.T) {
	b := setup(t)
	j := b.get(t, b.submit(t, `{"fileName":"a\u0000`+strings.Repeat("가", 300)+`"}`).JobID)
	if want := "a" + strings.Repeat("가", 255); j.FileName != want {
		t.Errorf("file name has %d characters: %q", len([]rune(j.FileName)), j.FileName)
	}
	// Decomposed, a name is several times as long.
	j = b.get(t, b.submit(t, `{"fileName":"`+strings.Repeat(`\u1100\u1161`, 200)+`"}`).JobID)
	if want := strings.Repeat("가", 200); j.FileName != want {
		t.Errorf("decomposed, the file name has %d characters: %q", len([]rune(j.FileName)), j.FileName)
	}
}

func TestSubmitRefusals(t *testing.T) {
	b := setup(t, "HAEXCEL_MAX_BODY=1KiB")
	b.add(t, &orders{info: func(i *dataset.Info) { i.Name, i.Allow = "secret", []string{"sales", "boss"} }},
		&orders{info: func(i *dataset.Info) { i.Name, i.Caller = "scoped", []string{"tenant", "region"} }},
		&orders{info: func(i *dataset.Info) { i.Name, i.Columns = "bare", nil }})
	deep := func(n int) string { return `{"x":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}` }
	tree := `{"headerName":"leaf"}`
	for range 16 {
		tree = `{"children":[` + tree + `]}`
	}
	tree = strings.ReplaceAll(tree, `"headerName":"leaf"`, `"field":"id"`)
	key := func(s string) *string { return &s }
	for name, tc := range map[string]struct {
		in     app.SubmitInput
		caller app.Caller
		code   fault.Code
		fields []string
	}{
		"unknown dataset, bad body": {in: app.SubmitInput{Dataset: "nope", Body: []byte(`{`)}, code: fault.NotFound},
		"role missing, bad type":    {in: app.SubmitInput{Dataset: "secret", ContentType: "text/plain", Body: []byte(`{`)}, code: fault.Forbidden},
		"claims missing":            {in: app.SubmitInput{Dataset: "scoped", Body: []byte(`{}`)}, caller: app.Caller{Subject: "u1", Tenant: "t"}, code: fault.Forbidden},
		"form, large":               {in: app.SubmitInput{ContentType: "application/x-www-form-urlencoded", Body: make([]byte, 2000)}, code: fault.UnsupportedMedia},
		"json of another tree":      {in: app.SubmitInput{ContentType: "text/json", Body: []byte(`{}`)}, code: fault.UnsupportedMedia},
		"blank type":                {in: app.SubmitInput{ContentType: " ", Body: []byte(`{}`)}, code: fault.UnsupportedMedia},
		"broken type":               {in: app.SubmitInput{ContentType: ";", Body: []byte(`{}`)}, code: fault.UnsupportedMedia},
		"large, malformed":          {in: app.SubmitInput{Body: []byte(strings.Repeat("x", 1025))}, code: fault.TooLarge},
		"empty":                     {in: app.SubmitInput{}, code: fault.Invalid},
		"blank":                     {in: app.SubmitInput{Body: []byte(" \n")}, code: fault.Invalid},
		"malformed":                 {in: app.SubmitInput{Body: []byte(`{"a":1`)}, code: fault.Invalid},
		"trailing garbage":          {in: app.SubmitInput{Body: []byte(`{} x`)}, code: fault.Invalid},
		"two objects":               {in: app.SubmitInput{Body: []byte(`{}{}`)}, code: fault.Invalid},
		"invalid UTF-8":             {in: app.SubmitInput{Body: []byte("{\"fileName\":\"\xff\"}")}, code: fault.Invalid},
		"a list":                    {in: app.SubmitInput{Body: []byte(`[]`)}, code: fault.Invalid},
		"a text":                    {in: app.SubmitInput{Body: []byte(`"{}"`)}, code: fault.Invalid},
		"null":                      {in: app.SubmitInput{Body: []byte(`null`)}, code: fault.Invalid},
		"deeper than 64":            {in: app.SubmitInput{Body: []byte(deep(65))}, code: fault.Invalid},
		"header tree too deep":      {in: app.SubmitInput{Body: []byte(`{"columns":[` + tree + `]}`)}, code: fault.Invalid, fields: []string{"columns" + strings.Repeat("[0].children", 16)}},
		"no columns anywhere":       {in: app.SubmitInput{Dataset: "bare", Body: []byte(`{"columns":[]}`)}, code: fault.Invalid, fields: []string{"columns"}},
		"template":                  {in: app.SubmitInput{Body: []byte(`{"templateId":"monthly"}`)}, code: fault.Invalid, fields: []string{"templateId"}},
		"order by a field twice":    {in: app.SubmitInput{Body: []byte(`{"sort":[{"field":"id","dir":"desc"},{"field":"name"},{"field":"id","dir":"desc"}]}`)}, code: fault.Invalid, fields: []string{"sort[2].field"}},
		"order by another's field":  {in: app.SubmitInput{Body: []byte(`{"sort":[{"field":"ID"},{"dir":"asc"},{"field":null}]}`)}, code: fault.Invalid, fields: []string{"sort[0].field", "sort[1].field", "sort[2].field"}},
		"order in other words":      {in: app.SubmitInput{Body: []byte(`{"sort":[{"field":"id","dir":"DESC"},{"field":"name","dir":"descending"}]}`)}, code: fault.Invalid, fields: []string{"sort[0].dir", "sort[1].dir"}},
		"order as text":             {in: app.SubmitInput{Body: []byte(`{"sort":"id"}`)}, code: fault.Invalid, fields: []string{"sort"}},
		"order by too many":         {in: app.SubmitInput{Body: []byte(`{"sort":[` + strings.Repeat(`{"field":"id"},`, 64) + `{"field":"id"}]}`)}, code: fault.Invalid, fields: []string{"sort"}},
		"order by SQL": {in: app.SubmitInput{Body: []byte(`{"sort":[{"field":"created_at; DROP TABLE orders"},{"field":"id","dir":"ASC,(SELECT 1)"},"id",{"field":{}},{"field":"id","dir":1}]}`)},
			code: fault.Invalid, fields: []string{"sort[0].field", "sort[1].dir", "sort[2]", "sort[3].field", "sort[4].dir"}},
		"all together": {in: app.SubmitInput{Body: []byte(`{"fileName":{},"totalCnt":"many","params":{"status":{"$ne":1},"number":1.5,"ids":["1) OR (1=1"],"since":"2026-02-30","name":"a\u0000b"},
			"columns":[{"field":[]}],"packaging":"tar","sheetName":[1],"sort":{},"templateId":{}}`), IdempotencyKey: key("a\tb")},
			code:   fault.Invalid,
			fields: []string{"fileName", "totalCnt", "params.status", "params.number", "params.ids[0]", "params.since", "params.name", "columns[0].field", "packaging", "sheetName", "sort", "templateId", "Idempotency-Key"}},
		"enum":           {in: app.SubmitInput{Body: []byte(`{"params":{"status":"PAID' OR '1'='1"}}`)}, code: fault.Invalid, fields: []string{"params.status"}},
		"params a list":  {in: app.SubmitInput{Body: []byte(`{"params":[]}`)}, code: fault.Invalid, fields: []string{"params"}},
		"totalCnt huge":  {in: app.SubmitInput{Body: []byte(`{"totalCnt":1e99}`)}, code: fault.Invalid, fields: []string{"totalCnt"}},
		"totalCnt true":  {in: app.SubmitInput{Body: []byte(`{"totalCnt":true}`)}, code: fault.Invalid, fields: []string{"totalCnt"}},
		"width infinite": {in: app.SubmitInput{Body: []byte(`{"columns":[{"field":"id","width":1e999}]}`)}, code: fault.Invalid, fields: []string{"columns[0].width"}},
		"empty key":      {in: app.SubmitInput{Body: []byte(`{}`), IdempotencyKey: key("")}, code: fault.Invalid, fields: []string{"Idempotency-Key"}},
		"long key":       {in: app.SubmitInput{Body: []byte(`{}`), IdempotencyKey: key(strings.Repeat("k", 256))}, code: fault.Invalid, fields: []string{"Idempotency-Key"}},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.in.Dataset == "" {
				tc.in.Dataset = "orders"
			}
			if tc.in.ContentType == "" {
				tc.in.ContentType = "application/json"
			}
			if tc.caller.Subject == "" {
				tc.caller = u1
			}
			_, err := b.submitter().Do(t.Context(), tc.caller, tc.in)
			if !fault.Is(err, tc.code) {
				t.Fatalf("got %v, want %s", err, tc.code)
			}
			var f *fault.Error
			if !errors.As(err, &f) {
				t.Fatal("no fault")
			}
			if len(f.Fields) != len(tc.fields) {
				t.Errorf("fields %v, want %v", f.Fields, tc.fields)
			}
			for _, path := range tc.fields {
				if f.Fields[path] == "" {
					t.Errorf("%s is not named in %v", path, f.Fields)
				}
			}
		})
	}
	page, err := b.store.List(t.Context(), "u1", 100, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Jobs) != 0 {
		t.Errorf("%d jobs were stored", len(page.Jobs))
	}
	empty(t, b.normal)
}

// The answer to a wrong request must not outgrow it: a Lambda reply has 6 MB.
func TestAnswerToAThoroughlyWrongRequestIsShort(t *testing.T) {
	b := setup(t)
	many := func(item string) string { return "[" + strings.Repeat(item+",", 9000) + item + "]" }
	for name, body := range map[string]string{
		"columns":   `{"columns":` + many("1") + `}`,
		"sort":      `{"sort":` + many("1") + `}`,
		"list":      `{"params":{"ids":` + many(`"x"`) + `}}`,
		"long name": `{"columns":[{"field":"id","excelCodeMap":{"` + strings.Repeat("k", 100_000) + `":{}}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.submitter().Do(t.Context(), u1, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(body)})
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.Invalid || len(f.Fields) == 0 {
				t.Fatalf("got %v, want the faulty members", err)
			}
			size := len(f.Message)
			for path, reason := range f.Fields {
				size += len(path) + len(reason)
			}
			if size > 16<<10 {
				t.Errorf("the answer has %d fields and %d bytes", len(f.Fields), size)
			}
		})
	}
}

func TestSubmitAcceptsWhatJacksonAccepts(t *testing.T) {
	for name, body := range map[string]string{
		"byte order mark":    "\xef\xbb\xbf{}",
		"all null":           `{"fileName":null,"totalCnt":null,"params":null,"templateId":null,"sort":null,"columns":null,"packaging":null,"sheetName":null}`,
		"scalars as text":    `{"fileName":2026,"sheetName":true}`,
		"duplicate members":  `{"packaging":"tar","packaging":"zip"}`,
		"other case ignored": `{"Packaging":"tar","FILENAME":{}}`,
		"empty sort":         `{"sort":[]}`,
		"64 levels":          `{"x":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`,
		"brackets in text":   `{"fileName":"` + strings.Repeat("[", 100) + `\"` + strings.Repeat("{", 100) + `"}`,
		"hostile name":       `{"fileName":"a\r\nSet-Cookie: x=1 \"../../etc/passwd"}`,
		"unknown field":      `{"columns":[{"field":"password_hash"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			if r := b.submit(t, body); r.Status != job.Pending {
				t.Errorf("status %s", r.Status)
			}
		})
	}
}

func TestSubmitAcceptsContentTypes(t *testing.T) {
	b := setup(t)
	for _, ct := range []string{"application/json", "Application/JSON;charset=utf-8", "application/vnd.acme+json", `application/json; charset="UTF-8"`} {
		if _, err := b.submitter().Do(t.Context(), u1, app.SubmitInput{Dataset: "orders", ContentType: ct, Body: []byte(`{}`)}); err != nil {
			t.Errorf("%q: %v", ct, err)
		}
	}
}

// sameExport submits two bodies and reports whether one job stands for both, and
// whether their filter hashes are equal.
func sameExport(t *testing.T, first, second string) (sameJob, sameFilter bool) {
	t.Helper()
	b := setup(t)
	one, two := b.get(t, b.submit(t, first).JobID), b.get(t, b.submit(t, second).JobID)
	return one.ID == two.ID, one.FilterHash == two.FilterHash
}

func TestSameExport(t *testing.T) {
	for name, tc := range map[string]struct {
		first, second string
		job, filter   bool
	}{
		"order of members":       {`{"fileName":"a","params":{"status":"PAID","number":1}}`, `{"params":{"number":1,"status":"PAID"},"fileName":"a"}`, true, true},
		"number as text":         {`{"params":{"number":1,"amount":1.10}}`, `{"params":{"number":"1","amount":"1.1"}}`, true, true},
		"date forms":             {`{"params":{"since":"20260902"}}`, `{"params":{"since":"2026-09-02"}}`, true, true},
		"totalCnt":               {`{"totalCnt":1}`, `{"totalCnt":2}`, true, true},
		"undeclared params":      {`{"params":{"x":1}}`, `{}`, true, true},
		"empty params":           {`{"params":{"name":"","ids":[]}}`, `{}`, true, true},
		"the default columns":    {`{"columns":[{"field":"id","headerName":"번호"},{"headerName":"Name","field":"name"}]}`, `{}`, true, true},
		"auto named":             {`{"packaging":"auto"}`, `{}`, true, true},
		"big numbers differ":     {`{"params":{"number":9007199254740993}}`, `{"params":{"number":9007199254740992}}`, false, false},
		"long decimals differ":   {`{"params":{"amount":0.12345678901234567891}}`, `{"params":{"amount":0.12345678901234567892}}`, false, false},
		"file name":              {`{"fileName":"a"}`, `{"fileName":"b"}`, false, true},
		"spellings of a name":    {`{"fileName":"\u1106\u1162\u110e\u116e\u11af"}`, `{"fileName":"매출"}`, true, true},
		"columns":                {`{"columns":[{"field":"id"}]}`, `{"columns":[{"field":"name"}]}`, false, false},
		"order of columns":       {`{"columns":[{"field":"id"},{"field":"name"}]}`, `{"columns":[{"field":"name"},{"field":"id"}]}`, false, false},
		"packaging":              {`{"packaging":"zip"}`, `{}`, false, false},
		"sheet name":             {`{"sheetName":"a"}`, `{}`, false, false},
		"params":                 {`{"params":{"name":"a"}}`, `{"params":{"name":"b"}}`, false, false},
		"order of a list":        {`{"params":{"ids":[3,1,2,1]}}`, `{"params":{"ids":["1","2","3"]}}`, true, true},
		"items of a list":        {`{"params":{"ids":[1,2]}}`, `{"params":{"ids":[12]}}`, false, false},
		"no order":               {`{"sort":[]}`, `{"sort":null}`, true, true},
		"direction left out":     {`{"sort":[{"field":"id"}]}`, `{"sort":[{"dir":"asc","field":"id"}]}`, true, true},
		"an order":               {`{"sort":[{"field":"id"}]}`, `{}`, false, false},
		"direction":              {`{"sort":[{"field":"id"}]}`, `{"sort":[{"field":"id","dir":"desc"}]}`, false, false},
		"order of the order":     {`{"sort":[{"field":"id"},{"field":"name"}]}`, `{"sort":[{"field":"name"},{"field":"id"}]}`, false, false},
		"list and its one value": {`{"params":{"ids":[1]}}`, `{"params":{"number":1}}`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			sameJob, sameFilter := sameExport(t, tc.first, tc.second)
			if sameJob != tc.job || sameFilter != tc.filter {
				t.Errorf("same job %v, same filter hash %v, want %v, %v", sameJob, sameFilter, tc.job, tc.filter)
			}
		})
	}
}

func TestSameExportNeedsRequesterAndScope(t *testing.T) {
	b := setup(t)
	b.orders.info = func(i *dataset.Info) { i.Caller = []string{"tenant"} }
	rows := map[string]job.Job{}
	for name, c := range map[string]app.Caller{
		"u1 of a": {Subject: "u1", Tenant: "a"}, "u2 of a": {Subject: "u2", Tenant: "a"}, "u1 of b": {Subject: "u1", Tenant: "b"},
	} {
		r, err := b.submitter().Do(t.Context(), c, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		rows[name] = b.get(t, r.JobID)
	}
	if rows["u1 of a"].ID == rows["u2 of a"].ID || rows["u1 of a"].ID == rows["u1 of b"].ID {
		t.Error("exports of other requesters or scopes share a job")
	}
	if rows["u1 of a"].FilterHash != rows["u2 of a"].FilterHash {
		t.Error("the filter hash depends on the requester")
	}
	if rows["u1 of a"].FilterHash == rows["u1 of b"].FilterHash {
		t.Error("the filter hash does not depend on the scope")
	}
	b.orders.info = func(i *dataset.Info) { i.Caller, i.Digest = []string{"tenant"}, "digest-2" }
	r, err := b.submitter().Do(t.Context(), app.Caller{Subject: "u3", Tenant: "a"}, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	if b.get(t, r.JobID).FilterHash == rows["u1 of a"].FilterHash {
		t.Error("the filter hash does not depend on the dataset's text")
	}
}

// The same rows make another file where the settings differ; it is the same export
// none the less.
func TestFilterHashCoversTheSettingsOfAFile(t *testing.T) {
	b := setup(t)
	first := b.get(t, b.submit(t, `{}`).JobID)
	plain := b.cfg
	for name, change := range map[string]func(*config.Config){
		"zone":          func(c *config.Config) { c.ReportZone = time.UTC },
		"zip threshold": func(c *config.Config) { c.ZipThreshold++ },
		"chunk size":    func(c *config.Config) { c.ChunkSize++ },
	} {
		b.cfg = plain
		change(&b.cfg)
		b.set(t, first.ID, "active_key = NULL")
		other := b.get(t, b.submit(t, `{}`).JobID)
		if other.FilterHash == first.FilterHash || other.ExportHash != first.ExportHash {
			t.Errorf("%s: filter hashes %s and %s, export hashes %s and %s", name, first.FilterHash, other.FilterHash, first.ExportHash, other.ExportHash)
		}
		b.set(t, other.ID, "active_key = NULL")
	}
}

func TestLongRequesterIsHashed(t *testing.T) {
	b := setup(t)
	long := app.Caller{Subject: strings.Repeat("u", 65)}
	r, err := b.submitter().Do(t.Context(), long, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.get(t, r.JobID).Requester; got != job.StoredRequester(long.Subject) || len(got) != 64 {
		t.Errorf("requester %q", got)
	}
	if _, err := (&app.Status{Store: b.store, Config: b.cfg}).Do(t.Context(), long, r.JobID); err != nil {
		t.Errorf("the requester cannot see the job: %v", err)
	}
}

func TestDoubleClick(t *testing.T) {
	b := setup(t)
	ids := make([]string, 50)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			r, err := b.submitter().Do(t.Context(), u1, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(`{"params":{"number":1}}`)})
			if err != nil {
				t.Error(err)
			}
			ids[i] = r.JobID
		})
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("two jobs: %s and %s", id, ids[0])
		}
	}
	receive(t, b.normal)
	empty(t, b.normal)
}

func TestIdempotencyKey(t *testing.T) {
	b := setup(t)
	send := func(c app.Caller, key, body string) (app.SubmitReply, error) {
		return b.submitter().Do(t.Context(), c, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(body), IdempotencyKey: &key})
	}
	first, err := send(u1, "key-1", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&app.Cancel{Store: b.store, Config: b.cfg, Logger: b.log}).Do(t.Context(), u1, first.JobID, ""); err != nil {
		t.Fatal(err)
	}
	again, err := send(u1, "key-1", `{}`)
	if err != nil || again.JobID != first.JobID || again.Status != job.Fail {
		t.Errorf("again: %+v, %v", again, err)
	}
	if _, err := send(u1, "key-1", `{"fileName":"other"}`); !fault.Is(err, fault.Unprocessable) {
		t.Errorf("another body: %v", err)
	}
	for _, c := range []app.Caller{{Subject: "u2"}, {Subject: "u1k"}} {
		if other, err := send(c, "ey-1", `{}`); err != nil || other.JobID == first.JobID {
			t.Errorf("%s: %+v, %v", c.Subject, other, err)
		}
	}
	if _, err := send(u1, "열쇠", `{"fileName":"k"}`); err != nil {
		t.Errorf("a Korean key: %v", err)
	}
}

func TestLimits(t *testing.T) {
	b := setup(t, "HAEXCEL_MAX_ACTIVE_PER_REQUESTER=2", "HAEXCEL_MAX_PENDING=3")
	names := 0
	try := func(subject string) error {
		names++
		_, err := b.submitter().Do(t.Context(), app.Caller{Subject: subject}, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: fmt.Appendf(nil, `{"fileName":"%d"}`, names)})
		return err
	}
	for _, subject := range []string{"u1", "u1", "u2"} {
		if err := try(subject); err != nil {
			t.Fatal(err)
		}
	}
	for subject, code := range map[string]fault.Code{"u1": fault.TooManyRequests, "u2": fault.Unavailable} {
		err := try(subject)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != code || f.RetryAfter <= 0 {
			t.Errorf("%s: got %v, want %s with a wait", subject, err, code)
		}
	}
}

// brokenQueue is a queue whose service is away.
type brokenQueue struct{ wake.Queue }

func (brokenQueue) Send(context.Context, string, wake.SendOptions) error {
	return fault.New(fault.Unavailable, "The queue is away.")
}

func TestSubmitWithoutAWake(t *testing.T) {
	b := setup(t, "HAEXCEL_ORPHAN_THRESHOLD=1s")
	u := b.submitter()
	u.Wakes.Normal = brokenQueue{}
	r, err := u.Do(t.Context(), u1, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	empty(t, b.normal)
	rec := &app.Recover{Store: b.store, Wakes: b.wakes(), Bucket: b.bucket, Config: b.cfg, Logger: b.log}
	eventually(t, "recovery wakes the job", func() bool {
		rep, err := rec.Do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return rep.Rewoken == 1
	})
	if w := receive(t, b.normal); w.JobID != r.JobID {
		t.Errorf("wake %+v", w)
	}
}

// goneClient ends the request's context once the row is committed.
type goneClient struct {
	job.Store
	leave context.CancelFunc
}

func (s goneClient) Submit(ctx context.Context, n job.New, lim job.SubmitLimits) (job.Submitted, error) {
	defer s.leave()
	return s.Store.Submit(ctx, n, lim)
}

func TestJobOfAClientThatLeavesIsWoken(t *testing.T) {
	b := setup(t)
	ctx, leave := context.WithCancel(t.Context())
	u := b.submitter()
	u.Store = goneClient{b.store, leave}
	r, err := u.Do(ctx, u1, app.SubmitInput{Dataset: "orders", ContentType: "application/json", Body: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	if w := receive(t, b.normal); w.JobID != r.JobID {
		t.Errorf("wake %+v", w)
	}
}
