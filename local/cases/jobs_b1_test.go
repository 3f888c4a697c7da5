package cases

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/shared/job"
	"github.com/haexcel/haexcel/shared/xlsx/xlsxtest"
)

// lostRows is the size of B1's table: enough that its answer does not fit into
// what lies between the database and the program.
const lostRows = 60_000

// cut is a database with a table of many rows, reached through a proxy.
type cut struct {
	database
	proxy    *proxy
	datasets []string
}

// cuttable has two datasets: whole is read by one statement, keyed page by page.
func cuttable(t *testing.T, d database) cut {
	t.Helper()
	d.exec(t, "CREATE TABLE many (id INTEGER NOT NULL PRIMARY KEY, text VARCHAR(400) NOT NULL)",
		d.pick("INSERT INTO many SELECT seq, REPEAT(MD5(seq), 12) FROM seq_1_to_"+strconv.Itoa(lostRows),
			"INSERT INTO many SELECT n, repeat(md5(n::text), 12) FROM generate_series(1, "+strconv.Itoa(lostRows)+") n", ""))
	c := cut{database: d, datasets: []string{
		"name: whole\nsource: far\nsql: SELECT m.id, m.text FROM many m ORDER BY m.id\ncolumns: [{field: id}, {field: text}]\n",
		"name: keyed\nsource: far\nkey: id\nselect: {id: m.id, text: m.text}\nfrom: many m\ncolumns: [{field: id}, {field: text}]\n",
	}}
	c.proxy, c.url = between(t, d.url)
	return c
}

// readers are the connections that read the table.
func (c cut) readers(t testing.TB) (ids []int64) {
	t.Helper()
	rows, err := c.db.QueryContext(t.Context(), c.pick(
		"SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE '%many%'",
		"SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%many%'", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return ids
}

// killReaders ends them as an administrator, or a failover, does.
func (c cut) killReaders(t testing.TB) {
	t.Helper()
	ids := c.readers(t)
	if len(ids) == 0 {
		t.Fatal("nobody reads the table")
	}
	for _, id := range ids {
		c.exec(t, fmt.Sprintf(c.pick("KILL %d", "SELECT pg_terminate_backend(%d)", ""), id))
	}
}

// wantAll checks a file against the table, row by row.
func (c cut) wantAll(t testing.TB, content []byte) {
	t.Helper()
	rows := xlsxtest.Open(t, content).Sheet(0).Rows()
	if n := c.count(t, "SELECT COUNT(*) FROM many"); len(rows) != n+1 {
		t.Fatalf("the file has %d rows, the table %d", len(rows)-1, n)
	}
	for i, row := range rows[1:] {
		if row[0].Text != strconv.Itoa(i+1) {
			t.Fatalf("row %d has the id %s", i+1, row[0].Text)
		}
	}
}

// onServers runs a test on the databases that have connections.
func onServers(t *testing.T, test func(t *testing.T, d database)) {
	t.Helper()
	for name, open := range map[string]func(testing.TB) database{"mariadb": onMariaDB, "postgres": onPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// B1: a connection that is lost in the middle of the rows is never the end of
// the data: the job, or its chunk, is tried again from its start, or it fails.
// Nothing is ever there under a final key before that.
func TestCase_B1(t *testing.T) {
	t.Parallel()
	onServers(t, func(t *testing.T, d database) {
		c := cuttable(t, d)
		table := newJobTable(t, onSQLite(t))
		far := "HAEXCEL_SOURCE_FAR_URL=" + c.url
		inOne := table.start(t, c.datasets, far)
		for _, r := range []cutJob{
			{inOne, "whole", 1},
			{inOne, "keyed", 1},
			{inOne, "whole", 3},
			{inOne, "keyed", 3},
		} {
			r.run(t, c, table, 1)
		}
		if err := inOne.process.Kill(); err != nil {
			t.Fatal(err)
		}
		inChunks := table.start(t, c.datasets, far, "HAEXCEL_ZIP_THRESHOLD=20000", "HAEXCEL_CHUNK_SIZE=20000", "HAEXCEL_LARGE_WORKER_COUNT=1")
		cutJob{inChunks, "keyed", 1}.run(t, c, table, 0) // the failures are its chunk's
		cutJob{inChunks, "keyed", 3}.run(t, c, table, 0)
	})
}

// cutJob is a job whose connection is cut so many times.
type cutJob struct {
	program
	dataset string
	cuts    int
}

// run runs it to its end. Each cut counts as so many failures in the job's row.
func (r cutJob) run(t *testing.T, c cut, table jobTable, failures int) {
	t.Helper()
	name := fmt.Sprintf("%s, cut %d times", r.dataset, r.cuts)
	held := c.proxy.holdAfter(400_000) // some 1,000 rows
	id := r.submit(t, r.dataset, fmt.Sprintf(`{"packaging": "workbook", "fileName": "%d %d"}`, r.cuts, failures))
	for i := range r.cuts {
		select {
		case <-held:
		case <-time.After(patience):
			t.Fatalf("%s: the rows never came", name)
		}
		if j := table.row(t, id); j.Status != job.Running || j.FilePath != "" || j.Failures != i*failures {
			t.Errorf("%s: before cut %d: %s, file %q, %d failures", name, i+1, j.Status, j.FilePath, j.Failures)
		}
		c.killReaders(t)
		if i+1 < r.cuts {
			held = c.proxy.holdAfter(400_000)
		}
		c.proxy.letGo()
	}
	end := r.await(t, id)
	j := table.row(t, id)
	var own []string // but for finished chunks, which a retry would go on from
	for key := range table.stored(t) {
		if strings.Contains(key, id) && !strings.Contains(key, "/chunks/") {
			own = append(own, key)
		}
	}
	// Chunks that failed let the others go first, so that three cuts meet three chunks.
	if r.cuts == 3 && failures > 0 {
		if end.Status != "FAIL" || end.ErrorMsg == "" || j.FilePath != "" || len(own) != 0 {
			t.Errorf("%s: %s %q after %d failures, file %q, objects %v", name, end.Status, end.ErrorMsg, j.Failures, j.FilePath, own)
		}
		if a := r.do(t, http.MethodGet, id+"/file", ""); a.code != http.StatusConflict {
			t.Errorf("%s: the file of a failed job: %d", name, a.code)
		}
		return
	}
	if end.Status != "DONE" || end.ProcessedRows != lostRows || j.Failures != r.cuts*failures || len(own) != 1 || own[0] != j.FilePath {
		t.Errorf("%s: %s %q, %d rows after %d failures, file %q, objects %v", name, end.Status, end.ErrorMsg, end.ProcessedRows, j.Failures, j.FilePath, own)
	}
	c.wantAll(t, r.do(t, http.MethodGet, id+"/file", "").body)
}

// B1: a database that gives up on slow readers after a second does not give up on
// this one, since its sessions raise that.
func TestCase_B1_SlowWriter(t *testing.T) {
	t.Parallel()
	c := cuttable(t, onMariaDB(t))
	table := newJobTable(t, onSQLite(t))
	for _, dataset := range []string{"whole", "keyed"} {
		p := table.start(t, c.datasets, "HAEXCEL_SOURCE_FAR_URL="+c.url+"?net_write_timeout=1")
		held := c.proxy.holdAfter(400_000)
		id := p.submit(t, dataset, `{"packaging": "workbook"}`)
		select {
		case <-held:
		case <-time.After(patience):
			t.Fatalf("%s: the rows never came", dataset)
		}
		time.Sleep(4 * time.Second) // far longer than the server would wait
		c.proxy.letGo()
		end := p.await(t, id)
		if j := table.row(t, id); end.Status != "DONE" || end.ProcessedRows != lostRows || j.Failures != 0 {
			t.Errorf("%s: %s %q, %d rows after %d failures", dataset, end.Status, end.ErrorMsg, end.ProcessedRows, j.Failures)
		}
		c.wantAll(t, p.do(t, http.MethodGet, id+"/file", "").body)
	}
}
