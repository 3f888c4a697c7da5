package config

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Load reads the settings from an environment as os.Environ gives it. Blank
// values count as absent; of two entries of one name the last counts. The error
// joins all faults, in the order of the names.
func Load(environ []string) (Config, error) {
	env := map[string]string{}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = strings.TrimSpace(value)
		}
	}

	c := Config{Sources: map[string]string{}}
	faults := map[string]string{} // variable → text
	known := map[string]bool{}
	for _, s := range table {
		known[s.variable()] = true
		value := env[s.variable()]
		if value == "" {
			value = s.def
		}
		if value == "" {
			continue
		}
		if err := s.set(&c, value); err != nil {
			shown := fmt.Sprintf("%q", value)
			if s.secret {
				shown = "its value (not shown)"
			}
			faults[s.variable()] = fmt.Sprintf("%s is not valid: %s", shown, err)
		}
	}
	for name, value := range env {
		switch source, isSource := sourceName(name); {
		case !strings.HasPrefix(name, prefix), known[name], strings.HasPrefix(name, testPrefix):
		case isSource && value == "":
		case isSource && databaseURL(value):
			c.Sources[source] = value
		case isSource:
			faults[name] = "its value (not shown) is not valid: mysql://user:pass@host:port/db, postgres://user:pass@host:port/db or sqlite:path is allowed"
		default:
			faults[name] = "there is no such setting"
		}
	}
	if c.ServerID == "" {
		c.ServerID = defaultServerID(env)
	}
	if len(faults) == 0 {
		c.checkTogether(faults)
	}
	return c, joined(faults)
}

// checkTogether holds the rules between settings.
func (c Config) checkTogether(faults map[string]string) {
	if c.RowRetention < c.JobTTL {
		faults["HAEXCEL_ROW_RETENTION"] = "it must not be shorter than HAEXCEL_JOB_TTL"
	}
	for _, s := range []struct {
		name  string
		store ObjectStore
	}{{"HAEXCEL_S3", c.S3}, {"HAEXCEL_NCP", c.NCP}} {
		if (s.store.AccessKey == "") != (s.store.SecretKey == "") {
			faults[s.name+"_ACCESS_KEY"] = "it goes together with " + s.name + "_SECRET_KEY: set both or none"
		}
	}
}

var sourceVariable = regexp.MustCompile("^" + sourcePrefix + "([A-Z0-9_]+)" + sourceSuffix + "$")

// sourceName takes the lower-case source name out of a variable's name.
func sourceName(variable string) (string, bool) {
	m := sourceVariable.FindStringSubmatch(variable)
	if m == nil {
		return "", false
	}
	return strings.ToLower(m[1]), true
}

// defaultServerID is the log stream of a Lambda environment, else the host.
func defaultServerID(env map[string]string) string {
	id := env["AWS_LAMBDA_LOG_STREAM_NAME"]
	if id == "" {
		id, _ = os.Hostname()
	}
	id = strings.Map(func(r rune) rune {
		if r <= 0x20 || r > 0x7e || r == '#' {
			return '-'
		}
		return r
	}, id)
	if id == "" {
		return "local"
	}
	return id[:min(len(id), maxServerID)]
}

func joined(faults map[string]string) error {
	if len(faults) == 0 {
		return nil
	}
	lines := make([]string, 0, len(faults))
	for name, text := range faults {
		lines = append(lines, name+": "+text)
	}
	slices.Sort(lines)
	return errors.New(strings.Join(lines, "\n"))
}
