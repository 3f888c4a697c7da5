// Package shared_test checks the shape of the whole module: which package may
// import which, what each function links, who reads the environment, and that
// the migrations of the three databases go together.
package shared_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"strings"
	"testing"
)

// modulePath is what the import path of each package of the module begins with.
const modulePath = "github.com/haexcel/haexcel/"

// floors says on which floor each package is. A package imports only from
// floors below its own, so nothing here can import in a circle, and what a
// function links can be read from this table. A pattern that ends in /* covers
// the packages one level down, one that ends in /... the whole tree below;
// an exact name goes before a pattern, a longer pattern before a shorter one.
//
// A package that is not in the table fails the test: put it where it belongs.
var floors = map[string]int{
	// What everything else speaks of.
	"shared/fault": 0,
	"migrations":   0,
	// A codec; it knows nothing of workbooks.
	"shared/deflate": 0,
	// Servers for tests; it knows nothing of the module.
	"local/testenv/testservices": 0,

	// The contracts.
	"shared/config":  1,
	"shared/cell":    1,
	"shared/job":     1,
	"shared/storage": 1,
	"shared/wake":    1,
	// What the adapters of AWS services share.
	"shared/awsclient": 1,

	// What fulfils them, and the suites that say so.
	"shared/cell/*":    2,
	"shared/dataset":   2,
	"shared/dataset/*": 2,
	"shared/xlsx":      2,
	"shared/template":  2,
	"shared/xlsx/*":    2,
	"shared/job/*":     2,
	"shared/storage/*": 2,
	"shared/wake/*":    2,
	"infra/...":        2,
	// The rows of the benchmarks.
	"local/bench/rows": 2,

	"shared/export": 3,

	"shared/app": 4,

	"shared/apigw":          5,
	"shared/sqsevent":       5,
	"shared/boot":           5,
	"shared/boot/bootstore": 5,
	// Other readers of workbooks; tests of whole programs and benchcheck use them.
	"local/readers": 5,

	"functions/*": 6,
	// The local program is put together from its own parts, one step below it.
	"local/...": 6,
	// It puts the same parts together, for processes that it kills.
	"local/chaos": 7,
	"local":       7,
}

func TestFloors(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		floor, known := floorOf(p.name())
		if !known {
			t.Errorf("%s is on no floor: add it to the table", p.name())
			continue
		}
		for _, imported := range p.Imports {
			name, ours := strings.CutPrefix(imported, modulePath)
			if !ours {
				continue
			}
			below, known := floorOf(name)
			if known && below >= floor {
				t.Errorf("%s (floor %d) imports %s (floor %d): it may import only from floors below its own", p.name(), floor, name, below)
			}
		}
	}
}

func TestFloorOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"shared/job":                 1,
		"shared/job/jobsql":          2,
		"functions/status":           6,
		"local":                      7,
		"local/demo":                 6,
		"local/testenv":              6,
		"local/testenv/testservices": 0,
		"shared/nowhere":             -1,
		"shared/job/jobsql/deeper":   -1,
		"functions":                  -1,
	} {
		got, known := floorOf(name)
		if !known {
			got = -1
		}
		if got != want {
			t.Errorf("floor of %s is %d, want %d (-1: none)", name, got, want)
		}
	}
}

// floorOf returns the floor of a package, named without the module's path.
func floorOf(name string) (floor int, known bool) {
	if floor, known = floors[name]; known {
		return floor, true
	}
	if floor, known = floors[path.Dir(name)+"/*"]; known {
		return floor, true
	}
	for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
		if floor, known = floors[parent+"/..."]; known {
			return floor, true
		}
	}
	return 0, false
}

// A goPackage is what `go list` says of one package; its test files are not
// looked at.
type goPackage struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string
	Imports    []string // imported directly
	Deps       []string // imported directly or through others
}

// name is the import path without the module's.
func (p goPackage) name() string {
	return strings.TrimPrefix(p.ImportPath, modulePath)
}

// modulePackages lists the module's packages, without those that have test
// files only.
func modulePackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,Dir,GoFiles,Imports,Deps", "./...")
	cmd.Dir = ".."
	output, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if len(p.GoFiles) > 0 {
			packages = append(packages, p)
		}
	}
	if len(packages) == 0 {
		t.Fatal("go list names no package")
	}
	return packages
}
