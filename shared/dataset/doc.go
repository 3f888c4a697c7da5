// Package dataset reads the rows of an export: from SQL that a YAML file
// declares, or from Go code.
//
// Guarantees:
//   - Values of a request and of the caller are bound, one by one; no way leads
//     from them into the text of a statement.
//   - The rows of one Open come from one read-only snapshot (unless the file
//     says snapshot: off), each exactly once, in the wished order and then that of
//     the key. NULL comes before all values.
//   - Consecutive ranges between the places of a Planner hold each row exactly once,
//     also when each is read from a snapshot of its own and other rows come and go
//     meanwhile. What a row must not change for that is its key and sort fields.
//   - A cut connection, a killed statement or an ended context is an error,
//     never the end of the data. When a context ends, the statement is stopped
//     at the database too.
//   - Values go on as the bytes that the database sent, where its driver lets
//     them through; their kinds are those of the tables in mysqltypes.go,
//     postgrestypes.go and sqlitetypes.go.
//   - Errors are faults with messages that name the dataset and nothing of the
//     statement, the host or the values. A broken statement is permanent
//     (Unprocessable), a database that is away or busy is Unavailable, one that is
//     at its limit of connections is Busy.
//   - The cells do not depend on the time zones of the machine and the server,
//     nor on what the URL, the role or the server sets: a session settles what
//     changes texts.
//
// How to add a dataset is told in GUIDE.md.
//
// Known limits: a key must be unique and without NULL; MySQL's ENUM and SET can be
// neither keys nor sorted by, since they sort by number and compare as text, and
// neither can its texts of more than 1,365 characters. With snapshot: off, a page
// that ends within the hour that clocks show twice, on a MySQL server with the
// zone's rules, may give way to one that begins at the wrong of the two instants,
// when rows go meanwhile. On a MySQL server without the report zone's rules,
// parameters meet TIMESTAMP columns at the zone's standard offset, also in summer.
// A datetime parameter within the hour that clocks show twice means either one.
// MySQL 8 itself has not been tested, only MariaDB.
package dataset
