package bootstore_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/local/testenv/testservices"
	"github.com/haexcel/haexcel/shared/boot/bootstore"
	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/storage"
)

func load(t *testing.T, environment ...string) config.Config {
	t.Helper()
	cfg, err := config.Load(environment)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestWrongSettingsAreNamed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		environment []string
		names       []string
	}{
		"LOCAL without a path":      {nil, []string{"HAEXCEL_LOCAL_STORAGE_PATH"}},
		"LOCAL on a file":           {[]string{"HAEXCEL_LOCAL_STORAGE_PATH=" + file}, []string{"HAEXCEL_LOCAL_STORAGE_PATH", file}},
		"NAS without a path":        {[]string{"HAEXCEL_STORAGE_TYPE=NAS"}, []string{"HAEXCEL_NAS_STORAGE_PATH"}},
		"S3 without a bucket":       {[]string{"HAEXCEL_STORAGE_TYPE=S3"}, []string{"HAEXCEL_S3_BUCKET"}},
		"NCP without anything":      {[]string{"HAEXCEL_STORAGE_TYPE=NCP"}, []string{"HAEXCEL_NCP_BUCKET", "HAEXCEL_NCP_ENDPOINT", "HAEXCEL_NCP_REGION"}},
		"AZURE without anything":    {[]string{"HAEXCEL_STORAGE_TYPE=AZURE"}, []string{"HAEXCEL_AZURE_CONTAINER", "HAEXCEL_AZURE_CONNECTION_STRING"}},
		"AZURE with its settings":   {[]string{"HAEXCEL_STORAGE_TYPE=AZURE", "HAEXCEL_AZURE_CONTAINER=c", "HAEXCEL_AZURE_CONNECTION_STRING=s"}, []string{"HAEXCEL_STORAGE_TYPE", "AZURE"}},
		"GCP with its settings":     {[]string{"HAEXCEL_STORAGE_TYPE=GCP", "HAEXCEL_GCP_BUCKET=b", "HAEXCEL_GCP_PROJECT_ID=p"}, []string{"HAEXCEL_STORAGE_TYPE", "GCP"}},
		"a key in plain sight: not": {[]string{"HAEXCEL_STORAGE_TYPE=S3", "HAEXCEL_S3_ACCESS_KEY=a", "HAEXCEL_S3_SECRET_KEY=hidden"}, []string{"HAEXCEL_S3_BUCKET"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := bootstore.Open(t.Context(), load(t, test.environment...))
			if err == nil {
				t.Fatal("it opens")
			}
			for _, text := range test.names {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%v: want %s in it", err, text)
				}
			}
			if strings.Contains(err.Error(), "hidden") {
				t.Errorf("a secret is shown: %v", err)
			}
		})
	}
}

func TestDirectories(t *testing.T) {
	t.Parallel()
	for name, setting := range map[string]string{"LOCAL": "HAEXCEL_LOCAL_STORAGE_PATH", "NAS": "HAEXCEL_NAS_STORAGE_PATH"} {
		bucket, err := bootstore.Open(t.Context(), load(t, "HAEXCEL_STORAGE_TYPE="+name, setting+"="+filepath.Join(t.TempDir(), "made", "here")))
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, bucket)
	}
}

func TestS3AndNCP(t *testing.T) {
	t.Parallel()
	endpoint := testservices.AWSEndpoint(t)
	for _, name := range []string{"S3", "NCP"} {
		settings := func(bucket string) config.Config {
			p := "HAEXCEL_" + name + "_"
			return load(t, "HAEXCEL_STORAGE_TYPE="+name, p+"BUCKET="+bucket, p+"ENDPOINT="+endpoint, p+"REGION=us-east-1",
				p+"ACCESS_KEY=test", p+"SECRET_KEY=test")
		}
		if _, err := bootstore.Open(t.Context(), settings("no-such-bucket-here")); err == nil || !strings.Contains(err.Error(), "HAEXCEL_"+name+"_BUCKET") {
			t.Errorf("%s without its bucket: %v, want the setting named", name, err)
		}
		bucket, err := bootstore.Open(t.Context(), settings(newBucket(t, endpoint)))
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, bucket)
	}
}

// A server that is away is no wrong setting.
func TestS3Away(t *testing.T) {
	t.Parallel()
	cfg := load(t, "HAEXCEL_STORAGE_TYPE=S3", "HAEXCEL_S3_BUCKET=b", "HAEXCEL_S3_ENDPOINT=http://127.0.0.1:1", "HAEXCEL_S3_REGION=us-east-1",
		"HAEXCEL_S3_ACCESS_KEY=test", "HAEXCEL_S3_SECRET_KEY=test")
	bucket, err := bootstore.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bucket.Stat(t.Context(), "key"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("err = %v, want it to be unavailable", err)
	}
}

// roundTrip writes and reads an object.
func roundTrip(t *testing.T, bucket *storage.Bucket) {
	t.Helper()
	w, err := bucket.NewWriter(t.Context(), "a/b", storage.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	if _, err := io.WriteString(w, "content"); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	r, err := bucket.NewReader(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if got, err := io.ReadAll(r); err != nil || string(got) != "content" {
		t.Errorf("%q, %v", got, err)
	}
}
