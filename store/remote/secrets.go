package remote

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"strings"
	"sync"
)

// secrets authorizes requests with HTTP Digest (RFC 7616, MD5 and SHA-256, with qop=auth
// or without qop), or with Basic (RFC 7617) if a server offers no Digest. It sends
// nothing before a server asks.
type secrets struct {
	user, password string

	mu     sync.Mutex
	basic  bool
	digest map[string]string // parameters of the last challenge, or nil
	count  uint32            // how often its nonce was used
}

// challenge records a server's challenge, and reports whether a request may be retried
// with it.
func (s *secrets) challenge(headers []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.digest, s.basic = nil, false
	for _, h := range headers {
		scheme, rest, _ := strings.Cut(h, " ")
		switch strings.ToLower(scheme) {
		case "digest":
			p := parameters(rest)
			if newHash(p["algorithm"]) != nil && (p["qop"] == "" || hasToken(p["qop"], "auth")) {
				s.digest, s.count = p, 0
			}
		case "basic":
			s.basic = true
		}
	}
	return s.digest != nil || s.basic
}

// authorize sets the Authorization header of a request, if a server has sent a challenge.
func (s *secrets) authorize(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.digest != nil:
		s.count++
		var client [16]byte
		rand.Read(client[:])
		r.Header.Set("Authorization", s.respond(r.Method, r.URL.RequestURI(), hex.EncodeToString(client[:])))
	case s.basic:
		r.SetBasicAuth(s.user, s.password)
	}
}

// respond computes the response (RFC 7616, section 3.4.1).
func (s *secrets) respond(method, uri, client string) string {
	p := s.digest
	sum := func(parts ...string) string {
		h := newHash(p["algorithm"])
		h.Write([]byte(strings.Join(parts, ":")))
		return hex.EncodeToString(h.Sum(nil))
	}
	secret := sum(s.user, p["realm"], s.password)
	if strings.HasSuffix(strings.ToLower(p["algorithm"]), "-sess") {
		secret = sum(secret, p["nonce"], client)
	}
	out := fmt.Sprintf(`Digest username="%s", realm="%s", nonce="%s", uri="%s"`, quoted(s.user), quoted(p["realm"]), quoted(p["nonce"]), quoted(uri))
	if p["qop"] == "" {
		out += fmt.Sprintf(`, response="%s"`, sum(secret, p["nonce"], sum(method, uri)))
	} else {
		count := fmt.Sprintf("%08x", s.count)
		out += fmt.Sprintf(`, qop=auth, nc=%s, cnonce="%s", response="%s"`, count, client,
			sum(secret, p["nonce"], count, client, "auth", sum(method, uri)))
	}
	if v, ok := p["opaque"]; ok {
		out += fmt.Sprintf(`, opaque="%s"`, quoted(v))
	}
	if v, ok := p["algorithm"]; ok {
		out += ", algorithm=" + v
	}
	return out
}

// newHash returns the hash of an algorithm, or nil if it is unknown.
func newHash(algorithm string) hash.Hash {
	switch strings.TrimSuffix(strings.ToLower(algorithm), "-sess") {
	case "", "md5":
		return md5.New()
	case "sha-256":
		return sha256.New()
	}
	return nil
}

func hasToken(list, want string) bool {
	for t := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(t), want) {
			return true
		}
	}
	return false
}

func quoted(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) }

// parameters parses name=value and name="value", separated by commas (RFC 9110, section
// 11.2).
func parameters(s string) map[string]string {
	out := map[string]string{}
	for {
		name, rest, ok := strings.Cut(strings.TrimLeft(s, " \t,"), "=")
		if !ok {
			return out
		}
		name = strings.ToLower(strings.TrimSpace(name))
		rest = strings.TrimLeft(rest, " \t")
		if !strings.HasPrefix(rest, `"`) {
			value, after, _ := strings.Cut(rest, ",")
			out[name], s = strings.TrimSpace(value), after
			continue
		}
		var value strings.Builder
		i := 1
		for ; i < len(rest) && rest[i] != '"'; i++ {
			if rest[i] == '\\' && i+1 < len(rest) {
				i++
			}
			value.WriteByte(rest[i])
		}
		out[name], s = value.String(), rest[min(i+1, len(rest)):]
	}
}
