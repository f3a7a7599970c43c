package auth

import (
	"sync"
	"time"
)

// Revocation ends tokens before they expire: the token with an id, or all tokens issued
// to a user up to a time.
type Revocation struct {
	TokenID  string
	Username string
	UpTo     time.Time // last issue time of the user's revoked tokens; those without an issue time are revoked too
}

type revoked struct {
	mu    sync.RWMutex
	ids   map[string]bool
	users map[string]time.Time
}

// Revoke revokes tokens from now on.
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

// Revoked reports whether the actor's token was revoked. Issue times are whole seconds,
// so a token issued in the second of its user's revocation counts as revoked.
func (a *Authenticator) Revoked(actor Actor) bool {
	a.revoked.mu.RLock()
	defer a.revoked.mu.RUnlock()
	if actor.TokenID != "" && a.revoked.ids[actor.TokenID] {
		return true
	}
	upTo, ok := a.revoked.users[actor.Username]
	return ok && actor.Issued.Unix() <= upTo.Unix()
}
