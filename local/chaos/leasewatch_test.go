//go:build unix

package main

import "testing"

// A claim's time grows while it is seen, begins anew for another attempt, and is a
// violation only past the limit.
func TestExpiredClaimsAreTimed(t *testing.T) {
	t.Parallel()
	counted := &tally{}
	w := &leaseWatch{tally: counted, limit: 4 * watchEvery, expired: nil}
	for _, claims := range [][]string{
		{"a at attempt 1", "b at attempt 1"}, {"a at attempt 1"}, {"a at attempt 1"}, {"a at attempt 1", "b at attempt 1"},
		{"a at attempt 2", "b at attempt 1"}, {"b at attempt 1"}, {"b at attempt 1"},
	} {
		w.add(claims)
	}
	if len(counted.violations) != 0 {
		t.Fatalf("within the limit: %v", counted.violations)
	}
	w.add([]string{"b at attempt 1"})
	w.add([]string{"b at attempt 1"})
	const want = "b at attempt 1 is RUNNING with an expired lease for more than 2s"
	if len(counted.violations) != 1 || counted.violations[0] != want {
		t.Errorf("past the limit: %q", counted.violations)
	}
}
