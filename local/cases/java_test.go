package cases

import (
	"crypto/sha256"
	"sync"
	"testing"

	"github.com/haexcel/haexcel/local/readers"
	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// machine answers the one for all tests.
func machine(t testing.TB) *readers.Java {
	t.Helper()
	java, err := readers.SharedJava(testservices.POIClasspath(t))
	if err != nil {
		t.Fatal(err)
	}
	return java
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
