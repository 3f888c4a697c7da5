package xlsxtest

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"
)

const (
	mainNS     = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relationNS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageNS  = "http://schemas.openxmlformats.org/package/2006/"
	officeType = "application/vnd.openxmlformats-officedocument."
	sheetsType = officeType + "spreadsheetml."

	typesPart    = "[Content_Types].xml"
	relationType = "application/vnd.openxmlformats-package.relationships+xml"

	maxID = 255 // of a relationship
)

// A kind is what a part is to the one that names it.
type kind struct {
	relation    string // type of the relationship
	contentType string
	root        root
	inside      string // the relation that the naming part is of, "" for the package
}

// The relations of the kinds that Check reads.
const (
	workbookRelation = relationNS + "/officeDocument"
	sheetRelation    = relationNS + "/worksheet"
	stylesRelation   = relationNS + "/styles"
	textsRelation    = relationNS + "/sharedStrings"
)

var kinds = []kind{
	{workbookRelation, sheetsType + "sheet.main+xml", root{mainNS, "workbook"}, ""},
	{sheetRelation, sheetsType + "worksheet+xml", root{mainNS, "worksheet"}, workbookRelation},
	{stylesRelation, sheetsType + "styles+xml", root{mainNS, "styleSheet"}, workbookRelation},
	{textsRelation, sheetsType + "sharedStrings+xml", root{mainNS, "sst"}, workbookRelation},
	{
		relationNS + "/theme", officeType + "theme+xml",
		root{"http://schemas.openxmlformats.org/drawingml/2006/main", "theme"}, workbookRelation,
	},
	{
		coreRelation, "application/vnd.openxmlformats-package.core-properties+xml",
		root{packageNS + "metadata/core-properties", "coreProperties"}, "",
	},
	{
		extendedRelation, officeType + "extended-properties+xml",
		root{"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties", "Properties"}, "",
	},
}

// relationsRoot is that of the parts that lead to others.
var relationsRoot = root{packageNS + "relationships", "Relationships"}

// pack is the parts of an archive and what leads to them.
type pack struct {
	archive *archive
	parts   map[string]*part
	// relations are by the part that has them, "" for the package, and by id.
	relations map[string]map[string]relation
}

type part struct {
	file        *zip.File
	contentType string
	reached     bool
}

type relation struct {
	kind *kind
	part string
}

// openPackage reads the content types and the relationships.
func openPackage(a *archive) (*pack, error) {
	p := &pack{archive: a, parts: make(map[string]*part), relations: make(map[string]map[string]relation)}
	for _, f := range a.entries {
		p.parts[f.Name] = &part{file: f}
	}
	if err := p.readTypes(); err != nil {
		return nil, fmt.Errorf("%s: %w", typesPart, err)
	}
	if err := p.follow("", ""); err != nil {
		return nil, err
	}
	for _, f := range a.entries {
		if !p.parts[f.Name].reached {
			return nil, fmt.Errorf("nothing leads to the part %s", f.Name)
		}
	}
	return p, nil
}

// read shows a part to a function that has to read it to its end.
func (p *pack) read(name string, consume func(io.Reader) error) error {
	if err := p.archive.read(p.parts[name].file, consume); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// load reads a part as a whole and decodes it, once it is known to be well
// formed.
func (p *pack) load(name string, r root, into any) error {
	if p.parts[name] == nil {
		return fmt.Errorf("there is no %s", name)
	}
	return p.read(name, func(in io.Reader) error {
		var content bytes.Buffer
		w := newWalker(io.TeeReader(in, &content), r)
		if err := w.drain(); err != nil {
			return err
		}
		if err := p.checkUse(name, w.relations); err != nil {
			return err
		}
		return xml.Unmarshal(content.Bytes(), into)
	})
}

// checkUse wants each id that a part uses to be that of a relationship, and each
// sheet to be used once.
func (p *pack) checkUse(name string, used []string) error {
	uses := make(map[string]int)
	for _, id := range used {
		uses[id]++
		if _, ok := p.relations[name][id]; !ok {
			return fmt.Errorf("there is no relationship %q", id)
		}
	}
	for id, r := range p.relations[name] {
		if r.kind.relation == sheetRelation && uses[id] != 1 {
			return fmt.Errorf("the relationship %q is used %d times", id, uses[id])
		}
	}
	return nil
}

func (p *pack) readTypes() error {
	var types struct {
		Defaults []struct {
			Extension string `xml:"Extension,attr"`
			Type      string `xml:"ContentType,attr"`
		} `xml:"Default"`
		Overrides []struct {
			Part string `xml:"PartName,attr"`
			Type string `xml:"ContentType,attr"`
		} `xml:"Override"`
	}
	if err := p.load(typesPart, root{packageNS + "content-types", "Types"}, &types); err != nil {
		return err
	}
	p.parts[typesPart].reached = true
	byExtension := make(map[string]string)
	for _, d := range types.Defaults {
		extension := strings.ToLower(d.Extension)
		if _, twice := byExtension[extension]; twice || extension == "" || d.Type == "" {
			return fmt.Errorf("the default of %q is empty or there twice", d.Extension)
		}
		byExtension[extension] = d.Type
	}
	for _, o := range types.Overrides {
		name, absolute := strings.CutPrefix(o.Part, "/")
		q := p.parts[name]
		if !absolute || q == nil {
			return fmt.Errorf("the part %q is not there", o.Part)
		}
		if q.contentType != "" || o.Type == "" {
			return fmt.Errorf("the type of %s is empty or there twice", o.Part)
		}
		q.contentType = o.Type
	}
	for name, q := range p.parts {
		if q.contentType == "" {
			q.contentType = byExtension[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]
		}
		if q.contentType == "" && name != typesPart {
			return fmt.Errorf("no type for %s", name)
		}
	}
	return nil
}

// relationsOf is the part that holds a part's relationships.
func relationsOf(name string) string {
	folder, base := path.Split(name)
	return path.Join(folder, "_rels", base+".rels")
}

// follow goes from a part, which is named by a relationship of a type, to those
// that it leads to.
func (p *pack) follow(source, sourceType string) error {
	name := relationsOf(source)
	q := p.parts[name]
	if q == nil {
		return nil
	}
	q.reached = true
	if q.contentType != relationType {
		return fmt.Errorf("%s is of the type %s", name, q.contentType)
	}
	var list struct {
		Items []struct {
			ID     string `xml:"Id,attr"`
			Type   string `xml:"Type,attr"`
			Target string `xml:"Target,attr"`
			Mode   string `xml:"TargetMode,attr"`
		} `xml:"Relationship"`
	}
	if err := p.load(name, relationsRoot, &list); err != nil {
		return err
	}
	ids := make(map[string]relation)
	p.relations[source] = ids
	for _, item := range list.Items {
		if _, twice := ids[item.ID]; twice || !plainName([]byte(item.ID)) || len(item.ID) > maxID {
			return fmt.Errorf("%s: the id %q is no name or there twice", name, item.ID)
		}
		if item.Mode != "" && item.Mode != "Internal" {
			return fmt.Errorf("%s: %s has the mode %q", name, item.ID, item.Mode)
		}
		k, err := kindOf(item.Type, sourceType, ids)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", name, item.ID, err)
		}
		target := path.Join(path.Dir(source), item.Target)
		if path.IsAbs(item.Target) {
			target = item.Target[1:]
		}
		if err := p.reach(target, k); err != nil {
			return fmt.Errorf("%s: %s: %w", name, item.ID, err)
		}
		ids[item.ID] = relation{k, target}
		if err := p.follow(target, k.relation); err != nil {
			return err
		}
	}
	return nil
}

// kindOf looks up the type of a relationship beside others.
func kindOf(relationType, sourceType string, others map[string]relation) (*kind, error) {
	for i := range kinds {
		k := &kinds[i]
		if k.relation != relationType || k.inside != sourceType {
			continue
		}
		for _, other := range others {
			if other.kind == k && relationType != sheetRelation {
				return nil, fmt.Errorf("the relationship %s is there twice", relationType)
			}
		}
		return k, nil
	}
	return nil, fmt.Errorf("the relationship %q is not known here", relationType)
}

func (p *pack) reach(target string, k *kind) error {
	q := p.parts[target]
	switch {
	case q == nil:
		return fmt.Errorf("there is no %s", target)
	case q.reached:
		return fmt.Errorf("another relationship leads to %s", target)
	case q.contentType != k.contentType:
		return fmt.Errorf("%s is of the type %s", target, q.contentType)
	}
	q.reached = true
	return nil
}

// find is the part that another leads to by a type of relationship, or "".
func (p *pack) find(source, relationType string) string {
	for _, r := range p.relations[source] {
		if r.kind.relation == relationType {
			return r.part
		}
	}
	return ""
}
