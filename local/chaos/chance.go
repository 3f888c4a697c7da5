//go:build unix

package main

import (
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"
)

// chance is the random decisions of one part of the harness. Each part has its
// own, so that what one decides does not hang on how often others asked.
type chance struct {
	mu   sync.Mutex
	rand *rand.Rand
}

func newChance(seed uint64, part string) *chance {
	h := fnv.New64a()
	_, _ = h.Write([]byte(part))                                 // never fails
	return &chance{rand: rand.New(rand.NewPCG(seed, h.Sum64()))} //nolint:gosec // decisions that a seed repeats
}

// roll is in [0, 1).
func (c *chance) roll() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rand.Float64()
}

// happens with the given probability.
func (c *chance) happens(p float64) bool { return c.roll() < p }

// below is in [0, n).
func (c *chance) below(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rand.IntN(n)
}

// between is a duration in [from, to).
func (c *chance) between(from, to time.Duration) time.Duration {
	return from + time.Duration(c.roll()*float64(to-from))
}

// about is a duration with that mean, from half of it to one and a half.
func (c *chance) about(mean time.Duration) time.Duration { return c.between(mean/2, mean+mean/2) }
