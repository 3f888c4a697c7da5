package dataset

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// reuse reads how old a finished file may be to answer another submit.
func (l *loader) reuse(n *yamlNode) {
	age, err := time.ParseDuration(n.text)
	if n.kind != yamlScalar || err != nil || age < time.Second {
		l.fail(n.line, "reuse must be a duration of at least 1s, such as 90s, 10m or 1h30m")
		return
	}
	l.set.info.Reuse = age
}

// rate is EventBridge's syntax: rate(1 hour), rate(5 minutes).
var rate = regexp.MustCompile(`^rate\(([0-9]+) (minute|hour|day)(s?)\)$`)

var rateUnits = map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}

// longestRate bounds how seldom a file is built beforehand.
const longestRate = 366 * 24 * time.Hour

// pregenerate reads how often the export is built beforehand.
func (l *loader) pregenerate(n *yamlNode) {
	if n.kind == yamlScalar && strings.HasPrefix(n.text, "cron(") {
		l.fail(n.line, "pregenerate takes no cron(…), only a rate, such as rate(1 hour)")
		return
	}
	match := rate.FindStringSubmatch(n.text)
	if n.kind != yamlScalar || match == nil {
		l.fail(n.line, "pregenerate must be a rate, such as rate(10 minutes), rate(1 hour) or rate(2 days)")
		return
	}
	unit := rateUnits[match[2]]
	count, err := strconv.ParseInt(match[1], 10, 32)
	switch {
	case err != nil || time.Duration(count) > longestRate/unit:
		l.fail(n.line, "pregenerate must be at most rate(%d days)", longestRate/(24*time.Hour))
		return
	case count == 0:
		l.fail(n.line, "pregenerate must be at least rate(1 minute)")
		return
	case (count == 1) != (match[3] == ""):
		plural := "s"
		if count == 1 {
			plural = ""
		}
		l.fail(n.line, "pregenerate must be rate(%d %s%s): the unit is singular after 1 and plural after other numbers", count, match[2], plural)
		return
	}
	l.set.info.Pregenerate = time.Duration(count) * unit
}

// checkPregenerate returns what keeps a dataset from being exported by nobody, for
// everybody, without parameters and columns.
func checkPregenerate(info Info) []string {
	var reasons []string
	if len(info.Caller) > 0 {
		var names []string
		for _, name := range slices.Sorted(slices.Values(info.Caller)) {
			names = append(names, ":caller."+name)
		}
		reasons = append(reasons, "its rows depend on who asks: "+strings.Join(names, ", "))
	}
	for _, p := range info.Params {
		if p.Required && p.Default == nil {
			reasons = append(reasons, fmt.Sprintf("the parameter %q is required and has no default", p.Name))
		}
	}
	if len(info.Columns) == 0 {
		reasons = append(reasons, "it has no default columns")
	}
	return reasons
}
