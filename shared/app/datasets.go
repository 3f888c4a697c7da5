package app

import (
	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
)

// Datasets lists what a caller may export.
type Datasets struct {
	Catalog *dataset.Catalog
}

// DatasetsReply is the body of the answer.
type DatasetsReply struct {
	Datasets []DatasetEntry `json:"datasets"`
}

// DatasetEntry describes one dataset.
type DatasetEntry struct {
	Name    string           `json:"name"`
	Title   string           `json:"title"`
	Params  []ParamEntry     `json:"params"`
	Columns []cell.ColumnDef `json:"columns"` // defaults; empty: a request must name them
	Sort    []string         `json:"sort"`
}

// ParamEntry describes one parameter. Default is a text, or a list of texts.
type ParamEntry struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"` // string, [string], …
	Required bool     `json:"required"`
	Enum     []string `json:"enum,omitempty"`
	Default  any      `json:"default,omitempty"`
}

// Do lists them by name.
func (u *Datasets) Do(c Caller) DatasetsReply {
	reply := DatasetsReply{Datasets: []DatasetEntry{}}
	for _, set := range u.Catalog.List() {
		info := set.Info()
		if c.mayExport(info) != nil {
			continue
		}
		e := DatasetEntry{
			Name:    info.Name,
			Title:   info.Title,
			Params:  []ParamEntry{},
			Columns: append([]cell.ColumnDef{}, info.Columns...),
			Sort:    append([]string{}, info.Sort...),
		}
		for _, p := range info.Params {
			e.Params = append(e.Params, paramEntry(p))
		}
		reply.Datasets = append(reply.Datasets, e)
	}
	return reply
}

func paramEntry(p dataset.Param) ParamEntry {
	e := ParamEntry{Name: p.Name, Type: string(p.Type), Required: p.Required, Enum: p.Enum}
	if p.List {
		e.Type = "[" + e.Type + "]"
	}
	switch {
	case p.Default == nil:
	case p.Default.List:
		e.Default = p.Default.Items
	default:
		e.Default = p.Default.Items[0]
	}
	return e
}
