package cases

import (
	"net/url"
	"strings"
	"testing"
)

// C1: values come the same way, whether a statement has parameters or not and
// whatever the URL asks of the driver.
func TestCase_C1(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		values := []typed{
			{"INT: 5", "integer: 5", "INT: 5", whole("5"), ""},
			{"BIGINT UNSIGNED: 18446744073709551615", "numeric(20): 18446744073709551615", "", text("18446744073709551615"), ""},
			everywhereTyped("DECIMAL(12,2): 1.10", decimal("1.10")),
			{"DATETIME: '2026-09-02 14:30:25'", "timestamp: '2026-09-02 14:30:25'", "DATETIME: '2026-09-02 14:30:25'", moment(t, "2026-09-02 14:30:25"), ""},
			{"TINYINT(1): 1", "smallint: 1", "TINYINT(1): 1", whole("1"), ""},

			{"TINYINT(1): 0", "smallint: 0", "TINYINT(1): 0", whole("0"), ""},
			{"BIGINT: -9223372036854775808", "bigint: -9223372036854775808", "BIGINT: -9223372036854775808", text("-9223372036854775808"), ""},
			{"BIGINT UNSIGNED: 7", "", "", whole("7"), ""},
			{"FLOAT: 0.1", "real: 0.1", "", double("0.1", "0.1"), ""},
			{"DOUBLE: 0.30000000000000004", "double precision: 0.30000000000000004", "REAL: 0.30000000000000004", double("0.30000000000000004", "0.3"), ""},
			{"DOUBLE: 2000000", "double precision: 2000000", "REAL: 2000000", double("2000000", "2000000"), ""},
			{"DECIMAL(20,4): 1234567890123456.7890", "numeric(20,4): 1234567890123456.7890", "", text("1234567890123456.7890"), ""},
			everywhereTyped("DATE: '2026-09-02'", day(t, "2026-09-02")),
			{"DATETIME(6): '2026-09-02 14:30:25.999999'", "timestamp: '2026-09-02 14:30:25.999999'", "DATETIME: '2026-09-02 14:30:25.999999'", moment(t, "2026-09-02 14:30:25"), ""},
			{"TIMESTAMP NULL: '2026-09-02 05:30:25'", "timestamptz: '2026-09-02 05:30:25Z'", "TIMESTAMP: '2026-09-02 05:30:25Z'", moment(t, "2026-09-02 14:30:25"), ""},
			{"TIME: '25:30:00'", "", "", clock(91800, "25:30:00"), ""},
			{"TIME(3): '-01:02:03.5'", "", "", text("-01:02:03.500"), ""},
			{"YEAR: 2026", "", "", whole("2026"), ""},
			{"BIT(16): b'1000000000000001'", "bit(16): B'1000000000000001'", "", whole("32769"), ""},
			{"VARBINARY(3): x'00FF89'", `bytea: '\x00FF89'`, "BLOB: x'00FF89'", text("00FF89"), ""},
			{"ENUM('가','나'): '나'", "text: '나'", "TEXT: '나'", text("나"), ""},
			{"TEXT: ''", "text: ''", "TEXT: ''", none, ""},
			{"TEXT: NULL", "text: NULL", "TEXT: NULL", none, ""},
			{"", "boolean: true", "BOOLEAN: 1", boolean(true), ""},
			{"", "text[]: ARRAY['가']", "", text("{가}"), ""},
		}
		plain, row := d.kinds(t, values)
		if d.name == "mariadb" { // its session is in UTC, and so was the instant
			d.exec(t, "SET time_zone = '+09:00'")
		}
		bound := strings.Replace(plain, "name: kinds", "name: bound", 1) + "params: {id: {type: integer, required: true}}\nwhere: [{sql: \"k.id = :id\"}]\n"
		_, columns, _ := strings.Cut(plain, "\ncolumns:")
		one := "name: one\nsource: " + d.name + "\nsql: SELECT * FROM kinds\ncolumns:" + columns
		oneBound := strings.Replace(one, "name: one", "name: oneBound", 1)
		oneBound = strings.Replace(oneBound, "kinds\n", "kinds WHERE id = :id\nparams: {id: {type: integer}}\n", 1)
		datasets := []string{plain, bound, one, oneBound}
		const id = `{"params":{"id":1}}`

		urls := []string{d.url}
		switch d.name {
		case "mariadb":
			urls = append(urls, d.url+"?interpolateParams=true", d.url+"?parseTime=true&loc="+url.QueryEscape("America/New_York"),
				d.url+"?collation=utf8mb4_bin&columnsWithAlias=true&clientFoundRows=true")
		case "postgres":
			for _, mode := range []string{"simple_protocol", "exec", "cache_describe", "describe_exec"} {
				urls = append(urls, d.url+"&default_query_exec_mode="+mode)
			}
		}
		sheets := map[string]string{}
		for _, address := range urls {
			way := d
			way.url = address
			s := serve(t, datasets, nil, way)
			for name, request := range map[string]string{"kinds": `{}`, "bound": id, "one": `{}`, "oneBound": id} {
				f := s.export(t, name, request)
				sheets[name+" of "+address] = sheetXML(t, f.content)
				if name == "kinds" && address == d.url {
					f.expect(t, row)
				}
			}
		}
		must := sheets["kinds of "+d.url]
		for way, got := range sheets {
			if got != must {
				t.Errorf("%s has another sheet:\n%.3000s\n%.3000s", way, got, must)
			}
		}
	})
}

// C2: nothing, something empty, zero and false are four things.
func TestCase_C2(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.exec(t, "CREATE TABLE items (id INTEGER NOT NULL PRIMARY KEY, t VARCHAR(20), n INTEGER, b BOOLEAN)",
			`INSERT INTO items VALUES
				(1, NULL, 0, TRUE), (2, '', NULL, FALSE), (3, 'NULL', -1, NULL), (4, '0', 1, TRUE),
				(5, 'null', 0, NULL), (6, '<nil>', NULL, FALSE), (7, 'false', 0, FALSE), (8, NULL, NULL, NULL)`)
		dataset := "name: items\nsource: " + d.name + "\nkey: id\nselect: {id: i.id, t: i.t, n: i.n, b: i.b}\nfrom: items i\n"
		request := map[string]any{"columns": []map[string]any{
			{"field": "gone", "headerName": "앞"},
			{"field": "t"}, {"field": "n"},
			{"field": "missing", "headerName": "없는 열", "excelFormat": "krw", "excelCodeMap": map[string]string{"": "없음"}},
			{"field": "b"},
			{"field": "n", "excelFormat": "krw"},
			{"field": "t", "excelCodeMap": map[string]string{"": "비었음", "0": "영"}},
			{"field": "b", "excelCodeMap": map[string]string{"true": "참", "false": "거짓", "": "모름", "1": "참", "0": "거짓"}},
			{"field": "missing", "headerName": "또"},
			{"field": "id"},
			{"headerName": "무리", "children": []map[string]any{{"field": "last"}}},
		}}
		truth := boolean
		if d.name == "mariadb" { // its BOOLEAN is a TINYINT(1)
			truth = func(b bool) want { return map[bool]want{true: whole("1"), false: whole("0")}[b] }
		}
		krw := func(n string) want { return number(n, "#,##0", n) }
		f := everyPath(t, []string{dataset}, "items", request, d)
		// The group makes a second header row.
		f.expect(t, [][]want{
			{none, none, none, none, none, none, none, none, none, none, text("last")},
			{none, none, whole("0"), none, truth(true), krw("0"), text("비었음"), text("참"), none, whole("1"), none},
			{none, none, none, none, truth(false), none, text("비었음"), text("거짓"), none, whole("2"), none},
			{none, text("NULL"), whole("-1"), none, none, krw("-1"), text("NULL"), text("모름"), none, whole("3"), none},
			{none, text("0"), whole("1"), none, truth(true), krw("1"), text("영"), text("참"), none, whole("4"), none},
			{none, text("null"), whole("0"), none, none, krw("0"), text("null"), text("모름"), none, whole("5"), none},
			{none, text("<nil>"), none, none, truth(false), none, text("<nil>"), text("거짓"), none, whole("6"), none},
			{none, text("false"), whole("0"), none, truth(false), krw("0"), text("false"), text("거짓"), none, whole("7"), none},
			{none, none, none, none, none, none, text("비었음"), text("모름"), none, whole("8"), none},
		})
		headers := f.book(t).Sheet(0).Texts(1)
		if want := "앞 t n 없는 열 b n t b 또 id 무리"; strings.Join(headers, " ") != want {
			t.Errorf("the headers are %q, want %q", headers, want)
		}
		if len(f.Warnings) != 3 {
			t.Errorf("warnings %q, want one for each field that is not there", f.Warnings)
		}
		for i, field := range []string{"gone", "missing", "last"} {
			if i < len(f.Warnings) && !strings.Contains(f.Warnings[i], `"`+field+`"`) {
				t.Errorf("warning %q does not name %s", f.Warnings[i], field)
			}
		}
	})
}

// Columns none of whose fields are there still have their headers and rows.
func TestNoFieldIsThere(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.column(t, "INTEGER", 1, 2, 3)
		f := everyPath(t, []string{d.items("")}, "items", map[string]any{"columns": []map[string]any{{"field": "x"}, {"field": "y"}}}, d)
		f.expect(t, [][]want{{none, none}, {none, none}, {none, none}})
		if len(f.Warnings) != 2 || f.ProcessedRows != 3 {
			t.Errorf("%d rows, warnings %q", f.ProcessedRows, f.Warnings)
		}
	})
}

// C4: a name stands for one column.
func TestCase_C4(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.exec(t,
			"CREATE TABLE a (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20), amount DECIMAL(12,2), order_no VARCHAR(20))",
			"CREATE TABLE b (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20))",
			"INSERT INTO a VALUES (1, '갑', 1234.50, '00123')", "INSERT INTO b VALUES (1, '을')")
		quote := d.pick("`", `"`, `"`)
		named := func(name, sql string) string {
			return "name: " + name + "\nsource: " + d.name + "\nsql: " + sql + "\ncolumns: [{field: name}]\n"
		}
		s := serve(t, []string{
			named("twice", "SELECT a.name, b.name FROM a JOIN b ON a.id = b.id"),
			named("uncounted", "SELECT a.name, b.name FROM a JOIN b ON a.id = b.id\ncount: off"),
			named("alias", "SELECT a.id AS name, b.name FROM a JOIN b ON a.id = b.id"),
			named("stars", "SELECT a.*, b.* FROM a JOIN b ON a.id = b.id"),
			named("bound", "SELECT a.name, b.name FROM a JOIN b ON a.id = b.id WHERE a.id = :id\nparams: {id: {type: integer, default: 1}}"),
			named("cases", "SELECT a.name AS "+quote+"name"+quote+", b.name AS "+quote+"NAME"+quote+" FROM a JOIN b ON a.id = b.id"),
			"name: chosen\nsource: " + d.name + "\nkey: id\nselect: {id: a.id, name: a.name, NAME: b.name, orderNo: a.order_no, amount: a.amount}\nfrom: a JOIN b ON a.id = b.id\n",
			named("folded", "SELECT a.order_no AS orderNo, a.amount AS AMOUNT FROM a"),
		}, nil, d)
		for dataset, name := range map[string]string{"twice": "name", "uncounted": "name", "alias": "name", "stars": "id", "bound": "name"} {
			for _, request := range []string{`{}`, `{"packaging":"zip"}`, `{"columns":[{"field":"amount"}]}`} {
				end := s.run(t, dataset, request)
				if end.Status != "FAIL" || !strings.Contains(end.ErrorMsg, `"`+name+`"`) {
					t.Errorf("%s %s: %s %q, want a failure that names %q", dataset, request, end.Status, end.ErrorMsg, name)
				}
			}
		}
		for _, c := range []struct {
			dataset, columns string
			row              []want
			warned           string
		}{
			// One field in several columns, each in its own way.
			{"chosen", `{"field":"name","headerName":"처음"},{"field":"name","headerName":"다시"},{"field":"amount"},
				{"field":"amount","excelFormat":"krw"},{"field":"amount","excelFormat":"0.0"},{"field":"amount","excelCodeMap":{"1234.50":"값"}},
				{"headerName":"무리","children":[{"field":"name"},{"field":"amount"}]}`,
				[]want{
					text("갑"), text("갑"), decimal("1234.50"), number("1234", "#,##0", "1,234"), number("1234.50", "0.0", "1234.5"), text("값"),
					text("갑"), decimal("1234.50"),
				}, ""},
			// Names that are equal but for case are matched where that is unambiguous.
			{"folded", `{"field":"orderNo"},{"field":"ORDERNO"},{"field":"orderno"},{"field":"amount"},{"field":"Amount"}`,
				[]want{text("00123"), text("00123"), text("00123"), decimal("1234.50"), decimal("1234.50")}, ""},
			{"chosen", `{"field":"orderno"},{"field":"OrderNo"},{"field":"AMOUNT"},{"field":"Id"}`,
				[]want{text("00123"), text("00123"), decimal("1234.50"), whole("1")}, ""},
			{"chosen", `{"field":"name"},{"field":"NAME"},{"field":"Name"},{"field":"amount"}`,
				[]want{text("갑"), text("을"), none, decimal("1234.50")}, `"Name"`},
			{"cases", `{"field":"NAME"},{"field":"nAME"},{"field":"name"}`, []want{text("을"), none, text("갑")}, `"nAME"`},
			// Blanks are a part of a name.
			{"chosen", `{"field":"name "},{"field":"amount"}`, []want{none, decimal("1234.50")}, `"name "`},
		} {
			f := s.export(t, c.dataset, `{"columns":[`+c.columns+`]}`)
			sheet := f.book(t).Sheet(0).Rows()
			for i, w := range c.row {
				w.check(t, c.dataset+" "+c.columns, at(sheet, len(sheet)-1, i))
			}
			if c.warned == "" && len(f.Warnings) > 0 || c.warned != "" && (len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], c.warned)) {
				t.Errorf("%s: warnings %q, want %s", c.columns, f.Warnings, c.warned)
			}
			// Of what is shown, the row of C4's own columns is enough.
			if c.dataset == "folded" {
				shown := display(t, f.content)
				for i, w := range c.row {
					if got := at(shown, len(shown)-1, i); got != w.shown {
						t.Errorf("%s: column %d shows %q, want %q", c.columns, i+1, got, w.shown)
					}
				}
			}
		}
	})
}

// Names of fields are whatever the source calls its columns.
func TestStrangeFieldNames(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		d.exec(t, "CREATE TABLE a (id INTEGER NOT NULL PRIMARY KEY, v INTEGER)", "INSERT INTO a VALUES (1, 7)")
		names := []string{
			"고객 이름", "a.b", "a\"b", "a`b", "a'b", "a:b", "select", "?", "$1", "%", "a\\b", "<b>&", "=1+1", "a[b]", "--", "/*", "_x0041_", "값",
		}
		if d.name != "mariadb" { // its names have no such characters, nor blanks at the edges
			names = append(names, "😀", " v", "v ")
		}
		members, leaves := "id: a.id", []map[string]any{}
		var rows [][]want
		row := []want{}
		for _, name := range names {
			members += ", " + yamlText(name) + ": a.v"
			leaves = append(leaves, map[string]any{"field": name})
			row = append(row, whole("7"))
		}
		rows = append(rows, row)
		f := everyPath(t, []string{"name: a\nsource: " + d.name + "\nkey: id\nselect: {" + members + "}\nfrom: a\n"}, "a", map[string]any{"columns": leaves}, d)
		f.expect(t, rows)
		headers := f.book(t).Sheet(0).Texts(1)
		for i, name := range names {
			if headers[i] != name {
				t.Errorf("the header is %q, want %q", headers[i], name)
			}
		}
		if len(f.Warnings) > 0 {
			t.Errorf("warnings %q", f.Warnings)
		}
	})
}

// yamlText quotes a text for YAML.
func yamlText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
