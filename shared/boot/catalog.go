package boot

import (
	"errors"
	"fmt"
	"maps"
	"os"

	"github.com/haexcel/haexcel/shared/dataset"
	compiled "github.com/haexcel/haexcel/shared/dataset/catalog"
)

// catalog is the datasets with the databases they read from.
type catalog struct {
	sets    *dataset.Catalog
	sources *dataset.Sources
}

func (c *catalog) close() error { return c.sources.Close() }

// Catalog gives the datasets: those compiled in, those of HAEXCEL_DATASET_DIR
// and those of WithDataset. Every faulty file is named with its line and reason.
func (b *Boot) Catalog() (*dataset.Catalog, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.catalog != nil {
		return b.catalog.sets, nil
	}
	if err := b.cfg.RequireDatabase(); err != nil {
		return nil, err
	}
	urls := maps.Clone(b.cfg.Sources)
	urls[""] = b.cfg.DatabaseURL
	sources, err := dataset.NewSources(urls, dataset.SourceOptions{
		ReportZone: b.cfg.ReportZone,
		MaxConns:   2 * b.workers(),
		Logger:     b.log,
	})
	if err != nil {
		return nil, fmt.Errorf("HAEXCEL_DATABASE_URL, HAEXCEL_SOURCE_…_URL: %w", err)
	}
	sets, err := b.load(sources)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("datasets:\n%w", err), sources.Close())
	}
	b.catalog = &catalog{sets: sets, sources: sources}
	return sets, nil
}

// load reads all datasets and reports the faults of all of them together.
func (b *Boot) load(sources *dataset.Sources) (*dataset.Catalog, error) {
	sets := dataset.NewCatalog()
	var faults []error
	add := func(files []*dataset.SQL, err error) error {
		for _, f := range files {
			err = errors.Join(err, sets.Add(f))
		}
		return err
	}
	faults = append(faults, add(dataset.LoadFS(compiled.Files, sources)))
	if dir := b.cfg.DatasetDir; dir != "" {
		if err := add(dataset.LoadFS(os.DirFS(dir), sources)); err != nil {
			faults = append(faults, fmt.Errorf("HAEXCEL_DATASET_DIR %s: %w", dir, err))
		}
	}
	for _, d := range b.own {
		faults = append(faults, sets.Add(d))
	}
	return sets, errors.Join(faults...)
}
