package main

import (
	"context"

	"github.com/haexcel/haexcel/local/bench/rows"
)

// local is what the subjects have that need nothing but this process.
type local struct{ job job }

func (local) close(context.Context) error { return nil }

// generator makes the rows of the job.
func (l local) generator() *rows.Generator { return rows.New(l.job.Shape, l.job.Cols) }

// idleSubject does nothing.
type idleSubject struct{ local }

func openIdle(_ context.Context, j job) (subject, error) { return idleSubject{local{j}}, nil }

func (idleSubject) run(context.Context) (int64, error) { return 0, nil }

// rowsSubject only makes the rows.
type rowsSubject struct{ local }

func openRows(_ context.Context, j job) (subject, error) { return rowsSubject{local{j}}, nil }

func (s rowsSubject) run(context.Context) (int64, error) {
	g := s.generator()
	for i := range s.job.Rows {
		g.Row(i)
	}
	return 0, nil
}
