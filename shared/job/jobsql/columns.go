package jobsql

import (
	"database/sql"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/job"
)

// jobColumns are read in the order of scanJob. While chunks run, the rows done
// are the sum over the chunk rows, so that chunk workers need not write the job
// row at every beat.
const jobColumns = `job_id, biz_nm, file_name, worker, server_id, status,
	CASE WHEN phase = 'CHUNKS'
		THEN (SELECT COALESCE(SUM(c.row_count), 0) FROM ha_excel_chunk c WHERE c.job_id = ha_excel_job.job_id)
		ELSE processed_rows END,
	total_rows, file_path, params_json, columns_json, template_id, error_msg, cancel_yn,
	created_at, started_at, completed_at,
	queue, phase, attempt, failures, hops, lease_until, woken_at, swept_at, updated_at,
	filter_hash, export_hash, active_key, idempotency_key, request_id, as_of, as_of_end, file_bytes,
	checkpoint_json, warnings_json, scope_json, options_json, reused_from`

// nullable scans a column that may be NULL into a plain field, its zero value
// standing for NULL.
type nullable[T any] struct{ target *T }

// Scan implements sql.Scanner.
func (n nullable[T]) Scan(source any) error {
	var v sql.Null[T]
	if err := v.Scan(source); err != nil {
		return err
	}
	*n.target = v.V
	return nil
}

func opt[T any](target *T) nullable[T] { return nullable[T]{target} }

// scanJob reads jobColumns, and more columns after them.
func scanJob(rows *sql.Rows, more ...any) (job.Job, error) {
	var j job.Job
	var status, queue, phase, cancel string
	targets := []any{
		&j.ID, &j.Dataset, &j.FileName, &j.Requester, opt(&j.Token), &status,
		&j.ProcessedRows,
		&j.TotalRows, opt(&j.FilePath), opt(&j.ParamsJSON), opt(&j.ColumnsJSON), opt(&j.TemplateID), opt(&j.ErrorMsg), opt(&cancel),
		&j.CreatedAt, opt(&j.StartedAt), opt(&j.CompletedAt),
		&queue, opt(&phase), &j.Attempt, &j.Failures, &j.Hops, opt(&j.LeaseUntil), opt(&j.WokenAt), opt(&j.SweptAt), &j.UpdatedAt,
		opt(&j.FilterHash), opt(&j.ExportHash), opt(&j.ActiveKey), opt(&j.IdempotencyKey), opt(&j.RequestID), opt(&j.AsOf), opt(&j.AsOfEnd), &j.FileBytes,
		opt(&j.CheckpointJSON), opt(&j.WarningsJSON), opt(&j.ScopeJSON), opt(&j.OptionsJSON), opt(&j.ReusedFrom),
	}
	if err := rows.Scan(append(targets, more...)...); err != nil {
		return job.Job{}, err
	}
	j.Status, j.Queue, j.Phase = job.Status(status), job.Queue(queue), job.Phase(phase)
	j.CancelWanted = cancel == "Y"
	return j, nil
}

const chunkColumns = `job_id, chunk_no, status, key_from, key_to, row_count, bytes, crc32, file_path,
	attempt, failures, server_id, lease_until, as_of, error_msg`

// scanChunk reads chunkColumns.
func scanChunk(rows *sql.Rows) (job.Chunk, error) {
	var c job.Chunk
	var status string
	err := rows.Scan(&c.JobID, &c.No, &status, opt(&c.KeyFrom), opt(&c.KeyTo), &c.RowCount, &c.Bytes, &c.CRC32,
		opt(&c.FilePath), &c.Attempt, &c.Failures, opt(&c.Token), opt(&c.LeaseUntil), opt(&c.AsOf), opt(&c.ErrorMsg))
	c.Status = job.Status(status)
	return c, err
}

// textOrNull stores "" as NULL, as zeroOrNull does 0.
func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func zeroOrNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// rowCount fits a count into the INT columns of the Java table.
func rowCount(n int64) int64 { return min(max(n, 0), math.MaxInt32) }

// checkText refuses what not every engine can store, so that all behave alike:
// PostgreSQL has no U+0000 in text, and none of the servers takes bad UTF-8.
func checkText(values ...string) error {
	for _, v := range values {
		if !storable(v) {
			return fault.New(fault.Invalid, "A value holds characters that can't be stored.")
		}
	}
	return nil
}

// storable reports whether every engine can store v; no row has an id that is
// not.
func storable(v string) bool { return !strings.ContainsRune(v, 0) && utf8.ValidString(v) }

// errorMessage makes any text fit error_msg: a job must be able to fail whatever
// the message holds. It is cut at a character boundary.
func errorMessage(message string) string {
	message = strings.ReplaceAll(strings.ToValidUTF8(message, "\uFFFD"), "\x00", "")
	if utf8.RuneCountInString(message) <= job.MaxErrorRunes {
		return message
	}
	runes := []rune(message)
	return string(runes[:job.MaxErrorRunes])
}
