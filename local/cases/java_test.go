package cases

import (
	"context"
	"crypto/sha256"
	"sync"
	"testing"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// java is the machine in which POI runs, started by the first test that needs it.
var java struct {
	once    sync.Once
	machine *readers.Java
	err     error
}

// machine answers the one for all tests.
func machine(t testing.TB) *readers.Java {
	t.Helper()
	classpath := testservices.POIClasspath(t)
	java.once.Do(func() { java.machine, java.err = readers.StartJava(context.Background(), classpath) })
	if java.err != nil {
		t.Fatal(java.err)
	}
	return java.machine
}

func closeReaders() {
	if java.machine != nil {
		_ = java.machine.Close() // the process ends with the tests anyway
	}
}

// valid are the digests of the workbooks that were found to be.
var valid sync.Map

// validate checks a workbook against its standard's schemas, once.
func validate(t testing.TB, content []byte) {
	t.Helper()
	digest := sha256.Sum256(content)
	if _, known := valid.Load(digest); known {
		return
	}
	violations, err := machine(t).Validate(t.Context(), saved(t, content))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Errorf("not by the schema: %v", v)
	}
	if len(violations) == 0 {
		valid.Store(digest, true)
	}
}
