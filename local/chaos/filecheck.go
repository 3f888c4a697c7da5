//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// rowCheck finds every row of an export in its file, once and in order.
type rowCheck struct {
	export
	seen      []bool // by the row's number
	rows      int
	lastID    int64
	lastGroup int
}

// checkFile reads a downloaded file: one workbook, or a zip of them.
func checkFile(content []byte, e export) error {
	c := &rowCheck{export: e, seen: make([]bool, e.rows+1), lastID: -1, lastGroup: tableRows}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	workbook := false
	for _, f := range archive.File {
		workbook = workbook || f.Name == "[Content_Types].xml"
	}
	if workbook {
		err = c.workbook(content)
	} else {
		err = c.parts(archive)
	}
	switch {
	case err != nil:
		return err
	case workbook && e.packaging == "zip", !workbook && e.packaging == "workbook":
		return fmt.Errorf("a workbook: %t", workbook)
	case c.rows != e.rows:
		return fmt.Errorf("%d rows of %d", c.rows, e.rows)
	}
	return nil
}

var partName = regexp.MustCompile(`_part(\d+)\.xlsx$`)

func (c *rowCheck) parts(archive *zip.Reader) error {
	for i, f := range archive.File {
		if m := partName.FindStringSubmatch(f.Name); m == nil || m[1] != strconv.Itoa(i+1) {
			return fmt.Errorf("entry %d is called %q", i+1, f.Name)
		}
		r, err := f.Open()
		if err != nil {
			return err
		}
		part, err := io.ReadAll(r) // compares length and checksum
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := c.workbook(part); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if len(archive.File) == 0 {
		return fmt.Errorf("no parts")
	}
	return nil
}

func (c *rowCheck) workbook(content []byte) error {
	_, err := xlsxtest.Check(bytes.NewReader(content), int64(len(content)), func(_ string, number int, cells []xlsxtest.Cell) error {
		if number == 1 {
			return nil // headers
		}
		if err := c.row(cells); err != nil {
			return fmt.Errorf("row %d: %w", number, err)
		}
		return nil
	})
	return err
}

// The columns, as the datasets declare them.
const (
	columnID = iota
	columnGroup
	columnLabel
	columnAmount
	columnExtra
	columnCount
)

func (c *rowCheck) row(cells []xlsxtest.Cell) error {
	if len(cells) < columnAmount+1 {
		return fmt.Errorf("%d cells", len(cells))
	}
	id, err := strconv.ParseInt(cells[columnID].Raw, 10, 64)
	n, ok := numberOf(id)
	switch {
	case err != nil || !ok:
		return fmt.Errorf("there is no row with the key %q", cells[columnID].Raw)
	case n > c.export.rows:
		return fmt.Errorf("the row %d was not asked for", n)
	case c.seen[n]:
		return fmt.Errorf("the row %d again", n)
	}
	c.seen[n] = true
	c.rows++
	want := rowOf(n)
	extra := ""
	if len(cells) == columnCount {
		extra = cells[columnExtra].Text
	}
	switch {
	case cells[columnGroup].Raw != strconv.Itoa(want.group):
		return fmt.Errorf("the row %d has the group %q", n, cells[columnGroup].Raw)
	case cells[columnLabel].Text != want.label:
		return fmt.Errorf("the row %d has the label %q, not %q", n, cells[columnLabel].Text, want.label)
	case !sameNumber(cells[columnAmount].Raw, want.amount):
		return fmt.Errorf("the row %d has the amount %q, not %s", n, cells[columnAmount].Raw, want.amount)
	case c.kind.wide && extra != filler(n):
		return fmt.Errorf("the row %d has another long text", n)
	}
	return c.inOrder(want)
}

// inOrder compares with the row before.
func (c *rowCheck) inOrder(r row) error {
	if c.sorted && r.group != c.lastGroup {
		if r.group > c.lastGroup {
			return fmt.Errorf("the group %d comes after %d", r.group, c.lastGroup)
		}
		c.lastGroup, c.lastID = r.group, -1
	}
	if r.id <= c.lastID {
		return fmt.Errorf("the key %d comes after %d", r.id, c.lastID)
	}
	c.lastID = r.id
	return nil
}

// sameNumber compares two numbers, whatever zeros end them.
func sameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}
