package httpsig

import (
	"errors"
	"net/http"
	"testing"
)

// FuzzSignature parses headers and signature bases that somebody else wrote. A parsed
// signature has the limits and parameters that the package promises. A parsed base is
// written again byte for byte.
func FuzzSignature(f *testing.F) {
	for _, coding := range []string{"", "zstd"} {
		r := post(f, coding)
		s, err := Parse(r.Header)
		if err != nil {
			f.Fatal(err)
		}
		base, err := s.Verify(public(), requestOf(r))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(r.Header.Get("Signature-Input"), r.Header.Get("Signature"), r.Header.Get("Content-Digest"), base)
	}
	f.Add(`sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`, // RFC 9421, appendix B.2.6
		`sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:`, digestOf("body"),
		`"@method": POST`+"\n"+`"@signature-params": ();tag="segraph"`)
	f.Add(`a=(), b=1;tag=segraph, segraph=("@method";req);tag="segraph";alg=1;created=1.5`, `segraph="x"`, `sha-256=("x")`, "\n"+`"@signature-params": `)
	f.Fuzz(func(t *testing.T, input, value, digest, base string) {
		h := http.Header{"Signature-Input": {input}, "Signature": {value}, "Content-Digest": {digest}, "Content-Type": {"text/turtle"}}
		fails := func(err error) bool {
			var refused *Error
			if err != nil && !errors.As(err, &refused) {
				t.Errorf("the error is not for the client: %v", err)
			}
			return err != nil
		}
		s, err := Parse(h)
		if fails(err) == (s != nil) {
			t.Errorf("both or neither of %+v and %v", s, err)
		}
		if s != nil {
			if len(s.Nonce) < minNonce || len(s.Nonce) > maxNonce || s.KeyID == "" || s.Created.IsZero() || len(input)+len(value) > maxHeaders {
				t.Errorf("accepted: %+v", s)
			}
			_, err := s.Verify(public(), Request{Method: "POST", Path: "/ttl", Header: h, Authorities: []string{"example.com"}})
			fails(err)
		}
		if d, err := NewDigest(h); !fails(err) {
			_, _ = d.Write([]byte("body"))
			fails(d.Check())
		}
		s, r, err := ParseBase(base)
		if fails(err) {
			return
		}
		again, err := s.base(r, r.Authorities[0])
		if fails(err) || again != base {
			t.Errorf("%q was parsed, and is written as %q", base, again)
		}
	})
}
