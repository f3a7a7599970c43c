package httpsig

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
	outside "github.com/remitly-oss/httpsig-go"
)

var private = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

func public() ed25519.PublicKey { return private.Public().(ed25519.PublicKey) }

// digestOf returns the Content-Digest of a body.
func digestOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// given is a fixed MetadataProvider of the other library.
type given struct{ created int }

func (g given) Created() (int, error) { return g.created, nil }
func (given) Expires() (int, error)   { return 0, nil }
func (given) Nonce() (string, error)  { return "a nonce of \"chance\"", nil }
func (given) Alg() (string, error)    { return "ed25519", nil }
func (given) KeyID() (string, error)  { return "the key", nil }
func (given) Tag() (string, error)    { return Tag, nil }

// post returns a request that the other library signed.
func post(t testing.TB, coding string) *http.Request {
	t.Helper()
	h := http.Header{"Content-Type": {`text/turtle; version="1.1"`}}
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	return postWith(t, h)
}

// postWith is post with other headers.
func postWith(t testing.TB, h http.Header) *http.Request {
	t.Helper()
	r := httptest.NewRequest("POST", "/ttl?user=ari%20b&x", strings.NewReader("body"))
	r.Header = h
	err := outside.Sign(r, outside.SigningOptions{
		PrivateKey: private, Algorithm: outside.Algo_ED25519, Fields: outside.Fields(Components(false, h["Content-Encoding"] != nil)...),
		Metadata:  []outside.Metadata{outside.MetaCreated, outside.MetaKeyID, outside.MetaNonce, outside.MetaTag},
		MetaKeyID: "the key", MetaTag: Tag,
	}, given{created: 1_800_000_000})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func requestOf(r *http.Request) Request {
	return Request{Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery, Header: r.Header, Authorities: []string{"other.example", "example.com"}}
}

// TestAnotherProgramsSignatureIsAccepted signs with another library, with and without an
// encoding.
func TestAnotherProgramsSignatureIsAccepted(t *testing.T) {
	for _, coding := range []string{"", "zstd"} {
		r := post(t, coding)
		s, err := Parse(r.Header)
		if err != nil || s.KeyID != "the key" || s.Nonce != `a nonce of "chance"` || !s.Created.Equal(time.Unix(1_800_000_000, 0)) {
			t.Fatalf("%q: %+v, %v", coding, s, err)
		}
		base, err := s.Verify(public(), requestOf(r))
		if err != nil || !ed25519.Verify(public(), []byte(base), s.Value[:]) {
			t.Errorf("%q: %v", coding, err)
		}
		d, err := NewDigest(r.Header)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(d, r.Body)
		if err := d.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestTheVectorOfTheStandard is RFC 9421, appendix B.2.6.
func TestTheVectorOfTheStandard(t *testing.T) {
	key, _ := base64.RawURLEncoding.DecodeString("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs")
	value, _ := base64.StdEncoding.DecodeString("wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==")
	all, err := httpsfv.UnmarshalDictionary([]string{`sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`})
	if err != nil {
		t.Fatal(err)
	}
	member, _ := all.Get("sig-b26")
	s := Signature{input: member.(httpsfv.InnerList)}
	base, err := s.base(Request{Method: "POST", Path: "/foo", Header: http.Header{
		"Date": {"Tue, 20 Apr 2021 02:07:55 GMT"}, "Content-Type": {"application/json"}, "Content-Length": {"18"}}}, "example.com")
	if err != nil || !ed25519.Verify(key, []byte(base), value) {
		t.Errorf("%v\n%s", err, base)
	}
}

// TestASignatureOfAnotherRequestIsRefused changes each signed part.
func TestASignatureOfAnotherRequestIsRefused(t *testing.T) {
	for name, change := range map[string]func(*Request){
		"method":        func(r *Request) { r.Method = "PUT" },
		"path":          func(r *Request) { r.Path = "/shared-context/resolve" },
		"escaped path":  func(r *Request) { r.Path = "/%74tl" },
		"query":         func(r *Request) { r.Query = "user=eva" },
		"no query":      func(r *Request) { r.Query = "" },
		"server":        func(r *Request) { r.Authorities = []string{"other.example"} },
		"port":          func(r *Request) { r.Authorities = []string{"example.com:5001"} },
		"no known name": func(r *Request) { r.Authorities = nil },
		"content type":  func(r *Request) { r.Header.Set("Content-Type", "application/json") },
		"two types":     func(r *Request) { r.Header.Add("Content-Type", "application/json") },
		"no type":       func(r *Request) { r.Header.Del("Content-Type") },
		"encoding":      func(r *Request) { r.Header.Set("Content-Encoding", "gzip") },
		"digest":        func(r *Request) { r.Header.Set("Content-Digest", digestOf("other")) },
	} {
		r := post(t, "")
		s, err := Parse(r.Header)
		if err != nil {
			t.Fatal(err)
		}
		q := requestOf(r)
		change(&q)
		var refused *Error
		if _, err := s.Verify(public(), q); !errors.As(err, &refused) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	s, _ := Parse(post(t, "").Header)
	if _, err := s.Verify(ed25519.NewKeyFromSeed(make([]byte, 32)).Public().(ed25519.PublicKey), requestOf(post(t, ""))); err == nil {
		t.Error("another key verifies it")
	}
}

// What is signed must be readable by those who verify it later, without the request.
func TestASignatureThatNobodyCanReadAgainIsRefused(t *testing.T) {
	r := postWith(t, http.Header{"Content-Type": {"text/turtle"}, "Content-Encoding": {""}})
	s, err := Parse(r.Header)
	if err != nil {
		t.Fatal(err)
	}
	var refused *Error
	if base, err := s.Verify(public(), requestOf(r)); !errors.As(err, &refused) || base != "" {
		t.Errorf("%v %q", err, base)
	}
}

const (
	covered = `("@method" "@authority" "@path" "@query" "content-type" "content-digest")`
	rest    = `;created=1;keyid="k";nonce="12345678";tag="segraph"`
)

func headers(input, signature string) http.Header {
	return http.Header{"Signature-Input": {input}, "Signature": {signature}}
}

func TestParseRefuses(t *testing.T) {
	value := "s=:" + base64.StdEncoding.EncodeToString(make([]byte, 64)) + ":"
	for name, c := range map[string]struct{ input, signature, want string }{
		"no dictionary":    {"(", value, "can't be parsed"},
		"no signature":     {"s=" + covered + rest, "", "no Ed25519 signature"},
		"another label":    {"t=" + covered + rest, value, "no Ed25519 signature"},
		"short":            {"s=" + covered + rest, "s=:AAAA:", "no Ed25519 signature"},
		"a text":           {"s=" + covered + rest, `s="x"`, "no Ed25519 signature"},
		"bad signature":    {"s=" + covered + rest, "s=:", "can't be parsed"},
		"only a signature": {"", value, "no signature in Signature-Input"},
		"another tag":      {"s=" + covered + `;tag="other"`, value, "no signature in Signature-Input"},
		"two":              {"s=" + covered + rest + ", t=" + covered + rest, value, "more than one"},
		"no list":          {`s=1;tag="segraph"`, value, "no signature in Signature-Input"},
		"alg":              {"s=" + covered + rest + `;alg="hmac-sha256"`, value, "parameter alg"},
		"expires":          {"s=" + covered + rest + `;expires=9`, value, "may have created"},
		"created text":     {"s=" + covered + `;created="1";keyid="k";nonce="12345678";tag="segraph"`, value, "parameter created"},
		"keyid number":     {"s=" + covered + `;created=1;keyid=1;nonce="12345678";tag="segraph"`, value, "parameter keyid"},
		"nonce number":     {"s=" + covered + `;created=1;keyid="k";nonce=12345678;tag="segraph"`, value, "parameter nonce"},
		"short nonce":      {"s=" + covered + `;created=1;keyid="k";nonce="1234567";tag="segraph"`, value, "parameter nonce"},
		"long nonce":       {"s=" + covered + `;created=1;keyid="k";nonce="` + strings.Repeat("x", 129) + `";tag="segraph"`, value, "parameter nonce"},
		"no created":       {"s=" + covered + `;keyid="k";nonce="12345678";tag="segraph"`, value, "needs the parameters"},
		"no keyid":         {"s=" + covered + `;created=1;nonce="12345678";tag="segraph"`, value, "needs the parameters"},
		"no nonce":         {"s=" + covered + `;created=1;keyid="k";tag="segraph"`, value, "needs the parameters"},
		"long":             {"s=" + covered + rest + strings.Repeat(" ", maxHeaders), value, "longer than"},
	} {
		_, err := Parse(headers(c.input, c.signature))
		var refused *Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, h := range map[string]http.Header{
		"none":              {},
		"with others":       headers(`p=("@method");tag="proxy", s=`+covered+rest, "p=:AAAA:, "+value),
		"the algorithm too": headers("s="+covered+rest+`;alg="ed25519"`, value),
	} {
		if s, err := Parse(h); err != nil || (s == nil) != (name == "none") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// TestASignatureCoversExactlyWhatItShould refuses fewer and more components.
func TestASignatureCoversExactlyWhatItShould(t *testing.T) {
	value := "s=:" + base64.StdEncoding.EncodeToString(make([]byte, 64)) + ":"
	for list, ok := range map[string]bool{
		covered: true,
		`("content-digest" "@query" "@path" "@method" "@authority" "content-type")`: true, // in any order
		`()`: false,
		`("@method" "@authority" "@path" "@query" "content-type")`:                                     false,
		`("@method" "@authority" "@path" "@query" "content-type" "content-digest" "date")`:             false,
		`("@method" "@authority" "@path" "@query" "content-type" "content-type")`:                      false,
		`("@method" "@authority" "@path" "@query" "content-type" "content-digest";req)`:                false,
		`("@method" "@authority" "@path" "@query" "content-type" content-digest)`:                      false,
		`("@method" "@authority" "@path" "@query" "content-type" "content-encoding" "content-digest")`: false,
	} {
		s, err := Parse(headers("s="+list+rest, value))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.covers(Components(false, false)); (err == nil) != ok {
			t.Errorf("%s: %v", list, err)
		}
	}
	s, _ := Parse(headers("s="+covered+rest, value))
	long := Request{Path: "/" + strings.Repeat("x", maxBase), Authorities: []string{"a"}, Header: http.Header{"Content-Type": {"a"}, "Content-Digest": {"b"}}}
	if _, err := s.Verify(public(), long); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a long path: %v", err)
	}
	for _, kind := range []string{"text/turtle; x=\xe9", "text/turtle; x=é", "text/turtle; x=\x7f", "text/turtle; x=\x01"} {
		odd := Request{Path: "/", Authorities: []string{"a"}, Header: http.Header{"Content-Type": {kind}, "Content-Digest": {"b"}}}
		if _, err := s.Verify(public(), odd); err == nil || !strings.Contains(err.Error(), "must be ASCII") {
			t.Errorf("%q: %v", kind, err)
		}
	}
}

func TestDigest(t *testing.T) {
	both := sha512.Sum512([]byte("body"))
	for name, c := range map[string]struct {
		header []string
		body   string
		parses bool
		fits   bool
	}{
		"sha-256":          {[]string{digestOf("body")}, "body", true, true},
		"both":             {[]string{digestOf("body"), fmt.Sprintf("sha-512=:%s:", base64.StdEncoding.EncodeToString(both[:]))}, "body", true, true},
		"one of both":      {[]string{digestOf("other"), fmt.Sprintf("sha-512=:%s:", base64.StdEncoding.EncodeToString(both[:]))}, "body", true, false},
		"with tabs":        {[]string{digestOf("body") + "\t,\t" + fmt.Sprintf("sha-512=:%s:", base64.StdEncoding.EncodeToString(both[:]))}, "body", true, true},
		"with another":     {[]string{"md5=:AAAA:, " + digestOf("body")}, "body", false, false},
		"twice":            {[]string{digestOf("other") + ", " + digestOf("body")}, "body", false, false},
		"twice the same":   {[]string{digestOf("body"), digestOf("body")}, "body", false, false},
		"in a text":        {[]string{`x=",` + digestOf("other") + `", ` + digestOf("body")}, "body", false, false},
		"with a parameter": {[]string{digestOf("body") + `;x=",` + digestOf("other") + `"`}, "body", false, false},
		"lax base64":       {[]string{"sha-256=:Iw2DWNyOiJC0xY3utikS7i8gNXrpKlzIYbmOaP4xrLV=:"}, "body", false, false},
		"another body":     {[]string{digestOf("body")}, "other", true, false},
		"only another":     {[]string{"md5=:AAAA:"}, "body", false, false},
		"a text":           {[]string{`sha-256="x"`}, "body", false, false},
		"none":             {nil, "body", false, false},
		"no dictionary":    {[]string{"="}, "body", false, false},
		"longer than most": {[]string{digestOf("body") + strings.Repeat(" ", maxDigest)}, "body", false, false},
	} {
		d, err := NewDigest(http.Header{"Content-Digest": c.header})
		if (err == nil) != c.parses {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_, _ = io.WriteString(d, c.body)
			if err := d.Check(); (err == nil) != c.fits {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestWhatToSignCanBeParsedByOthers parses Accept-Signature with the other library.
func TestWhatToSignCanBeParsedByOthers(t *testing.T) {
	o, err := outside.ParseAcceptSignature(Accept("abc", false, true))
	if err != nil || len(o.Fields) != 7 || o.MetaTag != Tag || o.Label != Tag {
		t.Errorf("%+v, %v", o, err)
	}
}
