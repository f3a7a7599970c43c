package httpapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/journal"
)

// postSubject says whether a subject is one person or a placeholder.
func (a *API) postSubject(w http.ResponseWriter, r *http.Request) error {
	body, err := a.onlyJSON(r)
	if err != nil {
		return err
	}
	m, err := strictjson.Parse(body)
	if err != nil {
		return err
	}
	subject, person := m.Text("subject_uri"), m.Bool("person")
	if err := m.Err(); err != nil {
		return err
	}
	answer, err := a.DecideSubject(r.Context(), requestOf(r).actor, subject, person)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, answer)
}

// DecideSubject does for a page what postSubject does for a client.
func (a *API) DecideSubject(ctx context.Context, by auth.Actor, subject string, person bool) (*resolver.Placeholder, error) {
	answer, err := a.config.Contexts.DecideSubject(ctx, subject, person, a.entry(ctx, by, journal.Subject, ""))
	if err != nil {
		return nil, fmt.Errorf("decide about a subject: %w", err)
	}
	return answer, nil
}
