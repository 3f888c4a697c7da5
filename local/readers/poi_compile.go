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
	"path/filepath"
	"strings"
)

// The programs that run in Java, and the schemas that they bring.
//
//go:embed java/*.java java/*.xsd
var javaPrograms embed.FS

// compileJava makes a temporary folder of classes and schemas.
func compileJava(ctx context.Context, jars []string) (string, error) {
	folder, err := os.MkdirTemp("", "haexcel-java-")
	if err != nil {
		return "", err
	}
	if err := compileInto(ctx, folder, jars); err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	return folder, nil
}

func compileInto(ctx context.Context, folder string, jars []string) error {
	programs, err := fs.Sub(javaPrograms, "java")
	if err != nil {
		return err
	}
	if err := os.CopyFS(folder, programs); err != nil {
		return err
	}
	sources, err := fs.Glob(programs, "*.java")
	if err != nil {
		return err
	}
	args := []string{"-encoding", "UTF-8", "-cp", strings.Join(jars, string(filepath.ListSeparator)), "-d", "."}
	cmd := exec.CommandContext(ctx, "javac", append(args, sources...)...)
	cmd.Dir = folder
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("javac: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}
