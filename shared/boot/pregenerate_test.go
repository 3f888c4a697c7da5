package boot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
)

func TestPregenerate(t *testing.T) {
	t.Parallel()
	info := dataset.Info{Name: "daily", Columns: []cell.ColumnDef{{Field: "n"}}, Pregenerate: 24 * time.Hour}
	b := open(t, []string{sqliteSetting(t)}, boot.WithDataset(dataset.FromSeq(info, []cell.Field{{Name: "n", Kind: cell.Integer}}, nil)))
	if _, err := b.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	u, err := b.Pregenerate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for run, want := range []app.PregenerateReport{{Submitted: 1}, {}} {
		if rep, err := u.Do(t.Context(), app.PregenerateInput{}); err != nil || rep != want {
			t.Errorf("run %d: %+v, %v, want %+v", run+1, rep, err, want)
		}
	}
}

// A dataset that shows everybody something else can't be built for all. Whatever
// needs the datasets does not start.
func TestDatasetsThatCannotBePregeneratedStopTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := "name: scoped\nselect: {id: id}\nfrom: t\ncolumns: [{field: id}]\nwhere: [{sql: \"owner = :caller.sub\"}]\npregenerate: rate(1 hour)\n"
	if err := os.WriteFile(filepath.Join(dir, "scoped.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	info := dataset.Info{Name: "own", Columns: []cell.ColumnDef{{Field: "n"}}, Pregenerate: time.Hour, Caller: []string{"tenant"}}
	b := open(t, []string{sqliteSetting(t), "HAEXCEL_DATASET_DIR=" + dir}, boot.WithDataset(dataset.FromSeq(info, nil, nil)))
	if _, err := b.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, start := range map[string]func() error{
		"submit":      func() error { _, err := b.Submit(t.Context()); return err },
		"datasets":    func() error { _, err := b.Datasets(); return err },
		"pregenerate": func() error { _, err := b.Pregenerate(t.Context()); return err },
	} {
		err := start()
		for _, text := range []string{"scoped.yaml:6: the dataset can't be pregenerated: its rows depend on who asks: :caller.sub", `dataset "own": can't be pregenerated`} {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v, want %s in it", name, err, text)
			}
		}
	}
}
