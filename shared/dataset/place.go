package dataset

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/haexcel/haexcel/shared/fault"
)

// placeVersion changes with the meaning of a place's text.
const placeVersion = 1

// place is a place in an order as JSON, in printable ASCII and UTF-8 alone.
type place struct {
	Version  int      `json:"v"`
	Database string   `json:"db"` // the dialect that the values are for
	By       []string `json:"by"` // the order's fields, each behind + or -
	At       []placed `json:"at"` // their values
}

// placed is one value of a place. It is bound, as all values are: no part of it
// comes into the text of a statement.
type placed struct {
	Form string `json:"form"`
	Text string `json:"text,omitempty"`
	Raw  []byte `json:"raw,omitempty"` // instead of a text that is no UTF-8
	Type uint32 `json:"type,omitempty"`
}

// The forms of values.
const (
	nullForm    = "null"
	integerForm = "integer" // of 64 bits
	naturalForm = "natural" // of 64 bits without a sign
	floatForm   = "float"   // the 64 bits in hex: every NaN, infinity and zero
	textForm    = "text"
	bytesForm   = "bytes"
	decimalForm = "decimal"
	dateForm    = "date"
	momentForm  = "moment"  // a date-time without a zone
	instantForm = "instant" // seconds since 1970, with decimals
	timeForm    = "time"
	hexForm     = "hex"   // bytes
	nativeForm  = "typed" // PostgreSQL's own text and the number of its type
)

var errPlace = errors.New("the place is malformed")

// bounds reads a place of the reading's order; "" is none.
func (r *reading) bounds(text string) ([]bound, error) {
	if text == "" {
		return nil, nil
	}
	out, err := parsePlace(r.dataset.source.dialect, r.order, text, r.query.Zone)
	if err != nil {
		return nil, fault.Wrap(fault.Unprocessable, err,
			fmt.Sprintf("Dataset %q: the place to read from or to is none of its order.", r.dataset.info.Name))
	}
	return out, nil
}

// parsePlace reads a place. zone is that of the report.
func parsePlace(d *dialect, order []term, text string, zone *time.Location) ([]bound, error) {
	var p place
	in := json.NewDecoder(bytes.NewReader([]byte(text)))
	in.DisallowUnknownFields()
	if err := in.Decode(&p); err != nil {
		return nil, err
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, errPlace
	}
	switch {
	case p.Version != placeVersion:
		return nil, fmt.Errorf("a place of version %d", p.Version)
	case p.Database != d.name:
		return nil, errors.New("a place in another database")
	case !slices.Equal(p.By, names(order)) || len(p.At) != len(order):
		return nil, errors.New("a place in another order")
	}
	out := make([]bound, len(order))
	for i, v := range p.At {
		switch {
		case v.Form != nullForm:
			var err error
			if out[i], err = d.placed(v, zone); err != nil {
				return nil, err
			}
		case order[i].key:
			return nil, errNullKey
		default:
			out[i] = bound{null: true}
		}
	}
	return out, nil
}

// writePlace is the text of a place.
func writePlace(d *dialect, order []term, values []bound) (string, error) {
	p := place{Version: placeVersion, Database: d.name, By: names(order)}
	for _, v := range values {
		one, err := placeOf(v)
		if err != nil {
			return "", err
		}
		p.At = append(p.At, one)
	}
	text, err := json.Marshal(p)
	return string(text), err
}

func names(order []term) []string {
	var out []string
	for _, t := range order {
		sign := "+"
		if t.desc {
			sign = "-"
		}
		out = append(out, sign+t.field)
	}
	return out
}

// placeOf is a value on its way into a place.
func placeOf(v bound) (placed, error) {
	switch value := v.value.(type) {
	case nil:
		if v.null {
			return placed{Form: nullForm}, nil
		}
	case int64:
		return placed{Form: integerForm, Text: strconv.FormatInt(value, 10)}, nil
	case uint64:
		return placed{Form: naturalForm, Text: strconv.FormatUint(value, 10)}, nil
	case float64:
		return placed{Form: floatForm, Text: fmt.Sprintf("%016x", math.Float64bits(value))}, nil
	case string:
		form := v.form
		if form == "" {
			form = textForm
		}
		return newPlaced(form, []byte(value)), nil
	case []byte:
		if v.oid != 0 {
			p := newPlaced(nativeForm, value)
			p.Type = v.oid
			return p, nil
		}
		return placed{Form: bytesForm, Raw: value}, nil
	}
	return placed{}, fmt.Errorf("a %T has no place", v.value)
}

func newPlaced(form string, content []byte) placed {
	if utf8.Valid(content) {
		return placed{Form: form, Text: string(content)}
	}
	return placed{Form: form, Raw: content}
}

// content is what the value's text or bytes are.
func (p placed) content() []byte {
	if p.Raw != nil {
		return p.Raw
	}
	return []byte(p.Text)
}

// number binds the forms of numbers that the drivers take as such.
func (p placed) number() (bound, error) {
	switch p.Form {
	case integerForm:
		v, err := strconv.ParseInt(p.Text, 10, 64)
		return bound{value: v}, err
	case naturalForm:
		v, err := strconv.ParseUint(p.Text, 10, 64)
		return bound{value: v}, err
	case floatForm:
		v, err := strconv.ParseUint(p.Text, 16, 64)
		return bound{value: math.Float64frombits(v)}, err
	}
	return bound{}, errPlace
}

func sqlitePlaced(p placed, _ *time.Location) (bound, error) {
	switch p.Form {
	case textForm:
		return bound{value: string(p.content())}, nil
	case bytesForm:
		return bound{value: p.content()}, nil
	case naturalForm: // beyond what it stores
		return bound{}, errPlace
	}
	return p.number()
}

func postgresPlaced(p placed, _ *time.Location) (bound, error) {
	if p.Form != nativeForm || p.Type == 0 || bytes.IndexByte(p.content(), 0) >= 0 {
		return bound{}, errPlace
	}
	return bound{value: p.content(), oid: p.Type}, nil
}

// What the server itself would take for NULL, and so for the end of the rows, is
// refused here.
var mysqlForms = map[string]*regexp.Regexp{
	decimalForm: regexp.MustCompile(`^-?\d{1,65}(?:\.\d{1,38})?$`),
	dateForm:    regexp.MustCompile(`^\d{4}-\d\d-\d\d$`),
	momentForm:  regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?$`),
	timeForm:    regexp.MustCompile(`^-?\d{2,3}:\d\d:\d\d(?:\.\d{1,6})?$`),
	instantForm: regexp.MustCompile(`^\d{1,10}(?:\.\d{1,6})?$`),
}

// maxMySQLDigits is the most that a DECIMAL has.
const maxMySQLDigits = 65

func mysqlPlaced(p placed, zone *time.Location) (bound, error) {
	text := string(p.content())
	if form := mysqlForms[p.Form]; form != nil && !form.MatchString(text) {
		return bound{}, errPlace
	}
	switch p.Form {
	case textForm:
		return bound{value: text}, nil
	case decimalForm:
		digits := 0
		for _, c := range text {
			if c >= '0' && c <= '9' {
				digits++
			}
		}
		if digits > maxMySQLDigits {
			return bound{}, errPlace
		}
		return mysqlDecimal(text), nil
	case dateForm:
		return mysqlDate(text), nil
	case momentForm:
		return mysqlMoment(text), nil
	case timeForm:
		return mysqlTime(text), nil
	case instantForm:
		seconds, err := strconv.ParseFloat(text, 64)
		return mysqlInstant(text, shownTwice(time.Unix(int64(seconds), 0).In(zone))), err
	case hexForm:
		_, err := hex.DecodeString(text)
		return mysqlBinary(text), err
	}
	return p.number()
}
