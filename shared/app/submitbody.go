package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"mime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/export"
	"github.com/haexcel/haexcel/shared/fault"
)

const (
	maxJSONDepth     = 64
	maxFileNameRunes = 256 // file_name is VARCHAR(256)
	maxSortFields    = 64
)

// submission is a request body that has passed every check.
type submission struct {
	fileName  string
	totalCnt  int64 // the client's hint, 0 for none
	params    dataset.Values
	ignored   []string          // undeclared parameters
	columns   []cell.ColumnDef  // as asked for; nil means the dataset's defaults
	options   submissionOptions // what the table keeps in one JSON column
	effective []cell.ColumnDef  // columns, or the defaults
}

// submissionOptions is options_json.
type submissionOptions struct {
	Packaging export.Packaging  `json:"packaging"`
	SheetName string            `json:"sheetName,omitempty"`
	Sort      []dataset.SortKey `json:"sort,omitempty"`
	TotalCnt  int64             `json:"totalCnt,omitempty"`
	// PregenerateMillis is the rate of an export that is built beforehand: it
	// says how long its file is kept.
	PregenerateMillis int64 `json:"pregenerateMillis,omitempty"`
}

// checkMediaType accepts JSON, whatever its charset parameter says, since JSON
// is UTF-8. A request that names no type is refused, too, as Spring does: with
// the auth cookie, a page of another site could send one without a preflight.
func checkMediaType(contentType string) error {
	media, _, err := mime.ParseMediaType(contentType)
	if err == nil && (media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")) {
		return nil
	}
	return fault.New(fault.UnsupportedMedia, "The body must be application/json.")
}

// readObject reads a body's members by their exact names. Of two members of one
// name the last counts.
func readObject(body []byte) (map[string]json.RawMessage, error) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, fault.New(fault.Invalid, "The body is empty. An export without wishes is {}.")
	}
	if !utf8.Valid(body) || !json.Valid(body) {
		return nil, fault.New(fault.Invalid, "The body is not valid JSON.")
	}
	if jsonDepth(body) > maxJSONDepth {
		return nil, fault.New(fault.Invalid, fmt.Sprintf("The body is nested deeper than %d levels.", maxJSONDepth))
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return nil, fault.New(fault.Invalid, "The body must be a JSON object.")
	}
	return members, nil
}

// jsonDepth is how deep valid JSON nests.
func jsonDepth(valid []byte) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(valid); i++ {
		switch c := valid[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// parseSubmission checks all members together: every fault of the request is in
// the one answer. Members are read as leniently as the Java library's Jackson
// does: scalars as text, numbers as text, null as absent, unknown ones ignored.
func parseSubmission(body []byte, info dataset.Info) (submission, error) {
	members, err := readObject(body)
	if err != nil {
		return submission{}, err
	}
	r := memberReader{members: members, fields: map[string]string{}}
	s := submission{
		fileName: r.fileName(),
		totalCnt: r.totalCnt(),
		options:  submissionOptions{Packaging: r.packaging(), SheetName: r.text("sheetName")},
	}
	s.options.TotalCnt = s.totalCnt
	s.params, s.ignored = r.params(info.Params)
	s.columns = r.columns(info)
	s.effective = s.columns
	if len(s.effective) == 0 {
		s.effective = info.Columns
	}
	r.template()
	s.options.Sort = r.sort(info.Sort)
	if len(r.fields) > 0 {
		return submission{}, invalidFields(r.fields)
	}
	return s, nil
}

// Bounds of an answer to a thoroughly wrong request. A path holds names that the
// client chose, hence it may be as long as the body.
const (
	maxFaults   = 20
	maxPathText = 256
	named       = 5
)

// invalidFields is the fault of faulty members.
func invalidFields(fields map[string]string) *fault.Error {
	paths := slices.Sorted(maps.Keys(fields))
	shown := map[string]string{}
	for i, path := range paths[:min(len(paths), maxFaults)] {
		paths[i] = cut(path, maxPathText)
		shown[paths[i]] = fields[path]
	}
	text := strings.Join(paths[:min(len(paths), named)], ", ")
	if len(paths) > named {
		text += ", …"
	}
	f := fault.New(fault.Invalid, "The request is not valid: "+text+".")
	f.Fields = shown
	return f
}

// memberReader reads single members and notes what is wrong with them.
type memberReader struct {
	members map[string]json.RawMessage
	fields  map[string]string
}

func (r memberReader) absent(name string) bool {
	raw := bytes.TrimSpace(r.members[name])
	return len(raw) == 0 || string(raw) == "null"
}

// text reads a scalar as text.
func (r memberReader) text(name string) string {
	if r.absent(name) {
		return ""
	}
	s, ok := scalarText(r.members[name])
	if !ok {
		r.fields[name] = "must be text"
	}
	return s
}

// scalarText is the text of a JSON scalar, numbers digit for digit.
func scalarText(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	switch raw[0] {
	case '{', '[':
		return "", false
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err == nil
	default:
		return string(raw), true
	}
}

// fileName removes U+0000, which a table cannot hold, and cuts. Letters come
// composed, so that both spellings of a name are cut alike and are one export.
func (r memberReader) fileName() string {
	name := []rune(norm.NFC.String(strings.ReplaceAll(r.text("fileName"), "\x00", "")))
	return string(name[:min(len(name), maxFileNameRunes)])
}

// totalCnt is a hint: only what is no number at all is a fault, a negative
// number is no hint.
func (r memberReader) totalCnt() int64 {
	text := strings.TrimSpace(r.text("totalCnt"))
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return max(n, 0)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > 1e15 {
		r.fields["totalCnt"] = "must be a whole number"
		return 0
	}
	return max(int64(f), 0)
}

func (r memberReader) packaging() export.Packaging {
	p := export.Packaging(r.text("packaging"))
	if p == "" {
		return export.Auto
	}
	if !p.Valid() {
		r.fields["packaging"] = "must be auto, workbook or zip"
	}
	return p
}

func (r memberReader) params(declared []dataset.Param) (dataset.Values, []string) {
	raw := dataset.RawParams{}
	if !r.absent("params") {
		if err := json.Unmarshal(r.members["params"], &raw); err != nil {
			r.fields["params"] = "must be an object"
			return nil, nil
		}
	}
	values, ignored, fields := dataset.Normalise(declared, raw)
	maps.Copy(r.fields, fields)
	for name, v := range values {
		if slices.ContainsFunc(v.Items, func(item string) bool { return strings.ContainsRune(item, 0) }) {
			r.fields["params."+name] = "must not contain U+0000"
		}
	}
	return values, ignored
}

func (r memberReader) columns(info dataset.Info) []cell.ColumnDef {
	defs, fields := cell.ParseColumns(r.members["columns"])
	maps.Copy(r.fields, fields)
	if len(fields) == 0 && len(defs) == 0 && len(info.Columns) == 0 {
		r.fields["columns"] = "is required: this dataset has no default columns"
	}
	return defs
}

// template refuses templates, which are not part of this version. A blank id is
// none.
func (r memberReader) template() {
	if strings.TrimSpace(r.text("templateId")) != "" {
		r.fields["templateId"] = "templates are not available here"
	}
}

// sort reads the wished order. Its fields are those that the dataset declares; a
// dataset in SQL that declares some has a key, as reading in an order needs.
func (r memberReader) sort(allowed []string) []dataset.SortKey {
	if r.absent("sort") {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(r.members["sort"], &list) != nil {
		r.fields["sort"] = "must be a list"
		return nil
	}
	if len(list) > maxSortFields {
		r.fields["sort"] = fmt.Sprintf("has more than %d fields", maxSortFields)
		return nil
	}
	var order []dataset.SortKey
	for i, raw := range list {
		path := fmt.Sprintf("sort[%d]", i)
		key, fields := sortKey(raw, allowed)
		if len(fields) == 0 && slices.ContainsFunc(order, func(k dataset.SortKey) bool { return k.Field == key.Field }) {
			fields = map[string]string{".field": "is named twice"}
		}
		for member, reason := range fields {
			r.fields[path+member] = reason
		}
		if len(fields) == 0 {
			order = append(order, key)
		}
	}
	return order
}

// sortKey reads one field of an order; fields holds what is wrong by the member's
// path below it.
func sortKey(raw json.RawMessage, allowed []string) (key dataset.SortKey, fields map[string]string) {
	fields = map[string]string{}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		fields[""] = "must be an object with field and dir"
		return dataset.SortKey{}, fields
	}
	k := memberReader{members: members, fields: map[string]string{}}
	field, dir := k.text("field"), k.text("dir")
	for member, reason := range k.fields {
		fields["."+member] = reason
	}
	if k.fields["field"] == "" && !slices.Contains(allowed, field) {
		fields[".field"] = "is not a field this dataset can be ordered by"
	}
	if k.fields["dir"] == "" && dir != "" && dir != "asc" && dir != "desc" {
		fields[".dir"] = "must be asc or desc"
	}
	return dataset.SortKey{Field: field, Desc: dir == "desc"}, fields
}
