// Package config turns environment variables into settings.
//
// Load reports every fault at once, each naming its variable, its value (never
// of a secret) and what is allowed, so that one failed start is enough to repair
// them all. One table (Settings) holds names, defaults and help, and is what
// Load itself reads. A HAEXCEL_ variable that is no setting is a fault too: a
// typing error must not silently mean the default.
//
// What a part of the program needs beyond well-formed values (a database, a
// bucket's name) is checked by the Require methods when that part is opened, so
// that a function needs only the settings of what it uses.
//
// Known limits. The package never reads the process's environment by itself:
// mains hand it in. Time zones come from the tables linked into the program.
package config

import (
	"time"
	_ "time/tzdata" // the report zone must not depend on the machine
)

// Kinds of storage.
const (
	StorageLocal = "LOCAL"
	StorageNAS   = "NAS"
	StorageS3    = "S3"
	StorageNCP   = "NCP"
	StorageAzure = "AZURE"
	StorageGCP   = "GCP"
)

// Kinds of wake-ups.
const (
	WakeMemory = "memory"
	WakeSQS    = "sqs"
)

// How hard the sheets of workbooks are compressed.
const (
	CompressionFast  = "fast"
	CompressionSmall = "small"
)

// AuthHeader is the value of Auth that believes the X-User-… headers.
const AuthHeader = "header"

// MaxRetryBackoff bounds the wait between two attempts of a job.
const MaxRetryBackoff = 5 * time.Minute

// Config holds all settings. Durations and sizes (bytes) are checked for their
// range, lists are without blanks and empty entries.
type Config struct {
	ClientThreshold   int           // rows up to which a front end may export by itself
	WorkerCount       int           // workers of the normal queue in one process
	LargeWorkerCount  int           // workers of the large queue in one process
	ServerID          string        // names the process in the job table
	IdempotencyWindow time.Duration // how long one submit answers for the next
	OrphanThreshold   time.Duration // a PENDING job untouched that long is woken again
	JobTTL            time.Duration // how long a finished file is kept
	RowRetention      time.Duration // how long a finished job's row is kept
	ZipThreshold      int64         // rows from which on parts in a zip are made
	ChunkSize         int64         // rows of one part
	Lease             time.Duration
	MaxAttempts       int
	XLSXCompression   string // CompressionFast or CompressionSmall
	XLSXReferences    bool   // rows and cells of sheets say where they are (r="A1")

	StorageType      string
	LocalStoragePath string
	NASStoragePath   string
	S3               ObjectStore
	NCP              ObjectStore
	Azure            AzureStore
	GCP              GCPStore

	DatabaseURL string
	Sources     map[string]string // lower-case name → database URL
	DatasetDir  string            // folder of dataset files; "" for none
	Listen      string            // host:port of the local HTTP server
	ReportZone  *time.Location

	Auth        string // "" or AuthHeader
	AuthCookie  string // cookie that may carry the identity; "" for none
	RoleClaim   string
	TenantClaim string
	AdminRoles  []string

	Wake           string
	NormalQueueURL string
	LargeQueueURL  string

	MaxActivePerRequester int // 0: no limit
	MaxPending            int // 0: no limit
	EstimatedSeconds      int // shown while no job has finished yet
	LinkTTL               time.Duration
	HandoverMargin        time.Duration
	MaxHops               int
	MaxBody               int64
	RetryBackoff          time.Duration // of the first retry; doubles up to MaxRetryBackoff
	RecoveryInterval      time.Duration
	SweepInterval         time.Duration
}

// ObjectStore is a bucket behind the S3 interface. Blank keys mean the SDK's
// default credential chain, a blank endpoint and region its own settings.
type ObjectStore struct {
	Bucket    string
	Region    string
	Endpoint  string
	AccessKey string
	SecretKey string
}

// AzureStore is a container of Azure Blob Storage.
type AzureStore struct {
	Container        string
	ConnectionString string
}

// GCPStore is a bucket of Google Cloud Storage.
type GCPStore struct {
	Bucket    string
	ProjectID string
}

// Admin reports whether one of the roles may see, cancel and retry every job.
func (c Config) Admin(roles []string) bool {
	for _, r := range roles {
		for _, a := range c.AdminRoles {
			if r == a {
				return true
			}
		}
	}
	return false
}
