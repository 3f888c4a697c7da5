package readers

import (
	"fmt"
	"math"
	"time"
)

// Content is what a reader takes a cell for.
type Content uint8

// The contents, and what a cell's text is for each.
const (
	Empty    Content = iota // nothing
	Text                    // as it is
	Number                  // any literal of it
	Boolean                 // "1" or "0"
	Moment                  // a date: yyyy-MM-dd HH:mm:ss, then .fff where there are milliseconds
	Shown                   // what a person sees, whatever it is
	Strange                 // none of the others: an error, a formula, …
	Duration                // a time without a date: [-]H…H:mm:ss, then .fff where there are milliseconds
)

func (c Content) String() string {
	names := [...]string{"nothing", "the text", "the number", "the boolean", "the moment", "the display", "the cell", "the duration"}
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("content %d", uint8(c))
}

// Cell is a cell as a reader gives it.
type Cell struct {
	Content Content
	Text    string
	Format  string // the number format's code, where the reader tells it
}

func (c Cell) String() string {
	if c.Content == Empty {
		return c.Content.String()
	}
	return fmt.Sprintf("%s %q", c.Content, c.Text)
}

// momentText is the text of a moment on the wall clock.
func momentText(at time.Time) string {
	at = at.Round(time.Millisecond)
	if at.Nanosecond() == 0 {
		return at.Format(time.DateTime)
	}
	return at.Format(time.DateTime + ".000")
}

// durationText is the text of a length of time that is given in days.
func durationText(days float64) string {
	ms := int64(math.Round(math.Abs(days) * 24 * 60 * 60 * 1000))
	sign := ""
	if days < 0 && ms > 0 {
		sign = "-"
	}
	text := fmt.Sprintf("%s%d:%02d:%02d", sign, ms/3_600_000, ms/60_000%60, ms/1000%60)
	if ms%1000 > 0 {
		text += fmt.Sprintf(".%03d", ms%1000)
	}
	return text
}
