package dataset_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
)

const pregeneratable = "name: a\nselect: {id: id}\nfrom: t\ncolumns: [{field: id}]\n"

func TestReuseAndPregenerateAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"1s": time.Second, "90s": 90 * time.Second, "10m": 10 * time.Minute, `"1h30m"`: 90 * time.Minute, "1.5h": 90 * time.Minute,
	} {
		if got := load(t, offline(t), pregeneratable+"reuse: "+text+"\n").Info(); got.Reuse != want || got.Pregenerate != 0 {
			t.Errorf("reuse: %s is read as %s, pregenerate as %s", text, got.Reuse, got.Pregenerate)
		}
	}
	for text, want := range map[string]time.Duration{
		"rate(1 minute)": time.Minute, "rate(10 minutes)": 10 * time.Minute, "rate(1 hour)": time.Hour, `"rate(12 hours)"`: 12 * time.Hour,
		"rate(1 day)": 24 * time.Hour, "rate(366 days)": 366 * 24 * time.Hour, "rate(0002 hours)": 2 * time.Hour,
	} {
		if got := load(t, offline(t), pregeneratable+"pregenerate: "+text+"\n").Info(); got.Pregenerate != want || got.Reuse != 0 {
			t.Errorf("pregenerate: %s is read as %s, reuse as %s", text, got.Pregenerate, got.Reuse)
		}
	}
}

// A dataset may be exported beforehand when nothing but its text says what is in
// the file.
func TestParametersWithDefaultsMayBePregenerated(t *testing.T) {
	t.Parallel()
	load(t, offline(t), pregeneratable+`where: [{sql: "a = :p AND b = :q"}]
params: {p: {type: string, required: true, default: x}, q: {type: date}}
pregenerate: rate(1 hour)
`)
}

func TestFaultyReuseAndPregenerate(t *testing.T) {
	t.Parallel()
	const (
		duration = "f.yaml:5: reuse must be a duration of at least 1s, such as 90s, 10m or 1h30m"
		shape    = "f.yaml:5: pregenerate must be a rate, such as rate(10 minutes), rate(1 hour) or rate(2 days)"
	)
	for text, want := range map[string][]string{
		"reuse: 999ms":                        {duration},
		"reuse: 0":                            {duration},
		"reuse: -10m":                         {duration},
		"reuse: 10":                           {duration},
		"reuse: soon":                         {duration},
		"reuse: [10m]":                        {duration},
		"reuse:":                              {duration},
		"reuse: 9999999999h":                  {duration},
		"pregenerate: 1h":                     {shape},
		"pregenerate: rate(1 week)":           {shape},
		"pregenerate: rate(1.5 hours)":        {shape},
		"pregenerate: rate(-1 hours)":         {shape},
		"pregenerate: rate( 1 hour )":         {shape},
		"pregenerate: rate(1  hour)":          {shape},
		"pregenerate: Rate(1 hour)":           {shape},
		"pregenerate: rate(1 HOUR)":           {shape},
		"pregenerate: [rate(1 hour)]":         {shape},
		"pregenerate: {rate: 1}":              {shape},
		"pregenerate:":                        {shape},
		"pregenerate: cron(0 1 * * ? *)":      {"f.yaml:5: pregenerate takes no cron(…), only a rate, such as rate(1 hour)"},
		"pregenerate: rate(0 minutes)":        {"f.yaml:5: pregenerate must be at least rate(1 minute)"},
		"pregenerate: rate(367 days)":         {"f.yaml:5: pregenerate must be at most rate(366 days)"},
		"pregenerate: rate(99999999999 days)": {"f.yaml:5: pregenerate must be at most rate(366 days)"},
		"pregenerate: rate(1 hours)":          {"f.yaml:5: pregenerate must be rate(1 hour): the unit is singular after 1"},
		"pregenerate: rate(2 hour)":           {"f.yaml:5: pregenerate must be rate(2 hours): the unit is singular after 1"},
		"reuse: 0\npregenerate: x":            {duration, "f.yaml:6: pregenerate must be a rate"},
		"pregenerate: rate(1 hour)\nwhere: [{sql: \"t = :caller.tenant\"}, {sql: \"u = :caller.sub AND t = :caller.tenant\"}]": {
			"f.yaml:5: the dataset can't be pregenerated: its rows depend on who asks: :caller.sub, :caller.tenant"},
		"where: [{sql: \"a = :p AND b = :q\"}]\nparams: {p: {type: string, required: true}, q: {type: [date], required: true}}\npregenerate: rate(1 hour)": {
			`f.yaml:7: the dataset can't be pregenerated: the parameter "p" is required and has no default`,
			`f.yaml:7: the dataset can't be pregenerated: the parameter "q" is required and has no default`},
	} {
		_, err := dataset.LoadFS(fstest.MapFS{"f.yaml": {Data: []byte(pregeneratable + text + "\n")}}, offline(t))
		if err == nil {
			t.Errorf("taken: %s", text)
			continue
		}
		if lines := strings.Split(err.Error(), "\n"); len(lines) != len(want) {
			t.Errorf("%s gave %d faults, want %d:\n%v", text, len(lines), len(want), err)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s gave\n%v\nwithout %s", text, err, w)
			}
		}
	}

	_, err := dataset.LoadFS(fstest.MapFS{"f.yaml": {Data: []byte("name: a\nsql: SELECT 1\npregenerate: rate(1 hour)\n")}}, offline(t))
	if err == nil || err.Error() != "f.yaml:3: the dataset can't be pregenerated: it has no default columns" {
		t.Errorf("without columns: %v", err)
	}
}

// Datasets in Go are held to the same.
func TestReuseAndPregenerateInGo(t *testing.T) {
	t.Parallel()
	columns := []cell.ColumnDef{{Field: "id"}}
	required := []dataset.Param{{Name: "p", Type: dataset.StringParam, Required: true}}
	for name, c := range map[string]struct {
		info dataset.Info
		want string
	}{
		"fine":            {dataset.Info{Reuse: time.Minute, Pregenerate: time.Hour, Columns: columns}, ""},
		"reuse alone":     {dataset.Info{Reuse: time.Minute, Caller: []string{"tenant"}, Params: required}, ""},
		"reuse below 0":   {dataset.Info{Reuse: -1}, "Reuse is below 0"},
		"below 0":         {dataset.Info{Pregenerate: -1, Columns: columns}, "Pregenerate is below 0"},
		"of the caller":   {dataset.Info{Pregenerate: time.Hour, Columns: columns, Caller: []string{"tenant"}}, "can't be pregenerated: its rows depend on who asks: :caller.tenant"},
		"a parameter":     {dataset.Info{Pregenerate: time.Hour, Columns: columns, Params: required}, `can't be pregenerated: the parameter "p" is required`},
		"without columns": {dataset.Info{Pregenerate: time.Hour}, "can't be pregenerated: it has no default columns"},
	} {
		c.info.Name = "sales"
		err := dataset.NewCatalog().Add(dataset.FromSeq(c.info, nil, nil))
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), `dataset "sales": `+c.want)) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
