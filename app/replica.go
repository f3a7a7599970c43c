package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/relay"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/log/journal"
)

// reader returns the reader of the stream of a centre. With the same SECRET_KEY and settings, all centres that read it
// decide the same and give the same names: packs and decisions come in one order, with one clock.
func (a *app) reader(hub *centre.Centre) *relay.Reader {
	name, _, _ := strings.Cut(hub.Key(), "+")
	return relay.NewReader(relay.ReaderOptions{
		Options: relay.Options{URL: a.c.ForwardFrom, KeyFile: a.c.ForwardKeyFile},
		Hub:     hub, Name: name, Secret: a.c.SecretKey, Decide: a.carryOut, Log: a.log.Logger("segraph.centre"),
		Panicked: func(ctx context.Context, value any) { a.core.Panicked(ctx, value) },
		Arrives:  func(at time.Time) { a.arrived.Store(&at) },
	})
}

// carryOut carries out a decision that came by a stream; see relay.ReaderOptions.
func (a *app) carryOut(ctx context.Context, text []byte, at centre.Place) (answer any, refused, err error) {
	var d decision
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, nil, fmt.Errorf("%w: reading a decision: %w", relay.ErrStopped, err)
	}
	list := a.file.Forgotten
	defer list.Begin()()
	if slices.ContainsFunc(d.about(), list.Has) || d.Person != nil && list.In(d.Person.Reason) {
		return nil, &service.Error{Kind: service.Conflict, Detail: "this names somebody who was erased"}, nil
	}
	d.Actor = forgotten.User(list, d.Actor, journal.ErasedText)
	answer, err = d.carryOut(ctx, a.contexts, at)
	if known, ok := errors.AsType[*resolver.Error](err); ok {
		return nil, known, nil
	}
	return answer, nil, err
}

// checkStream refuses settings with which a centre can't read a stream.
func checkStream(c *config.Config) error {
	switch {
	case c.ForwardFrom == "": // no stream is read
	case len(c.Boxes) == 0:
		return &config.Error{Msg: "SEGRAPH_FORWARD_FROM needs SEGRAPH_BOXES", Hint: "Name the keys of the boxes, as `segraph audit key` prints them there."}
	case c.SecretKey == "":
		return &config.Error{Msg: "SEGRAPH_FORWARD_FROM needs SECRET_KEY: by it, centres know each other's decisions", Hint: "Set the same SECRET_KEY at all centres that read the stream."}
	}
	return nil
}

// clock returns the time for the resolver: of a centre that reads a stream, when that got the last message.
func (a *app) clock() time.Time {
	if at := a.arrived.Load(); at != nil {
		return *at
	}
	return time.Now()
}

// shared returns what the names of contexts follow from at all centres that read a stream; "" elsewhere.
func shared(c *config.Config) string {
	if c.ForwardFrom == "" {
		return ""
	}
	return "segraph centres " + c.SecretKey
}

// lag returns Reader.Lag, or nil without a reader.
func (f fleetParts) lag() func() (time.Duration, string) {
	if f.reader == nil {
		return nil
	}
	return f.reader.Lag
}

// decision is a decision of a person, as centres send it to each other. Where the person was, and the request, stay at
// the centre.
type decision struct {
	Do     string `json:"do"`
	LogID  string `json:"log_id"`
	Actor  string `json:"actor"`
	ID     string `json:"id,omitempty"` // of what is decided on
	Of     string `json:"of,omitempty"` // the target, or the other robot
	Yes    bool   `json:"yes,omitempty"`
	Seen   string `json:"seen,omitempty"` // of what is decided on; a centre of a version without it decides anyway
	Offset *int64 `json:"offset,omitempty"`

	Person *resolver.PersonDecision `json:"person,omitempty"`
}

// about returns the IRIs of the people and robots that the decision is on.
func (d decision) about() []string {
	if d.Person != nil {
		return d.Person.Subjects
	}
	switch d.Do {
	case "subject", "clock", "revoke clock", "relay":
		return []string{d.ID, d.Of}
	}
	return nil
}

// carryOut calls the method of the resolver. The place is stored with what that changes. Only of a relay and a
// reconciliation, which change as much if they are begun again, it is not.
func (d decision) carryOut(ctx context.Context, r *resolver.Resolver, at centre.Place) (any, error) {
	e := journal.Entry{LogID: d.LogID, Time: at.Time, Actor: d.Actor}
	as := func(did journal.Action) journal.Entry { e.Action = did; return e }
	ctx = resolver.AsSeen(ctx, d.Seen)
	one := resolver.Alongside(ctx, at.Put)
	switch d.Do {
	case "accept":
		return r.Accept(one, d.ID, d.Of, d.Yes, as(journal.Accept))
	case "reject":
		return r.Reject(one, d.ID, as(journal.Reject))
	case "undo":
		return r.Undo(one, d.ID, as(journal.Undo))
	case "subject":
		return r.DecideSubject(one, d.ID, d.Yes, as(journal.Subject))
	case "clock":
		return r.ConfirmClock(one, d.ID, d.Offset, as(journal.Clock))
	case "revoke clock":
		return r.RevokeClock(one, d.ID, as(journal.Clock))
	case "relay":
		return r.DecideRelay(ctx, d.ID, d.Of, d.Yes, as(journal.Relay))
	case "reconcile":
		return r.Reconcile(ctx, as(journal.Reconcile))
	case "person":
		if d.Person != nil {
			return r.DecidePerson(one, *d.Person, as(journal.Subject))
		}
	}
	return nil, fmt.Errorf("%w: a centre decided %.50q, which this one does not know", relay.ErrStopped, d.Do)
}

// replicated is a resolver whose decisions go to all centres that read a stream.
type replicated struct {
	*resolver.Resolver
	reader *relay.Reader
}

// contextsOf returns what the service decides with.
func (a *app) contextsOf() service.Contexts {
	if a.fleet.reader == nil {
		return a.contexts
	}
	return replicated{a.contexts, a.fleet.reader}
}

// written returns a decision as it goes into the stream. e has its id and its actor, and ctx says what was seen of what it is about.
func (d decision) written(ctx context.Context, e journal.Entry) ([]byte, error) {
	d.LogID, d.Actor, d.Seen = e.LogID, e.Actor, resolver.SeenOf(ctx)
	return json.Marshal(d)
}

// decide writes a decision to the stream, and returns the answer once this centre has applied it; see written.
func decide[T any](ctx context.Context, c replicated, e journal.Entry, d decision) (answer T, err error) {
	text, err := d.written(ctx, e)
	if err != nil {
		return answer, err
	}
	got, err := c.reader.Decide(ctx, text)
	answer, _ = got.(T)
	if _, unsent := errors.AsType[*relay.UndecidedError](err); unsent {
		err = &service.Error{Kind: service.Unavailable, Detail: err.Error()}
	}
	return answer, err
}

func (c replicated) Accept(ctx context.Context, caseID, target string, override bool, e journal.Entry) (*resolver.Verdict, error) {
	return decide[*resolver.Verdict](ctx, c, e, decision{Do: "accept", ID: caseID, Of: target, Yes: override})
}

func (c replicated) Reject(ctx context.Context, caseID string, e journal.Entry) (*resolver.Verdict, error) {
	return decide[*resolver.Verdict](ctx, c, e, decision{Do: "reject", ID: caseID})
}

func (c replicated) Undo(ctx context.Context, id string, e journal.Entry) (*resolver.Reversal, error) {
	return decide[*resolver.Reversal](ctx, c, e, decision{Do: "undo", ID: id})
}

func (c replicated) DecideSubject(ctx context.Context, subject string, person bool, e journal.Entry) (*resolver.Placeholder, error) {
	return decide[*resolver.Placeholder](ctx, c, e, decision{Do: "subject", ID: subject, Yes: person})
}

func (c replicated) ConfirmClock(ctx context.Context, robot string, offset *int64, e journal.Entry) (*resolver.RobotClock, error) {
	return decide[*resolver.RobotClock](ctx, c, e, decision{Do: "clock", ID: robot, Offset: offset})
}

func (c replicated) RevokeClock(ctx context.Context, robot string, e journal.Entry) (*resolver.RobotClock, error) {
	return decide[*resolver.RobotClock](ctx, c, e, decision{Do: "revoke clock", ID: robot})
}

func (c replicated) DecideRelay(ctx context.Context, robot, of string, yes bool, e journal.Entry) (*resolver.Relay, error) {
	return decide[*resolver.Relay](ctx, c, e, decision{Do: "relay", ID: robot, Of: of, Yes: yes})
}

func (c replicated) DecidePerson(ctx context.Context, d resolver.PersonDecision, e journal.Entry) (*resolver.Person, error) {
	if d.Dry {
		return c.Resolver.DecidePerson(ctx, d, e)
	}
	return decide[*resolver.Person](ctx, c, e, decision{Do: "person", Person: &d})
}

func (c replicated) Reconcile(ctx context.Context, e journal.Entry) (*resolver.Reconciliation, error) {
	return decide[*resolver.Reconciliation](ctx, c, e, decision{Do: "reconcile"})
}
