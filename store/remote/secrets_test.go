package remote

import (
	"net/http"
	"strings"
	"testing"
)

// The test uses the examples of RFC 7616, section 3.9.1.
func TestDigestIsThatOfTheStandard(t *testing.T) {
	for algorithm, want := range map[string]string{
		"MD5":     "8ca523f5e9506fed4657c9700eebdbec",
		"SHA-256": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
	} {
		s := &secrets{user: "Mufasa", password: "Circle of Life"}
		if !s.challenge([]string{`Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=` + algorithm +
			`, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`}) {
			t.Fatalf("%s is not accepted", algorithm)
		}
		s.count = 1
		got := parameters(strings.TrimPrefix(s.respond("GET", "/dir/index.html", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"), "Digest "))
		if got["response"] != want || got["nc"] != "00000001" || got["qop"] != "auth" || got["username"] != "Mufasa" ||
			got["opaque"] != "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS" || got["algorithm"] != algorithm {
			t.Errorf("%s: %v", algorithm, got)
		}
	}
}

// Nothing is sent before a server asks. Digest is preferred to Basic, and unknown schemes
// are ignored.
func TestAPasswordIsSentAsAServerAsks(t *testing.T) {
	for _, tt := range []struct {
		headers []string
		want    string // the beginning of the header
	}{
		{nil, ""},
		{[]string{"Negotiate"}, ""},
		{[]string{`Basic realm="x"`}, "Basic dTpw"},
		{[]string{`Basic realm="x"`, `Digest realm="x", nonce="n", algorithm=MD5`}, "Digest username="},
		{[]string{`Digest realm="x", nonce="n", algorithm=SHA-512-256, qop="auth"`}, ""},
		{[]string{`Digest realm="x", nonce="n", qop="auth-int"`}, ""},
		{[]string{`Digest realm="a \"b\"", nonce="n",qop="auth"`}, `Digest username="u", realm="a \"b\"", nonce="n", uri="/q?a=b", qop=auth`},
	} {
		s := &secrets{user: "u", password: "p"}
		if tried := s.challenge(tt.headers); tried != (tt.want != "") {
			t.Errorf("%q: tried %v", tt.headers, tried)
		}
		r, err := http.NewRequest("GET", "http://x/q?a=b", nil)
		if err != nil {
			t.Fatal(err)
		}
		s.authorize(r)
		if got := r.Header.Get("Authorization"); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q: sent %q", tt.headers, got)
		}
	}
}
