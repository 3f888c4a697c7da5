// Package cases proves, from a source's value to the cell that a person sees,
// that each known trouble of exports is none here. Its tests are named after the
// cases of a catalogue of public bug reports (T text, N numbers, D dates, C
// columns and types, S sheets, F formulas, H file names, Z zip, K Korean formats, J
// jobs, W workers and the cloud, B databases, X security).
//
// Each test starts the program as a user does, with a job table of its own and
// datasets on real databases, submits exports over HTTP and reads the files with
// independent programs. Rules that are told by one value alone have their tables
// and fuzz targets beside them, in shared/cell, shared/xlsx and shared/export.
package cases
