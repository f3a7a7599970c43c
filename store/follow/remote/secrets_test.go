package remote

import (
	"net/http"
	"strings"
	"testing"
)

// Nothing is sent before a server asks. Digest is preferred to Basic, and unknown schemes
// are ignored.
func TestAPasswordIsSentAsAServerAsks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		headers []string
		want    string // the beginning of the header
	}{
		{nil, ""},
		{[]string{"Negotiate"}, ""},
		{[]string{`Basic realm="x"`}, "Basic dTpw"},
		{[]string{`Basic realm="x"`, `Digest realm="x", nonce="n", algorithm=MD5`}, "Digest username="},
		{[]string{`Digest realm="x", nonce="n", algorithm=SHA3-256, qop="auth"`}, ""},
		{[]string{`Digest realm="x", nonce="n", algorithm=SHA3-256`, `Basic realm="x"`}, "Basic dTpw"},
		{[]string{`Digest realm="x`, `basic realm="x"`}, "Basic dTpw"},
		{[]string{`Digest realm="a \"b\"", nonce="n",qop="auth"`}, `Digest username="u", realm="a \"b\"", nonce="n", uri="/q?a=b"`},
	} {
		s := &secrets{user: "u", password: "p"}
		if tried := s.challenge(http.Header{"Www-Authenticate": tt.headers}); tried != (tt.want != "") {
			t.Errorf("%q: tried %v", tt.headers, tried)
		}
		r, err := http.NewRequest("GET", "http://x/q?a=b", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.authorize(r); err != nil {
			t.Errorf("%q: %v", tt.headers, err)
		}
		if got := r.Header.Get("Authorization"); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q: sent %q", tt.headers, got)
		}
	}
}
