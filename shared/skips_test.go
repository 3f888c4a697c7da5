package shared_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A suite that was skipped must never read as one that passed. So a test ends
// itself early only in a function that looks at CI, where it fails instead.
func TestSkipsFailInCI(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir("..", func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == ".git" || name == "node_modules" || name == "build") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || !callsSkip(function) {
				continue
			}
			seen++
			if !looksAtCI(function) {
				t.Errorf("%s: %s skips a test without failing it when CI=true", path, function.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("no skip was found, not even that of testservices: this test looks in the wrong place")
	}
}

func callsSkip(function *ast.FuncDecl) bool {
	found := false
	ast.Inspect(function, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
			switch selector.Sel.Name {
			case "Skip", "Skipf", "SkipNow":
				found = true
			}
		}
		return true
	})
	return found
}

func looksAtCI(function *ast.FuncDecl) bool {
	found := false
	ast.Inspect(function, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Value == `"CI"` {
			found = true
		}
		return true
	})
	return found
}
