package readers

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// The programs that run in Java, and the schemas that they bring.
//
//go:embed java/*.java java/*.xsd
var javaPrograms embed.FS

// compileJava makes a temporary folder of classes and schemas.
func compileJava(ctx context.Context, jars []string) (folder string, err error) {
	if folder, err = os.MkdirTemp("", "haexcel-java-"); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	programs, err := fs.Sub(javaPrograms, "java")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(folder, programs); err != nil {
		return "", err
	}
	sources, err := fs.Glob(programs, "*.java")
	if err != nil {
		return "", err
	}
	args := []string{"-encoding", "UTF-8", "-cp", strings.Join(jars, string(filepath.ListSeparator)), "-d", "."}
	for _, name := range sources {
		args = append(args, path.Base(name))
	}
	cmd := exec.CommandContext(ctx, "javac", args...)
	cmd.Dir = folder
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("javac: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return folder, nil
}
