package jobsql

import (
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/migrations"
)

var dialects = []*Dialect{MySQL, Postgres, SQLite}

// squeeze makes one line of a statement.
func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestTemplatesCompile(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, template := range templates {
		if names[template.name] {
			t.Errorf("two statements are called %q", template.name)
		}
		names[template.name] = true
		for _, d := range dialects {
			st := template.compile(d)
			if strings.ContainsAny(st.text, "{}") {
				t.Errorf("%s on %s: a piece is left in %s", st.name, d.name, st.text)
			}
			if strings.ContainsRune(st.text, '?') == d.numbered && len(st.params) > 0 {
				t.Errorf("%s on %s: wrong placeholders in %s", st.name, d.name, st.text)
			}
		}
	}
}

func TestArgumentsAreOrderedByName(t *testing.T) {
	t.Parallel()
	template := &template{name: "test", text: "SELECT {now} WHERE b = :b AND {same a :a} AND c = :b"}
	values := params{"a": 1, "b": 2}
	for d, want := range map[*Dialect][]any{MySQL: {2, 1, 1, 2}, SQLite: {2, 1, 2}, Postgres: {2, 1}} {
		if got := template.compile(d).arguments(values); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", d.name, got, want)
		}
	}
	for name, values := range map[string]params{"missing": {"a": 1}, "surplus": {"a": 1, "b": 2, "c": 3}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			template.compile(MySQL).arguments(values)
		})
	}
}

// TestTextsSuitMySQLAndMariaDB keeps the statements to what both accept. MySQL 8
// itself is not run in tests.
func TestTextsSuitMySQLAndMariaDB(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`(?i)\bRETURNING\b|\bFOR SHARE\b|\bSKIP LOCKED\b|\bNOWAIT\b|\bON CONFLICT\b|::|\bILIKE\b|\|\|`)
	for _, template := range templates {
		text := squeeze(template.compile(MySQL).text)
		if found := forbidden.FindString(text); found != "" {
			t.Errorf("%s uses %s: %s", template.name, found, text)
		}
		if m := regexp.MustCompile(`^(?:UPDATE|DELETE FROM) (\w+) `).FindStringSubmatch(text); m != nil {
			if n := len(regexp.MustCompile(`\b(?:FROM|JOIN|UPDATE) `+m[1]+`\b`).FindAllString(text, -1)); n != 1 {
				t.Errorf("%s reads the table that it writes: %s", template.name, text)
			}
		}
	}
}

// TestIDsAreComparedByBytes: utf8mb4_bin pads with blanks, so each comparison
// with an id, a requester or an object key has a second one as BINARY.
func TestIDsAreComparedByBytes(t *testing.T) {
	t.Parallel()
	comparison := regexp.MustCompile(`\b((?:\w\.)?(?:job_id|worker|file_path)) = \?( AND CAST\(((?:\w\.)?\w+) AS BINARY\) = CAST\(\? AS BINARY\))?`)
	found := 0
	for _, template := range templates {
		text := squeeze(template.compile(MySQL).text)
		_, where, _ := strings.Cut(text, " WHERE ") // SET assigns, it does not compare
		for _, m := range comparison.FindAllStringSubmatch(where, -1) {
			found++
			if m[3] != m[1] {
				t.Errorf("%s compares %s by the collation only: %s", template.name, m[1], text)
			}
		}
	}
	if found == 0 {
		t.Error("no comparison was found: the test tests nothing")
	}
}

// assignments are the columns and expressions of an UPDATE's SET, in order.
func assignments(text string) (columns, expressions []string) {
	_, rest, found := strings.Cut(text, " SET ")
	if !found || !strings.HasPrefix(text, "UPDATE ") {
		return nil, nil
	}
	depth, start := 0, 0
	var parts []string
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == '(':
			depth++
		case rest[i] == ')':
			depth--
		case depth == 0 && rest[i] == ',':
			parts = append(parts, rest[start:i])
			start = i + 1
		case depth == 0 && strings.HasPrefix(rest[i:], " WHERE "):
			parts = append(parts, rest[start:i])
			i = len(rest)
		}
	}
	for _, part := range parts {
		column, expression, _ := strings.Cut(part, "=")
		columns = append(columns, strings.TrimSpace(column))
		expressions = append(expressions, strings.TrimSpace(expression))
	}
	return columns, expressions
}

// TestSetReadsNoColumnToItsLeft: MySQL works SET off from left to right with the
// new values, the others with the old ones.
func TestSetReadsNoColumnToItsLeft(t *testing.T) {
	t.Parallel()
	updates := 0
	for _, template := range templates {
		columns, expressions := assignments(squeeze(template.compile(MySQL).text))
		for i, expression := range expressions {
			updates++
			for _, earlier := range columns[:i] {
				if regexp.MustCompile(`(?:^|[^.\w])` + earlier + `\b`).MatchString(expression) {
					t.Errorf("%s: %s = %s reads %s, which is set to its left", template.name, columns[i], expression, earlier)
				}
			}
			if slices.Contains(columns[:i], columns[i]) {
				t.Errorf("%s sets %s twice", template.name, columns[i])
			}
		}
	}
	if updates == 0 {
		t.Error("no assignment was found: the test tests nothing")
	}
}

// TestStatementsSetWhatTheirStateDemands: the rules that hold for every
// statement that sets a job PENDING, and for every one that ends it.
func TestStatementsSetWhatTheirStateDemands(t *testing.T) {
	t.Parallel()
	pending, ending := 0, 0
	for _, template := range templates {
		text := squeeze(template.compile(MySQL).text)
		if !strings.HasPrefix(text, "UPDATE ha_excel_job ") {
			continue
		}
		columns, expressions := assignments(text)
		set := map[string]string{}
		for i, column := range columns {
			set[column] = expressions[i]
		}
		want := map[string]string{}
		switch set["status"] {
		case "'PENDING'":
			pending++
			want = map[string]string{"server_id": "NULL", "lease_until": "NULL", "phase": "NULL"}
			if !strings.Contains(set["woken_at"], "UTC_TIMESTAMP") {
				t.Errorf("%s does not set woken_at", template.name)
			}
		case "'DONE'", "'FAIL'":
			ending++
			want = map[string]string{"active_key": "NULL", "lease_until": "NULL", "phase": "NULL"}
			if !strings.Contains(set["completed_at"], "UTC_TIMESTAMP") {
				t.Errorf("%s does not set completed_at", template.name)
			}
			for _, kept := range []string{"server_id", "attempt"} {
				if _, found := set[kept]; found {
					t.Errorf("%s sets %s, which is to stay", template.name, kept)
				}
			}
		}
		for column, value := range want {
			if set[column] != value {
				t.Errorf("%s sets %s to %q, want %s", template.name, column, set[column], value)
			}
		}
		if set["cancel_yn"] == "'Y'" && set["active_key"] != "NULL" {
			t.Errorf("%s accepts a cancel and keeps the active key", template.name)
		}
		for _, column := range slices.Sorted(maps.Keys(set)) {
			if column == "attempt" && set[column] != "attempt + 1" {
				t.Errorf("%s sets attempt to %s", template.name, set[column])
			}
		}
	}
	if pending < 5 || ending < 8 {
		t.Errorf("%d statements set PENDING and %d end a job: the test misses some", pending, ending)
	}
}

func TestMigrationTextsSuitMySQLAndMariaDB(t *testing.T) {
	t.Parallel()
	files, err := migrations.FS("mysql")
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d migrations, %v", len(names), err)
	}
	for _, name := range names {
		raw, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		for statement := range strings.SplitSeq(regexp.MustCompile(`(?m)--.*$`).ReplaceAllString(string(raw), ""), ";") {
			text := strings.ToUpper(squeeze(statement))
			alters := strings.HasPrefix(text, "ALTER") || strings.Contains(text, "CREATE INDEX") || strings.Contains(text, "CREATE UNIQUE INDEX")
			if alters && regexp.MustCompile(`\bIF (NOT )?EXISTS\b`).MatchString(text) {
				t.Errorf("%s: IF EXISTS in %s", name, text)
			}
			if regexp.MustCompile(`TEXT\b[^,]*\bDEFAULT\b`).MatchString(text) {
				t.Errorf("%s: a default on TEXT in %s", name, text)
			}
		}
	}
}
