// Package xlsx writes .xlsx workbooks as a stream: rows go in, the bytes of a
// finished archive come out in order, and memory does not grow with the rows.
//
// The writer hides how a sheet is encoded; callers give it columns and values
// (shared/cell holds the rules) and a plain io.Writer that cannot seek.
package xlsx
