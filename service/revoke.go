package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// Revocations stores revoked tokens.
type Revocations interface {
	// Revoke records that e.Revoked was revoked, and returns the journal's entry of it, which is e but may revoke later tokens
	// too. The error is a *store.UnfitError if too many are revoked.
	Revoke(ctx context.Context, e journal.Entry) (journal.Entry, error)
	Revocations(ctx context.Context) ([]journal.Entry, error)
}

// Revoke revokes the token with an id, or all tokens issued to a user so far. The other
// argument is "". It returns the journal's entry.
func (s *Service) Revoke(ctx context.Context, actor auth.Actor, id, username string) (journal.Entry, error) {
	if (id == "") == (username == "") {
		return journal.Entry{}, refuse(Invalid, "name what to revoke: jti, the id of a token, or username, to revoke all tokens of a user")
	}
	if err := auth.CheckName(id + username); err != nil {
		return journal.Entry{}, refuse(Invalid, "jti or username is %v", err)
	}
	defer s.withholding()()
	e := s.entry(ctx, actor, journal.Revoke, "")
	e.Revoked = journal.Revoked{TokenID: id, Username: username}
	if username != "" {
		e.Revoked.UpTo = e.Time.Truncate(time.Second)
	}
	var refused *store.UnfitError
	e, err := s.config.Revocations.Revoke(ctx, e)
	if errors.As(err, &refused) {
		return e, refuse(Conflict, "%s", refused.Detail)
	}
	if err != nil {
		return e, fmt.Errorf("revoke tokens: %w", err)
	}
	s.config.Auth.Revoke(auth.Revocation(e.Revoked))
	return e, nil
}

// Revocations returns the revocations.
func (s *Service) Revocations(ctx context.Context) ([]journal.Entry, error) {
	entries, err := s.config.Revocations.Revocations(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the revoked tokens: %w", err)
	}
	return entries, nil
}
