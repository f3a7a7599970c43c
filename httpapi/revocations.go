package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
)

// Revocations keeps which tokens were revoked.
type Revocations interface {
	// Revoke notes that e.Revoked was revoked, with e as the journal's entry. The error is a
	// *store.UnfitError where too many are revoked.
	Revoke(ctx context.Context, e journal.Entry) error
	Revocations(ctx context.Context) ([]journal.Entry, error)
}

// revocation is one as clients get it.
type revocation struct {
	TokenID  string     `json:"jti,omitempty"`
	Username string     `json:"username,omitempty"`
	UpTo     *time.Time `json:"issued_up_to,omitempty"` // of a user's tokens
	Time     time.Time  `json:"time"`
	Actor    string     `json:"actor"`
	LogID    string     `json:"log_id"`
}

func toRevocation(e journal.Entry) revocation {
	out := revocation{TokenID: e.Revoked.TokenID, Username: e.Revoked.Username, Time: e.Time, Actor: e.Actor, LogID: e.LogID}
	if !e.Revoked.UpTo.IsZero() {
		out.UpTo = &e.Revoked.UpTo
	}
	return out
}

// postRevocation ends a token, or all tokens that a user was given so far.
func (a *API) postRevocation(w http.ResponseWriter, r *http.Request) error {
	m, err := a.members(r)
	if err != nil {
		return err
	}
	id, username := m.OptionalText("jti"), m.OptionalText("username")
	if err := m.Err(); err != nil {
		return err
	}
	if (id == "") == (username == "") {
		return newProblem(http.StatusUnprocessableEntity, "name what to revoke: jti, the id of a token, or username, whose tokens all end")
	}
	if err := auth.CheckName(id + username); err != nil {
		return newProblem(http.StatusUnprocessableEntity, "jti or username is %v", err)
	}
	e := a.entry(r.Context(), requestOf(r).actor, journal.Revoke, "")
	e.Revoked = journal.Revoked{TokenID: id, Username: username}
	if username != "" {
		e.Revoked.UpTo = e.Time.Truncate(time.Second)
	}
	var refused *store.UnfitError
	err = a.config.Revocations.Revoke(r.Context(), e)
	if errors.As(err, &refused) {
		return newProblem(http.StatusConflict, "%s", refused.Detail)
	}
	if err != nil {
		return fmt.Errorf("revoke tokens: %w", err)
	}
	a.config.Auth.Revoke(auth.Revocation(e.Revoked))
	return writeJSON(w, http.StatusCreated, toRevocation(e))
}

// getRevocations lists what is revoked.
func (a *API) getRevocations(w http.ResponseWriter, r *http.Request) error {
	entries, err := a.config.Revocations.Revocations(r.Context())
	if err != nil {
		return fmt.Errorf("list the revoked tokens: %w", err)
	}
	list := make([]revocation, len(entries))
	for i, e := range entries {
		list[i] = toRevocation(e)
	}
	return writeCodedJSON(w, r, struct {
		Count       int          `json:"count"`
		Revocations []revocation `json:"revocations"`
	}{len(list), list})
}
