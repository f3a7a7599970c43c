// Package auth authenticates requests. Its rules:
//
//   - A token is a JWT (RFC 7519) signed with HS256 and nothing else. Its header holds
//     "alg" and optionally "typ" and "kid". "kid" selects nothing. A header with any other
//     member, such as a key or the address of one, is refused.
//   - It is signed with the secret or with the previous one (AlsoAccept). New tokens are
//     signed with the secret only.
//   - A token revoked by its "jti" or its user is refused (revoke.go).
//   - Claims: "username" (without it "sub"), "roles" and "exp", and optionally "nbf",
//     "iat" and "jti". Times are whole seconds and get no leeway.
//   - Without a secret, authentication is off: every request comes from anonymous_user,
//     with every role.
//   - Errors and log lines never contain a token or a part of one.
package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Role is what an actor may do. The specification defines the first three.
type Role string

const (
	Admin   Role = "admin"   // operates, checks logs, deletes, reviews
	Logger  Role = "logger"  // publishes logs
	Auditor Role = "auditor" // inspects and queries
	Box     Role = "box"     // forwards a journal to a centre
)

// Roles returns all roles.
func Roles() []Role { return []Role{Admin, Logger, Auditor, Box} }

// Anonymous is the name of the actor while authentication is off.
const Anonymous = "anonymous_user"

// Limits of a secret. MinSecret is its minimum length in bytes: HS256 needs a key at
// least as long as its hash (RFC 7518, section 3.2). MinDistinct is the minimum number of
// different bytes. A secret that repeats a text shorter than MinUnit is weak.
const (
	MinSecret   = 32
	MinDistinct = 8
	MinUnit     = 16
)

// ErrWeakSecret is wrapped by the errors of New and NewFixedToken for a secret that is
// easy to guess.
var ErrWeakSecret = errors.New("could be guessed")

// Actor is the author of a request.
type Actor struct {
	Username string
	Roles    []Role
	Expires  time.Time // zero while authentication is off
	Issued   time.Time // zero if the token has no "iat"
	TokenID  string    // "jti" of the token, or ""
}

// Is reports whether the actor has at least one of the roles.
func (a Actor) Is(roles ...Role) bool {
	return slices.ContainsFunc(roles, func(r Role) bool { return slices.Contains(a.Roles, r) })
}

// Authenticator checks and issues tokens. It is safe for concurrent use.
type Authenticator struct {
	key       []byte
	previous  []byte // also accepted; empty means none
	now       func() time.Time
	allowWeak bool
	revoked   revoked
}

// Option configures New.
type Option func(*Authenticator)

// AllowWeakSecret accepts any secret. It is for demonstrations only: a weak secret can be
// guessed.
func AllowWeakSecret() Option { return func(a *Authenticator) { a.allowWeak = true } }

// AlsoAccept also accepts tokens signed with the previous secret, so that a change of the
// secret cuts nobody off. "" means none.
func AlsoAccept(previous string) Option {
	return func(a *Authenticator) { a.previous = []byte(previous) }
}

// WithClock uses now instead of the system's clock.
func WithClock(now func() time.Time) Option { return func(a *Authenticator) { a.now = now } }

// New returns an Authenticator for a secret. An empty secret turns authentication off.
// New returns an error that wraps ErrWeakSecret if a secret is weak, and another error if
// only the previous secret is set.
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

// weakness describes why a secret is weak. It returns "" if it finds nothing.
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
		if secret[unit:] == secret[:len(secret)-unit] { // each byte equals the one that many before it
			return fmt.Sprintf("repeats the same %d characters", unit)
		}
	}
	return ""
}

// Enabled reports whether requests need a token.
func (a *Authenticator) Enabled() bool { return len(a.key) > 0 }

// Reason classifies why authentication failed.
type Reason uint8

const (
	MissingHeader Reason = iota // no Authorization header
	InvalidToken                // not a token of this service, or not valid yet
	ExpiredToken                // expired
	MissingClaim                // a required claim is missing or invalid
	RevokedToken                // revoked before it expired
)

// TokenError is an authentication failure. Its text tells the client what to fix and
// contains no part of the token.
type TokenError struct {
	Reason Reason
	msg    string
}

func (e *TokenError) Error() string { return e.msg }

func refuse(reason Reason, format string, args ...any) error {
	return &TokenError{Reason: reason, msg: fmt.Sprintf(format, args...)}
}

// ErrName is wrapped by the errors of CheckName.
var ErrName = errors.New("not a usable name")

// RoleList joins roles with a conjunction: "admin or logger" for " or ".
func RoleList(roles []Role, conjunction string) string {
	words := make([]string, len(roles))
	for i, r := range roles {
		words[i] = string(r)
	}
	return strings.Join(words, conjunction)
}
