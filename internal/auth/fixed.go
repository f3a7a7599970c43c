package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
)

// FixedToken is one token that a client and the service both have from a file. It names
// no user, has no roles and does not expire. It is for clients such as Prometheus that
// can't renew a token by themselves.
type FixedToken struct{ sum [sha256.Size]byte }

// NewFixedToken returns the FixedToken of a text that a secret key could be too. The
// error says why a text can't be used, and holds nothing of it.
func NewFixedToken(text string) (*FixedToken, error) {
	switch weak := weakness(text); {
	case weak != "":
		return nil, fmt.Errorf("the token %s; it %w", weak, ErrWeakSecret)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the token holds a space, a line end or another character that can't stand in a header")
	}
	return &FixedToken{sha256.Sum256([]byte(text))}, nil
}

// Check returns nil if the values of an Authorization header hold the token, and a
// *TokenError if not. How long it takes says nothing about the token.
func (t *FixedToken) Check(headers []string) error {
	given, err := bearer(headers)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256([]byte(given)); subtle.ConstantTimeCompare(sum[:], t.sum[:]) != 1 {
		return refuse(InvalidToken, "the token is not valid: it is not the one that this service was started with")
	}
	return nil
}
