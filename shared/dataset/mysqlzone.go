package dataset

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// A session of MySQL has a time zone, in which it shows TIMESTAMP values, takes
// date-times that are compared with them, and tells the time of day. It is that
// of the report where the server has the same rules for it, and else, as on a
// server whose time zone tables are empty, an offset: that of the zone outside
// summer time. Columns of instants show the same either way. Comparisons and
// functions are then an hour off in summer, where the zone has one.

// mysqlZone is the time zone of a session.
type mysqlZone struct {
	name   string         // as the session is told it
	offset string         // that of all its instants, such as +09:00; "" where it varies
	rules  *time.Location // where it varies

	seconds int // that latest stands for
	latest  string
}

// newMySQLZone names the zone where the server knows it, else its offset.
func newMySQLZone(zone *time.Location, known bool) mysqlZone {
	if known {
		return mysqlZone{name: zone.String(), rules: zone}
	}
	offset := standardOffset(zone)
	return mysqlZone{name: offset, offset: offset}
}

// offsetOf is the offset of an instant that the server wrote as yyyy-MM-dd
// HH:mm:ss. Where clocks are set back, two instants look alike: either may be
// taken, since the report shows both alike too.
func (z *mysqlZone) offsetOf(b []byte) string {
	if z.offset != "" {
		return z.offset
	}
	t := z.moment(b)
	if _, seconds := t.Zone(); z.latest == "" || seconds != z.seconds {
		z.seconds, z.latest = seconds, t.Format("-07:00")
	}
	return z.latest
}

func (z *mysqlZone) moment(b []byte) time.Time {
	n := func(i int) int { return int(b[i]-'0')*10 + int(b[i+1]-'0') }
	return time.Date(n(0)*100+n(2), time.Month(n(5)), n(8), n(11), n(14), n(17), 0, z.rules)
}

// shownTwice is by how much the clocks were set back where they showed b twice, and
// else 0.
func (z *mysqlZone) shownTwice(b []byte) time.Duration {
	if z.offset != "" {
		return 0
	}
	return shownTwice(z.moment(b))
}

// shownTwice is by how much the clocks of the moment's zone were set back where they
// showed it twice, and else 0.
func shownTwice(t time.Time) time.Duration {
	start, end := t.ZoneBounds()
	for _, change := range []time.Time{start, end} {
		if change.IsZero() {
			continue
		}
		_, old := change.Add(-time.Second).Zone()
		_, fresh := change.Zone()
		back := time.Duration(old-fresh) * time.Second
		// Shown twice is what follows the change for as long as the clocks went
		// back, and as much before it.
		if away := t.Sub(change); back > 0 && away < back && away >= -back {
			return back
		}
	}
	return 0
}

// The years of MySQL's TIMESTAMP. MariaDB's goes on to 2106 from version 11.5 on;
// servers' rules usually end with 2037, and leave out the summers after it.
const (
	firstInstantYear = 1970
	lastInstantYear  = 2037
)

// changes are the moments at which the zone's clocks were set while there were
// instants.
func changes(zone *time.Location) []time.Time {
	var out []time.Time
	t := time.Date(firstInstantYear, time.January, 2, 0, 0, 0, 0, time.UTC).In(zone)
	for {
		_, t = t.ZoneBounds()
		if t.IsZero() || t.Year() > lastInstantYear {
			return out
		}
		out = append(out, t)
	}
}

// lastSilentYear: where clocks were last set before its end, as Seoul's were in
// 1988, the log does not speak of it.
const lastSilentYear = 2000

// knows reports whether the server has a zone's rules, and the same as this
// program. It is asked once.
func (e *mysqlEngine) knows(ctx context.Context, s *mysqlSession, zone *time.Location) (bool, error) {
	name, set := zone.String(), changes(zone)
	if len(set) == 0 || !named(zone) {
		return false, nil // its offset says all, or all that can be said
	}
	e.mu.Lock()
	known, asked := e.zones[name]
	e.mu.Unlock()
	if asked {
		return known, nil
	}
	err := s.call(func() error {
		return s.conn.QueryRowContext(ctx, sameRules(zone, set)).Scan(&known)
	})
	if err != nil {
		return false, err
	}
	e.mu.Lock()
	if _, asked = e.zones[name]; !asked {
		e.zones[name] = known
	}
	e.mu.Unlock()
	if last := set[len(set)-1]; !asked && !known && last.Year() > lastSilentYear {
		e.options.Logger.Warn("the database server lacks the report zone's rules: what is compared with its TIMESTAMP columns "+
			"is an hour off in summer; mysql_tzinfo_to_sql fills its time zone tables", "zone", name)
	}
	return known, nil
}

// sameRules writes the question whether the server's clocks show the same as this
// program's, just before and after each change.
func sameRules(zone *time.Location, set []time.Time) string {
	const layout = "2006-01-02 15:04:05"
	var b strings.Builder
	b.WriteString("SELECT 1")
	for _, change := range set {
		for _, t := range []time.Time{change.Add(-time.Second), change} {
			fmt.Fprintf(&b, " AND CONVERT_TZ('%s', '+00:00', %s) <=> CAST('%s' AS DATETIME)",
				t.UTC().Format(layout), quoteText(zone.String()), t.In(zone).Format(layout))
		}
	}
	return b.String()
}
