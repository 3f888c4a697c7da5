package wake

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/haexcel/haexcel/shared/fault"
)

func TestParseReadsWhatEncodeWrites(t *testing.T) {
	for _, w := range []Wake{
		{JobID: "0b8e5a3e-6e0c-4b2f-9d3a-3f3b9a1c2d4e"},
		{JobID: "x", Attempt: 7, WokenAt: 1788327025123, RequestID: "요청 \"1\" <&>\n"},
		{JobID: "x", WokenAt: 1<<53 + 1}, // beyond what a float64 holds
	} {
		got, err := Parse(w.Encode())
		if err != nil || got != w {
			t.Errorf("got %+v, %v; want %+v", got, err, w)
		}
	}
}

func TestEncodeNamesItsMembers(t *testing.T) {
	var members map[string]any
	body := Wake{JobID: "j", Attempt: 1, WokenAt: 2, RequestID: "r"}.Encode()
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"jobId", "attempt", "wokenAt", "requestId"} {
		if _, ok := members[name]; !ok {
			t.Errorf("%s lacks %q", body, name)
		}
	}
	if len(members) != 4 {
		t.Errorf("more than four members: %s", body)
	}
}

func TestParseIgnoresUnknownMembers(t *testing.T) {
	got, err := Parse(`{"jobId":"j","attempt":2,"wokenAt":3,"later":{"x":[1]}}`)
	if err != nil || got != (Wake{JobID: "j", Attempt: 2, WokenAt: 3}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestParseRefusesWhatIsNoWake(t *testing.T) {
	for _, body := range []string{
		"", " ", "null", "[]", `"jobId"`, "{}", `{"jobId":`, `{"jobId":""}`, `{"jobId":7}`, `{"jobId":null}`,
		`{"jobId":"j","attempt":"2"}`, `{"jobId":"j","attempt":1.5}`, `{"jobId":"j","wokenAt":1e400}`,
		`{"jobId":"j"} trailing`, "\x00",
	} {
		if got, err := Parse(body); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: got %+v, %v, want Invalid", body, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"jobId":"j","attempt":2,"wokenAt":3}`)
	f.Add(`{"jobId":`)
	f.Fuzz(func(t *testing.T, body string) {
		w, err := Parse(body)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("got %v, want Invalid", err)
			}
			return
		}
		if again, err := Parse(w.Encode()); err != nil || again != w {
			t.Errorf("%+v became %+v, %v", w, again, err)
		}
	})
}

func TestGroup(t *testing.T) {
	// printf u1 | sha256sum
	if got := Group("u1"); got != "bb82030dbc2bcaba32a90bf2e207a84a" {
		t.Errorf("got %q", got)
	}
	valid := regexp.MustCompile(`^[0-9a-f]{32}$`)
	seen := map[string]string{}
	for _, requester := range []string{"", "u1", "u2", "U1", "사용자", "a b\n", strings.Repeat("x", 10_000), "\xff"} {
		g := Group(requester)
		if !valid.MatchString(g) {
			t.Errorf("%q: %q is no group", requester, g)
		}
		if other, ok := seen[g]; ok {
			t.Errorf("%q and %q share a group", requester, other)
		}
		seen[g] = requester
		if Group(requester) != g {
			t.Errorf("%q has two groups", requester)
		}
	}
}
