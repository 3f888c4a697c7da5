package cell

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestParseColumns(t *testing.T) {
	defs, fields := ParseColumns(json.RawMessage(`[
		{"field":"orderNo","headerName":"주문번호","width":140,"unknown":{"deep":[1]}},
		{"headerName":"고객","children":[{"field":"id","headerName":7,"width":"80.5"},{"field":12345678901234567890,"minWidth":1e2}]},
		{"field":"amount","excelFormat":"krw","cellStyle":{"textAlign":"right","fontWeight":"bold","fontStyle":"italic","color":"#00ff0a","backgroundColor":"red","more":1}},
		{"field":"status","excelCodeMap":{"01":"대기","02":2,"03":true,"04":null,"05":1.10},"children":[],"width":null,"cellStyle":null}
	]`))
	if fields != nil {
		t.Fatalf("faults: %v", fields)
	}
	want := []ColumnDef{
		{Field: "orderNo", HeaderName: "주문번호", Width: 140},
		{HeaderName: "고객", Children: []ColumnDef{{Field: "id", HeaderName: "7", Width: 80.5}, {Field: "12345678901234567890", MinWidth: 100}}},
		{Field: "amount", ExcelFormat: "krw", CellStyle: Style{TextAlign: "right", FontWeight: "bold", FontStyle: "italic", Color: "#00FF0A"}},
		{Field: "status", ExcelCodeMap: map[string]string{"01": "대기", "02": "2", "03": "true", "05": "1.10"}},
	}
	if !reflect.DeepEqual(defs, want) {
		t.Errorf("got  %+v\nwant %+v", defs, want)
	}
	if leaves := Leaves(defs); len(leaves) != 5 || leaves[2].Field != "12345678901234567890" {
		t.Errorf("leaves: %+v", leaves)
	}
	// What is read and written again is read as the same.
	text, err := json.Marshal(defs)
	if err != nil {
		t.Fatal(err)
	}
	if again, fields := ParseColumns(text); fields != nil || !reflect.DeepEqual(again, defs) {
		t.Errorf("read back: %+v, %v", again, fields)
	}
}

func TestParseColumnsAbsent(t *testing.T) {
	for _, raw := range []string{"", "  ", "null", "[]"} {
		if defs, fields := ParseColumns(json.RawMessage(raw)); defs != nil || fields != nil {
			t.Errorf("%q: %v, %v", raw, defs, fields)
		}
	}
}

func TestParseColumnsFaults(t *testing.T) {
	nested := func(levels int) string {
		return strings.Repeat(`[{"children":`, levels-1) + `[{"field":"x"}]` + strings.Repeat(`}]`, levels-1)
	}
	if _, fields := ParseColumns(json.RawMessage(nested(MaxDepth))); fields != nil {
		t.Errorf("%d levels: %v", MaxDepth, fields)
	}
	many := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`{"field":"x"},`, n), ",") + "]" }
	if defs, fields := ParseColumns(json.RawMessage(many(MaxLeaves))); len(defs) != MaxLeaves || fields != nil {
		t.Errorf("%d columns: %v", len(defs), fields)
	}
	for raw, path := range map[string]string{
		`{}`:                            "columns",
		`"x"`:                           "columns",
		`[] []`:                         "columns",
		`[`:                             "columns",
		`["x"]`:                         "columns[0]",
		`[null]`:                        "columns[0]",
		`[{},{"field":[]}]`:             "columns[1].field",
		`[{"headerName":{}}]`:           "columns[0].headerName",
		`[{"width":"wide"}]`:            "columns[0].width",
		`[{"width":true}]`:              "columns[0].width",
		`[{"width":1e999}]`:             "columns[0].width",
		`[{"width":"NaN"}]`:             "columns[0].width",
		`[{"minWidth":[]}]`:             "columns[0].minWidth",
		`[{"excelFormat":[]}]`:          "columns[0].excelFormat",
		`[{"cellStyle":"bold"}]`:        "columns[0].cellStyle",
		`[{"excelCodeMap":[]}]`:         "columns[0].excelCodeMap",
		`[{"excelCodeMap":{"a":{}}}]`:   "columns[0].excelCodeMap.a",
		`[{"children":{}}]`:             "columns[0].children",
		`[{"children":[{"field":{}}]}]`: "columns[0].children[0].field",
		nested(MaxDepth + 1):            "columns" + strings.Repeat("[0].children", MaxDepth),
		many(MaxLeaves + 1):             "columns",
	} {
		defs, fields := ParseColumns(json.RawMessage(raw))
		if defs != nil || fields[path] == "" || len(fields) != 1 {
			t.Errorf("%s: faults %v, want one at %s", short(raw), fields, path)
		}
	}
}

func TestStyleClean(t *testing.T) {
	got := Style{TextAlign: "justify", FontWeight: "700", FontStyle: "oblique", Color: "#12345G", BackgroundColor: "#abcdef"}.Clean()
	if want := (Style{BackgroundColor: "#ABCDEF"}); got != want {
		t.Errorf("got %+v", got)
	}
	got = Style{TextAlign: " Right ", FontWeight: "BOLD", FontStyle: "Italic", Color: " #123456"}.Clean()
	if want := (Style{TextAlign: "right", FontWeight: "bold", FontStyle: "italic"}); got != want {
		t.Errorf("got %+v", got)
	}
}

func FuzzParseColumns(f *testing.F) {
	f.Add([]byte(`[{"field":"a","children":[{"width":"1"}]}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		defs, fields := ParseColumns(raw)
		if fields != nil && defs != nil {
			t.Fatal("faults and columns at once")
		}
		for _, leaf := range Leaves(defs) {
			Compile(leaf, Field{Kind: Null}, true, nil)
		}
	})
}
