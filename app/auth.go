package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist"
)

// NewAuth returns the authenticator of the settings. It refuses a key that is easy to
// guess.
func NewAuth(c *config.Config) (*auth.Authenticator, error) {
	if c.TwoPersons && c.SecretKey == "" {
		return nil, &config.Error{Msg: "SEGRAPH_TWO_PERSONS needs SECRET_KEY: without it, the service can't tell one admin from another", Hint: "Set SECRET_KEY."}
	}
	options := []auth.Option{auth.AlsoAccept(c.PreviousSecretKey)}
	if c.AllowShortSecret {
		options = append(options, auth.AllowWeakSecret())
	}
	a, err := auth.New(c.SecretKey, options...)
	switch {
	case errors.Is(err, auth.ErrWeakSecret):
		return nil, &config.Error{
			Msg:  err.Error(),
			Hint: "Create a SECRET_KEY with `openssl rand -hex 32`. For a demo, --allow-short-secret accepts a short one.",
		}
	case err != nil:
		return nil, &config.Error{
			Msg:  fmt.Sprintf("SECRET_KEY_PREVIOUS: %v", err),
			Hint: "Set SECRET_KEY to the new key, and SECRET_KEY_PREVIOUS to the previous one.",
		}
	}
	return a, nil
}

// revokeKnown revokes the tokens that a store lists as revoked.
func revokeKnown(ctx context.Context, a *auth.Authenticator, s *persist.Store) error {
	entries, err := s.Revocations(ctx)
	if err != nil {
		return fmt.Errorf("reading the revoked tokens: %w", err)
	}
	for _, e := range entries {
		a.Revoke(auth.Revocation(e.Revoked))
	}
	return nil
}
