package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// maxServerID leaves room for the token's random part in server_id.
const maxServerID = 64

// The …Into functions make a setting's set: they check one value and store it.
// Their errors say what is allowed and never repeat the value.

func wholeInto(lo, hi int, put func(*Config, int)) func(*Config, string) error {
	return func(c *Config, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < lo || n > hi {
			return fmt.Errorf("a whole number from %d to %d is allowed", lo, hi)
		}
		put(c, n)
		return nil
	}
}

// shortest is the least of all durations.
const shortest = time.Second

func durationInto(longest time.Duration, put func(*Config, time.Duration)) func(*Config, string) error {
	return func(c *Config, value string) error {
		d, err := parseDuration(value)
		if err != nil || d < shortest || d > longest {
			return fmt.Errorf("a duration such as 90s, 30m or 30d, from %s to %s, is allowed", formatDuration(shortest), formatDuration(longest))
		}
		put(c, d)
		return nil
	}
}

// parseDuration reads Go's durations and whole days (30d).
func parseDuration(value string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(value, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * day, err
	}
	return time.ParseDuration(value)
}

// formatDuration is the short form that parseDuration reads.
func formatDuration(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}} {
		if d >= unit.of && d%unit.of == 0 {
			return strconv.FormatInt(int64(d/unit.of), 10) + unit.name
		}
	}
	return d.String()
}

func sizeInto(lo, hi int64, put func(*Config, int64)) func(*Config, string) error {
	return func(c *Config, value string) error {
		n, err := humanize.ParseBytes(value)
		if err != nil || n < uint64(lo) || n > uint64(hi) {
			return fmt.Errorf("a size such as 512KiB or 1MiB, from %s to %s, is allowed",
				strings.ReplaceAll(humanize.IBytes(uint64(lo)), " ", ""), strings.ReplaceAll(humanize.IBytes(uint64(hi)), " ", ""))
		}
		put(c, int64(n))
		return nil
	}
}

// textInto takes any text; blank values never reach a set.
func textInto(put func(*Config, string)) func(*Config, string) error {
	return func(c *Config, value string) error {
		put(c, value)
		return nil
	}
}

func printableInto(maxLen int, put func(*Config, string)) func(*Config, string) error {
	return func(c *Config, value string) error {
		bad := strings.ContainsFunc(value, func(r rune) bool { return r <= 0x20 || r > 0x7e || r == '#' })
		if bad || len(value) > maxLen {
			return fmt.Errorf("1 to %d printable ASCII characters without blanks and # are allowed", maxLen)
		}
		put(c, value)
		return nil
	}
}

func oneOfInto(put func(*Config, string), allowed ...string) func(*Config, string) error {
	return func(c *Config, value string) error {
		i := slices.IndexFunc(allowed, func(a string) bool { return strings.EqualFold(a, value) })
		if i < 0 {
			return errors.New("allowed: " + strings.Join(allowed, ", "))
		}
		put(c, allowed[i])
		return nil
	}
}

func switchInto(put func(*Config, bool)) func(*Config, string) error {
	const on = "on"
	return oneOfInto(func(c *Config, v string) { put(c, v == on) }, on, "off")
}

func listInto(put func(*Config, []string)) func(*Config, string) error {
	return func(c *Config, value string) error {
		var out []string
		for item := range strings.SplitSeq(value, ",") {
			if item = strings.TrimSpace(item); item != "" {
				out = append(out, item)
			}
		}
		put(c, out)
		return nil
	}
}

func zoneInto(put func(*Config, *time.Location)) func(*Config, string) error {
	return func(c *Config, value string) error {
		zone, err := time.LoadLocation(value)
		if err != nil || value == "Local" {
			return errors.New("a name of the time zone database such as Asia/Seoul or UTC is allowed")
		}
		put(c, zone)
		return nil
	}
}

func listenInto(put func(*Config, string)) func(*Config, string) error {
	return func(c *Config, value string) error {
		_, port, err := net.SplitHostPort(value)
		_, numErr := strconv.ParseUint(port, 10, 16)
		if err != nil || numErr != nil {
			return errors.New("host:port is allowed, e.g. 127.0.0.1:8080")
		}
		put(c, value)
		return nil
	}
}

func cookieInto(put func(*Config, string)) func(*Config, string) error {
	return func(c *Config, value string) error {
		if strings.ContainsFunc(value, func(r rune) bool {
			return r <= 0x20 || r > 0x7e || strings.ContainsRune("()<>@,;:\\\"/[]?={}", r)
		}) {
			return errors.New("a cookie name is allowed: ASCII letters, digits and !#$%&'*+-.^_`|~")
		}
		put(c, value)
		return nil
	}
}

func webAddressInto(put func(*Config, string)) func(*Config, string) error {
	return func(c *Config, value string) error {
		u, err := url.Parse(value)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return errors.New("an address beginning with https:// or http:// is allowed")
		}
		put(c, value)
		return nil
	}
}

// urlParameter finds the first of the parameters behind an address.
var urlParameter = regexp.MustCompile(`\?\w+=`)

func databaseInto(put func(*Config, string)) func(*Config, string) error {
	return func(c *Config, value string) error {
		if !databaseURL(value) {
			return errors.New("mysql://user:pass@host:port/db, postgres://user:pass@host:port/db or sqlite:path is allowed")
		}
		// The table would be in a file of that name, and datasets read from another.
		if strings.HasPrefix(value, "sqlite:") && urlParameter.MatchString(value) {
			return errors.New("sqlite:path takes no parameters")
		}
		put(c, value)
		return nil
	}
}

// databaseURL reports whether the value has the form of a database URL. Its
// details are the driver's business.
func databaseURL(value string) bool {
	if path, ok := strings.CutPrefix(value, "sqlite:"); ok {
		return path != ""
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		return false
	}
	return u.Scheme == "mysql" || u.Scheme == "postgres" || u.Scheme == "postgresql"
}
