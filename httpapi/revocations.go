package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
)

// revocation is a revocation in an answer.
type revocation struct {
	TokenID  string     `json:"jti,omitempty"`
	Username string     `json:"username,omitempty"`
	UpTo     *time.Time `json:"issued_up_to,omitempty"` // for the tokens of a user
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

// postRevocation revokes a token, or all tokens issued to a user so far.
func (a *API) postRevocation(w http.ResponseWriter, r *http.Request) error {
	m := a.front.Members(r)
	id, username := m.OptionalText("jti"), m.OptionalText("username")
	m.Only("jti", "username")
	if err := m.Err(); err != nil {
		return err
	}
	front.EncodeResult(r, func(e journal.Entry) any { return toRevocation(e) })
	e, err := a.service.Revoke(r.Context(), front.ActorOf(r), id, username)
	return front.WriteResult(w, http.StatusCreated, toRevocation(e), err)
}

// getRevocations lists the revocations.
func (a *API) getRevocations(w http.ResponseWriter, r *http.Request) error {
	known, err := a.service.Revocations(r.Context()) // their number; they are read again in the page's turn
	if err != nil {
		return err
	}
	return a.front.Page(w, r, len(known), func(ctx context.Context, _ *service.Kept) (any, error) {
		entries, err := a.service.Revocations(ctx)
		list := make([]revocation, len(entries))
		for i, e := range entries {
			list[i] = toRevocation(e)
		}
		return struct {
			Count       int          `json:"count"`
			Revocations []revocation `json:"revocations"`
		}{len(list), list}, err
	})
}
