package config

import (
	"strings"
	"time"
)

// Setting describes one environment variable, for help texts.
type Setting struct {
	Name    string // HAEXCEL_…
	Default string // "" for none
	Help    string
}

// Settings lists every setting in the order of the documentation. The entry
// HAEXCEL_SOURCE_<NAME>_URL stands for any number of variables.
func Settings() []Setting {
	out := make([]Setting, 0, len(table)+1)
	for _, s := range table {
		out = append(out, Setting{Name: s.variable(), Default: s.def, Help: s.help})
	}
	return append(out, Setting{
		Name: sourcePrefix + "<NAME>" + sourceSuffix,
		Help: "database of the datasets whose source is <name>",
	})
}

const (
	prefix       = "HAEXCEL_"
	testPrefix   = "HAEXCEL_TEST_" // belongs to the test set-up
	sourcePrefix = "HAEXCEL_SOURCE_"
	sourceSuffix = "_URL"
)

// setting is one row of the table that Load works through.
type setting struct {
	name, def, help string
	secret          bool // its value is never shown
	// set stores a non-blank value; its error says what is allowed.
	set func(c *Config, value string) error
}

func (s setting) variable() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

const day = 24 * time.Hour

// table names every setting with its default and its allowed values.
var table = []setting{
	{name: "client-threshold", def: "10000", help: "rows up to which a front end may export by itself",
		set: wholeInto(0, 100_000_000, func(c *Config, v int) { c.ClientThreshold = v })},
	{name: "worker-count", def: "4", help: "workers of the normal queue in one process",
		set: wholeInto(0, 256, func(c *Config, v int) { c.WorkerCount = v })},
	{name: "large-worker-count", def: "2", help: "workers of the large queue in one process",
		set: wholeInto(0, 256, func(c *Config, v int) { c.LargeWorkerCount = v })},
	{name: "server-id", help: "name of this process in the job table (default: log stream or host)",
		set: printableInto(maxServerID, func(c *Config, v string) { c.ServerID = v })},
	{name: "idempotency-window", def: "30m", help: "how long one submit answers for the same one again",
		set: durationInto(30*day, func(c *Config, v time.Duration) { c.IdempotencyWindow = v })},
	{name: "orphan-threshold", def: "10m", help: "a waiting job untouched that long is woken again",
		set: durationInto(day, func(c *Config, v time.Duration) { c.OrphanThreshold = v })},
	{name: "job-ttl", def: "60m", help: "how long a finished file is kept",
		set: durationInto(365*day, func(c *Config, v time.Duration) { c.JobTTL = v })},
	{name: "row-retention", def: "30d", help: "how long a finished job's row is kept, at least job-ttl",
		set: durationInto(3650*day, func(c *Config, v time.Duration) { c.RowRetention = v })},
	{name: "zip-threshold", def: "100000", help: "rows from which on parts in a zip are made",
		set: wholeInto(1, 1_000_000_000, func(c *Config, v int) { c.ZipThreshold = int64(v) })},
	{name: "chunk-size", def: "50000", help: "rows of one part, at least 1000",
		set: wholeInto(1000, 1_000_000, func(c *Config, v int) { c.ChunkSize = int64(v) })},
	{name: "lease", def: "60s", help: "how long a silent worker keeps its job",
		set: durationInto(time.Hour, func(c *Config, v time.Duration) { c.Lease = v })},
	{name: "max-attempts", def: "3", help: "failed or lost attempts after which a job fails",
		set: wholeInto(1, 100, func(c *Config, v int) { c.MaxAttempts = v })},
	{name: "xlsx-compression", def: CompressionFast, help: "fast, or small: smaller workbooks in up to twice the time",
		set: oneOfInto(func(c *Config, v string) { c.XLSXCompression = v }, CompressionFast, CompressionSmall)},
	{name: "xlsx-references", def: "on", help: "off leaves the places of rows and cells (r=\"A1\") out: smaller and faster, but exceljs 4, tealeg/xlsx 3 and Apache POI's event model read no such file",
		set: switchInto(func(c *Config, v bool) { c.XLSXReferences = v })},

	{name: "storage-type", def: StorageLocal, help: "LOCAL, NAS, S3 or NCP; AZURE and GCP are not supported yet",
		set: oneOfInto(func(c *Config, v string) { c.StorageType = v },
			StorageLocal, StorageNAS, StorageS3, StorageNCP, StorageAzure, StorageGCP)},
	{name: "local-storage-path", help: "directory of LOCAL",
		set: textInto(func(c *Config, v string) { c.LocalStoragePath = v })},
	{name: "nas-storage-path", help: "mounted directory of NAS",
		set: textInto(func(c *Config, v string) { c.NASStoragePath = v })},
	{name: "s3-bucket", help: "bucket of S3",
		set: textInto(func(c *Config, v string) { c.S3.Bucket = v })},
	{name: "s3-region", help: "region of S3 (blank: the SDK's own setting)",
		set: textInto(func(c *Config, v string) { c.S3.Region = v })},
	{name: "s3-endpoint", help: "endpoint of S3 (blank: AWS)",
		set: webAddressInto(func(c *Config, v string) { c.S3.Endpoint = v })},
	{name: "s3-access-key", secret: true, help: "access key of S3 (blank: default credential chain)",
		set: textInto(func(c *Config, v string) { c.S3.AccessKey = v })},
	{name: "s3-secret-key", secret: true, help: "secret key of S3",
		set: textInto(func(c *Config, v string) { c.S3.SecretKey = v })},
	{name: "ncp-bucket", help: "bucket of NCP Object Storage",
		set: textInto(func(c *Config, v string) { c.NCP.Bucket = v })},
	{name: "ncp-endpoint", help: "endpoint of NCP Object Storage",
		set: webAddressInto(func(c *Config, v string) { c.NCP.Endpoint = v })},
	{name: "ncp-region", help: "region of NCP Object Storage",
		set: textInto(func(c *Config, v string) { c.NCP.Region = v })},
	{name: "ncp-access-key", secret: true, help: "access key of NCP Object Storage",
		set: textInto(func(c *Config, v string) { c.NCP.AccessKey = v })},
	{name: "ncp-secret-key", secret: true, help: "secret key of NCP Object Storage",
		set: textInto(func(c *Config, v string) { c.NCP.SecretKey = v })},
	{name: "azure-container", help: "container of AZURE",
		set: textInto(func(c *Config, v string) { c.Azure.Container = v })},
	{name: "azure-connection-string", secret: true, help: "connection string of AZURE",
		set: textInto(func(c *Config, v string) { c.Azure.ConnectionString = v })},
	{name: "gcp-bucket", help: "bucket of GCP",
		set: textInto(func(c *Config, v string) { c.GCP.Bucket = v })},
	{name: "gcp-project-id", help: "project of GCP",
		set: textInto(func(c *Config, v string) { c.GCP.ProjectID = v })},

	{name: "database-url", secret: true, help: "job database: mysql://user:pass@host:port/db, postgres://… or sqlite:path",
		set: databaseInto(func(c *Config, v string) { c.DatabaseURL = v })},
	{name: "dataset-dir", help: "folder of dataset files, read at start",
		set: textInto(func(c *Config, v string) { c.DatasetDir = v })},
	{name: "listen", def: "127.0.0.1:8080", help: "host:port of the local HTTP server",
		set: listenInto(func(c *Config, v string) { c.Listen = v })},
	{name: "auth", help: "header: believe X-User-Id, X-User-Roles and X-User-Tenant (local runs only)",
		set: oneOfInto(func(c *Config, v string) { c.Auth = v }, AuthHeader)},
	{name: "auth-cookie", help: "cookie that stands in for X-User-Id, without roles and tenant",
		set: cookieInto(func(c *Config, v string) { c.AuthCookie = v })},
	{name: "role-claim", def: "cognito:groups", help: "claim that holds the roles",
		set: textInto(func(c *Config, v string) { c.RoleClaim = v })},
	{name: "tenant-claim", help: "claim that holds the tenant",
		set: textInto(func(c *Config, v string) { c.TenantClaim = v })},
	{name: "admin-roles", help: "roles, comma separated, that may see, cancel and retry every job",
		set: listInto(func(c *Config, v []string) { c.AdminRoles = v })},
	{name: "report-zone", def: "Asia/Seoul", help: "time zone of instants in files and of file names",
		set: zoneInto(func(c *Config, v *time.Location) { c.ReportZone = v })},

	{name: "wake", def: WakeMemory, help: "memory or sqs",
		set: oneOfInto(func(c *Config, v string) { c.Wake = v }, WakeMemory, WakeSQS)},
	{name: "normal-queue-url", help: "SQS queue of the normal jobs",
		set: webAddressInto(func(c *Config, v string) { c.NormalQueueURL = v })},
	{name: "large-queue-url", help: "SQS queue of the large jobs",
		set: webAddressInto(func(c *Config, v string) { c.LargeQueueURL = v })},
	{name: "max-active-per-requester", def: "20", help: "waiting and running jobs of one requester, 0 for no limit",
		set: wholeInto(0, 1_000_000, func(c *Config, v int) { c.MaxActivePerRequester = v })},
	{name: "max-pending", def: "10000", help: "waiting jobs of all, 0 for no limit",
		set: wholeInto(0, 100_000_000, func(c *Config, v int) { c.MaxPending = v })},
	{name: "estimated-seconds", def: "30", help: "estimate shown while no job has finished yet",
		set: wholeInto(1, 86_400, func(c *Config, v int) { c.EstimatedSeconds = v })},
	{name: "link-ttl", def: "5m", help: "lifetime of a download link, at most 10m",
		set: durationInto(10*time.Minute, func(c *Config, v time.Duration) { c.LinkTTL = v })},
	{name: "handover-margin", def: "60s", help: "time before a function's deadline at which a worker stops",
		set: durationInto(10*time.Minute, func(c *Config, v time.Duration) { c.HandoverMargin = v })},
	{name: "max-hops", def: "200", help: "hand-overs after which a job fails",
		set: wholeInto(1, 100_000, func(c *Config, v int) { c.MaxHops = v })},
	{name: "max-body", def: "1MiB", help: "largest request body",
		set: sizeInto(1<<10, 10<<20, func(c *Config, v int64) { c.MaxBody = v })},
	{name: "retry-backoff", def: "10s", help: "wait before the first retry, doubled up to 5m",
		set: durationInto(MaxRetryBackoff, func(c *Config, v time.Duration) { c.RetryBackoff = v })},
	{name: "recovery-interval", def: "1m", help: "how often the local server looks for lost jobs",
		set: durationInto(day, func(c *Config, v time.Duration) { c.RecoveryInterval = v })},
	{name: "sweep-interval", def: "1m", help: "how often the local server removes expired files",
		set: durationInto(day, func(c *Config, v time.Duration) { c.SweepInterval = v })},
}
