package dataset_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/dataset"
)

// TestNormalise reads one parameter p of each type from JSON. A want that begins
// with ! is the reason of a refusal; a blank one means absent.
func TestNormalise(t *testing.T) {
	for _, c := range []struct {
		declared string // type, with [] around lists
		raw      string
		want     string // the JSON of the values
	}{
		{"string", `"PAID"`, `{"p":"PAID"}`},
		{"string", `1`, `{"p":"1"}`},
		{"string", `"01"`, `{"p":"01"}`},
		{"string", `true`, `{"p":"true"}`},
		{"string", `"  "`, `{"p":"  "}`},
		{"string", `"<가&>"`, `{"p":"<가&>"}`},
		{"string", `"PAID' OR '1'='1"`, `{"p":"PAID' OR '1'='1"}`},
		{"string", `""`, `{}`},
		{"string", `null`, `{}`},
		{"string", `"a\u0000b"`, `!must not contain the character U+0000`},
		{"string", `{"$ne":1}`, `!must not be an object`},
		{"string", `["a"]`, `!must not be a list`},
		{"integer", `1`, `{"p":1}`},
		{"integer", `"1"`, `{"p":1}`},
		{"integer", `" +0012 "`, `{"p":12}`},
		{"integer", `-0`, `{"p":0}`},
		{"integer", `1.0`, `{"p":1}`},
		{"integer", `1e3`, `{"p":1000}`},
		{"integer", `9007199254740993`, `{"p":"9007199254740993"}`},
		{"integer", `123456789012345`, `{"p":123456789012345}`},
		{"integer", `1.5`, `!must be an integer`},
		{"integer", `"0x10"`, `!must be an integer`},
		{"integer", `"1) OR (1=1"`, `!must be an integer`},
		{"integer", `1e9999`, `!has too many digits`},
		{"integer", `1e99999`, `!must be an integer`},
		{"integer", `true`, `!must be an integer`},
		{"integer", `" "`, `{}`},
		{"decimal", `1.10`, `{"p":1.1}`},
		{"decimal", `"-0.00"`, `{"p":0}`},
		{"decimal", `".5"`, `{"p":0.5}`},
		{"decimal", `1.5e-2`, `{"p":0.015}`},
		{"decimal", `1.5e2`, `{"p":150}`},
		{"decimal", `0.0000001`, `{"p":"0.0000001"}`},
		{"decimal", `1234567890123456.7890`, `{"p":"1234567890123456.789"}`},
		{"decimal", `"1,000"`, `!must be a number`},
		{"decimal", `"."`, `!must be a number`},
		{"decimal", `"NaN"`, `!must be a number`},
		{"boolean", `true`, `{"p":true}`},
		{"boolean", `"FALSE"`, `{"p":false}`},
		{"boolean", `1`, `{"p":true}`},
		{"boolean", `"yes"`, `!must be true or false`},
		{"date", `"20260902"`, `{"p":"2026-09-02"}`},
		{"date", `20260902`, `{"p":"2026-09-02"}`},
		{"date", `"2026-09-02"`, `{"p":"2026-09-02"}`},
		{"date", `"2026-02-30"`, `!must be a real date, yyyyMMdd or yyyy-MM-dd`},
		{"date", `"2026-9-2"`, `!must be a real date, yyyyMMdd or yyyy-MM-dd`},
		{"date", `"2026-09-02T00:00:00Z"`, `!must be a real date, yyyyMMdd or yyyy-MM-dd`},
		{"datetime", `"20260902143025"`, `{"p":"2026-09-02T14:30:25"}`},
		{"datetime", `"20260902"`, `{"p":"2026-09-02T00:00:00"}`},
		{"datetime", `"2026-09-02 14:30"`, `{"p":"2026-09-02T14:30:00"}`},
		{"datetime", `"2026-09-02T14:30:25.120000"`, `{"p":"2026-09-02T14:30:25.12"}`},
		{"datetime", `"2026-09-02T14:30:25.1234569"`, `{"p":"2026-09-02T14:30:25.123456"}`},
		{"datetime", `"2026-09-02T14:30:25Z"`, `{"p":"2026-09-02T14:30:25Z"}`},
		{"datetime", `"2026-09-02T23:30:25.5+09:00"`, `{"p":"2026-09-02T14:30:25.5Z"}`},
		{"datetime", `"2026-09-02T24:00:00"`, `!must be a real date-time, yyyyMMddHHmmss or yyyy-MM-ddTHH:mm:ss`},
		{"[string]", `["b","a","b"]`, `{"p":["b","a","b"]}`},
		{"[integer]", `[1,"2",null,""]`, `{"p":[1,2]}`},
		{"[integer]", `[]`, `{}`},
		{"[integer]", `[null]`, `{}`},
		{"[integer]", `1`, `!must be a list`},
		{"[integer]", `{"a":1}`, `!must be a list`},
		{"[date]", `["20260902"]`, `{"p":["2026-09-02"]}`},
	} {
		inner, list := strings.CutPrefix(c.declared, "[")
		p := dataset.Param{Name: "p", Type: dataset.ParamType(strings.TrimSuffix(inner, "]")), List: list}
		params := []dataset.Param{p}
		values, _, fields := dataset.Normalise(params, dataset.RawParams{"p": json.RawMessage(c.raw)})
		if reason, refused := strings.CutPrefix(c.want, "!"); refused {
			if fields["params.p"] != reason {
				t.Errorf("%s %s: %v, want %s", c.declared, c.raw, fields, reason)
			}
			continue
		}
		if got := values.JSON(); got != c.want || fields != nil {
			t.Errorf("%s %s: %s %v, want %s", c.declared, c.raw, got, fields, c.want)
		}
		again, err := dataset.ParseValues(params, values.JSON())
		if err != nil || cmp.Diff(values, again) != "" {
			t.Errorf("%s %s: read back as %v, %v", c.declared, c.raw, again, err)
		}
	}
}

func TestNormaliseTogether(t *testing.T) {
	params := []dataset.Param{
		{Name: "status", Type: dataset.StringParam, Enum: []string{"PAID", "CANCELLED"}},
		{Name: "from", Type: dataset.DateParam, Required: true},
		{Name: "ids", Type: dataset.IntegerParam, List: true},
		{Name: "limit", Type: dataset.IntegerParam, Default: &dataset.Value{Type: dataset.IntegerParam, Items: []string{"5"}}},
	}
	read := func(body string) (dataset.Values, []string, map[string]string) {
		raw := dataset.RawParams{}
		if err := json.Unmarshal([]byte(body), &raw); err != nil {
			t.Fatal(err)
		}
		return dataset.Normalise(params, raw)
	}
	values, ignored, fields := read(`{"from":"20260901","zeta":1,"alpha":{},"status":"PAID"}`)
	if values.JSON() != `{"from":"2026-09-01","limit":5,"status":"PAID"}` || fields != nil {
		t.Errorf("%s %v", values.JSON(), fields)
	}
	if diff := cmp.Diff([]string{"alpha", "zeta"}, ignored); diff != "" {
		t.Error(diff)
	}
	_, _, fields = read(`{"status":"paid","ids":[1,"x",{"a":1}]}`)
	want := map[string]string{
		"params.status": "must be one of PAID, CANCELLED",
		"params.from":   "is required",
		"params.ids[1]": "must be an integer",
		"params.ids[2]": "must not be an object",
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Error(diff)
	}
	many := "[" + strings.Repeat("1,", dataset.MaxListItems) + "1]"
	if _, _, fields = read(`{"from":"20260901","ids":` + many + `}`); fields["params.ids"] == "" {
		t.Error("a list without bounds was taken")
	}
	if _, err := dataset.ParseValues(params, `{"from":"tomorrow"}`); err == nil {
		t.Error("stored values that do not fit were taken")
	}
}

// FuzzNormalise checks that whatever was taken reads back as itself.
func FuzzNormalise(f *testing.F) {
	for _, seed := range []string{`"a"`, `1e3`, `"20260902143025.5+09:00"`, `[1,"2"]`, `{}`, `"-.5E-7"`, `0`} {
		f.Add(seed)
	}
	var params []dataset.Param
	for _, p := range []dataset.ParamType{
		dataset.StringParam, dataset.IntegerParam, dataset.DecimalParam, dataset.BooleanParam, dataset.DateParam, dataset.DateTimeParam,
	} {
		params = append(params, dataset.Param{Name: string(p), Type: p}, dataset.Param{Name: string(p) + "s", Type: p, List: true})
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		raw := dataset.RawParams{}
		for _, p := range params {
			raw[p.Name] = json.RawMessage(text)
		}
		values, _, _ := dataset.Normalise(params, raw)
		again, err := dataset.ParseValues(params, values.JSON())
		if err != nil {
			t.Fatalf("%s: %s: %v", text, values.JSON(), err)
		}
		if diff := cmp.Diff(values, again); diff != "" {
			t.Fatalf("%s: %s", text, diff)
		}
	})
}
