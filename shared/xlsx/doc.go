// Package xlsx writes .xlsx workbooks as a stream: rows go in, the bytes of a
// finished archive come out in order, and memory does not grow with the rows.
//
// The writer hides how a sheet is encoded; callers give it columns and values
// (shared/cell holds the rules) and a plain io.Writer that cannot seek.
//
// Rows are gathered as sheet XML into segments of a few hundred kilobytes. A
// segment is deflated by itself and ends on a byte, with its own CRC-32, so
// segments made anywhere join by mere concatenation. One is deflated and written
// while the next one is encoded.
//
// Guarantees: a sheet never has more rows than Options.MaxRows nor more XML than
// Options.MaxBytes; a row that does not fit opens the next sheet, which repeats
// the header. The style table depends on the columns alone. Entries are deflated,
// never stored, so that their data descriptors are read by every unzipper, Java's
// stream included.
//
// Known limits: a row is held in memory as a whole. Text that holds line breaks
// shows them only where the reader's cell wraps.
package xlsx
