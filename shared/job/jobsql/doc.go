// Package jobsql is the job table on a relational database: MySQL 8 and
// MariaDB, PostgreSQL, SQLite. It implements job.Store with one algorithm; the
// dialect files hold what the engines spell differently.
//
// How a transition works: one UPDATE whose WHERE names the state it expects,
// in its own autocommit statement. The affected-row count is the verdict, so
// MySQL sign-ins set clientFoundRows. Where a step needs several statements
// (reopen, sweep, purge) they run in one transaction whose first statement
// takes the row. A batch (recover, re-wake) reads candidate ids and then moves
// each by such a guarded statement, so any number of processes may run it at
// once, and no engine needs a subquery on the table it updates.
//
// Statements are written once as templates with :named parameters and a few
// {pieces} (see template.go). Above each stands what goes in, how the count is
// read, and why engines differ where they do.
//
// Guarantees:
//   - deadlocks, lock waits, serialisation failures and a busy SQLite are tried
//     again inside, until the context ends or the database stays busy for about
//     half a minute (fault.Unavailable);
//   - a statement whose reply was lost is settled by reading the row; only when
//     the table can't be read any more is it fault.UnknownOutcome;
//   - heartbeats have connections of their own (Options.BeatConns), so that other
//     statements, however many wait or hang, cost no worker its lease;
//   - no error carries a password or SQL values, and none is told apart by text.
//
// Known limits: MySQL 8 itself was not verified, only MariaDB 10.11 (a test
// checks that the texts keep to what both accept). Row counts are INT columns
// and stop at 2,147,483,647. Ids differ by bytes everywhere, but MySQL's unique
// keys take two ids that differ in trailing blanks only for one. On SQLite, all
// processes must see the file on one machine: WAL does not work over a network
// file system.
package jobsql
