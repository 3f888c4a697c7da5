package readers

import (
	"context"
	"fmt"
)

// A Violation is something in a workbook that its standard, ECMA-376, does not
// allow.
type Violation struct {
	Part         string // such as /xl/workbook.xml, "" for the package as a whole
	Line, Column int    // 0 where they are not known
	Path         string // of the element, such as worksheet/sheetData/row[2]/c[3]
	Message      string
}

func (v Violation) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", v.Part, v.Line, v.Column, v.Path, v.Message)
}

// Validate checks the whole package of a workbook against ECMA-376: each of its XML
// parts by the schemas in poi-ooxml-full, through XMLBeans; content types and
// core properties, for which that has none, by schemas of its own; pictures by
// opening them; names, content types and relationships of the parts by the rules
// of part 2. A part of another content type is a violation, so that nothing passes
// without having been validated. Of one part, at most 100 violations of its schema
// are told.
//
// One deviation is allowed, xml:space="preserve" at texts: the schema leaves it
// out, but Excel drops blanks without it and writes it too. Markup compatibility
// (part 3, mc:Ignorable) is not known: what it would hide are violations. Whether
// indexes and references inside of the parts lead anywhere is not for a schema to
// say: xlsxtest does. The parts are held in memory.
func (j *Java) Validate(ctx context.Context, path string) ([]Violation, error) {
	var found []Violation
	err := j.ask(ctx, "schema", path, func(line javaLine) error {
		found = append(found, Violation{line.Part, line.Line, line.Column, line.Path, line.Message})
		return nil
	})
	return found, err
}
