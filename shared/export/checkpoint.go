package export

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/fault"
)

// Checkpoint is what workers of a split job leave to each other in
// checkpoint_json.
type Checkpoint struct {
	// ChunkRows is how many rows a chunk is planned to hold.
	ChunkRows int64 `json:"chunkRows"`
	// Zip says that the chunks become parts in a zip, not one workbook.
	Zip bool `json:"zip,omitempty"`
	// Digest and Fields are the dataset's text and columns as they were planned
	// with, once the plan is done: segments of other columns don't join.
	Digest string       `json:"digest,omitempty"`
	Fields []cell.Field `json:"fields,omitempty"`
}

// JSON is the form stored in checkpoint_json.
func (c Checkpoint) JSON() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // strings and integers always marshal
	}
	return string(b)
}

// ParseCheckpoint reads what JSON wrote. found is false where nothing usable is
// stored: the work begins anew then.
func ParseCheckpoint(text string) (c Checkpoint, found bool) {
	if text == "" || json.Unmarshal([]byte(text), &c) != nil || c.ChunkRows < 1 {
		return Checkpoint{}, false
	}
	return c, true
}

// Planned reports whether all chunks have been found.
func (c Checkpoint) Planned() bool { return len(c.Fields) > 0 }

// fits makes sure that the dataset is still the one that was planned with.
func (c Checkpoint) fits(r Request, fields []cell.Field) error {
	info := r.Dataset.Info()
	if c.Digest != info.Digest || !slices.Equal(c.Fields, fields) {
		return fault.New(fault.Unprocessable,
			fmt.Sprintf("Dataset %q was changed while the export ran. Submit the export again.", info.Name))
	}
	return nil
}

// chunksOfPart is how many chunks become one part of a zip.
func (e *Exporter) chunksOfPart(c Checkpoint) int { return max(1, int(e.set.ChunkSize/c.ChunkRows)) }
