// Package xlsxtest reads workbooks back in tests. Open checks what spreadsheet
// programs are strict about and most libraries are not: checksums, well-formed
// XML, numbers that are numbers, lengths of text, protected blanks, the order and
// bounds of rows and cells, merges, widths, sheet names and style indexes.
//
// It reads whole sheets into memory and knows only what shared/xlsx and templates
// write; it is no general reader. Its rules are its own: it shares no code with
// the writer.
package xlsxtest

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Cell is a cell as it stands in the sheet.
type Cell struct {
	Type   string // "" no cell or no value, "n", "s", "b", "e"
	Raw    string // the content of v, or of t for text
	Text   string // the text with escapes decoded; Raw for other types
	Style  int    // index in cellXfs
	NumFmt string // number format code of the style
	Align  string // horizontal alignment of the style
	Bold   bool
	Fill   string // RGB of a solid fill
	Border bool
	// Preserved tells that the text's blanks are protected.
	Preserved bool
	Formula   bool
}

// Sheet is one worksheet.
type Sheet struct {
	Name   string
	Merges []string
	Widths map[int]float64 // by column, from 1
	Filter string          // range of the auto-filter
	Frozen int             // rows of the frozen pane
	rows   [][]Cell
}

// Rows are the rows from 1 on, header rows included. A row ends with its last
// cell; rows that are left out are empty.
func (s *Sheet) Rows() [][]Cell { return s.rows }

// At is the cell at an address such as "B2", the zero Cell where there is none.
func (s *Sheet) At(reference string) Cell {
	row, column, ok := parseReference(reference)
	if !ok || row > len(s.rows) || column > len(s.rows[row-1]) {
		return Cell{}
	}
	return s.rows[row-1][column-1]
}

// Texts are the displayed kind of contents of each cell of a row, from 1.
func (s *Sheet) Texts(row int) []string {
	var out []string
	for _, c := range s.rows[row-1] {
		out = append(out, c.Text)
	}
	return out
}

// Book is a workbook that passed the checks.
type Book struct {
	Sheets []*Sheet
	Styles int               // length of cellXfs
	Names  map[string]string // defined names, "sheet index/name" → range
	Parts  []string          // entries of the archive in order
}

// Sheet is the i-th sheet, from 0.
func (b *Book) Sheet(i int) *Sheet { return b.Sheets[i] }

// Open reads a workbook and fails the test where anything is wrong with it.
func Open(t testing.TB, data []byte) *Book {
	t.Helper()
	book, err := Check(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("workbook: %v", err)
	}
	return book
}

// Check reads a workbook and answers the first fault it finds.
func Check(r io.ReaderAt, size int64) (*Book, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	parts := make(map[string][]byte)
	book := &Book{Names: make(map[string]string)}
	for _, f := range archive.File {
		if _, twice := parts[f.Name]; twice {
			return nil, fmt.Errorf("entry %s is there twice", f.Name)
		}
		if f.Method == zip.Store && f.Flags&0x8 != 0 {
			return nil, fmt.Errorf("entry %s is stored with a data descriptor", f.Name)
		}
		content, err := readAll(f)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", f.Name, err)
		}
		// Sheets are read to their end anyhow.
		isXML := strings.HasSuffix(f.Name, ".xml") || strings.HasSuffix(f.Name, ".rels")
		if isXML && !strings.HasPrefix(f.Name, "xl/worksheets/") {
			if err := wellFormed(content); err != nil {
				return nil, fmt.Errorf("entry %s: %w", f.Name, err)
			}
		}
		parts[f.Name] = content
		book.Parts = append(book.Parts, f.Name)
	}
	for _, name := range []string{"[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"} {
		if parts[name] == nil {
			return nil, fmt.Errorf("no %s", name)
		}
	}
	styles, err := readStyles(parts["xl/styles.xml"])
	if err != nil {
		return nil, fmt.Errorf("styles: %w", err)
	}
	book.Styles = len(styles)
	return book, book.readSheets(parts, styles)
}

func readAll(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	return content, err
}

// wellFormed reads to the end; the decoder matches tags and knows the characters
// that XML forbids.
func wellFormed(content []byte) error {
	d := xml.NewDecoder(bytes.NewReader(content))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func (b *Book) readSheets(parts map[string][]byte, styles []style) error {
	var workbook struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
		Names []struct {
			Name  string `xml:"name,attr"`
			Sheet string `xml:"localSheetId,attr"`
			Range string `xml:",chardata"`
		} `xml:"definedNames>definedName"`
	}
	var relations struct {
		Items []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := xml.Unmarshal(parts["xl/workbook.xml"], &workbook); err != nil {
		return err
	}
	if err := xml.Unmarshal(parts["xl/_rels/workbook.xml.rels"], &relations); err != nil {
		return err
	}
	if len(workbook.Sheets) == 0 {
		return fmt.Errorf("no sheet")
	}
	for name := range parts {
		if strings.HasPrefix(name, "xl/worksheets/") && strings.HasSuffix(name, ".xml") {
			named := false
			for _, r := range relations.Items {
				named = named || path.Join("xl", r.Target) == name
			}
			if !named {
				return fmt.Errorf("no sheet names the part %s", name)
			}
		}
	}
	targets := make(map[string]string)
	for _, r := range relations.Items {
		targets[r.ID] = r.Target
	}
	seen := make(map[string]bool)
	for _, s := range workbook.Sheets {
		if err := checkSheetName(s.Name, seen); err != nil {
			return err
		}
		part := path.Join("xl", targets[s.ID])
		if targets[s.ID] == "" || parts[part] == nil {
			return fmt.Errorf("sheet %q has no part", s.Name)
		}
		sheet, err := readSheet(parts[part], styles)
		if err != nil {
			return fmt.Errorf("sheet %q: %w", s.Name, err)
		}
		sheet.Name = s.Name
		b.Sheets = append(b.Sheets, sheet)
	}
	for _, n := range workbook.Names {
		b.Names[n.Sheet+"/"+n.Name] = n.Range
	}
	return nil
}

func checkSheetName(name string, seen map[string]bool) error {
	lower := strings.ToLower(name)
	switch {
	case name == "" || units(name) > 31 || strings.ContainsAny(name, `\/?*:[]`),
		strings.IndexFunc(name, func(r rune) bool { return r < ' ' }) >= 0,
		name[0] == '\'' || name[len(name)-1] == '\'', lower == "history":
		return fmt.Errorf("sheet name %q", name)
	case seen[lower]:
		return fmt.Errorf("sheet name %q is there twice", name)
	}
	seen[lower] = true
	return nil
}

// units is the length of a text in UTF-16.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// Moment is the wall-clock moment that a serial number shows, to the second, in
// UTC.
func Moment(serial string) (time.Time, error) {
	v, err := strconv.ParseFloat(serial, 64)
	if err != nil {
		return time.Time{}, err
	}
	days := math.Floor(v)
	seconds := math.Round((v - days) * 86400)
	return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days)).Add(time.Duration(seconds) * time.Second), nil
}
