package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// LoadFS reads every .yaml and .yml file at the top of a folder, each holding one
// dataset. It reports all faults of all files together, each as
// "file.yaml:LINE: reason", and checks nothing against a database.
func LoadFS(folder fs.FS, sources *Sources) ([]*SQL, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, fmt.Errorf("read the folder of datasets: %w", err)
	}
	var sets []*SQL
	var faults []error
	files := map[string]string{}
	for _, entry := range entries {
		if ext := path.Ext(entry.Name()); entry.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		data, err := fs.ReadFile(folder, entry.Name())
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", entry.Name(), err))
			continue
		}
		l := &loader{file: entry.Name(), sources: sources, set: &SQL{options: sources.options}}
		l.load(data)
		name := l.set.info.Name
		if first, taken := files[name]; taken && name != "" {
			l.fail(l.nameLine, "the dataset %q is declared in %s already", name, first)
		} else {
			files[name] = l.file
		}
		l.set.place = fmt.Sprintf("%s:%d", l.file, l.nameLine)
		faults = append(faults, l.faults...)
		sets = append(sets, l.set)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return sets, nil
}

// loader turns one file into a dataset and collects its faults.
type loader struct {
	file     string
	sources  *Sources
	set      *SQL
	faults   []error
	nameLine int
}

// members lists what a file may say, with the function that reads it. The order
// is that of reading: later ones look at what earlier ones found.
var members = []struct {
	name string
	read func(*loader, *yamlNode)
}{
	{"name", (*loader).name},
	{"title", func(l *loader, n *yamlNode) { l.set.info.Title = l.text(n, "title") }},
	{"sheetName", func(l *loader, n *yamlNode) { l.set.info.Sheet = l.text(n, "sheetName") }},
	{"source", func(*loader, *yamlNode) {}}, // read first, also when it is left out
	{"params", (*loader).params},
	{"sql", func(l *loader, n *yamlNode) { l.set.whole = l.statement(n, "sql") }},
	{"select", (*loader).fields},
	{"from", func(l *loader, n *yamlNode) { l.set.from = l.statement(n, "from") }},
	{"where", (*loader).where},
	{"key", (*loader).key},
	{"columns", (*loader).columns},
	{"sort", (*loader).sort},
	{"allow", func(l *loader, n *yamlNode) { l.set.info.Allow = l.texts(n, "allow") }},
	{"maxRows", (*loader).maxRows},
	{"count", func(l *loader, n *yamlNode) { l.set.countOff = l.off(n, "count") }},
	{"snapshot", func(l *loader, n *yamlNode) { l.set.snapshotOff = l.off(n, "snapshot") }},
	{"reuse", (*loader).reuse},
	{"pregenerate", (*loader).pregenerate},
}

func (l *loader) fail(line int, format string, args ...any) {
	l.faults = append(l.faults, fmt.Errorf("%s:%d: %s", l.file, line, fmt.Sprintf(format, args...)))
}

func (l *loader) load(data []byte) {
	sum := sha256.Sum256(data)
	l.set.info.Digest = hex.EncodeToString(sum[:])
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // Windows editors write it
	if line := brokenLine(text); line > 0 {
		l.fail(line, "is not UTF-8; save the file in this encoding")
		return
	}
	root, err := parseYAML(text)
	if err != nil {
		line := 1
		if located, ok := errors.AsType[*yamlError](err); ok {
			line = located.line
		}
		l.fail(line, "%v", err)
		return
	}
	l.known(root, "a dataset", memberNames())
	l.findSource(root)
	whole := root.member("sql") != nil
	for _, m := range members {
		if n := root.member(m.name); n != nil && (!whole || !slices.Contains(parts, m.name)) {
			m.read(l, n)
		}
	}
	l.finish(root)
}

// brokenLine is the first line that is not UTF-8, 0 when there is none.
func brokenLine(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; !utf8.Valid(line) {
			return n
		}
	}
	return 0
}

// parts are the members that sql takes the place of.
var parts = []string{"select", "from", "where", "key", "sort"}

func memberNames() []string {
	var names []string
	for _, m := range members {
		names = append(names, m.name)
	}
	return names
}

// known refuses members that nothing reads: most often typing errors.
func (l *loader) known(n *yamlNode, what string, names []string) {
	for _, m := range n.members {
		if !slices.Contains(names, m.name) {
			l.fail(m.line, "unknown member %q; %s has %s", m.name, what, strings.Join(names, ", "))
		}
	}
}

// findSource decides the database, and by that how statements are read.
func (l *loader) findSource(root *yamlNode) {
	name, line := "", root.line
	if n := root.member("source"); n != nil {
		name, line = l.text(n, "source"), n.line
	}
	src, ok := l.sources.find(name)
	switch {
	case ok:
		l.set.source = src
	case name == "":
		l.fail(line, "the job database has no URL; set HAEXCEL_DATABASE_URL, or name a source")
	default:
		l.fail(line, "the source %q has no URL; set HAEXCEL_SOURCE_%s_URL", name, strings.ToUpper(name))
	}
}

// finish checks what belongs together.
func (l *loader) finish(root *yamlNode) {
	info := &l.set.info
	if root.member("name") == nil {
		l.fail(root.line, "the name is missing")
	}
	if info.Title == "" {
		info.Title = info.Name
	}
	if whole := root.member("sql"); whole != nil {
		for _, name := range parts {
			if n := root.member(name); n != nil {
				l.fail(n.line, "%s goes with select and from, not with sql", name)
			}
		}
	} else {
		for _, name := range parts[:2] {
			if root.member(name) == nil {
				l.fail(root.line, "%s is missing; a dataset has sql, or select and from", name)
			}
		}
	}
	if n := root.member("sort"); n != nil && root.member("key") == nil && root.member("sql") == nil {
		l.fail(n.line, "sort needs key: without it, rows of one value have no order, and some would be lost between two pages")
	}
	info.Keyed = len(l.set.key) > 0
	slices.Sort(info.Caller)
	if n := root.member("pregenerate"); n != nil && info.Pregenerate > 0 {
		for _, reason := range checkPregenerate(*info) {
			l.fail(n.line, "the dataset can't be pregenerated: %s", reason)
		}
	}
}
