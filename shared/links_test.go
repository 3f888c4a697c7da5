package shared_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// functions are the Lambda functions that there must be. Those that touch no files
// link no storage SDK: a cold start pays for every package that is linked.
var functions = []struct {
	name  string
	files bool
}{
	{"cancel", false},
	{"config", false},
	{"deadletter", false},
	{"download", true},
	{"migrate", false},
	{"pregenerate", false},
	{"recovery", true},
	{"status", false},
	{"submit", false},
	{"sweep", true},
	{"worker", true},
}

// heavy are the beginnings of import paths that no function without files links.
var heavy = []string{
	"cloud.google.com/go/storage",
	"github.com/Azure/azure-sdk-for-go",
	"github.com/aws/aws-sdk-go-v2/feature/s3",
	"github.com/aws/aws-sdk-go-v2/service/s3",
	"github.com/xuri/excelize",
}

func TestFunctionsLinkOnlyWhatTheyNeed(t *testing.T) {
	t.Parallel()
	packages := modulePackages(t)
	for _, function := range functions {
		t.Run(function.name, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(packages, func(p goPackage) bool { return p.name() == "functions/"+function.name })
			if i < 0 {
				t.Fatalf("functions/%s is not there", function.name)
			}
			if function.files {
				return
			}
			for _, dep := range packages[i].Deps {
				for _, prefix := range heavy {
					if dep == prefix || strings.HasPrefix(dep, prefix+"/") {
						t.Errorf("functions/%s links %s", function.name, dep)
					}
				}
			}
		})
	}
}

// Suites and servers for tests live in packages of their own. A program that
// links one carries test code, and package testing's flags, to production. Only
// programs that nobody runs there may: what starts the servers of tests, what
// checks the benchmark's files, and what breaks everything.
func TestProgramsLinkNoTestCode(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		if p.Name != "main" || p.name() == "local/testenv" || p.name() == "local/benchcheck" || p.name() == "local/chaos" {
			continue
		}
		for _, dep := range p.Deps {
			name, ours := strings.CutPrefix(dep, modulePath)
			if ours && (strings.HasSuffix(name, "test") || strings.HasPrefix(name, "local/testenv")) {
				t.Errorf("%s links %s", p.name(), name)
			}
		}
	}
}

// Lambda and small containers have no time zone database of their own.
func TestProgramsCarryTheTimeZones(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		program := strings.HasPrefix(p.name(), "functions/") || p.name() == "local"
		if program && !slices.Contains(p.Deps, "time/tzdata") {
			t.Errorf("%s does not link time/tzdata", p.name())
		}
	}
}

// The environment is read by mains only, so that what a program depends on can
// be read off one place, and so that tests can run side by side.
func TestOnlyMainsReadTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		if p.Name == "main" || strings.HasPrefix(p.name(), "local/testenv/") {
			continue
		}
		for _, file := range p.GoFiles {
			for _, call := range environmentReads(t, filepath.Join(p.Dir, file)) {
				t.Errorf("%s: %s reads the environment with %s", p.name(), file, call)
			}
		}
	}
}

func TestEnvironmentReadsAreFound(t *testing.T) {
	t.Parallel()
	got := environmentReads(t, filepath.Join("..", "local", "testenv", "testservices", "program.go"))
	if !slices.Contains(got, "os.Getenv") {
		t.Errorf("found %q in a file that calls os.Getenv", got)
	}
}

// environmentReads returns the calls in a Go file that read the environment.
func environmentReads(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	readers := map[string][]string{
		"os":      {"Getenv", "LookupEnv", "Environ", "ExpandEnv"},
		"syscall": {"Getenv", "Environ"},
	}
	local := map[string]string{} // the name in this file → the package
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if readers[imported] == nil {
			continue
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		local[name] = imported
	}
	var found []string
	ast.Inspect(parsed, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if name, ok := selector.X.(*ast.Ident); ok && slices.Contains(readers[local[name.Name]], selector.Sel.Name) {
			found = append(found, local[name.Name]+"."+selector.Sel.Name)
		}
		return true
	})
	return found
}
