//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is in the cache is not made again, what is half made is, and what has other
// content has a place of its own.
func TestCachedInstallation(t *testing.T) {
	t.Setenv("HOME", t.TempDir()) // macOS has its cache folder there
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	env := newTestEnvironment(t)
	made := 0
	var failing error
	installation := func(content string) cached {
		return cached{
			title: "Something", name: "something-1", content: []byte(content),
			fill: func(_ context.Context, _ *environment, folder string) error {
				made++
				if err := os.Mkdir(folder, 0o755); err != nil {
					return err
				}
				return errors.Join(os.WriteFile(filepath.Join(folder, "content"), []byte(content), 0o644), failing)
			},
		}
	}
	expect := func(c cached, times int) (folder string) {
		t.Helper()
		folder, err := c.install(t.Context(), env)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(folder, "content")); err != nil || string(got) != string(c.content) {
			t.Errorf("found %q, %v in it, want %q", got, err, c.content)
		}
		if !c.installed() || made != times {
			t.Errorf("made %d times, want %d; installed: %t", made, times, c.installed())
		}
		return folder
	}

	failing = errors.New("no room")
	first := installation("first")
	if _, err := first.install(t.Context(), env); err == nil || err.Error() != "install Something: no room" {
		t.Errorf("said %v", err)
	}
	if first.installed() {
		t.Error("a half made one passes for a whole one")
	}
	failing = nil
	folder := expect(first, 2)
	expect(first, 2)
	if other := expect(installation("second"), 3); other == folder {
		t.Errorf("both are in %s", other)
	}
	expect(first, 3)
}

func TestClassPath(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if path, err := classPath(folder); err == nil {
		t.Errorf("an empty folder gives %q", path)
	}
	for _, name := range []string{"poi.jar", "pom.xml", "commons.jar"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := filepath.Join(folder, "commons.jar") + string(filepath.ListSeparator) + filepath.Join(folder, "poi.jar")
	if got, err := classPath(folder); err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// What is missing is named.
func TestMissingReadersAreNamed(t *testing.T) {
	t.Parallel()
	for service, says := range map[string]string{
		"openpyxl": "openpyxl can't be had: Python 3.13 or later is",
		"poi":      "poi can't be had: java, javac, mvn are not on this machine",
		"exceljs":  "exceljs can't be had: node, npm are not on this machine",
	} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			for ci, want := range map[string]int{"": 0, "true": exitFailed} {
				program := newProgram(t, "-only", service, "--", "true")
				home := t.TempDir()
				program.cmd.Env = append(program.cmd.Env, "CI="+ci, "PATH="+onlyTrue(t), "HOME="+home, "XDG_CACHE_HOME="+home, "PYENV_ROOT="+home)
				if code := program.run(t); code != want {
					t.Errorf("exit code %d with CI=%s, want %d", code, ci, want)
				}
				if !strings.Contains(program.messages.String(), says) {
					t.Errorf("said %q, want %q", program.messages, says)
				}
				program.expectNothingLeft(t)
			}
		})
	}
}
