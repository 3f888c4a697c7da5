package jobsql

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"time"

	"github.com/haexcel/haexcel/shared/job"
)

// In: a job id and a fresh token. Count 1: the job is the caller's. started_at
// is that of the first claim.
var claimJobSQL = define("claim job", `
UPDATE ha_excel_job SET status = 'RUNNING', server_id = :token, attempt = attempt + 1,
	started_at = COALESCE(started_at, {now}), lease_until = {now} + :lease, updated_at = {now}
WHERE {same job_id :id} AND status = 'PENDING' AND cancel_yn = 'N'`)

// Claim implements job.Store.
func (s *Store) Claim(ctx context.Context, id, serverID string, lease time.Duration) (job.Job, bool, error) {
	token := newToken(serverID)
	j, moved, err := s.transition(ctx, "claim job", id, claimJobSQL,
		params{"id": id, "token": token, "lease": lease.Milliseconds()},
		func(j job.Job) bool { return j.Token == token })
	if err != nil {
		return job.Job{}, false, err
	}
	// The row is read back by the token: between the claim and the reading, the
	// job may have ended or gone to someone else.
	return j, moved && j.Status == job.Running && j.Token == token, nil
}

// tokenRandom is how many random bytes a token carries.
const tokenRandom = 16

// newToken names one claim: "<server-id>#<random>". The server id is cut so
// that the token fits VARCHAR(128); the random part alone makes it unique.
func newToken(serverID string) string {
	var b [tokenRandom]byte
	_, _ = rand.Read(b[:]) // never fails, by its documentation
	name := []rune(strings.ReplaceAll(strings.ToValidUTF8(serverID, "\uFFFD"), "\x00", ""))
	if longest := 128 - 1 - 2*tokenRandom; len(name) > longest {
		name = name[:longest]
	}
	return string(name) + "#" + hex.EncodeToString(b[:])
}
