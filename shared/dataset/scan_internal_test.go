package dataset

import (
	"strings"
	"testing"
)

// TestScan marks each parameter that was found as {name}. A want that begins
// with ! is the refusal.
func TestScan(t *testing.T) {
	all := []*dialect{sqliteDialect, mysqlDialect, postgresDialect}
	only := func(d *dialect) []*dialect { return []*dialect{d} }
	for _, c := range []struct {
		dialects []*dialect
		sql      string
		want     string
	}{
		{all, "a = :status AND b=:b1", "a = {status} AND b={b1}"},
		{all, "IN (:ids)", "IN ({ids})"},
		{all, "t.tenant = :caller.tenant", "t.tenant = {caller.tenant}"},
		{all, ":caller", "{caller}"},
		{all, ":caller.", "!after :caller. the name of a claim is missing"},
		{all, "'12:30' || :a", "'12:30' || {a}"},
		{all, "'it''s :no' = :a", "'it''s :no' = {a}"},
		{all, `"x:y" = :a`, `"x:y" = {a}`},
		{all, "a -- :no\n= :a", "a -- :no\n= {a}"},
		{all, "a /* :no ' */ = :a", "a /* :no ' */ = {a}"},
		{all, "a::text = :a::date", "a::text = {a}::date"},
		{all, "x := 1", "x := 1"},
		{all, "a : b", "a : b"},
		{all, "a[1:2]", "a[1:2]"},
		{all, "'open", "!a ' is not closed"},
		{all, "/* open", "!a comment is not closed"},
		{all, "a = ((1)", "!a ( is not closed"},
		{all, "a = :caller.tenant) OR (1 = 1", "!a ) closes nothing"},
		{all, "a = '(' AND b IN (1, (2)) -- )\n", "a = '(' AND b IN (1, (2)) -- )\n"},
		{all, "SELECT 1;\n -- end\n /* x */ ;", "SELECT 1"},
		{all, "SELECT 1; DROP TABLE orders", "!holds more than one statement"},
		{all, ";", "!is empty"},
		{all, "한글 = :한글", "한글 = :한글"},
		{only(mysqlDialect), `'a\':no' = :a`, `'a\':no' = {a}`},
		{only(mysqlDialect), "`x:y` = :a", "`x:y` = {a}"},
		{only(mysqlDialect), "a # :no '\n = :a", "a # :no '\n = {a}"},
		{only(mysqlDialect), "5--:a", "5--{a}"},
		{only(mysqlDialect), "a = ?", `!"?" is a placeholder of the driver; write :name`},
		{only(mysqlDialect), "@v = :a", "@v = {a}"},
		{only(mysqlDialect), "/* /* */ :a", "/* /* */ {a}"},
		{only(postgresDialect), `'a\' = :a`, `'a\' = {a}`},
		{only(postgresDialect), `E'a\':no' = :a`, `E'a\':no' = {a}`},
		{only(postgresDialect), `nameE'\' = :a`, `nameE'\' = {a}`},
		{only(postgresDialect), "$$ :no ' $$ || $t$ :no $$ $t$ || :a", "$$ :no ' $$ || $t$ :no $$ $t$ || {a}"},
		{only(postgresDialect), "a = $1", `!"$1" is a placeholder of the driver; write :name`},
		{only(postgresDialect), "j ? 'k' AND x #> :a", "j ? 'k' AND x #> {a}"},
		{only(postgresDialect), "/* /* ' */ :no */ :a", "/* /* ' */ :no */ {a}"},
		{only(postgresDialect), "ARRAY[:a]", "ARRAY[{a}]"},
		{only(sqliteDialect), "[x:y] = :a", "[x:y] = {a}"},
		{only(sqliteDialect), "a = ?1", `!"?" is a placeholder of the driver; write :name`},
		{only(sqliteDialect), "a = @p", `!"@" is a placeholder of the driver; write :name`},
		{only(sqliteDialect), "a = $p", `!"$" is a placeholder of the driver; write :name`},
		{only(sqliteDialect), `'a\' = :a`, `'a\' = {a}`},
	} {
		for _, d := range c.dialects {
			pieces, err := scan(d, c.sql)
			if reason, refused := strings.CutPrefix(c.want, "!"); refused {
				if err == nil || err.Error() != reason {
					t.Errorf("%s: %s: %v, want %s", d.name, c.sql, err, reason)
				}
				continue
			}
			var b strings.Builder
			for _, p := range pieces {
				switch {
				case p.caller:
					b.WriteString("{caller." + p.name + "}")
				case p.name != "":
					b.WriteString("{" + p.name + "}")
				default:
					b.WriteString(p.text)
				}
			}
			if err != nil || b.String() != c.want {
				t.Errorf("%s: %s: %q, %v, want %q", d.name, c.sql, b.String(), err, c.want)
			}
		}
	}
}

// FuzzScan checks that nothing of a statement is lost or made up.
func FuzzScan(f *testing.F) {
	f.Add("a = :b -- c\n 'd' $x$ :e $x$")
	f.Add("E'\\' :a")
	f.Fuzz(func(t *testing.T, sql string) {
		for _, d := range []*dialect{sqliteDialect, mysqlDialect, postgresDialect} {
			pieces, err := scan(d, sql)
			if err != nil || strings.Contains(sql, ";") {
				continue
			}
			var b strings.Builder
			for _, p := range pieces {
				switch {
				case p.caller:
					b.WriteString(":caller." + p.name)
				case p.name != "":
					b.WriteString(":" + p.name)
				default:
					b.WriteString(p.text)
				}
			}
			if b.String() != sql {
				t.Fatalf("%s: %q came back as %q", d.name, sql, b.String())
			}
		}
	})
}
