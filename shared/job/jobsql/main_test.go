package jobsql_test

import (
	"testing"

	"go.uber.org/goleak"
)

// A Store starts no goroutine of its own; this finds connections and
// transactions that were not given back.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
