package remote

import (
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/icholy/digest"
)

// secrets authorizes requests with HTTP Digest (RFC 7616), or with Basic (RFC 7617) if a
// server offers no Digest with a known algorithm. It sends nothing before a server asks, but for a
// Bearer token (RFC 6750), which it reads for each request.
type secrets struct {
	user, password string
	tokenFile      string // or ""

	mu     sync.Mutex
	basic  bool
	digest *digest.Challenge // the last one, or nil
	count  int               // how often its nonce was used
}

// challenge records the challenge in the header of an answer, and reports whether a
// request may be retried with it.
func (s *secrets) challenge(h http.Header) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.basic, s.count = false, 0
	s.digest, _ = digest.FindChallenge(h) // nil if there is none that it supports
	for _, c := range h.Values("WWW-Authenticate") {
		scheme, _, _ := strings.Cut(c, " ")
		s.basic = s.basic || strings.EqualFold(scheme, "basic")
	}
	return s.digest != nil || s.basic
}

// authorize sets the Authorization header of a request, if a server has sent a challenge.
func (s *secrets) authorize(r *http.Request) error {
	if s.tokenFile != "" {
		token, err := os.ReadFile(s.tokenFile)
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.digest != nil:
		s.count++
		c, err := digest.Digest(s.digest, digest.Options{
			Method: r.Method, URI: r.URL.RequestURI(), GetBody: r.GetBody, Count: s.count, Username: s.user, Password: s.password,
		})
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", c.String())
	case s.basic:
		r.SetBasicAuth(s.user, s.password)
	}
	return nil
}
