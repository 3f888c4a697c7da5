package shared_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// The three databases go through the same steps: each has a file of the same
// number and name for each.
func TestMigrationsGoTogether(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^\d{5}_[a-z0-9_]+\.sql$`)
	listed := map[string][]string{}
	for _, dialect := range []string{"mysql", "postgres", "sqlite"} {
		entries, err := os.ReadDir(filepath.Join("..", "migrations", dialect))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if !form.MatchString(entry.Name()) {
				t.Errorf("migrations/%s/%s: want NNNNN_name.sql", dialect, entry.Name())
			}
			listed[dialect] = append(listed[dialect], entry.Name())
		}
		if len(listed[dialect]) == 0 {
			t.Errorf("migrations/%s is empty", dialect)
		}
	}
	for _, dialect := range []string{"postgres", "sqlite"} {
		if !slices.Equal(listed["mysql"], listed[dialect]) {
			t.Errorf("migrations/mysql has %q, migrations/%s has %q", listed["mysql"], dialect, listed[dialect])
		}
	}
}
