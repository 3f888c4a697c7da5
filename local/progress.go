package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// redrawInterval is the least time between two drawings of a bar, which would
// flicker otherwise.
const redrawInterval = 100 * time.Millisecond

// meter shows progress on a terminal, and nothing elsewhere: a log file is no
// place for a bar.
type meter struct {
	output io.Writer
	shown  bool
	bar    *progressbar.ProgressBar
	total  int64
	label  string
	drawn  time.Time
}

func newMeter(output io.Writer) *meter {
	file, ok := output.(*os.File)
	return &meter{output: output, shown: ok && term.IsTerminal(int(file.Fd()))} //nolint:gosec // a descriptor fits an int
}

// show draws a bar of done steps of total; total ≤ 0 means that it is unknown.
func (m *meter) show(label string, done, total int64) {
	if !m.shown || label == m.label && time.Since(m.drawn) < redrawInterval {
		return
	}
	m.drawn = time.Now()
	if total <= 0 {
		total = -1
	}
	if m.bar == nil || m.total != total {
		m.clear()
		m.total, m.label = total, label
		m.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(m.output),
			progressbar.OptionSetDescription(label),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetRenderBlankState(true),
			// No goroutine that goes on drawing after clear.
			progressbar.OptionSetSpinnerChangeInterval(0),
		)
	}
	if label != m.label {
		m.label = label
		m.bar.Describe(label)
	}
	if total > 0 {
		done = min(done, total-1) // the full bar would clear itself before clear
	}
	_ = m.bar.Set64(done) // a terminal that went away ends nothing
}

// clear removes the bar.
func (m *meter) clear() {
	if m.bar != nil {
		_ = m.bar.Clear()
		m.bar, m.label = nil, ""
	}
}
