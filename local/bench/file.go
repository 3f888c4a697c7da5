package main

import (
	"io"
	"os"
)

// cancelRows is how often the loops over rows look at their context.
const cancelRows = 10_000

// writeFile makes a file of what write gives, and returns its length. The writer
// that it hands out cannot seek.
func writeFile(path string, write func(io.Writer) error) (int64, error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := counter{Writer: file}
	err = write(&w)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return w.bytes, err
}

// counter counts what is written.
type counter struct {
	io.Writer
	bytes int64
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.bytes += int64(n)
	return n, err
}
