package readers_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
)

// zipped is the parts of a workbook, to be damaged. A name may be there twice.
type zipped struct {
	names    []string
	contents []string
}

func unpackBook(t *testing.T, data []byte) *zipped {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	z := new(zipped)
	for _, f := range archive.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		z.add(f.Name, string(content))
	}
	return z
}

func (z *zipped) add(name, content string) {
	z.names, z.contents = append(z.names, name), append(z.contents, content)
}

// replace changes the first occurrence of a text in a part, which must be there.
func (z *zipped) replace(t *testing.T, name, old, replacement string) {
	t.Helper()
	for i := range z.names {
		if z.names[i] != name {
			continue
		}
		if !strings.Contains(z.contents[i], old) {
			t.Fatalf("%s does not contain %q:\n%s", name, old, z.contents[i])
		}
		z.contents[i] = strings.Replace(z.contents[i], old, replacement, 1)
		return
	}
	t.Fatalf("there is no %s among %q", name, z.names)
}

// rename gives a part another name, "" takes it away.
func (z *zipped) rename(t *testing.T, name, to string) {
	t.Helper()
	for i := range z.names {
		if z.names[i] == name {
			z.names[i] = to
			return
		}
	}
	t.Fatalf("there is no %s among %q", name, z.names)
}

func (z *zipped) write(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i, name := range z.names {
		if name == "" {
			continue
		}
		part, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, z.contents[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, out.Bytes())
}
