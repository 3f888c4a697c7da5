package dataset

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/fault"
)

var (
	datasetName   = regexp.MustCompile(`^[\w-]{1,128}$`)
	parameterName = regexp.MustCompile(`^[A-Za-z_]\w{0,127}$`)
)

// reserved are words that follow the API's base path and so cannot be datasets.
var reserved = []string{"config", "datasets", "jobs", "template"}

// Catalog holds the datasets by name. It is filled at start; from then on it is
// safe for concurrent use.
type Catalog struct {
	sets map[string]Dataset
}

// NewCatalog returns an empty catalog.
func NewCatalog() *Catalog { return &Catalog{sets: map[string]Dataset{}} }

// Add takes datasets in. It reports every fault: a name that is taken, reserved
// or malformed, and contradictions in the parameters, columns and sort fields.
func (c *Catalog) Add(sets ...Dataset) error {
	var faults []error
	for _, set := range sets {
		info := set.Info()
		if _, taken := c.sets[info.Name]; taken {
			err := fmt.Errorf("dataset %q is declared twice", info.Name)
			if file, ok := set.(*SQL); ok {
				err = fmt.Errorf("%s: dataset %q is declared elsewhere already: compiled in, or in Go", file.place, info.Name)
			}
			faults = append(faults, err)
			continue
		}
		if err := checkInfo(info); err != nil {
			faults = append(faults, err)
			continue
		}
		c.sets[info.Name] = set
	}
	return errors.Join(faults...)
}

// Get returns a dataset, or a NotFound fault.
func (c *Catalog) Get(name string) (Dataset, error) {
	set, ok := c.sets[name]
	if !ok {
		return nil, fault.New(fault.NotFound, "There is no such dataset.")
	}
	return set, nil
}

// List returns all datasets, sorted by name.
func (c *Catalog) List() []Dataset {
	sets := make([]Dataset, 0, len(c.sets))
	for _, set := range c.sets {
		sets = append(sets, set)
	}
	slices.SortFunc(sets, func(a, b Dataset) int { return strings.Compare(a.Info().Name, b.Info().Name) })
	return sets
}

// checkName returns what is wrong with a dataset's name, "" when nothing is.
func checkName(name string) string {
	switch {
	case !datasetName.MatchString(name):
		return "a name has 1 to 128 letters, digits, _ and -"
	case slices.Contains(reserved, name):
		return "this name is a word of the API: " + strings.Join(reserved, ", ")
	}
	return ""
}

// checkInfo looks at what a Go dataset says of itself; files are checked before,
// with their lines.
func checkInfo(info Info) error {
	var faults []error
	fail := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("dataset %q: "+format, append([]any{info.Name}, args...)...))
	}
	if reason := checkName(info.Name); reason != "" {
		fail("%s", reason)
	}
	seen := map[string]bool{}
	for _, p := range info.Params {
		if seen[p.Name] {
			fail("parameter %q is declared twice", p.Name)
		}
		seen[p.Name] = true
		if reason := p.check(); reason != "" {
			fail("parameter %q: %s", p.Name, reason)
		}
	}
	if len(cell.Leaves(info.Columns)) > cell.MaxLeaves {
		fail("more than %d columns", cell.MaxLeaves)
	}
	if info.MaxRows < 0 {
		fail("MaxRows is below 0")
	}
	if info.Reuse < 0 {
		fail("Reuse is below 0")
	}
	switch {
	case info.Pregenerate < 0:
		fail("Pregenerate is below 0")
	case info.Pregenerate > 0:
		for _, reason := range checkPregenerate(info) {
			fail("can't be pregenerated: %s", reason)
		}
	}
	return errors.Join(faults...)
}
