package cases

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

// The keys of every S3 server for tests.
const (
	testRegion = "us-east-1"
	testKey    = "test"
)

// onS3 makes a bucket of the test's own and returns the settings that name it.
func onS3(t testing.TB) (environment []string) {
	t.Helper()
	endpoint := testservices.AWSEndpoint(t)
	client := s3.New(s3.Options{
		Region: testRegion, BaseEndpoint: &endpoint, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(testKey, testKey, ""),
	})
	bucket := "cases-" + strings.ToLower(rand.Text())
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	return []string{
		"HAEXCEL_STORAGE_TYPE=S3", "HAEXCEL_S3_BUCKET=" + bucket, "HAEXCEL_S3_REGION=" + testRegion, "HAEXCEL_S3_ENDPOINT=" + endpoint,
		"HAEXCEL_S3_ACCESS_KEY=" + testKey, "HAEXCEL_S3_SECRET_KEY=" + testKey,
	}
}

// signature computes what a link must be signed with for all its parameters, as
// AWS describes it for query strings (Signature Version 4).
func signature(link *url.URL) string {
	var parameters []string
	for parameter := range strings.SplitSeq(link.RawQuery, "&") {
		if !strings.HasPrefix(parameter, "X-Amz-Signature=") {
			parameters = append(parameters, parameter)
		}
	}
	slices.Sort(parameters)
	request := strings.Join([]string{http.MethodGet, link.EscapedPath(), strings.Join(parameters, "&"), "host:" + link.Host, "", "host", "UNSIGNED-PAYLOAD"}, "\n")
	hashed := sha256.Sum256([]byte(request))
	at := link.Query().Get("X-Amz-Date")
	scope := []string{at[:8], testRegion, "s3", "aws4_request"}
	key := []byte("AWS4" + testKey)
	for _, part := range scope {
		key = authenticated(key, part)
	}
	return hex.EncodeToString(authenticated(key, strings.Join([]string{"AWS4-HMAC-SHA256", at, strings.Join(scope, "/"), hex.EncodeToString(hashed[:])}, "\n")))
}

func authenticated(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// H3: a signed link carries the name in ASCII, signed, and the storage answers
// with it; where nothing can be signed, the program answers so itself.
func TestCase_H3(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	set := oneRow(t, d)
	signed, streamed := serve(t, []string{set}, onS3(t), d), serve(t, []string{set}, nil, d)
	signed.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	python := map[string]string{}
	for _, c := range []struct{ name, in, want string }{
		{"the case", "매출 현황 (최종)", "매출 현황 (최종)"},
		{"ASCII", "orders", "orders"},
		{"decomposed", nfd, nfc},
		{"what a query uses", "a+b&c=d?e#f%20g;h", "a+b&c=d?e#f%20g;h"},
		{"what a header uses", `a"b';c=d, e`, `a"b';c=d, e`},
		{"what Latin-1 has", "Café ÿ £", "Café ÿ £"},
		{"beyond the first plane", "😀 𠮷野家", "😀 𠮷野家"},
		{"blank", " ", "export"},
		{"the longest", strings.Repeat("한 글", 80), strings.TrimSpace(strings.Repeat("한 글", 33) + "한")},
		{"a header of its own", "a\r\nX-Amz-Expires: 1", "aX-Amz-Expires: 1"},
		{"reserved on Windows", `<:*?|>`, `<:*?|>`},
	} {
		for packaging, extension := range map[string]string{"workbook": ".xlsx", "zip": ".zip"} {
			t.Run(c.name+", "+packaging, func(t *testing.T) {
				request := columns(t, object{"fileName": c.in, "packaging": packaging}, leaf("a", "A"))
				end := signed.run(t, "row", request)
				base := stamped(t, end.FileName, extension)
				if end.Status != "DONE" || base != c.want {
					t.Errorf("the job ended %s, its file is called %q, want %q", end.Status, base, c.want)
				}
				location := wantLink(t, signed, end, extension)
				status, lines, content := signed.curl(t, location)
				header := onlyLine(t, lines, "Content-Disposition")
				if !strings.Contains(status, " 200") || onlyLine(t, lines, "Content-Type") != mediaTypes[extension] {
					t.Errorf("the link answers %s %q", status, lines)
				}
				wantDisposition(t, header, end.FileName)
				python[header] = end.FileName

				f := streamed.export(t, "row", request)
				if got := stamped(t, f.FileName, extension); got != c.want || len(f.header.Values("Content-Disposition")) != 1 || f.header.Get("Content-Type") != mediaTypes[extension] {
					t.Errorf("streamed as %q with %v", got, f.header)
				}
				wantDisposition(t, f.header.Get("Content-Disposition"), f.FileName)
				if packaging == "workbook" {
					book(t, content)
					book(t, f.content)
				}
			})
		}
	}
	wantPython(t, python)
}

var mediaTypes = map[string]string{
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".zip":  "application/zip",
}

// wantLink checks the redirect to a job's file and the link that is given as JSON.
func wantLink(t *testing.T, s *site, end status, extension string) (location string) {
	t.Helper()
	a := s.do(t, http.MethodGet, end.JobID+"/file", "")
	if a.code != http.StatusFound || len(a.header.Values("Content-Disposition")) > 0 {
		t.Fatalf("download: %d %v", a.code, a.header)
	}
	info := decoded[struct {
		URL      string `json:"url"`
		FileName string `json:"fileName"`
	}](t, s.do(t, http.MethodGet, end.JobID+"/file?redirect=false", "").body)
	if info.FileName != end.FileName {
		t.Errorf("the link's description has the name %q", info.FileName)
	}
	for _, address := range []string{a.header.Get("Location"), info.URL} {
		link, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		query := link.Query()
		name := query.Get("response-content-disposition")
		if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) {
			t.Errorf("the parameter is not ASCII: %q", name)
		}
		wantDisposition(t, name, end.FileName)
		if kind := query.Get("response-content-type"); kind != mediaTypes[extension] {
			t.Errorf("the link asks for the type %q", kind)
		}
		if strings.Contains(link.RawQuery, "+") || !strings.Contains(link.RawQuery, "attachment%3B%20filename%3D%22") {
			t.Errorf("blanks are not %%20 in %s", link.RawQuery)
		}
		if life, err := strconv.Atoi(query.Get("X-Amz-Expires")); err != nil || life < 1 || life > 600 {
			t.Errorf("the link lives %q seconds", query.Get("X-Amz-Expires"))
		}
		if got, want := query.Get("X-Amz-Signature"), signature(link); got != want {
			t.Errorf("the link is signed with %s, by all its parameters it is %s", got, want)
		}
		other := *link
		other.RawQuery = strings.Replace(link.RawQuery, "response-content-disposition=attachment", "response-content-disposition=inline", 1)
		if signature(&other) == signature(link) || other.RawQuery == link.RawQuery {
			t.Error("the signature does not depend on the name")
		}
	}
	return info.URL
}
