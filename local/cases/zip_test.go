package cases

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// flagUTF8 says in the headers of an entry that its name is UTF-8; without it,
// Windows takes the name for one in its old code page.
const flagUTF8 = 0x800

// entrySeen is an entry as a program reads it.
type entrySeen struct {
	name   string
	digest string // SHA-256 of its content
}

// digests are the parts of a zip as Go reads them.
func digests(parts []part) (entries []entrySeen) {
	for _, p := range parts {
		sum := sha256.Sum256(p.content)
		entries = append(entries, entrySeen{p.Name, hex.EncodeToString(sum[:])})
	}
	return entries
}

// pythonEntries reads zips with Python's zipfile, by their directories, and checks
// the headers of each entry.
func pythonEntries(t testing.TB, paths ...string) (zips [][]entrySeen) {
	t.Helper()
	zone, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	out := output(t, testservices.Program(t, "python3"), append([]string{filepath.Join("testdata", "zip_entries.py")}, paths...)...)
	for line := range strings.Lines(out) {
		var entries []entrySeen
		for _, e := range decoded[[][6]any](t, []byte(line)) {
			name, local, central := e[0].(string), int(e[2].(float64)), int(e[3].(float64))
			if local&flagUTF8 == 0 || central&flagUTF8 == 0 || e[4] != e[0] {
				t.Errorf("%q has the flags %x and %x, and in its local header the name %q", name, local, central, e[4])
			}
			at, err := time.ParseInLocation(time.DateTime, e[5].(string), zone)
			if since := time.Since(at); err != nil || since < -2*time.Second || since > 2*patience {
				t.Errorf("%q is of %v", name, e[5])
			}
			entries = append(entries, entrySeen{name, e[1].(string)})
		}
		zips = append(zips, entries)
	}
	return zips
}

// javaEntries reads zips with Java's ZipInputStream, which never looks ahead.
func javaEntries(t testing.TB, paths ...string) (zips [][]entrySeen) {
	t.Helper()
	args := append([]string{"-Dfile.encoding=UTF-8", filepath.Join("testdata", "ForwardZip.java")}, paths...)
	var entries []entrySeen
	for line := range strings.Lines(output(t, testservices.Program(t, "java"), args...)) {
		if line == "\n" {
			zips = append(zips, entries)
			entries = nil
			continue
		}
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(fields) != 3 {
			t.Fatalf("Java says %q", line)
		}
		seconds, err := strconv.ParseInt(fields[1], 10, 64)
		if since := time.Since(time.Unix(seconds, 0)); err != nil || since < -2*time.Second || since > 2*patience {
			t.Errorf("Java: %q is of %s", fields[2], fields[1])
		}
		entries = append(entries, entrySeen{fields[2], fields[0]})
	}
	return zips
}

// unzipped unpacks a zip with Info-ZIP's unzip and reads the files that are there
// then, by name.
func unzipped(t testing.TB, path string) (entries []entrySeen) {
	t.Helper()
	folder := t.TempDir()
	output(t, testservices.Program(t, "unzip"), "-q", "-d", folder, path)
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		if since := time.Since(info.ModTime()); !info.Mode().IsRegular() || since < -2*time.Second || since > 2*patience {
			t.Errorf("unzip: %q is a file: %v, of %v", f.Name(), info.Mode().IsRegular(), info.ModTime())
		}
		content, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(content)
		entries = append(entries, entrySeen{f.Name(), hex.EncodeToString(sum[:])})
	}
	return entries
}

// output runs a program that must end well.
func output(t testing.TB, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", program, err, said.String())
	}
	return string(out)
}

// zipFile writes a zip to a file.
func zipFile(t testing.TB, content []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "parts.zip")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// byName sorts entries as a folder shows them.
func byName(entries []entrySeen) []entrySeen {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b entrySeen) int { return strings.Compare(a.name, b.name) })
	return entries
}

// Z1: the parts of a zip have the file's name without folders, and every program
// reads it and a time that is real.
func TestCase_Z1(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, d database) {
		s := serve(t, []string{counting(t, d, "")}, []string{"HAEXCEL_CHUNK_SIZE=1000", "HAEXCEL_ZIP_THRESHOLD=2000"}, d)
		f := s.export(t, "counting", `{"fileName": "보고서/1월 매출", "params": {"n": 11500}}`)
		sizes := slices.Repeat([]int{1000}, 12)
		sizes[11] = 500
		wantParts(t, f, "보고서_1월 매출", 11_500, sizes)
		if base := stamped(t, f.FileName, ".zip"); base != "보고서_1월 매출" {
			t.Errorf("the zip is called %q", base)
		}
		path, want := zipFile(t, f.content), digests(f.parts(t))
		for i, e := range want {
			if name := fmt.Sprintf("보고서_1월 매출_part%d.xlsx", i+1); e.name != name {
				t.Errorf("entry %d is called %q, want %q", i+1, e.name, name)
			}
		}
		for reader, got := range map[string][]entrySeen{"Python": pythonEntries(t, path)[0], "Java": javaEntries(t, path)[0]} {
			if !slices.Equal(got, want) {
				t.Errorf("%s finds %q, want %q", reader, got, want)
			}
		}
		if got := unzipped(t, path); !slices.Equal(got, byName(want)) {
			t.Errorf("unzip leaves %q, want %q", got, byName(want))
		}
	})
}

// The names of Z1 that an archive must not have, or that programs fail to unpack.
func TestCase_Z1Names(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	s := serve(t, []string{counting(t, d, "")}, []string{"HAEXCEL_CHUNK_SIZE=1000"}, d)
	const family = "👨\u200d👩\u200d👧"
	var paths, wanted []string
	for _, c := range []struct{ in, want string }{
		{"orders", "orders"}, // ASCII alone, flagged all the same
		{nfd, nfc},
		{"Café ÿ", "Café ÿ"},
		{"😀 𠮷野家 " + family, "😀 𠮷野家 " + family},
		{"../../etc/passwd", ".._.._etc_passwd"},
		{"/etc/passwd", "_etc_passwd"},
		{`..\..\win.ini`, ".._.._win.ini"},
		{`C:\temp\a`, "C__temp_a"},
		{`\\server\share`, "__server_share"},
		{"..", ".."},
		{".", "."},
		{"a/", "a_"},
		{"a?b*c|d<e>f:g\"h", "a_b_c_d_e_f_g_h"},
		{"10:30 회의", "10_30 회의"},
		{"CON", "_CON"},
		{"con.txt", "_con.txt"},
		{"LPT1:", "LPT1_"},
		{"a\r\nb\x00c\x1fd", "abcd"},
		{"invoice\u202excod.exe", "invoicexcod.exe"},
		{"", "export"},
		{" 매출 ", "매출"},
		{"a. . .", "a. . ."},
		{"~$매출", "~$매출"},
		{"-rf", "-rf"},
		{"%2e%2e%2f", "%2e%2e%2f"},
		{"a;b&c'd`e$f#g!h", "a;b&c'd`e$f#g!h"},
		{"a_part1.xlsx", "a_part1.xlsx"},
		{"!" + strings.Repeat("한", 300), "!" + strings.Repeat("한", 81)},
		{strings.Repeat(family, 30), strings.Repeat(family, 13)},
		{strings.Repeat("x", 300), strings.Repeat("x", 244)},
	} {
		// Two parts, which must not have one name where it is cut.
		f := s.export(t, "counting", body(t, map[string]any{"fileName": c.in, "params": map[string]any{"n": 1001}}, "zip"))
		parts := f.parts(t)
		if len(parts) != 2 || parts[0].Name != c.want+"_part1.xlsx" || parts[1].Name != c.want+"_part2.xlsx" {
			t.Errorf("%q: the %d parts are called %q …, want %q", c.in, len(parts), parts[0].Name, c.want+"_part1.xlsx")
		}
		path := zipFile(t, f.content)
		paths, wanted = append(paths, path), append(wanted, c.want)
		if got, want := unzipped(t, path), byName(digests(parts)); !slices.Equal(got, want) {
			t.Errorf("unzip leaves %q, want %q", got, want)
		}
	}
	for reader, zips := range map[string][][]entrySeen{"Python": pythonEntries(t, paths...), "Java": javaEntries(t, paths...)} {
		if len(zips) != len(wanted) {
			t.Fatalf("%s read %d zips of %d", reader, len(zips), len(wanted))
		}
		for i, entries := range zips {
			if len(entries) != 2 || entries[0].name != wanted[i]+"_part1.xlsx" || entries[1].name != wanted[i]+"_part2.xlsx" {
				t.Errorf("%s finds %q, want the parts of %q", reader, entries, wanted[i])
			}
		}
	}
}
