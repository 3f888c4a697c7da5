// Package xlsxtest reads workbooks back and answers the first fault that makes
// Excel repair or refuse a file, which most libraries overlook:
//
//   - the archive: names, methods and flags, local headers that agree with the
//     central directory, checksums and lengths, nothing between the entries or
//     behind a deflate stream, zip64 only where a number does not fit otherwise;
//   - the package: a content type for every part and no other, relationships
//     that lead somewhere, are of the right type and are used, no part that
//     nothing leads to;
//   - the XML of every part: UTF-8, one root and nothing behind it, characters,
//     namespaces, the order of elements, their attributes and the values of these,
//     counts, and that what may be passed over is declared;
//   - the workbook: names and ids of sheets, views, defined names;
//   - the document properties: dates, lengths, the list of titles;
//   - the styles: every index, colour and limit, the codes of number formats;
//   - the sheets: widths, views and frozen panes, the order and bounds of rows
//     and cells (with references or without), numbers, dates that Excel can show,
//     lengths of text, protected blanks, escapes, merges, the auto-filter, the
//     dimension, links, rules for looks and input, what is for print.
//
// The rules are those of ECMA-376 with what [MS-OI29500] says of Office, and what
// is known of files that Excel repairs.
//
// Check streams: a workbook of any size is read in little memory, each row being
// shown once. Open is Check for tests, which keeps all cells.
//
// Its rules are its own: it shares no code with the writer.
//
// Known limits: it knows the parts and elements that shared/xlsx writes and what
// excelize puts around them, and calls others faults, comments and CDATA of XML
// included; it is no general reader. Formulas and themes are not looked into, and
// of document properties only the dates, the lengths and the list of titles. Shared
// texts are held in memory.
package xlsxtest
