package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// tableName is the table that the datasets read.
const tableName = "bench_rows"

// site is what the writers of a case need of the servers: a database of its own
// with the rows, on each server that has them, and a bucket.
type site struct {
	servers   servers
	databases map[need]database
	bucket    string
}

// A database holds the table of the rows and goes when it is dropped.
type database struct {
	url  string
	drop func(context.Context) error
}

// openSite makes what a case needs.
func openSite(ctx context.Context, there servers, c benchCase) (s site, err error) {
	s = site{servers: there, databases: map[need]database{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
		}
	}()
	name := "haexcel_bench_" + strings.ToLower(rand.Text())
	for n, create := range map[need]func(context.Context, string, string, benchCase) (database, error){
		needMariaDB: createMariaDB, needPostgres: createPostgres,
	} {
		if !c.needs(n) {
			continue
		}
		if s.databases[n], err = create(ctx, there.address(n), name, c); err != nil {
			return s, fmt.Errorf("fill a table of %s: %w", n, err)
		}
	}
	if c.needs(needS3) {
		bucket := strings.ReplaceAll(name, "_", "-")
		if err := createBucket(ctx, there.s3, bucket); err != nil {
			return s, fmt.Errorf("make a bucket: %w", err)
		}
		s.bucket = bucket
	}
	return s, nil
}

func (c benchCase) needs(n need) bool {
	return slices.ContainsFunc(c.writers, func(w writer) bool { return slices.Contains(w.needs, n) })
}

// close removes all that the site has made.
func (s site) close(ctx context.Context) error {
	var faults []error
	for n, d := range s.databases {
		if d.drop == nil {
			continue
		}
		if err := d.drop(ctx); err != nil {
			faults = append(faults, fmt.Errorf("drop the database of %s: %w", n, err))
		}
	}
	if s.bucket != "" {
		if err := deleteBucket(ctx, s.servers.s3, s.bucket); err != nil {
			faults = append(faults, fmt.Errorf("delete the bucket: %w", err))
		}
	}
	return errors.Join(faults...)
}

// job is what a writer has to do here.
func (s site) job(c benchCase, w writer) job {
	j := job{
		Writer: w.name, Shape: c.shape, Rows: c.rows, Cols: c.cols,
		S3: s.servers.s3, Bucket: s.bucket,
	}
	for _, n := range w.needs {
		if d, there := s.databases[n]; there {
			j.Database = d.url
		}
	}
	return j
}
