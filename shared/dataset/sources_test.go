package dataset_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/dataset"
)

// TestURLs: malformed ones are refused at the start, and the password in none is
// shown.
func TestURLs(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"mysql://u:secret@h:3306/db?strict=true",
		"mysql://u:secret@h:3306/db?parseTime=perhaps",
		"mysql://u:secret@h:3306/db?loc=No/Where",
		"mysql://u:secret@:port/db",
		"postgres://u:secret@h/db?default_query_exec_mode=never",
		"oracle://u:secret@h/db",
		"sqlite:",
		"sqlite:?mode=ro",
	} {
		_, err := dataset.NewSources(map[string]string{"": url}, dataset.SourceOptions{})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{
		"mysql://u:p@h/db?loc=Asia/Seoul&parseTime=true&tls=skip-verify",
		"mariadb://u:p@h:3306/db?time_zone='Asia/Seoul'",
		"postgresql://u:p@h/db?timezone=Asia/Seoul",
		"sqlite://here.db?_pragma=busy_timeout(5000)",
	} {
		s, err := dataset.NewSources(map[string]string{"": url}, dataset.SourceOptions{})
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestFileNames: what looks like no parameters is part of an SQLite file's name.
func TestFileNames(t *testing.T) {
	e := onSQLite(t)
	e.exec(t, "PRAGMA journal_mode = DELETE", "CREATE TABLE here (id INTEGER)", "INSERT INTO here VALUES (7)")
	data, err := os.ReadFile(strings.TrimPrefix(e.url, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"what?.db", "a=b&c.db", "100%.db", "한 글.db", "#1?x.db"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, parameters := range []string{"", "?mode=ro", "?_pragma=busy_timeout(5000)&_time_format=sqlite"} {
			s := engine{url: "sqlite:" + path + parameters}.sources(t, dataset.SourceOptions{})
			if _, rows := mustRead(t, load(t, s, "name: here\nsql: SELECT id FROM here\n"), dataset.Query{}); len(rows) != 1 {
				t.Errorf("%s: %v", path+parameters, rows)
			}
		}
	}
}
