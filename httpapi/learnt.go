package httpapi

import (
	"math"
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/resolver"
)

// postSubject records whether a subject is one person or a placeholder.
func (a *API) postSubject(w http.ResponseWriter, r *http.Request) error {
	m := a.front.Members(r)
	subject, person := m.Text("subject_uri"), m.Bool("person")
	ctx := asSeen(r, m, "subject_uri", "person")
	if err := m.Err(); err != nil {
		return err
	}
	answer, err := a.service.DecideSubject(ctx, front.ActorOf(r), subject, person)
	return front.WriteResult(w, http.StatusOK, answer, err)
}

// postClock confirms the offset of a robot's clock, or revokes the confirmation.
func (a *API) postClock(w http.ResponseWriter, r *http.Request) error {
	m := a.front.Members(r)
	robot, offset, revoke := m.Text("robot_uri"), m.OptionalNumber("offset_ms"), m.OptionalBool("revoke")
	ctx := asSeen(r, m, "robot_uri", "offset_ms", "revoke") // with a misspelt offset, the claimed one would be confirmed
	if offset != nil && math.Abs(*offset) > 1e12 {
		m.Fault("offset_ms", "offset_ms must be milliseconds, such as 5100")
	}
	if err := m.Err(); err != nil {
		return err
	}
	answer, err := a.service.DecideClock(ctx, front.ActorOf(r), robot, offset, revoke)
	return front.WriteResult(w, http.StatusOK, answer, err)
}

// postRelay records whether a robot is a relay of another one.
func (a *API) postRelay(w http.ResponseWriter, r *http.Request) error {
	m := a.front.Members(r)
	robot, of, relay := m.Text("robot_uri"), m.OptionalText("of"), m.Bool("relay")
	ctx := asSeen(r, m, "robot_uri", "of", "relay")
	if err := m.Err(); err != nil {
		return err
	}
	answer, err := a.service.DecideRelay(ctx, front.ActorOf(r), robot, of, relay)
	return front.WriteResult(w, http.StatusOK, answer, err)
}

// postPerson records whether subjects are one person.
func (a *API) postPerson(w http.ResponseWriter, r *http.Request) error {
	m := a.front.Members(r)
	d := resolver.PersonDecision{Subjects: m.Texts("subject_uris"), One: m.Bool("one_person"), Reason: m.OptionalText("reason"),
		Standing: m.OptionalBool("decisions_stand"), Dry: m.OptionalBool("dry_run")}
	ctx := asSeen(r, m, "subject_uris", "one_person", "reason", "decisions_stand", "dry_run")
	if err := m.Err(); err != nil {
		return err
	}
	answer, err := a.service.DecidePerson(ctx, front.ActorOf(r), d)
	return front.WriteResult(w, http.StatusOK, answer, err)
}
