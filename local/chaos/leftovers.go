//go:build unix

package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// leftovers are objects, uploads and chunk rows that nothing calls for.
//
// What may be there: the file of a DONE job that is not swept; the chunk rows of a
// failed job that was neither cancelled nor swept, and the objects that these name.
func leftovers(ctx context.Context, d *database, b *bucket) (left []string, err error) {
	// The objects first: what a row comes to name afterwards is no leftover.
	objects, err := b.objects(ctx)
	if err != nil {
		return nil, err
	}
	uploads, err := b.uploads(ctx)
	if err != nil {
		return nil, err
	}
	named, err := d.texts(ctx, `SELECT file_path FROM ha_excel_job WHERE status = 'DONE' AND swept_at IS NULL AND file_path IS NOT NULL
UNION ALL SELECT c.file_path FROM ha_excel_chunk c JOIN ha_excel_job j ON j.job_id = c.job_id
WHERE j.status = 'FAIL' AND j.cancel_yn = 'N' AND j.swept_at IS NULL AND c.file_path IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	for _, key := range objects {
		if !slices.Contains(named, key) {
			left = append(left, "the object "+key)
		}
	}
	for _, key := range uploads {
		left = append(left, "an unfinished upload of "+key)
	}
	for _, key := range named {
		if !slices.Contains(objects, key) {
			left = append(left, "a row that names an object which is not there: "+key)
		}
	}
	chunks, err := d.texts(ctx, `SELECT DISTINCT c.job_id FROM ha_excel_chunk c LEFT JOIN ha_excel_job j ON j.job_id = c.job_id
WHERE j.job_id IS NULL OR j.status <> 'FAIL' OR j.cancel_yn <> 'N' OR j.swept_at IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	for _, id := range chunks {
		left = append(left, "chunk rows of the job "+id)
	}
	return left, nil
}

// texts reads the first column of a query.
func (d *database) texts(ctx context.Context, query string) (list []string, err error) {
	rows, err := d.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// awaitClean waits until nothing is left, or what is left was there throughout the
// patience: recovery and the sweep need their intervals, and an orphan its age.
func awaitClean(ctx context.Context, d *database, b *bucket, patience time.Duration) (left []string, err error) {
	for end := time.Now().Add(patience); ; {
		if left, err = leftovers(ctx, d, b); err == nil && len(left) == 0 {
			return nil, nil
		}
		if time.Now().After(end) || !wait(ctx, time.Second) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("look for what is left: %w", err)
	}
	return left, nil
}
