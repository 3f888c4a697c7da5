// Package demo makes the demo orders: the table demo_orders that the dataset
// "orders" reads, filled with generated rows.
//
// The rows are a pure function of their number: every machine and every run
// gives the same ones, and a larger demo starts with the rows of a smaller one.
// Build replaces the table in one step, so a reader sees the old rows or the
// new ones.
//
// Limits: on SQLite the whole build is one transaction, which keeps other
// writers of the same file waiting (about a second for 80,000 rows).
package demo
