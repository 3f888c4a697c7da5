package dataset_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// guideRow is one type of a row of the guide's tables with what it says.
type guideRow struct {
	line               int
	declared, value    string
	cell, shows, shape string // shape is the number format
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// guideRows reads the table under a heading of the guide.
func guideRows(t *testing.T, heading string) []guideRow {
	t.Helper()
	data, err := os.ReadFile("GUIDE.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []guideRow
	inside := false
	for n, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, "#") {
			inside = line == "### "+heading
		}
		if !inside || !strings.HasPrefix(line, "| `") {
			continue
		}
		parts := strings.Split(strings.Trim(line, "|"), " | ")
		if len(parts) < 5 {
			parts = append(parts, "", "")
		}
		one := func(i int) string {
			if m := codeSpan.FindStringSubmatch(parts[i]); m != nil {
				return m[1]
			}
			return ""
		}
		// What stands in brackets explains.
		types := regexp.MustCompile(`\s\([^()]*(\([^()]*\)[^()]*)*\).*$`).ReplaceAllString(parts[0], "")
		for _, m := range codeSpan.FindAllStringSubmatch(types, -1) {
			if strings.Contains(m[1], "xml") || m[1] == "money" {
				continue // named for their cells, not for the example
			}
			out = append(out, guideRow{
				line: n + 1, declared: m[1], value: one(1), cell: strings.TrimSpace(parts[2]), shows: one(3), shape: one(4),
			})
		}
	}
	if len(out) < 20 {
		t.Fatalf("%d types are under the heading %s", len(out), heading)
	}
	return out
}

// TestGuide: each row of the guide's tables is what the database gives.
func TestGuide(t *testing.T) {
	t.Parallel()
	headings := map[string]string{"mariadb": "MySQL and MariaDB", "postgres": "PostgreSQL", "sqlite": "SQLite"}
	onEach(t, func(t *testing.T, e engine) {
		e.db.SetMaxOpenConns(1)
		switch e.name {
		case "mariadb":
			e.exec(t, "SET time_zone = '+00:00', sql_mode = ''")
		case "postgres":
			e.exec(t, "SET timezone = 'UTC'")
		}
		rows := guideRows(t, headings[e.name])
		var types []typed
		for _, r := range rows {
			types = append(types, typed{declared: r.declared, stored: r.value})
		}
		d := typeSets(t, e.sources(t, dataset.SourceOptions{ReportZone: seoul(t)}), typeTable(t, e, types))["pages"]
		_, _, cells := readTyped(t, d, dataset.Query{}, seoul(t))
		for i, r := range rows {
			want := strings.TrimSpace(fmt.Sprintf("%s %s %s", r.cell, r.shows, r.shape))
			if got := described(t, cells[i+1]); got != want {
				t.Errorf("GUIDE.md:%d: %s %s is %s, not %s", r.line, r.declared, r.value, got, want)
			}
		}
	})
}

// described puts a cell in the guide's words.
func described(t *testing.T, shown string) string {
	t.Helper()
	if shown == "-" {
		return "empty"
	}
	text, format, ok := strings.Cut(shown[2:], " | ")
	if !ok {
		format = "General"
	}
	switch {
	case shown[0] == 'b':
		return "boolean " + map[string]string{"1": "TRUE", "0": "FALSE"}[text] + " " + format
	case shown[0] == 's':
		return "text " + text + " " + format
	case format == "yyyy-mm-dd", format == "yyyy-mm-dd hh:mm:ss":
		moment := momentOf(t, xlsxtest.Cell{Raw: text})
		if format == "yyyy-mm-dd" {
			return "date " + strings.TrimSuffix(moment, " 00:00:00") + " " + format
		}
		return "date-time " + moment + " " + format
	case format == "[hh]:mm:ss":
		days, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		seconds := int(math.Round(days * 24 * 60 * 60))
		return fmt.Sprintf("time %02d:%02d:%02d %s", seconds/3600, seconds/60%60, seconds%60, format)
	}
	return "number " + text + " " + format
}
