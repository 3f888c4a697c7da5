package readers

import (
	"context"
	_ "embed"
	"path/filepath"
)

//go:embed exceljs_cells.js
var exceljsCells string

// Exceljs reads with that library for Node.js; its package stands in the folder's
// node_modules. All cells are held in memory.
//
// The library reads every number through a double, whose shortest literal is
// given, and makes moments and durations of it, rounded to milliseconds. Escapes
// (_x000D_) in a text that stands in its cell are given as they are. Of a
// formula's cell only the formula is told, as a strange cell; of a link its
// text; of merged cells the first alone has a content.
func Exceljs(node, folder string) Reader { return exceljs{node, folder} }

type exceljs struct{ node, folder string }

func (exceljs) Name() string { return "exceljs" }

func (r exceljs) Read(ctx context.Context, path string, visit Visit) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return readLines(ctx, r.node, []string{"-e", exceljsCells, "--", path}, r.folder, visit)
}
