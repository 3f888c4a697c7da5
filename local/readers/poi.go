package readers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// Java is a Java virtual machine that runs Apache POI. It starts once and then
// answers for one file after the other; callers on several goroutines wait for
// each other.
//
// A call whose context ends while the answer is under way stops the machine, and
// every later call fails: there is no other way to end what POI does.
type Java struct {
	folder string // of the classes, removed once they are loaded
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *json.Decoder
	said   bytes.Buffer  // of complaints; read when the machine has ended
	turn   chan struct{} // taken by who asks
	err    error         // why it no longer runs; read and written by who has the turn
	ended  atomic.Bool   // whether it no longer runs
}

// exitTimeout is how long a machine without input may take to end.
const exitTimeout = 10 * time.Second

// StartJava compiles the programs and starts the machine, which takes some
// seconds. The class path names the jars of poi-ooxml and poi-ooxml-full, with
// what they need, as `java -cp` takes them. The machine is killed when ctx ends.
func StartJava(ctx context.Context, classpath string) (*Java, error) {
	// A part of the schemas stands in the jar of the lite ones too. Validating by
	// that part would take what it leaves out for faults.
	var jars []string
	for _, jar := range filepath.SplitList(classpath) {
		if !strings.HasPrefix(filepath.Base(jar), "poi-ooxml-lite-") {
			jars = append(jars, jar)
		}
	}
	folder, err := compileJava(ctx, jars)
	if err != nil {
		return nil, err
	}
	j := &Java{folder: folder, turn: make(chan struct{}, 1)}
	if err := j.start(ctx, append(jars, folder)); err != nil {
		return nil, errors.Join(fmt.Errorf("start Java: %w", err), os.RemoveAll(folder))
	}
	// The machine answers once without a question.
	if err := j.answer(func(javaLine) error { return nil }); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

func (j *Java) start(ctx context.Context, classpath []string) (err error) {
	j.cmd = exec.CommandContext(ctx, "java", "-Xmx2g", "-XX:+UseSerialGC", "-Djava.awt.headless=true",
		// What POI logs comes to standard error, errors alone.
		"-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory",
		"-cp", strings.Join(classpath, string(filepath.ListSeparator)), "haexcel.Server", j.folder)
	j.cmd.Env = []string{"LC_ALL=C.UTF-8"} // of the names of files; nobody's JAVA_TOOL_OPTIONS count
	j.cmd.Stderr = &j.said
	if j.in, err = j.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	j.out = json.NewDecoder(out)
	j.out.DisallowUnknownFields()
	return j.cmd.Start()
}

// javaLine is a line of an answer.
type javaLine struct {
	Sheet *string
	Row   int
	Cells [][]string

	Part         string
	Line, Column int
	Path         string
	Message      string

	End   bool
	Error string
}

// ask sends a verb with a file's path and shows each line of the answer. Where
// show fails, the rest of the answer is read past.
func (j *Java) ask(ctx context.Context, verb, path string, show func(javaLine) error) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if strings.ContainsAny(path, "\n\r") {
		return fmt.Errorf("a line break in the path %q", path)
	}
	select {
	case j.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-j.turn }()
	if j.err != nil {
		return j.err
	}
	unwatch := context.AfterFunc(ctx, func() { _ = j.cmd.Process.Kill() }) // it may have ended
	defer unwatch()
	if _, err := fmt.Fprintf(j.in, "%s %s\n", verb, path); err != nil {
		return j.lost(ctx, err)
	}
	err = j.answer(show)
	if j.err != nil {
		return j.lost(ctx, err)
	}
	return err
}

// answer reads lines up to the last one, also where show fails or does not return.
func (j *Java) answer(show func(javaLine) error) (err error) {
	ended := false
	defer func() {
		for !ended {
			_, ended = j.next()
		}
	}()
	for {
		line, last := j.next()
		ended = last
		switch {
		case j.err != nil:
			return errors.Join(err, j.err)
		case last && line.Error != "":
			return errors.Join(err, errors.New(line.Error))
		case last:
			return err
		case err == nil:
			err = show(line)
		}
	}
}

// next reads a line and reports whether it is the last of an answer, as it is where
// the machine has failed.
func (j *Java) next() (line javaLine, last bool) {
	if err := j.out.Decode(&line); err != nil {
		j.err = fmt.Errorf("it gives no answer: %w", err)
		j.ended.Store(true)
	}
	return line, line.End || j.err != nil
}

// lost ends a machine that is of no use any more and says why.
func (j *Java) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	j.err = errors.Join(fmt.Errorf("Java was stopped: %w", err), j.finish())
	return j.err
}

// Close ends the machine. It waits for an answer that is under way.
func (j *Java) Close() error {
	j.turn <- struct{}{}
	defer func() { <-j.turn }()
	if errors.Is(j.err, errJavaClosed) {
		return nil
	}
	err := j.finish()
	j.err = errJavaClosed
	return err
}

var errJavaClosed = errors.New("Java was closed")

// finish waits for the machine's end. Its classes are still there if it could not
// start.
func (j *Java) finish() error {
	if j.cmd.ProcessState != nil {
		return nil
	}
	j.ended.Store(true)
	_ = j.in.Close() // the process may have closed its end
	impatient := time.AfterFunc(exitTimeout, func() { _ = j.cmd.Process.Kill() })
	defer impatient.Stop()
	err := complaint(j.cmd.Wait(), &j.said)
	return errors.Join(err, os.RemoveAll(j.folder))
}
