package xlsxtest

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// The document properties: Excel repairs a workbook whose dates it can't read, or
// whose list of titles is not as long as it says.

const (
	coreRelation     = packageNS + "relationships/metadata/core-properties"
	extendedRelation = relationNS + "/extended-properties"

	maxProperty = 255 // UTF-16 units
)

// coreProperties say who made the workbook, and when.
type coreProperties struct {
	Items []struct {
		XMLName xml.Name
		Type    string `xml:"http://www.w3.org/2001/XMLSchema-instance type,attr"`
		Value   string `xml:",chardata"`
	} `xml:",any"`
}

// readCore reads the core properties.
func (p *pack) readCore(name string, r root) error {
	var c coreProperties
	if err := p.load(name, r, &c); err != nil {
		return err
	}
	seen := make(map[xml.Name]bool)
	for _, item := range c.Items {
		if seen[item.XMLName] {
			return fmt.Errorf("%s: <%s> is there twice", name, item.XMLName.Local)
		}
		seen[item.XMLName] = true
		switch item.XMLName.Local {
		case "created", "modified":
			_, err := time.Parse(time.RFC3339, item.Value)
			if err != nil || item.Type != "dcterms:W3CDTF" {
				return fmt.Errorf("%s: <%s> is %q of the type %q", name, item.XMLName.Local, item.Value, item.Type)
			}
		default:
			if n := units(item.Value); n > maxProperty {
				return fmt.Errorf("%s: <%s> has %d units", name, item.XMLName.Local, n)
			}
		}
	}
	return nil
}

// extendedProperties tell, among other things, how many sheets and names there are.
type extendedProperties struct {
	Headings *vector `xml:"HeadingPairs>vector"`
	Titles   *vector `xml:"TitlesOfParts>vector"`
}

type vector struct {
	Size  int `xml:"size,attr"`
	Items []struct {
		Number *int `xml:"i4"` // in a variant
	} `xml:",any"`
}

// readExtended reads the extended properties.
func (p *pack) readExtended(name string, r root) error {
	var e extendedProperties
	if err := p.load(name, r, &e); err != nil {
		return err
	}
	titles := 0
	if e.Headings != nil {
		for _, item := range e.Headings.Items {
			if item.Number != nil {
				titles += *item.Number
			}
		}
	}
	for _, v := range []*vector{e.Headings, e.Titles} {
		if v != nil && v.Size != len(v.Items) {
			return fmt.Errorf("%s: a list has %d items and the size %d", name, len(v.Items), v.Size)
		}
	}
	if e.Titles != nil && titles != e.Titles.Size {
		return fmt.Errorf("%s: %d titles, where the headings speak of %d", name, e.Titles.Size, titles)
	}
	return nil
}

// readOther reads a part of which nothing is known but its root.
func (p *pack) readOther(name string, r root) error {
	return p.read(name, func(in io.Reader) error {
		w := newWalker(in, r)
		if err := w.drain(); err != nil {
			return err
		}
		return p.checkUse(name, w.relations)
	})
}
