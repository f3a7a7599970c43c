package views

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/segraph/segraph/auth"
)

// maxSessions limits all sessions, maxOfUser those of one user. Beyond either limit, the
// least recently used session ends.
const (
	maxSessions = 1000
	maxOfUser   = 20
)

// sessions holds the signed-in users. The browser has a random id; sessions keeps only
// the id's hash and the token's claims. So neither the id nor the token can be recovered
// from memory. A session ends when its token expires or is revoked, when the user signs
// out, and with the process.
type sessions struct {
	now     func() time.Time
	revoked func(auth.Actor) bool

	mu  sync.Mutex
	all *simplelru.LRU[sessionKey, auth.Actor]
}

// sessionKey is the hash of a session's id.
type sessionKey = [sha256.Size]byte

func newSessions(now func() time.Time, revoked func(auth.Actor) bool) *sessions {
	all, _ := simplelru.NewLRU[sessionKey, auth.Actor](maxSessions, nil) // fails only for a size of 0
	return &sessions{now: now, revoked: revoked, all: all}
}

// begin creates a session for an actor and returns its id.
func (s *sessions) begin(actor auth.Actor) string {
	id := rand.Text() + rand.Text() // 260 bits
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var ofUser []sessionKey
	for _, key := range s.all.Keys() { // the least recently used first
		if other, _ := s.all.Peek(key); !now.Before(other.Expires) {
			s.all.Remove(key)
		} else if other.Username == actor.Username {
			ofUser = append(ofUser, key)
		}
	}
	if len(ofUser) >= maxOfUser {
		s.all.Remove(ofUser[0])
	}
	s.all.Add(sha256.Sum256([]byte(id)), actor)
	return id
}

// actor returns the actor of a session. The session is over once its token expires or is
// revoked.
func (s *sessions) actor(id string) (actor auth.Actor, ok bool) {
	if id == "" {
		return auth.Actor{}, false
	}
	key := sha256.Sum256([]byte(id))
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.all.Get(key)
	if !ok {
		return auth.Actor{}, false
	}
	if !s.now().Before(found.Expires) || s.revoked(found) {
		s.all.Remove(key)
		return auth.Actor{}, false
	}
	return found, true
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Remove(sha256.Sum256([]byte(id)))
}

// cookieName is the name of the session's cookie over plain HTTP.
const cookieName = "segraph_session"

// secureCookieName returns the name of the cookie over TLS. Browsers refuse __Host- cookies
// from other hosts or without Secure, and __Secure- cookies without Secure. Only __Secure-
// cookies may be limited to a path (RFC 6265bis, section 4.1.3).
func secureCookieName(base string) string {
	if base == "" {
		return "__Host-" + cookieName
	}
	return "__Secure-" + cookieName
}

// sessionID returns the id sent by the browser, or "". Over TLS it reads only the cookie that no other host, and no
// page over plain HTTP, can set.
func (u *UI) sessionID(r *http.Request) string {
	name := cookieName
	if u.Front.Secure(r) {
		name = secureCookieName(u.Base())
	}
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// sessionCookie returns a cookie that keeps an id until a time, or deletes it if id is
// "". Browsers send it only to paths below base and, if secure is set, only over HTTPS.
func sessionCookie(base, id string, expires time.Time, secure bool) *http.Cookie {
	c := &http.Cookie{
		Name: cookieName, Value: id, Path: base, Expires: expires,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: secure,
	}
	if base == "" {
		c.Path = "/"
	}
	if secure {
		c.Name = secureCookieName(base)
	}
	if id == "" {
		c.MaxAge = -1
	}
	return c
}
