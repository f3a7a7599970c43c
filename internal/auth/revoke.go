package auth

import (
	"sync"
	"time"
)

// Revocation ends tokens before they expire: the one of an id, or all of a user that were
// issued up to a second.
type Revocation struct {
	TokenID  string
	Username string
	UpTo     time.Time // of a user's tokens; one that does not say when it was issued is ended too
}

// revoked are the revocations in force.
type revoked struct {
	mu    sync.RWMutex
	ids   map[string]bool
	users map[string]time.Time
}

// Revoke ends tokens, from now on.
func (a *Authenticator) Revoke(r Revocation) {
	a.revoked.mu.Lock()
	defer a.revoked.mu.Unlock()
	if r.TokenID != "" {
		if a.revoked.ids == nil {
			a.revoked.ids = map[string]bool{}
		}
		a.revoked.ids[r.TokenID] = true
	}
	if r.Username != "" && r.UpTo.After(a.revoked.users[r.Username]) {
		if a.revoked.users == nil {
			a.revoked.users = map[string]time.Time{}
		}
		a.revoked.users[r.Username] = r.UpTo
	}
}

// Revoked reports whether the token of an actor was revoked. Issue times are whole
// seconds, so a token that was issued in the second of its user's revocation counts as
// older.
func (a *Authenticator) Revoked(actor Actor) bool {
	a.revoked.mu.RLock()
	defer a.revoked.mu.RUnlock()
	if actor.TokenID != "" && a.revoked.ids[actor.TokenID] {
		return true
	}
	upTo, ok := a.revoked.users[actor.Username]
	return ok && actor.Issued.Unix() <= upTo.Unix()
}
