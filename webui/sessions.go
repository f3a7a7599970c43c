package webui

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"github.com/segraph/segraph/internal/auth"
)

// maxSessions bounds how many sessions there are, and maxOfUser how many one user has.
// Past either, the one that was not used for the longest is ended.
const (
	maxSessions = 1000
	maxOfUser   = 20
)

// sessions are who is signed in. What the browser has is a random id, and of that only
// the hash is kept here; of the token only what it said, so that neither can be had back
// from memory. Sessions end with their token, also where it is revoked, by signing out,
// and with the process.
type sessions struct {
	now     func() time.Time
	revoked func(auth.Actor) bool

	mu  sync.Mutex
	all map[[sha256.Size]byte]*session
}

type session struct {
	actor auth.Actor
	used  time.Time
}

func newSessions(now func() time.Time, revoked func(auth.Actor) bool) *sessions {
	return &sessions{now: now, revoked: revoked, all: map[[sha256.Size]byte]*session{}}
}

// begin makes a session of an actor and gives its id.
func (s *sessions) begin(actor auth.Actor) string {
	id := rand.Text() + rand.Text() // 260 bits
	s.mu.Lock()
	defer s.mu.Unlock()
	now, ofUser := s.now(), 0
	for key, other := range s.all {
		if !now.Before(other.actor.Expires) {
			delete(s.all, key)
		} else if other.actor.Username == actor.Username {
			ofUser++
		}
	}
	if ofUser >= maxOfUser {
		s.endOldest(func(o *session) bool { return o.actor.Username == actor.Username })
	} else if len(s.all) >= maxSessions {
		s.endOldest(func(*session) bool { return true })
	}
	s.all[sha256.Sum256([]byte(id))] = &session{actor: actor, used: now}
	return id
}

// endOldest ends the session that was not used for the longest out of those that count.
func (s *sessions) endOldest(counts func(*session) bool) {
	var oldest [sha256.Size]byte
	var found *session
	for key, o := range s.all {
		if counts(o) && (found == nil || o.used.Before(found.used)) {
			oldest, found = key, o
		}
	}
	delete(s.all, oldest)
}

// actor tells whose session it is. It is over once the token is, also where that was
// revoked.
func (s *sessions) actor(id string) (auth.Actor, bool) {
	if id == "" {
		return auth.Actor{}, false
	}
	key := sha256.Sum256([]byte(id))
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.all[key]
	if !ok {
		return auth.Actor{}, false
	}
	now := s.now()
	if !now.Before(found.actor.Expires) || s.revoked(found.actor) {
		delete(s.all, key)
		return auth.Actor{}, false
	}
	found.used = now
	return found.actor, true
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, sha256.Sum256([]byte(id)))
}

// cookieName is the name of the session's cookie over plain HTTP.
const cookieName = "segraph_session"

// secureCookieName is its name on TLS. Browsers refuse __Host- from other hosts and
// without Secure, and __Secure-, which alone may be for a part of a host, without Secure
// (RFC 6265bis, section 4.1.3).
func secureCookieName(base string) string {
	if base == "" {
		return "__Host-" + cookieName
	}
	return "__Secure-" + cookieName
}

// sessionID returns the id that the browser sent, or "".
func (u *UI) sessionID(r *http.Request) string {
	for _, name := range []string{secureCookieName(u.base()), cookieName} {
		if c, err := r.Cookie(name); err == nil {
			return c.Value
		}
	}
	return ""
}

// sessionCookie makes the browser keep an id until a time, or forget it where the id is
// "". It is sent to what is below base alone.
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
