package jobsql_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// TestMain bounds the model-based tests: sequences long enough for a split job to
// come to its end, and as many as a slow machine does in well under a minute. The
// flags -rapid.steps and -rapid.checks ask for more.
//
// A Store starts no goroutine of its own; goleak finds connections and
// transactions that were not given back.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.steps": "50", "rapid.checks": "12"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
