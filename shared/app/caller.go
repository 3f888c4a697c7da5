package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// Caller is who asks.
type Caller struct {
	Subject string // never empty
	Roles   []string
	Tenant  string            // "" when the caller has none
	Claims  map[string]string // further claims by name
}

// requester is the form in which the caller stands in the job table.
func (c Caller) requester() string { return job.StoredRequester(c.Subject) }

// claim is the value of :caller.<name>; "" when the caller lacks it.
func (c Caller) claim(name string) string {
	switch name {
	case "sub":
		return c.Subject
	case "tenant":
		return c.Tenant
	default:
		return c.Claims[name]
	}
}

// mayExport answers fault.Forbidden when the dataset is not for this caller.
func (c Caller) mayExport(info dataset.Info) error {
	if len(info.Allow) > 0 && !slices.ContainsFunc(info.Allow, func(role string) bool { return slices.Contains(c.Roles, role) }) {
		return fault.New(fault.Forbidden, "You are not allowed to export this dataset.")
	}
	var lacking []string
	for _, name := range info.Caller {
		if c.claim(name) == "" {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) > 0 {
		return fault.New(fault.Forbidden,
			fmt.Sprintf("This dataset needs claims that your sign-in lacks: %s.", strings.Join(lacking, ", ")))
	}
	return nil
}

// scope holds the claims that the dataset binds.
func (c Caller) scope(info dataset.Info) map[string]string {
	out := map[string]string{}
	for _, name := range info.Caller {
		out[name] = c.claim(name)
	}
	return out
}

// owns reports whether the caller may see, cancel and retry the job.
func (c Caller) owns(j job.Job, cfg config.Config) bool {
	return j.Requester == c.requester() || cfg.Admin(c.Roles)
}
