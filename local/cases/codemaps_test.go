package cases

import (
	"fmt"
	"strings"
	"testing"
)

// labelled gives a column a code map and the format krw, which it wins over.
func (v typed) labelled(codes string) typed {
	return v.with("excelFormat: krw, excelCodeMap: " + codes)
}

// K2: a label is found by the text of a value, whatever its database calls it.
func TestCase_K2(t *testing.T) {
	t.Parallel()
	const codes = `{"1": 대기, "01": 접수, "true": 참, "": 없음}`
	const on, off = `{"true": 참, "false": 거짓}`, `{"1": 사용, "0": 중지}`
	everywhere(t, func(t *testing.T, d database) {
		waiting := text("대기")
		dataset, row := d.kinds(t, []typed{
			everywhereTyped("INT: 1", waiting).labelled(codes),
			typed{"TINYINT(1): 1", "smallint: 1", "TINYINT(1): 1", waiting, ""}.labelled(codes),
			inDouble("1", waiting).labelled(codes),
			inText("1", waiting).labelled(codes),
			typed{"BIT(1): b'1'", "numeric: 1", "INTEGER: 1", waiting, ""}.labelled(codes),
			inText("01", text("접수")).labelled(codes),
			everywhereTyped("CHAR(5): '01'", text("접수")).labelled(codes),
			typed{"", "boolean: true", "BOOLEAN: 1", text("참"), ""}.labelled(codes),
			everywhereTyped("INT: NULL", text("없음")).labelled(codes),
			everywhereTyped("INT: 9", whole("9")).labelled(codes),
			everywhereTyped("INT: 1", whole("1")).labelled(`{"01": 접수}`),
			everywhereTyped("INT: 1", text("=1+1")).labelled(`{"1": "=1+1"}`),

			// The text of a value is that of its type.
			everywhereTyped("BIGINT: 9007199254740993", text("정확")).labelled(`{"9007199254740993": 정확, "9007199254740992": 틀림}`),
			everywhereTyped("INT: -1", text("취소")).labelled(`{"-1": 취소, "1": 대기}`),
			everywhereTyped("INT: 0", text("영")).labelled(`{"0": 영, "": 없음}`),
			inDecimal(5, 1, "1.0", text("한 자리")).labelled(`{"1": 정수, "1.0": 한 자리}`),
			inDecimal(5, 1, "1.0", decimal("1.0")).labelled(`{"1": 정수}`),
			inDecimal(5, 0, "1", text("정수")).labelled(`{"1": 정수, "1.0": 한 자리}`),
			inDecimal(5, 2, "-0.00", text("영")).labelled(`{"0.00": 영}`),
			inDecimal(5, 2, "0.50", text("반")).labelled(`{"0.50": 반, "0.5": 틀림}`),
			inDouble("0.5", text("반")).labelled(`{"0.50": 틀림, "0.5": 반}`),
			inDouble("1.0", text("정수")).labelled(`{"1": 정수, "1.0": 틀림}`),
			inDouble("-0.0", text("영")).labelled(`{"0": 영, "-0": 틀림}`),
			{"DATE: '2026-09-02'", "date: '2026-09-02'", "DATE: '2026-09-02'", text("오늘"), `, excelCodeMap: {"2026-09-02": 오늘}`},
			{"DATETIME: '2026-09-02 14:30:25'", "timestamp: '2026-09-02 14:30:25'", "DATETIME: '2026-09-02 14:30:25'", text("그때"), `, excelCodeMap: {"2026-09-02 14:30:25": 그때}`},
			{"TIMESTAMP: '2026-09-02 05:30:25'", "timestamptz: '2026-09-02 05:30:25Z'", "TIMESTAMP: '2026-09-02T05:30:25Z'", text("그때"), `, excelCodeMap: {"2026-09-02 14:30:25": 그때}`},
			{"TIME: '09:00:00'", "time: '09:00:00'", "", text("아침"), `, excelCodeMap: {"09:00:00": 아침}`},
			{"DATE: '0000-00-00'", "", "", none, `, excelCodeMap: {"": 없음}`},
			{"VARBINARY(2): '1'", "bytea: '1'", "BLOB: x'31'", text("31"), `, excelCodeMap: {"1": 틀림}`},
			{"VARBINARY(2): '1'", "bytea: '1'", "BLOB: x'31'", text("하나"), `, excelCodeMap: {"31": 하나}`},
			{"BIT(8): b'00000101'", "", "", text("다섯"), `, excelCodeMap: {"5": 다섯}`},
			{"YEAR: 2026", "", "", text("올해"), `, excelCodeMap: {"2026": 올해}`},
			{"ENUM('a','b'): 'b'", "uuid: 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "", text("비"), `, excelCodeMap: {"b": 비, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11": 비}`},

			// Booleans are found as words and as digits, numbers as digits alone.
			{"BOOLEAN: TRUE", "", "", whole("1"), `, excelCodeMap: ` + on},
			{"BOOLEAN: FALSE", "", "", text("중지"), `, excelCodeMap: ` + off},
			{"", "boolean: true", "BOOLEAN: TRUE", text("참"), `, excelCodeMap: ` + on},
			{"", "boolean: false", "BOOLEAN: FALSE", text("거짓"), `, excelCodeMap: ` + on},
			{"", "boolean: true", "BOOLEAN: TRUE", text("사용"), `, excelCodeMap: ` + off},
			{"", "boolean: false", "BOOLEAN: FALSE", text("중지"), `, excelCodeMap: ` + off},
			{"", "boolean: true", "BOOLEAN: TRUE", text("참"), `, excelCodeMap: {"1": 틀림, "true": 참}`},
			{"", "boolean: true", "BOOLEAN: TRUE", boolean(true), `, excelCodeMap: {"0": 중지, "t": 틀림, "TRUE": 틀림}`},
			{"", "boolean: NULL", "BOOLEAN: NULL", text("없음"), `, excelCodeMap: {"": 없음, "false": 틀림}`},

			// Texts are trimmed and otherwise compared as they are.
			inText(" 1 ", waiting).labelled(codes),
			inText("\t01\n", text("접수")).labelled(codes),
			inText("　1", waiting).labelled(codes),
			inText("", text("없음")).labelled(codes),
			inText("   ", text("없음")).labelled(codes),
			inText("1.0", text("1.0")).labelled(codes),
			inText("+1", text("+1")).labelled(codes),
			inText("001", text("001")).labelled(codes),
			inText("１", text("１")).labelled(codes),
			inText("TRUE", text("TRUE")).labelled(codes),
			inText("y", text("소문자")).labelled(`{"Y": 대문자, "y": 소문자}`),
			inText("가 나", text("붙여")).labelled(`{"가 나": 붙여}`),
			inText(nfd, text(nfd)).labelled(`{"` + nfc + `": 틀림}`),
			inText("NULL", text("NULL")).labelled(codes),
			inText(" 9 ", text(" 9 ")).labelled(codes), // what has no label stays as it is
			everywhereTyped("INT: NULL", none).labelled(`{"1": 대기, "null": 틀림, "NULL": 틀림}`),
			everywhereTyped("BIGINT: 1250000", whole("1250000")).labelled(`{"1": 대기}`),
			everywhereTyped("DATE: '2026-09-02'", number("46267", dayFormat, "2026-09-02")).labelled(`{"1": 대기}`),

			// No code map is none.
			everywhereTyped("BIGINT: 1250000", won("1250000", "1,250,000")).labelled(`{}`),
			everywhereTyped("BIGINT: 1250000", won("1250000", "1,250,000")).labelled(`null`),
		})
		everyPath(t, []string{dataset}, "kinds", nil, d).expect(t, row)
	})
}

// K2: labels of a request are texts, however they are given.
func TestCase_K2Labels(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	d.exec(t, "CREATE TABLE codes (id INTEGER NOT NULL PRIMARY KEY)", "INSERT INTO codes VALUES (1)")
	set := "name: codes\nsource: sqlite\nkey: id\nselect: {id: c.id}\nfrom: codes c\n"
	s := serve(t, []string{set}, nil, d)
	long := strings.Repeat("가", 32_767)
	cases := []struct {
		codes string
		want  want
	}{
		{`{"1": "대기"}`, text("대기")},
		{`{"1": 100}`, text("100")},
		{`{"1": 1e3}`, text("1e3")},
		{`{"1": 12345678901234567890.50}`, text("12345678901234567890.50")},
		{`{"1": -0}`, text("-0")},
		{`{"1": true}`, text("true")},
		{`{"1": "007"}`, text("007")},
		{`{"1": "2026-09-02"}`, text("2026-09-02")},
		{`{"1": "  앞뒤  "}`, text("  앞뒤  ")},
		{`{"1": "1줄\n2줄"}`, text("1줄\n2줄")},
		{`{"1": "1줄\r\n2줄"}`, text("1줄\n2줄")},
		{`{"1": "a\u0001b"}`, escaped("a\x01b", "a_x0001_b")},
		{`{"1": "_x000D_"}`, escaped("_x000D_", "_x005F_x000D_")},
		{`{"1": "\ud83d\ude00 \ud800"}`, text("😀 \uFFFD")},
		{`{"1": "<a href=\"x\">&amp;</a>"}`, text(`<a href="x">&amp;</a>`)},
		{`{"1": "@SUM(A1)"}`, text("@SUM(A1)")},
		{`{"1": "` + long + `"}`, text(long)},
		{`{"1": "` + long + `"}`, text(long)},
		{`{"1": ""}`, none},
		{`{"1": " "}`, text(" ")},
		{`{"1": null}`, whole("1")},
		{`{"2": "x"}`, whole("1")},
		{`{"1 ": "x"}`, whole("1")},
		{`{}`, whole("1")},
		{`null`, whole("1")},
		{`{"1": "먼저", "1": "나중"}`, text("나중")},
	}
	var list []string
	var wants []want
	for _, c := range cases {
		list = append(list, `{"field": "id", "excelCodeMap": `+c.codes+`}`)
		wants = append(wants, c.want)
	}
	f := s.export(t, "codes", `{"columns": [`+strings.Join(list, ",")+`]}`)
	f.expect(t, [][]want{wants})
	if f.TruncatedCells != 0 || len(f.Warnings) > 0 {
		t.Errorf("the status is %+v", f.status)
	}
	f = s.export(t, "codes", `{"columns": [{"field": "id", "excelCodeMap": {"1": "`+long+`가"}}]}`)
	f.expect(t, [][]want{{text(long)}})
	if f.TruncatedCells != 1 {
		t.Errorf("%d cells were cut, want 1", f.TruncatedCells)
	}
	// A map of 5,000 codes is found in as well.
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `"%d": "이름 %[1]d",`, 5000-i)
	}
	f = s.export(t, "codes", `{"columns": [{"field": "id", "excelCodeMap": {`+strings.TrimSuffix(many.String(), ",")+`}}]}`)
	f.expect(t, [][]want{{text("이름 1")}})
	for _, codes := range []string{`["대기"]`, `"대기"`, `1`, `true`} {
		s.wantFault(t, "codes", `{"columns": [{"field": "id", "excelCodeMap": `+codes+`}]}`, "columns[0].excelCodeMap")
	}
	for _, label := range []string{`["대기"]`, `{"ko": "대기"}`} {
		s.wantFault(t, "codes", `{"columns": [{"field": "id", "excelCodeMap": {"1": `+label+`}}]}`, "columns[0].excelCodeMap.1")
	}
}
