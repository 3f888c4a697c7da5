package config

import (
	"strings"
	"testing"
	"time"
)

func TestDefaults(t *testing.T) {
	c, err := Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.ClientThreshold != 10000 || c.WorkerCount != 4 || c.LargeWorkerCount != 2 || c.MaxAttempts != 3 ||
		c.ZipThreshold != 100000 || c.ChunkSize != 50000 || c.MaxActivePerRequester != 20 || c.MaxPending != 10000 ||
		c.EstimatedSeconds != 30 || c.MaxHops != 200 || c.MaxBody != 1<<20 {
		t.Errorf("numbers: %+v", c)
	}
	for name, pair := range map[string][2]time.Duration{
		"idempotency-window": {c.IdempotencyWindow, 30 * time.Minute},
		"orphan-threshold":   {c.OrphanThreshold, 10 * time.Minute},
		"job-ttl":            {c.JobTTL, time.Hour},
		"row-retention":      {c.RowRetention, 30 * 24 * time.Hour},
		"lease":              {c.Lease, time.Minute},
		"link-ttl":           {c.LinkTTL, 5 * time.Minute},
		"handover-margin":    {c.HandoverMargin, time.Minute},
		"retry-backoff":      {c.RetryBackoff, 10 * time.Second},
		"recovery-interval":  {c.RecoveryInterval, time.Minute},
		"sweep-interval":     {c.SweepInterval, time.Minute},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %s, want %s", name, pair[0], pair[1])
		}
	}
	if c.StorageType != StorageLocal || c.Wake != WakeMemory || c.Auth != "" || c.Listen != "127.0.0.1:8080" ||
		c.XLSXCompression != CompressionFast || !c.XLSXReferences ||
		c.RoleClaim != "cognito:groups" || c.AdminRoles != nil || c.ReportZone.String() != "Asia/Seoul" {
		t.Errorf("texts: %+v", c)
	}
	if c.ServerID == "" || len(c.ServerID) > maxServerID {
		t.Errorf("server id %q", c.ServerID)
	}
}

func TestValues(t *testing.T) {
	c, err := Load([]string{
		"HAEXCEL_ROW_RETENTION=60d", "HAEXCEL_MAX_BODY=512KiB", "HAEXCEL_STORAGE_TYPE=s3", "HAEXCEL_S3_BUCKET=b",
		"HAEXCEL_S3_ENDPOINT=http://localhost:4566", "HAEXCEL_DATABASE_URL=mysql://u:p%40@db:3306/x",
		"HAEXCEL_SOURCE_MAIN_URL=sqlite:/tmp/a.db", "HAEXCEL_SOURCE_ERP_2_URL=postgres://u@h/db", "HAEXCEL_SOURCE_OFF_URL=",
		"HAEXCEL_ADMIN_ROLES= ops, ,root ", "HAEXCEL_REPORT_ZONE=UTC", "HAEXCEL_AUTH=header", "HAEXCEL_AUTH_COOKIE=sid",
		"HAEXCEL_WAKE=sqs", "HAEXCEL_NORMAL_QUEUE_URL=http://q/1", "HAEXCEL_LARGE_QUEUE_URL=https://q/2",
		"HAEXCEL_XLSX_COMPRESSION=Small", "HAEXCEL_XLSX_REFERENCES=OFF",
		"HAEXCEL_LEASE=  ", "HAEXCEL_JOB_TTL=1h", "HAEXCEL_JOB_TTL=2h", "HAEXCEL_TEST_MARIADB_URL=x", "PATH=/bin",
		"AWS_LAMBDA_LOG_STREAM_NAME=2026/09/02/[$LATEST]abc#1", "malformed",
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.RowRetention != 60*day || c.MaxBody != 512<<10 || c.StorageType != StorageS3 || c.S3.Bucket != "b" ||
		c.S3.Endpoint != "http://localhost:4566" || c.DatabaseURL != "mysql://u:p%40@db:3306/x" ||
		c.Auth != AuthHeader || c.AuthCookie != "sid" || c.Wake != WakeSQS || c.ReportZone != time.UTC {
		t.Errorf("values: %+v", c)
	}
	if len(c.Sources) != 2 || c.Sources["main"] != "sqlite:/tmp/a.db" || c.Sources["erp_2"] != "postgres://u@h/db" {
		t.Errorf("sources: %v", c.Sources)
	}
	if strings.Join(c.AdminRoles, "|") != "ops|root" || !c.Admin([]string{"x", "root"}) || c.Admin([]string{"x", ""}) {
		t.Errorf("admin roles: %q", c.AdminRoles)
	}
	if c.XLSXCompression != CompressionSmall || c.XLSXReferences {
		t.Errorf("of the file writer: %s, references %t", c.XLSXCompression, c.XLSXReferences)
	}
	if c.Lease != time.Minute {
		t.Errorf("a blank value gave lease %s instead of the default", c.Lease)
	}
	if c.JobTTL != 2*time.Hour {
		t.Errorf("of two entries the first counted: %s", c.JobTTL)
	}
	if c.ServerID != "2026/09/02/[$LATEST]abc-1" {
		t.Errorf("server id %q", c.ServerID)
	}
}

func TestFaultsAreReportedTogether(t *testing.T) {
	const secret = "hunter2"
	faulty := map[string]string{
		"HAEXCEL_WORKER_COUNT":     "four",
		"HAEXCEL_ZIP_THRESHOLD":    "0",
		"HAEXCEL_CHUNK_SIZE":       "999",
		"HAEXCEL_LEASE":            "60",
		"HAEXCEL_LINK_TTL":         "11m",
		"HAEXCEL_ROW_RETENTION":    "1.5d",
		"HAEXCEL_MAX_BODY":         "1XB",
		"HAEXCEL_STORAGE_TYPE":     "FTP",
		"HAEXCEL_S3_ENDPOINT":      "localhost:4566",
		"HAEXCEL_LISTEN":           "8080",
		"HAEXCEL_AUTH":             "none",
		"HAEXCEL_AUTH_COOKIE":      "a b",
		"HAEXCEL_REPORT_ZONE":      "Asia/Pyongyang2",
		"HAEXCEL_WAKE":             "kafka",
		"HAEXCEL_NORMAL_QUEUE_URL": "queue",
		"HAEXCEL_SERVER_ID":        "a#b",
		"HAEXCEL_DATABASE_URL":     "oracle://scott:" + secret + "@h/db",
		"HAEXCEL_SOURCE_MAIN_URL":  "mysql:" + secret,
		"HAEXCEL_ZIP_TRESHOLD":     "5",
		"HAEXCEL_RETRY_BACKOFF":    "6m",
		"HAEXCEL_XLSX_COMPRESSION": "9",
		"HAEXCEL_XLSX_REFERENCES":  "true",
	}
	var environ []string
	for name, value := range faulty {
		environ = append(environ, name+"="+value)
	}
	_, err := Load(environ)
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(faulty) {
		t.Errorf("%d lines for %d faults:\n%s", len(lines), len(faulty), err)
	}
	if strings.Contains(err.Error(), secret) {
		t.Errorf("a secret is shown:\n%s", err)
	}
	for name, value := range faulty {
		found := false
		for _, line := range lines {
			if strings.HasPrefix(line, name+": ") {
				found = true
				shown := strings.Contains(line, value)
				if hidden := strings.Contains(name, "DATABASE") || strings.Contains(name, "SOURCE"); !hidden && !shown && !strings.Contains(line, "no such setting") {
					t.Errorf("the value is not named: %s", line)
				}
			}
		}
		if !found {
			t.Errorf("no line names %s:\n%s", name, err)
		}
	}
}

func TestFaultsBetweenSettings(t *testing.T) {
	_, err := Load([]string{"HAEXCEL_JOB_TTL=2d", "HAEXCEL_ROW_RETENTION=1d", "HAEXCEL_S3_ACCESS_KEY=a", "HAEXCEL_NCP_SECRET_KEY=b"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"HAEXCEL_ROW_RETENTION", "HAEXCEL_S3_ACCESS_KEY", "HAEXCEL_NCP_ACCESS_KEY"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not named:\n%s", want, err)
		}
	}
}

func TestRequire(t *testing.T) {
	for name, tc := range map[string]struct {
		environ []string
		check   func(Config) error
		missing []string
	}{
		"database":      {nil, Config.RequireDatabase, []string{"HAEXCEL_DATABASE_URL"}},
		"local":         {nil, Config.RequireStorage, []string{"HAEXCEL_LOCAL_STORAGE_PATH"}},
		"local set":     {[]string{"HAEXCEL_LOCAL_STORAGE_PATH=x"}, Config.RequireStorage, nil},
		"nas":           {[]string{"HAEXCEL_STORAGE_TYPE=NAS"}, Config.RequireStorage, []string{"HAEXCEL_NAS_STORAGE_PATH"}},
		"s3":            {[]string{"HAEXCEL_STORAGE_TYPE=S3"}, Config.RequireStorage, []string{"HAEXCEL_S3_BUCKET"}},
		"ncp":           {[]string{"HAEXCEL_STORAGE_TYPE=NCP", "HAEXCEL_NCP_BUCKET=b"}, Config.RequireStorage, []string{"HAEXCEL_NCP_ENDPOINT", "HAEXCEL_NCP_REGION"}},
		"azure":         {[]string{"HAEXCEL_STORAGE_TYPE=AZURE"}, Config.RequireStorage, []string{"HAEXCEL_AZURE_CONNECTION_STRING", "HAEXCEL_AZURE_CONTAINER"}},
		"gcp":           {[]string{"HAEXCEL_STORAGE_TYPE=GCP"}, Config.RequireStorage, []string{"HAEXCEL_GCP_BUCKET", "HAEXCEL_GCP_PROJECT_ID"}},
		"memory wakes":  {nil, Config.RequireWakes, nil},
		"sqs one queue": {[]string{"HAEXCEL_WAKE=sqs", "HAEXCEL_LARGE_QUEUE_URL=http://q/l"}, Config.RequireWakes, []string{"HAEXCEL_NORMAL_QUEUE_URL"}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Load(tc.environ)
			if err != nil {
				t.Fatal(err)
			}
			err = tc.check(c)
			if len(tc.missing) == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(tc.missing) {
				t.Fatalf("lines: %q", lines)
			}
			for i, want := range tc.missing {
				if !strings.HasPrefix(lines[i], want+": it is missing") {
					t.Errorf("line %q, want %s", lines[i], want)
				}
			}
		})
	}
}

func TestSettingsAreWhatLoadReads(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Settings() {
		if seen[s.Name] || s.Help == "" || !strings.HasPrefix(s.Name, prefix) {
			t.Errorf("setting %+v", s)
		}
		seen[s.Name] = true
		if s.Default == "" {
			continue
		}
		if _, err := Load([]string{s.Name + "=" + s.Default}); err != nil {
			t.Errorf("the default of %s is refused: %v", s.Name, err)
		}
	}
	if !seen["HAEXCEL_ZIP_THRESHOLD"] || !seen["HAEXCEL_SOURCE_<NAME>_URL"] {
		t.Errorf("settings are missing: %v", seen)
	}
}

func TestJobTableInAFileTakesNoParameters(t *testing.T) {
	_, err := Load([]string{"HAEXCEL_DATABASE_URL=sqlite:jobs.db?mode=ro"})
	if err == nil || !strings.HasPrefix(err.Error(), "HAEXCEL_DATABASE_URL: ") || !strings.Contains(err.Error(), "no parameters") {
		t.Errorf("%v", err)
	}
}
