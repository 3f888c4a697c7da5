package job

import (
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"
)

// Status is the state of a job, as the Java library names it.
type Status string

// The four states. DONE and FAIL are final, except for the retry endpoint.
const (
	Pending Status = "PENDING"
	Running Status = "RUNNING"
	Done    Status = "DONE"
	Fail    Status = "FAIL"
)

// Finished reports whether the job has ended.
func (s Status) Finished() bool { return s == Done || s == Fail }

// Queue names the worker pool a job waits for.
type Queue string

// The two queues: a giant job never delays small ones.
const (
	Normal Queue = "normal"
	Large  Queue = "large"
)

// Phase says what a RUNNING job is doing. The empty phase is the unsplit work.
type Phase string

// Phases of a split job.
const (
	PhaseNone    Phase = ""
	PhaseChunks  Phase = "CHUNKS"  // chunk rows are the leases, the job row has none
	PhasePacking Phase = "PACKING" // one worker joins the finished chunks
)

// CancelledMessage is error_msg of a job that its requester cancelled.
const CancelledMessage = "Cancelled by user"

// MaxErrorRunes bounds error_msg (VARCHAR(1000)).
const MaxErrorRunes = 1000

// Job is one row of ha_excel_job. Times are epoch milliseconds of the database's
// clock; 0 stands for NULL, as "" does in the text columns that may be NULL.
type Job struct {
	ID            string // UUID
	Dataset       string // biz_nm
	FileName      string // as asked for, at most 256 characters, without U+0000
	Requester     string // worker: StoredRequester of the user who asked
	Token         string // server_id: "<server-id>#<random>" of the latest claim
	Status        Status
	ProcessedRows int64
	TotalRows     int64  // 0 while unknown
	FilePath      string // object key
	ParamsJSON    string // normalised parameters
	ColumnsJSON   string // columns as asked for; "" means the dataset's defaults
	TemplateID    string
	ErrorMsg      string
	CancelWanted  bool // cancel_yn
	CreatedAt     int64
	StartedAt     int64 // of the first claim
	CompletedAt   int64

	Queue          Queue
	Phase          Phase
	Attempt        int // claims so far; never goes back
	Failures       int // failed or lost attempts; compared with max-attempts
	Hops           int // hand-overs
	LeaseUntil     int64
	WokenAt        int64
	SweptAt        int64
	UpdatedAt      int64
	FilterHash     string
	ExportHash     string
	ActiveKey      string
	IdempotencyKey string
	RequestID      string
	AsOf           int64
	AsOfEnd        int64
	FileBytes      int64
	CheckpointJSON string
	WarningsJSON   string // JSON object, see Warnings
	ScopeJSON      string // values bound from the caller's identity
	OptionsJSON    string // packaging, sheetName, sort, totalCnt: what the Java table has no column for
	ReusedFrom     string
}

// Fence names one claim. Every statement of a worker carries it, so a worker
// whose lease was taken over changes nothing.
type Fence struct {
	JobID   string
	Token   string
	Attempt int
}

// Fence returns the claim that the row currently carries.
func (j Job) Fence() Fence { return Fence{JobID: j.ID, Token: j.Token, Attempt: j.Attempt} }

// StoredRequester is the form in which a requester stands in the table: as it is
// up to 64 characters, else its SHA-256 in hex. It is never cut, since two users
// must not become one. A user who is called like Pregenerator is hashed too.
func StoredRequester(user string) string {
	if utf8.RuneCountInString(user) <= 64 && user != Pregenerator {
		return user
	}
	sum := sha256.Sum256([]byte(user))
	return hex.EncodeToString(sum[:])
}
