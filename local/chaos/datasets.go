//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// kind is a dataset with the numbers of rows that are asked of it.
type kind struct {
	name   string
	wide   bool // its rows carry the long text
	sorted bool // clients may order it
	sizes  []int
	weight int // how often it is asked for
}

// kinds are the datasets, from those that end at once to those that are split
// into many chunks.
var kinds = []kind{
	{name: "keyed", sizes: []int{999, 5_000, 5_000, 20_000}, weight: 9, sorted: true},
	{name: "quick", sizes: []int{0, 10, 999, 5_000, 20_000}, weight: 8, sorted: true},
	{name: "unkeyed", sizes: []int{0, 999, 2_500, 5_000}, weight: 4},
	{name: "wide", sizes: []int{10, wideRows}, weight: 2, wide: true},
}

// texts are the datasets' files. The pace makes reading take its time, as it does
// on a busy database, so that a process can be killed in the middle.
func texts(database string) map[string]string {
	pace := "SLEEP(0.0005)"
	if database == postgres {
		pace = "CASE WHEN pg_sleep(0.0005) IS NULL THEN 1 ELSE 0 END"
	}
	const columns = "columns: [{field: id}, {field: grp}, {field: label}, {field: amount}, {field: extra}]\n"
	keyed := func(name, extra, more string) string {
		return fmt.Sprintf(`name: %s
key: id
select: {id: r.id, grp: r.grp, label: r.label, amount: r.amount, extra: %q}
from: chaos_rows r
where: [{sql: "r.n <= :rows"}]
params: {rows: {type: integer, required: true}}
sort: [grp, label]
`, name, extra) + more + columns
	}
	return map[string]string{
		"keyed": keyed("keyed", pace, ""),
		"quick": keyed("quick", "0", "reuse: 20s\n"),
		"wide":  keyed("wide", "r.filler", ""),
		"unkeyed": `name: unkeyed
sql: SELECT id, grp, label, amount, 0 AS extra FROM chaos_rows WHERE n <= :rows ORDER BY id
params: {rows: {type: integer, required: true}}
` + columns,
	}
}

// writeDatasets puts the datasets' files into a folder.
func writeDatasets(folder, database string) error {
	for name, text := range texts(database) {
		if err := os.WriteFile(filepath.Join(folder, name+".yaml"), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write the dataset %s: %w", strings.ToLower(name), err)
		}
	}
	return nil
}
