package job

import "time"

// Pregenerator is the requester of exports that are built beforehand. No user is
// ever stored by this name, see StoredRequester.
const Pregenerator = "haexcel:pregenerate"

// Reuse says which finished file may answer a submit instead of a new job. All
// ages count from the file's as_of to the database's clock; a file without as_of
// is never reused. The zero value reuses none.
type Reuse struct {
	MaxAge time.Duration // of any file of the same filter hash; 0: none
	TTL    time.Duration // how long files live after their completion: none that is past it, but see Pregenerated
	// Pregenerated is the greatest age of a file of Pregenerator, whatever TTL
	// says; 0: those are files like any other.
	Pregenerated time.Duration
	// Warnings turns the finished job's warnings into the new one's; nil copies
	// them.
	Warnings func(finished string) string
}

// Wanted reports whether any file may be reused.
func (r Reuse) Wanted() bool { return r.MaxAge > 0 || r.Pregenerated > 0 }

// Pregenerated is a finished job of Pregenerator.
type Pregenerated struct {
	Job
	Succeeded bool // a later one of the same filter hash is DONE
}
