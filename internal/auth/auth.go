// Package auth decides who a request comes from. Its rules:
//
//   - A token is a JWT (RFC 7519) signed with HS256 and nothing else. Its header names
//     "alg" and perhaps "typ" and "kid", which chooses nothing; one that holds a key or the
//     address of one, or asks for anything more, is refused.
//   - It is signed with the secret, or with the one before (AlsoAccept), which signs no new ones.
//   - One that was revoked, by its "jti" or its user, is refused (revoke.go).
//   - Claims: "username" (without it "sub"), "roles", "exp", and "nbf" and "iat" where
//     present. Times are whole seconds and get no leeway.
//   - Without a secret, authentication is off: every request is anonymous_user's, with
//     every role.
//   - No error and no log line holds a token or a part of one.
package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Role is what an actor may do. The specification has these three.
type Role string

const (
	Admin   Role = "admin"   // operates, validates, deletes, reviews
	Logger  Role = "logger"  // publishes logs
	Auditor Role = "auditor" // inspects and queries
)

// Roles returns every role there is.
func Roles() []Role { return []Role{Admin, Logger, Auditor} }

// Anonymous is the name of the actor while authentication is off.
const Anonymous = "anonymous_user"

// The bounds of a secret. MinSecret is the least length of a secret in bytes: HS256 wants
// a key no shorter than its hash (RFC 7518, section 3.2). MinDistinct is how many
// different bytes it has at least, and MinUnit how long a text is that it may repeat.
const (
	MinSecret   = 32
	MinDistinct = 8
	MinUnit     = 16
)

// ErrWeakSecret is wrapped by what New returns for a secret that could be found by trying.
var ErrWeakSecret = errors.New("could be found by trying")

// Actor is who makes a request.
type Actor struct {
	Username string
	Roles    []Role
	Expires  time.Time // zero while authentication is off
	Issued   time.Time // zero where the token does not say
	TokenID  string    // its "jti"; "" where it has none
}

// Is reports whether the actor has at least one of these roles.
func (a Actor) Is(roles ...Role) bool {
	return slices.ContainsFunc(roles, func(r Role) bool { return slices.Contains(a.Roles, r) })
}

// Authenticator checks and issues tokens. It may be used by many goroutines at once.
type Authenticator struct {
	key       []byte
	previous  []byte // is accepted too; empty is none
	now       func() time.Time
	allowWeak bool
	revoked   revoked
}

// Option changes what New does.
type Option func(*Authenticator)

// AllowWeakSecret takes any secret. It is for demonstrations: a weak one can be found by
// trying.
func AllowWeakSecret() Option { return func(a *Authenticator) { a.allowWeak = true } }

// AlsoAccept accepts tokens that were signed with the secret before this one, so that
// changing it cuts nobody off. An empty one is none.
func AlsoAccept(previous string) Option {
	return func(a *Authenticator) { a.previous = []byte(previous) }
}

// WithClock takes the time from now instead of from the system's clock.
func WithClock(now func() time.Time) Option { return func(a *Authenticator) { a.now = now } }

// New returns the Authenticator of a secret. An empty secret turns authentication off.
// The error wraps ErrWeakSecret, or says that there is a secret before this one and not
// this one.
func New(secret string, options ...Option) (*Authenticator, error) {
	a := &Authenticator{key: []byte(secret), now: time.Now}
	for _, o := range options {
		o(a)
	}
	if secret == "" && len(a.previous) > 0 {
		return nil, errors.New("there is a previous secret key and no secret key, so authentication would be off")
	}
	for _, s := range []struct{ name, secret string }{{"secret key", secret}, {"previous secret key", string(a.previous)}} {
		if weak := weakness(s.secret); s.secret != "" && weak != "" && !a.allowWeak {
			return nil, fmt.Errorf("the %s %s; it %w", s.name, weak, ErrWeakSecret)
		}
	}
	return a, nil
}

// weakness says in what way a secret is weak, "" where it is not known to be.
func weakness(secret string) string {
	if len(secret) < MinSecret {
		return fmt.Sprintf("is shorter than %d bytes (it has %d)", MinSecret, len(secret))
	}
	distinct := map[byte]bool{}
	for i := range len(secret) {
		distinct[secret[i]] = true
	}
	if len(distinct) < MinDistinct {
		return fmt.Sprintf("needs at least %d different characters and has %d", MinDistinct, len(distinct))
	}
	for unit := 1; unit < MinUnit; unit++ {
		if secret[unit:] == secret[:len(secret)-unit] {
			return fmt.Sprintf("repeats the same %d characters", unit)
		}
	}
	return ""
}

// Enabled reports whether requests need a token.
func (a *Authenticator) Enabled() bool { return len(a.key) > 0 }

// Reason says in what way a request failed to show who it comes from.
type Reason uint8

const (
	MissingHeader Reason = iota // there is no Authorization header
	InvalidToken                // not a token of ours, or not to be used yet
	ExpiredToken                // a token of ours whose time is over
	MissingClaim                // a token of ours that does not say what it must
	RevokedToken                // a token of ours that was ended before its time
)

// TokenError is why a request is not let in. Its text tells the client what to mend and
// holds nothing of the token.
type TokenError struct {
	Reason Reason
	msg    string
}

func (e *TokenError) Error() string { return e.msg }

func refuse(reason Reason, format string, args ...any) error {
	return &TokenError{Reason: reason, msg: fmt.Sprintf(format, args...)}
}

// ErrName is wrapped by what CheckName gives.
var ErrName = errors.New("not a usable name")

// RoleList writes roles as a sentence has them, such as "admin or logger".
func RoleList(roles []Role, conjunction string) string {
	words := make([]string, len(roles))
	for i, r := range roles {
		words[i] = string(r)
	}
	return strings.Join(words, conjunction)
}
