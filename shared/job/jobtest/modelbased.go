package jobtest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/haexcel/haexcel/shared/job"
)

// testModel lets the store and the model go through random sequences of steps
// together: several workers, zombies, lost replies, late and repeated wakes.
func testModel(t *testing.T, f Fixture) {
	rapid.Check(t, newMachine(t, f, f.Store).run)
}

func newMachine(t *testing.T, f Fixture, s job.Store) *machine {
	faults := &Faults{}
	return &machine{f: f, outer: t, store: s, faulty: f.OpenFaulty(t, faults), faults: faults}
}

// mutantRounds bounds the search. Most are found in the first round.
const mutantRounds = 20

// testModelFindsFaults gives the machine stores with one rule broken. It must
// find each out, or it proves nothing.
func testModelFindsFaults(t *testing.T, f Fixture) {
	for _, mutant := range mutants {
		t.Run(mutant.name, func(t *testing.T) {
			w := newMachine(t, f, mutant.mutate(t, f))
			w.only = mutant.steps
			var found string
			w.report = func(what string) { found = what }
			for round := 0; round < mutantRounds && found == ""; round++ {
				rapid.Check(t, func(rt *rapid.T) {
					if found == "" {
						w.run(rt)
					}
				})
			}
			if found == "" {
				t.Error("the machine has found nothing wrong")
			}
		})
	}
}
