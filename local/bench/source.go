package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/haexcel/haexcel/local/bench/rows"
	"github.com/haexcel/haexcel/shared/dataset"
)

// source is the dataset of the rows in a database, as a file declares it.
type source struct {
	sources *dataset.Sources
	set     dataset.Dataset
}

func openSource(databaseURL string, g *rows.Generator) (s source, err error) {
	if s.sources, err = dataset.NewSources(map[string]string{"": databaseURL}, dataset.SourceOptions{}); err != nil {
		return s, err
	}
	folder, err := os.MkdirTemp("", "haexcel-bench-")
	if err != nil {
		return s, err
	}
	defer func() {
		if removeErr := os.RemoveAll(folder); err == nil {
			err = removeErr
		}
	}()
	if err := os.WriteFile(filepath.Join(folder, "rows.yaml"), []byte(datasetFile(g)), 0o600); err != nil {
		return s, err
	}
	sets, err := dataset.LoadFS(os.DirFS(folder), s.sources)
	if err != nil {
		return s, err
	}
	s.set = sets[0]
	return s, nil
}

// datasetFile declares the dataset with the columns of the generator.
func datasetFile(g *rows.Generator) string {
	var selected, columns []string
	for _, c := range g.Header() {
		selected = append(selected, c.Field+": "+c.Field)
		columns = append(columns, fmt.Sprintf("{field: %s, headerName: %s}", c.Field, c.HeaderName))
	}
	return "name: rows\nkey: " + g.Fields()[0].Name + "\nselect: {" + strings.Join(selected, ", ") + "}\nfrom: " + tableName +
		"\ncolumns: [" + strings.Join(columns, ", ") + "]\n"
}

func (s source) close() error { return s.sources.Close() }

// readSubject reads the rows to the end and does nothing with them.
type readSubject struct {
	local
	source source
	fields []string
}

func openRead(_ context.Context, j job) (subject, error) {
	s := &readSubject{local: local{j}}
	g := s.generator()
	for _, f := range g.Fields() {
		s.fields = append(s.fields, f.Name)
	}
	var err error
	s.source, err = openSource(j.Database, g)
	return s, err
}

func (s *readSubject) run(ctx context.Context) (int64, error) {
	rows, err := s.source.set.Open(ctx, dataset.Query{Fields: s.fields})
	if err != nil {
		return 0, err
	}
	n := int64(0)
	for rows.Next() {
		if len(rows.Values()) == len(s.fields) {
			n++
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return 0, err
	}
	if n != s.job.Rows {
		return 0, fmt.Errorf("the table has %d whole rows instead of %d", n, s.job.Rows)
	}
	return 0, nil
}

func (s *readSubject) close(context.Context) error { return s.source.close() }
