// Package auth decides who a request comes from. Its rules:
//
//   - A token is a JWT (RFC 7519) signed with HS256 and nothing else. Its header names
//     "alg" and perhaps "typ"; one that points at a key, or asks for anything more, is refused.
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

// Roles gives every role there is.
func Roles() []Role { return []Role{Admin, Logger, Auditor} }

// Anonymous is the name of the actor while authentication is off.
const Anonymous = "anonymous_user"

// MinSecret is the least length of a secret in bytes: HS256 wants a key no shorter than its
// hash (RFC 7518, section 3.2).
const MinSecret = 32

// ErrShortSecret is what New gives for a secret shorter than MinSecret.
var ErrShortSecret = fmt.Errorf("the secret key is shorter than %d bytes", MinSecret)

// Actor is who makes a request.
type Actor struct {
	Username string
	Roles    []Role
	Expires  time.Time // zero while authentication is off
}

// Is tells whether the actor has at least one of these roles.
func (a Actor) Is(roles ...Role) bool {
	return slices.ContainsFunc(roles, func(r Role) bool { return slices.Contains(a.Roles, r) })
}

// Authenticator checks and issues tokens. It may be used by many goroutines at once.
type Authenticator struct {
	key        []byte
	now        func() time.Time
	allowShort bool
}

// Option changes what New does.
type Option func(*Authenticator)

// AllowShortSecret takes secrets shorter than MinSecret. It is for demonstrations: a short
// secret can be found by trying.
func AllowShortSecret() Option { return func(a *Authenticator) { a.allowShort = true } }

// WithClock takes the time from now instead of from the system's clock.
func WithClock(now func() time.Time) Option { return func(a *Authenticator) { a.now = now } }

// New gives the Authenticator of a secret. An empty secret turns authentication off.
// The error is ErrShortSecret.
func New(secret string, options ...Option) (*Authenticator, error) {
	a := &Authenticator{key: []byte(secret), now: time.Now}
	for _, o := range options {
		o(a)
	}
	if secret != "" && len(secret) < MinSecret && !a.allowShort {
		return nil, fmt.Errorf("%w (it has %d)", ErrShortSecret, len(secret))
	}
	return a, nil
}

// Enabled tells whether requests need a token.
func (a *Authenticator) Enabled() bool { return len(a.key) > 0 }

// Reason says in what way a request failed to show who it comes from.
type Reason uint8

const (
	MissingHeader Reason = iota // there is no Authorization header
	InvalidToken                // not a token of ours, or not to be used yet
	ExpiredToken                // a token of ours whose time is over
	MissingClaim                // a token of ours that does not say what it must
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
