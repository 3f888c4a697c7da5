package cell

import (
	"slices"
	"testing"
)

// A column brings the workbook only the number formats that its values can need.
func TestFormatsOfAColumn(t *testing.T) {
	for _, test := range []struct {
		field Field
		want  []string
	}{
		{Field{Kind: Text, Scale: -1}, []string{"General"}},
		{Field{Kind: Integer, Scale: -1}, []string{"General", "0"}},
		{Field{Kind: Decimal, Scale: 2}, []string{"General", "0.00"}},
		{Field{Kind: Decimal, Scale: 0}, []string{"General", "0"}},
		{Field{Kind: Decimal, Scale: maxScale + 1}, []string{"General"}},
		{Field{Kind: Instant, Scale: -1}, []string{"General", "yyyy-mm-dd hh:mm:ss"}},
		{Field{Kinds: KindsOf(Integer, Float, Text), Scale: -1}, []string{"General", "0"}},
		{Field{Kinds: KindsOf(Integer, Float, Decimal), Scale: 2}, []string{"General", "0", "0.00"}},
		{Field{Kinds: KindsOf(Integer, Decimal), Scale: 0}, []string{"General", "0"}},
		{Field{Kinds: KindsOf(Text, Date, DateTime), Scale: -1}, []string{"General", "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"}},
		{Field{Kinds: KindsOf(Time), Scale: -1}, []string{"General", "[hh]:mm:ss"}},
	} {
		c, warnings := Compile(ColumnDef{Field: "a"}, test.field, true, nil)
		if got := c.Formats(); !slices.Equal(got, test.want) || warnings != nil {
			t.Errorf("%+v has %q, want %q; warnings %q", test.field, got, test.want, warnings)
		}
	}
	// Where a column can hold anything, there is a format for each scale.
	if c, _ := Compile(ColumnDef{Field: "a"}, Field{Scale: -1}, true, nil); len(c.Formats()) != 5+maxScale {
		t.Errorf("%d formats for values of all kinds", len(c.Formats()))
	}
}
