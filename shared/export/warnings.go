package export

import (
	"encoding/json"
	"slices"
)

// Bounds of what is kept, since every poll sends it: a request can name thousands
// of fields that do not exist, or one with a name as long as a body.
const (
	maxWarnings     = 50
	maxWarningRunes = 400
)

// Warnings are what a finished file's reader should know.
type Warnings struct {
	Messages       []string `json:"messages,omitempty"`
	TruncatedCells int64    `json:"truncatedCells,omitempty"` // texts cut to Excel's limit
}

// JSON is the form stored in warnings_json; "" when there is nothing to say.
func (w Warnings) JSON() string {
	if len(w.Messages) == 0 && w.TruncatedCells == 0 {
		return ""
	}
	b, err := json.Marshal(w)
	if err != nil {
		panic(err) // strings and integers always marshal
	}
	return string(b)
}

// ParseWarnings reads what JSON wrote; text that it did not write is no warnings.
func ParseWarnings(s string) Warnings {
	var w Warnings
	if s == "" || json.Unmarshal([]byte(s), &w) != nil {
		return Warnings{}
	}
	return w
}

// Merge returns both, each message once.
func (w Warnings) Merge(o Warnings) Warnings {
	out := Warnings{TruncatedCells: w.TruncatedCells + o.TruncatedCells}
	for _, m := range append(slices.Clone(w.Messages), o.Messages...) {
		out.add(m)
	}
	return out
}

// add keeps a message once, up to the limits.
func (w *Warnings) add(message string) {
	if runes := []rune(message); len(runes) > maxWarningRunes {
		message = string(runes[:maxWarningRunes-1]) + "…"
	}
	if len(w.Messages) < maxWarnings && !slices.Contains(w.Messages, message) {
		w.Messages = append(w.Messages, message)
	}
}
