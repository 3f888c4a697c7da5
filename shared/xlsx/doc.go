// Package xlsx writes .xlsx workbooks as a stream: rows go in, the bytes of a
// finished archive come out in order, and memory does not grow with the rows.
//
// Callers give it columns and values (shared/cell holds the rules) and a plain
// io.Writer that cannot seek. The pieces, from the inside out:
//
//	Batch          copies of rows; about a segment's worth
//	Encoder        rows → sheet XML → raw deflate, on any goroutine
//	Segment        the outcome, with its CRC-32 and lengths; can be stored
//	Assembler      segments → sheets → workbook, in order
//	Writer         all of it for one stream of rows, on all cores
//	SegmentWriter  the first three, for rows that are joined elsewhere
//
// A segment is deflated by itself and ends on a byte, so segments made anywhere
// join by mere concatenation. Their rows are numbered for a place in the sheet;
// one that comes to stand in another place is numbered anew, which costs as much
// as making it.
//
// Guarantees: a sheet never has more rows than Options.MaxRows nor more XML than
// Options.MaxBytes; a row that does not fit opens the next sheet, which repeats
// the header. The style table depends on the columns alone. Entries are deflated,
// never stored, so that their data descriptors are read by every unzipper, Java's
// stream included. The same rows give the same bytes, however many cores there
// are. Writer holds at most a few segments for each core.
//
// What it costs. Of the time on one core for a million rows of ten mixed columns,
// a quarter goes to the sheet XML, half of that to the rules of shared/cell, and
// more than half to deflate, whose three parts are the largest costs that remain:
// comparing cells with those above and noting the matches; writing the codes; and
// looking for repetitions in text (see shared/deflate). Copying rows into batches
// takes one part in thirty. BenchmarkEncode and the program local/bench measure it.
//
// Known limits: a row is held in memory as a whole. Text that holds line breaks
// shows them only where the reader's cell wraps.
package xlsx
