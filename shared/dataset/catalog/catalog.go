// Package catalog holds the dataset files that are compiled in. A file added to
// this folder becomes a dataset with the next build; its form is checked at
// start.
package catalog

import "embed"

// Files are the compiled-in dataset files, for dataset.LoadFS.
//
//go:embed *.yaml
var Files embed.FS
