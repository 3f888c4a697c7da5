// Package celltest says once more what becomes of a source value, so that tests
// can hold shared/cell and the workbooks made with it against a second opinion:
// the cell's type, the exact text or number in it, its number format and what a
// person sees.
//
// Rule is that opinion. It follows the written rules word for word, slowly, with
// regular expressions, exact fractions and the calendar of package time, and
// shares nothing with shared/cell but the types of values and columns. Seen.Fault
// compares a cell with it; a Source makes values of every kind, also broken
// ones, that are the same for the same seed.
//
// Where the written rules leave a choice, the comment beside the rule says which
// was made.
package celltest
