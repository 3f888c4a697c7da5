package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/gowebpki/jcs"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/job"
)

// formatVersion changes when the same request would give another file than
// before.
const formatVersion = 1

// contentIdentity is what decides a file's content. All its numbers but widths,
// which are float64 themselves, are texts: RFC 8785 reads numbers as float64.
type contentIdentity struct {
	Version   int               `json:"version"`
	Dataset   string            `json:"dataset"`
	Params    map[string]any    `json:"params"` // text, or list of texts
	Columns   []cell.ColumnDef  `json:"columns"`
	Sort      []string          `json:"sort"` // each field behind + or -
	Template  string            `json:"template"`
	Packaging string            `json:"packaging"`
	SheetName string            `json:"sheetName"`
	Scope     map[string]string `json:"scope"`
}

// filterIdentity is what filter_hash covers: equal hashes, equal files.
type filterIdentity struct {
	contentIdentity
	DatasetDigest  string `json:"datasetDigest"`
	TemplateDigest string `json:"templateDigest"`
	// The settings that a file depends on. Counts are texts, see contentIdentity.
	Zone         string `json:"zone"`
	ZipThreshold string `json:"zipThreshold"`
	ChunkSize    string `json:"chunkSize"`
}

// exportIdentity is what export_hash covers: equal hashes, the same export of
// the same requester.
type exportIdentity struct {
	contentIdentity
	Requester string `json:"requester"`
	FileName  string `json:"fileName"`
}

func (s submission) content(info dataset.Info, scope map[string]string) contentIdentity {
	c := contentIdentity{
		Version:   formatVersion,
		Dataset:   info.Name,
		Params:    map[string]any{},
		Columns:   s.effective,
		Sort:      []string{},
		Packaging: string(s.options.Packaging),
		SheetName: s.options.SheetName,
		Scope:     scope,
	}
	if c.SheetName == "" {
		c.SheetName = info.Sheet
	}
	for _, k := range s.options.Sort {
		sign := "+"
		if k.Desc {
			sign = "-"
		}
		c.Sort = append(c.Sort, sign+k.Field)
	}
	for name, v := range s.params {
		if v.List { // a set: it is bound in IN
			c.Params[name] = slices.Compact(slices.Sorted(slices.Values(v.Items)))
		} else {
			c.Params[name] = v.Items[0]
		}
	}
	return c
}

// hashes returns filter_hash and export_hash.
func (s submission) hashes(cfg config.Config, info dataset.Info, scope map[string]string, requester string) (filter, export string, err error) {
	content := s.content(info, scope)
	filter, err = canonicalHash(filterIdentity{
		contentIdentity: content, DatasetDigest: info.Digest, Zone: cfg.ReportZone.String(),
		ZipThreshold: strconv.FormatInt(cfg.ZipThreshold, 10), ChunkSize: strconv.FormatInt(cfg.ChunkSize, 10),
	})
	if err != nil {
		return "", "", err
	}
	export, err = canonicalHash(exportIdentity{contentIdentity: content, Requester: requester, FileName: s.fileName})
	return filter, export, err
}

// writtenHash is the filter hash of what a worker has written for a job. It is
// that of the row, unless the dataset's text is another one here than where the
// export was submitted, as while a new version is rolled out: a file is reused for
// what it is, not for what was asked. A row without a hash keeps none.
func writtenHash(cfg config.Config, j job.Job, r export.Request) (string, error) {
	if j.FilterHash == "" {
		return "", nil
	}
	info := r.Dataset.Info()
	s := submission{
		params:    r.Query.Params,
		effective: r.Columns,
		options:   submissionOptions{Packaging: r.Packaging, SheetName: r.SheetName, Sort: r.Query.Sort},
	}
	if len(s.effective) == 0 {
		s.effective = info.Columns
	}
	filter, _, err := s.hashes(cfg, info, r.Query.Caller, j.Requester)
	return filter, err
}

// canonicalJSON is v in the form of RFC 8785.
func canonicalJSON(v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("marshal: %w", err)
	}
	canonical, err := jcs.Transform(plain)
	if err != nil {
		return nil, fmt.Errorf("canonicalise: %w", err)
	}
	return canonical, nil
}

func canonicalHash(v any) (string, error) {
	canonical, err := canonicalJSON(v)
	if err != nil {
		return "", err
	}
	return hexHash(canonical), nil
}

func hexHash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// idempotencyHash is the idempotency_key of a requester's key. The length in
// front keeps ("ab","c") and ("a","bc") apart.
func idempotencyHash(requester, key string) string {
	return hexHash([]byte(strconv.Itoa(len(requester)) + ":" + requester + key))
}
