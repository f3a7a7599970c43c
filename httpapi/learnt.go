package httpapi

import (
	"context"
	"fmt"
	"math"
	"net/http"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/journal"
)

// postSubject says whether a subject is one person or a placeholder.
func (a *API) postSubject(w http.ResponseWriter, r *http.Request) error {
	m, err := a.members(r)
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

// postClock confirms the offset of a robot's clock, or takes that back.
func (a *API) postClock(w http.ResponseWriter, r *http.Request) error {
	m, err := a.members(r)
	if err != nil {
		return err
	}
	robot, offset, revoke := m.Text("robot_uri"), m.OptionalNumber("offset_ms"), m.OptionalBool("revoke")
	if offset != nil && math.Abs(*offset) > 1e12 {
		m.Fault("offset_ms", "offset_ms must be milliseconds, such as 5100")
	}
	if err := m.Err(); err != nil {
		return err
	}
	answer, err := a.DecideClock(r.Context(), requestOf(r).actor, robot, offset, revoke)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, answer)
}

// DecideClock does for a page what postClock does for a client.
func (a *API) DecideClock(ctx context.Context, by auth.Actor, robot string, offset *float64, revoke bool) (*resolver.RobotClock, error) {
	e := a.entry(ctx, by, journal.Clock, "")
	var answer *resolver.RobotClock
	var err error
	switch {
	case revoke:
		answer, err = a.config.Contexts.RevokeClock(ctx, robot, e)
	case offset != nil:
		ms := int64(math.Round(*offset))
		answer, err = a.config.Contexts.ConfirmClock(ctx, robot, &ms, e)
	default:
		answer, err = a.config.Contexts.ConfirmClock(ctx, robot, nil, e)
	}
	if err != nil {
		return nil, fmt.Errorf("decide about a clock: %w", err)
	}
	return answer, nil
}

// postRelay says whether a robot is a relay of another one.
func (a *API) postRelay(w http.ResponseWriter, r *http.Request) error {
	m, err := a.members(r)
	if err != nil {
		return err
	}
	robot, of, relay := m.Text("robot_uri"), m.OptionalText("of"), m.Bool("relay")
	if err := m.Err(); err != nil {
		return err
	}
	answer, err := a.DecideRelay(r.Context(), requestOf(r).actor, robot, of, relay)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, answer)
}

// DecideRelay does for a page what postRelay does for a client.
func (a *API) DecideRelay(ctx context.Context, by auth.Actor, robot, of string, relay bool) (*resolver.Relay, error) {
	answer, err := a.config.Contexts.DecideRelay(ctx, robot, of, relay, a.entry(ctx, by, journal.Relay, ""))
	if err != nil {
		return nil, fmt.Errorf("decide about a robot: %w", err)
	}
	return answer, nil
}
