package cell

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
)

// ParseColumns reads the "columns" of a request or, turned into JSON, of a dataset
// file. It is as lenient as the Java library's reader: numbers and booleans pass
// as text, text as numbers, null is absent, unknown members are ignored. fields
// names what is wrong by its path ("columns[2].children"); it is nil when nothing
// is. Nothing, null and an empty list give no columns.
func ParseColumns(raw json.RawMessage) (defs []ColumnDef, fields map[string]string) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, map[string]string{"columns": "must be a list of columns"}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, map[string]string{"columns": "must be a list of columns"}
	}
	var p columnParser
	defs = p.list("columns", value, 1)
	if p.leaves > MaxLeaves {
		p.fault("columns", "has more than "+strconv.Itoa(MaxLeaves)+" columns")
	}
	if p.fields != nil {
		return nil, p.fields
	}
	return defs, nil
}

// columnParser gathers the faults of a header tree.
type columnParser struct {
	fields map[string]string
	leaves int
}

// maxFaults keeps the answer to a thoroughly wrong request short.
const maxFaults = 20

func (p *columnParser) fault(path, reason string) {
	if p.fields == nil {
		p.fields = make(map[string]string)
	}
	if len(p.fields) < maxFaults {
		p.fields[path] = reason
	}
}

func (p *columnParser) list(path string, value any, depth int) []ColumnDef {
	if value == nil {
		return nil
	}
	items, ok := value.([]any)
	if !ok {
		p.fault(path, "must be a list of columns")
		return nil
	}
	if len(items) > 0 && depth > MaxDepth {
		p.fault(path, "is deeper than "+strconv.Itoa(MaxDepth)+" levels")
		return nil
	}
	var defs []ColumnDef
	for i, item := range items {
		at := path + "[" + strconv.Itoa(i) + "]"
		object, ok := item.(map[string]any)
		if !ok {
			p.fault(at, "must be an object")
			continue
		}
		defs = append(defs, p.column(at, object, depth))
	}
	return defs
}

func (p *columnParser) column(path string, o map[string]any, depth int) ColumnDef {
	d := ColumnDef{
		Field:       p.text(path+".field", o["field"]),
		HeaderName:  p.text(path+".headerName", o["headerName"]),
		Width:       p.number(path+".width", o["width"]),
		MinWidth:    p.number(path+".minWidth", o["minWidth"]),
		ExcelFormat: p.text(path+".excelFormat", o["excelFormat"]),
		Children:    p.list(path+".children", o["children"], depth+1),
	}
	if d.Leaf() {
		p.leaves++
	}
	if value := o["cellStyle"]; value != nil {
		style, ok := value.(map[string]any)
		if !ok {
			p.fault(path+".cellStyle", "must be an object")
		}
		d.CellStyle = Style{
			TextAlign:       styleText(style["textAlign"]),
			FontWeight:      styleText(style["fontWeight"]),
			FontStyle:       styleText(style["fontStyle"]),
			Color:           styleText(style["color"]),
			BackgroundColor: styleText(style["backgroundColor"]),
		}.Clean()
	}
	if value := o["excelCodeMap"]; value != nil {
		codes, ok := value.(map[string]any)
		if !ok {
			p.fault(path+".excelCodeMap", "must be an object")
		}
		for code, text := range codes {
			if text == nil {
				continue
			}
			if d.ExcelCodeMap == nil {
				d.ExcelCodeMap = make(map[string]string, len(codes))
			}
			d.ExcelCodeMap[code] = p.text(path+".excelCodeMap."+code, text)
		}
	}
	return d
}

// scalar is the text of a JSON scalar; a number keeps its digits.
func scalar(value any) (text string, ok bool) {
	switch v := value.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

func (p *columnParser) text(path string, value any) string {
	text, ok := scalar(value)
	if !ok {
		p.fault(path, "must be text")
	}
	return text
}

// number reads a width. Blank text is absent.
func (p *columnParser) number(path string, value any) float64 {
	text, ok := scalar(value)
	text = strings.TrimSpace(text)
	if ok && text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	_, isBool := value.(bool)
	if !ok || isBool || err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		p.fault(path, "must be a number")
		return 0
	}
	return n
}

// styleText reads a member of cellStyle, where anything unexpected is ignored.
func styleText(value any) string {
	text, _ := scalar(value)
	return text
}
