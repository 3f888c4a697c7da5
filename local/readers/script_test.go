package readers

import (
	"fmt"
	"strings"
	"testing"
)

func TestShowLines(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		``: "",
		`{"sheet":"a"}{"row":1,"cells":[null,["text","x","@"]]}{"sheet":"b"}{"row":1,"cells":[]}`: `a 1 [nothing the text "x"] b 1 [] `,
		// Rows that are left out are shown.
		`{"sheet":"a"}{"row":3,"cells":[["number","1","0"]]}`: `a 1 [] a 2 [] a 3 [the number "1"] `,
		`{"sheet":"a"}{"row":1}{"row":1}`:                     `a 1 [] error: sheet "a": row 1 comes after row 1`,
		`{"sheet":"a"}{"row":1,"cells":[["noon","1","0"]]}`:   `error: the script printed the cell ["noon" "1" "0"]`,
		`{"sheet":"a"}{"row":1,"cells":[["text","1"]]}`:       `error: the script printed the cell ["text" "1"]`,
		`{"sheet":"a"}{"line":1}`:                             `error: what the script prints: json: unknown field "line"`,
		`{"sheet":"a"}{"row":1,"ce`:                           `error: what the script prints: unexpected EOF`,
		`Segmentation fault`:                                  `error: what the script prints: invalid character 'S' looking for beginning of value`,
	} {
		var got strings.Builder
		err := showLines(strings.NewReader(said), func(sheet string, row int, cells []Cell) error {
			fmt.Fprintf(&got, "%s %d %v ", sheet, row, cells)
			return nil
		})
		if err != nil {
			fmt.Fprintf(&got, "error: %v", err)
		}
		if got.String() != want {
			t.Errorf("%s\ngives %s\nwant  %s", said, &got, want)
		}
	}
}
