package dataset_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/dataset/catalog"
	"github.com/haexcel/haexcel/shared/fault"
)

func offline(t *testing.T) *dataset.Sources {
	t.Helper()
	s, err := dataset.NewSources(map[string]string{
		"": "sqlite:absent.db", "main": "mysql://u:secret@127.0.0.1:1/db", "pg": "postgres://u:secret@127.0.0.1:1/db",
	}, dataset.SourceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestLoadExample(t *testing.T) {
	d := load(t, offline(t), `name: orderList                 # {bizNm}
title: 주문 목록
source: main                    # database
key: id
select: {id: o.id, orderNo: o.order_no, customerName: c.name, amount: o.amount, status: o.status, orderedAt: o.ordered_at}
from: orders o JOIN customers c ON c.id = o.customer_id
where:
  - {sql: "o.tenant_id = :caller.tenant"}
  - {sql: "o.status = :status", when: status}
  - {sql: "o.ordered_at >= :startDate", when: startDate}
params:
  status: {type: string, enum: [PAID, CANCELLED]}
  startDate: {type: date, default: "20260101"}
  ids: {type: [string]}
columns: [{field: orderNo, headerName: 주문번호, width: 140}, {field: amount, headerName: 금액, excelFormat: krw}]
sort: [orderedAt, amount]
allow: [sales]
maxRows: 5000000
`)
	info := d.Info()
	digest := info.Digest
	info.Digest = ""
	want := dataset.Info{
		Name: "orderList", Title: "주문 목록",
		Params: []dataset.Param{
			{Name: "status", Type: dataset.StringParam, Enum: []string{"PAID", "CANCELLED"}},
			{Name: "startDate", Type: dataset.DateParam, Default: &dataset.Value{Type: dataset.DateParam, Items: []string{"2026-01-01"}}},
			{Name: "ids", Type: dataset.StringParam, List: true},
		},
		Columns: []cell.ColumnDef{
			{Field: "orderNo", HeaderName: "주문번호", Width: 140}, {Field: "amount", HeaderName: "금액", ExcelFormat: "krw"},
		},
		Sort: []string{"orderedAt", "amount"}, Allow: []string{"sales"}, MaxRows: 5000000, Keyed: true, Caller: []string{"tenant"},
	}
	if diff := cmp.Diff(want, info); diff != "" {
		t.Error(diff)
	}
	if len(digest) != 64 {
		t.Errorf("digest %q", digest)
	}
}

// TestFaultyFiles gives each file with the faults it must be refused with.
func TestFaultyFiles(t *testing.T) {
	const good = "name: a\nselect: {id: id}\nfrom: t\n"
	for _, c := range []struct {
		file string
		want []string
	}{
		{"", []string{"f.yaml:1: a file holds one dataset, this one 0"}},
		{"- a\n", []string{"f.yaml:1: a dataset is a mapping, this is a list"}},
		{"name: a\nkey: [a\n", []string{"f.yaml:2: "}},
		{"name: a\nname: b\n", []string{"f.yaml:2: "}},
		{"title: x\n", []string{"f.yaml:1: the name is missing", "f.yaml:1: select is missing; a dataset has sql, or select and from", "f.yaml:1: from is missing"}},
		{"name: jobs\nsql: SELECT 1\n", []string{`f.yaml:1: the name "jobs" is not allowed: this name is a word of the API`}},
		{"name: 주문\nsql: SELECT 1\n", []string{`f.yaml:1: the name "주문" is not allowed: a name has 1 to 128 letters`}},
		{good + "cache: 10m\n", []string{`f.yaml:4: unknown member "cache"; a dataset has name, title, sheetName, source, params, sql`}},
		{good + "source: other\n", []string{`f.yaml:4: the source "other" has no URL; set HAEXCEL_SOURCE_OTHER_URL`}},
		{good + "key: no\n", []string{`f.yaml:4: the key field "no" is not in select`}},
		{good + "key: id\nsort: [id, no]\n", []string{`f.yaml:5: the sort field "no" is not in select`}},
		{good + "sort: id\n", []string{"f.yaml:4: sort needs key: without it, rows of one value have no order"}},
		{good + "columns:\n  - {field: id}\n  - {field: no}\n", []string{`the column field "no" is not in select`}},
		{good + "columns:\n  - {field: id}\n  - {field: [1]}\n", []string{`f.yaml:6: columns[1].field`}},
		{good + "maxRows: many\n", []string{"f.yaml:4: maxRows must be a whole number"}},
		{good + "count: maybe\n", []string{"f.yaml:4: count must be on or off"}},
		{good + "allow: []\n", []string{"f.yaml:4: allow must be a text or a list of texts"}},
		{good + "where:\n  - {sql: \"a = :x\"}\n  - {when: y}\n  - {sql: \"b = 1\", when: z}\n  - {sql: \"b = 1\", if: z}\n", []string{
			`f.yaml:5: the condition uses the parameter "x", which params does not declare`,
			"f.yaml:6: a condition must be {sql: …} or {sql: …, when: …}",
			`f.yaml:7: when names the parameter "z", which params does not declare`,
			`f.yaml:8: unknown member "if"; a condition has sql, when`}},
		{"name: a\nsql: |\n  SELECT 1\n  FROM t WHERE a = ?\n", []string{`f.yaml:4: sql "?" is a placeholder of the driver; write :name`}},
		{"name: a\nsql: SELECT 1; SELECT 2\n", []string{"f.yaml:2: sql holds more than one statement"}},
		{"name: a\nsql: SELECT 1\nkey: id\nfrom: t\n", []string{"f.yaml:3: key goes with select and from, not with sql", "f.yaml:4: from goes with"}},
		{good + "params:\n  a: {type: text}\n  b: {}\n  c: {type: integer, enum: [x]}\n  d: {type: date, default: never}\n  e: {type: string, enum: [a], default: b}\n  1f: {type: string}\n  caller: {type: string}\n", []string{
			`f.yaml:5: the parameter "a": unknown type "text"`,
			`f.yaml:6: the parameter "b" has no type`,
			`f.yaml:7: the enum value 1 of "c" must be an integer`,
			`f.yaml:8: the default of "d" must be a real date`,
			`f.yaml:9: the default of "e" must be one of a`,
			`f.yaml:10: the parameter "1f": a parameter's name`,
			`f.yaml:11: the parameter "caller": the name caller stands for`}},
		{good + "title: \xc1\xd6\xb9\xae \xb8\xf1\xb7\xcf\n", []string{"f.yaml:4: is not UTF-8"}}, // 주문 목록 in EUC-KR
		{good + "where: [{sql: \"a = '\\0'\"}]\n", []string{"f.yaml:4: the condition must not contain the character U+0000"}},
		{good + "where: [{sql: \"a = :caller.tenant) OR (1 = 1\"}]\n", []string{"f.yaml:4: the condition a ) closes nothing"}},
		{good + "title: &x y\nsheetName: *x\n", []string{"f.yaml:4: anchors, aliases and tags are not allowed"}},
		{"name: a\nselect: {id: \"f(:p)\"}\nfrom: t\nkey: id\nparams: {p: {type: string}}\n", []string{`f.yaml:4: the key field "id" depends on a parameter`}},
		{"name: a\nselect: {id: id, c: \"f(:caller.tenant)\", p: \":p + 1\"}\nfrom: t\nkey: id\nsort: [c, p, id]\nparams: {p: {type: integer}}\n", []string{
			`f.yaml:5: the sort field "c" depends on a parameter`, `f.yaml:5: the sort field "p" depends on a parameter`}},
	} {
		_, err := dataset.LoadFS(fstest.MapFS{"f.yaml": {Data: []byte(c.file)}, "README.md": {}, "ok.yaml": {Data: []byte("name: ok\nsql: SELECT 1\n")}}, offline(t))
		if err == nil {
			t.Errorf("taken:\n%s", c.file)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != len(c.want) {
			t.Errorf("%s\ngave %d faults, want %d:\n%v", c.file, len(lines), len(c.want), err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s\ngave\n%v\nwithout %s", c.file, err, want)
			}
		}
	}
}

func TestFileOfAWindowsEditor(t *testing.T) {
	d := load(t, offline(t), "\xef\xbb\xbfname: a\r\ntitle: 주문\r\nselect: {id: id}\r\nfrom: t\r\n")
	if info := d.Info(); info.Name != "a" || info.Title != "주문" {
		t.Errorf("read as %+v", info)
	}
}

func TestFaultsOfAllFiles(t *testing.T) {
	_, err := dataset.LoadFS(fstest.MapFS{
		"a.yaml": {Data: []byte("name: same\nsql: SELECT 1\n")},
		"b.yml":  {Data: []byte("# again\nname: same\nsql: SELECT 1\n")},
		"c.yaml": {Data: []byte("name: c\n")},
	}, offline(t))
	for _, want := range []string{`b.yml:2: the dataset "same" is declared in a.yaml already`, "c.yaml:1: select is missing"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, without %s", err, want)
		}
	}
}

func TestCompiledInCatalog(t *testing.T) {
	sets, err := dataset.LoadFS(catalog.Files, offline(t))
	if err != nil {
		t.Fatal(err)
	}
	c := dataset.NewCatalog()
	for _, d := range sets {
		if err := c.Add(d); err != nil {
			t.Error(err)
		}
	}
	orders, err := c.Get("orders")
	if err != nil {
		t.Fatal(err)
	}
	info := orders.Info()
	if len(info.Columns) != 10 || !info.Keyed || info.Allow != nil || info.Caller != nil {
		t.Errorf("%+v", info)
	}
	if values, _, fields := dataset.Normalise(info.Params, nil); len(values) != 0 || fields != nil {
		t.Errorf("orders needs parameters: %v %v", values, fields)
	}
}

func TestCatalog(t *testing.T) {
	named := func(name string, params ...dataset.Param) dataset.Dataset {
		return dataset.FromSeq(dataset.Info{Name: name, Params: params}, nil, nil)
	}
	c := dataset.NewCatalog()
	if err := c.Add(named("b"), named("a-1")); err != nil {
		t.Fatal(err)
	}
	if got := c.List(); len(got) != 2 || got[0].Info().Name != "a-1" {
		t.Errorf("list: %v", got)
	}
	if _, err := c.Get("c"); !fault.Is(err, fault.NotFound) {
		t.Errorf("get: %v", err)
	}
	err := c.Add(named("b"), named("config"), named("x y"), named("p",
		dataset.Param{Name: "q", Type: "text"}, dataset.Param{Name: "r", Type: dataset.StringParam}, dataset.Param{Name: "r", Type: dataset.StringParam}))
	for _, want := range []string{`"b" is declared twice`, `"config": this name is a word`, `"x y": a name has`, `"q": unknown type`, `"r" is declared twice`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, without %s", err, want)
		}
	}
}

func TestFaultySources(t *testing.T) {
	_, err := dataset.NewSources(map[string]string{
		"": "oracle://u:secret@h/db", "a": "mysql://u:secret@h/db?parseTime=maybe", "b": "postgres://u:secret@h:port/db", "c": "sqlite:",
	}, dataset.SourceOptions{})
	for _, want := range []string{"the job database: ", `the source "a": `, `the source "b": `, `the source "c": `} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, without %s", err, want)
		}
	}
	if err != nil && strings.Contains(err.Error(), "secret") {
		t.Errorf("a password is shown: %v", err)
	}
}
