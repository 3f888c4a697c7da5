package export

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/haexcel/haexcel/shared/job"
)

// KeyPrefix is what the keys of all objects begin with.
const KeyPrefix = "exports/"

// Key is the object of one attempt. Attempts never share a key, so that a late
// writer never overwrites the winner's file.
func Key(jobID string, attempt int, ext string) string {
	return fmt.Sprintf("%s%s/%d/file.%s", KeyPrefix, jobID, attempt, ext)
}

// ChunkKey is the object of one attempt of a chunk: its rows as stored segments.
func ChunkKey(jobID string, no, attempt int) string {
	return fmt.Sprintf("%s%s/chunks/%d/%d/rows.seg", KeyPrefix, jobID, no, attempt)
}

// ParseKey tells whose object a key is: exports/<job id>/<attempt>/… of a job, or
// exports/<job id>/chunks/<number>/<attempt>/… of a chunk. Other keys are not the
// exports' business.
func ParseKey(key string) (o job.Object, ok bool) {
	rest, ours := strings.CutPrefix(key, KeyPrefix)
	parts := strings.Split(rest, "/")
	if !ours || len(parts) < 3 || parts[len(parts)-1] == "" {
		return job.Object{}, false
	}
	if id, err := uuid.Parse(parts[0]); err != nil || id.String() != parts[0] {
		return job.Object{}, false
	}
	o = job.Object{Key: key, JobID: parts[0]}
	parts = parts[1:]
	if parts[0] == "chunks" {
		if len(parts) < 4 {
			return job.Object{}, false
		}
		if o.Chunk, ok = number(parts[1]); !ok {
			return job.Object{}, false
		}
		parts = parts[2:]
	}
	o.Attempt, ok = number(parts[0])
	return o, ok
}

// number reads a positive number in the one form that keys are made with.
func number(text string) (int, bool) {
	n, err := strconv.ParseInt(text, 10, 32)
	return int(n), err == nil && n > 0 && strconv.FormatInt(n, 10) == text
}
