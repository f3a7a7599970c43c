package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
)

// FixedToken is a token that both the client and the service read from a file. It names
// no user, has no roles and does not expire. It is for clients such as Prometheus that
// can't renew a token themselves.
type FixedToken struct{ sum [sha256.Size]byte }

// NewFixedToken returns a FixedToken for a text that is strong enough for a secret key. The
// error explains why a text can't be used and contains no part of it.
func NewFixedToken(text string) (*FixedToken, error) {
	switch weak := weakness(text); {
	case weak != "":
		return nil, fmt.Errorf("the token %s; it %w", weak, ErrWeakSecret)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the token holds a space, a line end or another character that can't stand in a header")
	}
	return &FixedToken{sha256.Sum256([]byte(text))}, nil
}

// Check returns nil if the values of an Authorization header contain the token, and a
// *TokenError otherwise. Its duration reveals nothing about the token.
func (t *FixedToken) Check(headers []string) error {
	token, err := bearer(headers)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256([]byte(token)); subtle.ConstantTimeCompare(sum[:], t.sum[:]) != 1 {
		return refuse(InvalidToken, "the token is not valid: it is not the one that this service was started with")
	}
	return nil
}
