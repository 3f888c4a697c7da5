package app

import (
	"context"
	"fmt"

	"github.com/haexcel/haexcel/shared/config"
	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// Page sizes of the job list.
const (
	DefaultJobs = 20
	MaxJobs     = 100
)

// Jobs lists a caller's own jobs.
type Jobs struct {
	Store  job.Store
	Config config.Config
}

// JobsReply is one page, newest first.
type JobsReply struct {
	Jobs []JobEntry `json:"jobs"`
	// NextCursor is the cursor of the next page; null at the end.
	NextCursor *string `json:"nextCursor"`
}

// JobEntry is a job's status body, without what only a single job's poll tells
// (place in the queue, speed, estimate), and what was asked for.
type JobEntry struct {
	StatusReply
	BizNm         string `json:"bizNm"`
	RequestedName string `json:"requestedName"`
}

// Do lists up to limit (1–MaxJobs) jobs from the cursor on; "" is the start.
// Another limit or cursor is fault.Invalid.
func (u *Jobs) Do(ctx context.Context, c Caller, limit int, cursor string) (JobsReply, error) {
	if limit < 1 || limit > MaxJobs {
		return JobsReply{}, invalidFields(map[string]string{"limit": fmt.Sprintf("must be a whole number from 1 to %d", MaxJobs)})
	}
	page, err := u.Store.List(ctx, c.requester(), limit, cursor)
	if fault.Is(err, fault.Invalid) {
		return JobsReply{}, invalidFields(map[string]string{"cursor": "is not a nextCursor of this list"})
	}
	if err != nil {
		return JobsReply{}, fmt.Errorf("list jobs: %w", err)
	}
	reply := JobsReply{Jobs: make([]JobEntry, 0, len(page.Jobs))}
	for _, j := range page.Jobs {
		reply.Jobs = append(reply.Jobs, JobEntry{StatusReply: statusReply(j, u.Config), BizNm: j.Dataset, RequestedName: j.FileName})
	}
	if page.Next != "" {
		reply.NextCursor = &page.Next
	}
	return reply, nil
}
