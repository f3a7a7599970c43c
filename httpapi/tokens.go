package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
)

// postToken issues a token.
func (a *API) postToken(w http.ResponseWriter, r *http.Request) error {
	m := a.front.Members(r)
	username, life := m.Text("username"), m.OptionalNumber("expires_in")
	m.Only("username", "roles", "expires_in")
	var roles []string
	if given := m.Raw("roles"); given == nil || json.Unmarshal(given, &roles) != nil {
		m.Fault("roles", "the member \"roles\" must be an array of roles")
	}
	if life == nil || *life < 0 || *life > service.MaxTokenLife.Seconds() {
		m.Fault("expires_in", "the member \"expires_in\" must be a number of seconds from %d to %d", int(service.LeastTokenTTL.Seconds()), int(service.MaxTokenLife.Seconds()))
	}
	if err := m.Err(); err != nil {
		return err
	}
	token, t, err := a.service.IssueToken(r.Context(), front.ActorOf(r), username, roles, time.Duration(*life)*time.Second)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return front.WriteJSON(w, http.StatusCreated, struct {
		Token string `json:"token"`
		service.IssuedToken
	}{token, t})
}

// getTokens lists the issued tokens.
func (a *API) getTokens(w http.ResponseWriter, r *http.Request) error {
	known, err := a.service.IssuedTokens() // their number; they are read again in the page's turn
	if err != nil {
		return err
	}
	return a.front.Page(w, r, len(known), func(context.Context, *service.Kept) (any, error) {
		list, err := a.service.IssuedTokens()
		if list == nil {
			list = []service.IssuedToken{}
		}
		return struct {
			Count  int                   `json:"count"`
			Tokens []service.IssuedToken `json:"tokens"`
		}{len(list), list}, err
	})
}
