package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/relay"
	"github.com/segraph/segraph/store/log/journal"
)

// reader returns the reader of the stream of a centre. With the same SECRET_KEY and settings, all centres that read it
// decide the same and give the same names: packs and decisions come in one order, with one clock.
func (a *app) reader(hub *centre.Centre) *relay.Reader {
	name, _, _ := strings.Cut(hub.Key(), "+")
	return relay.NewReader(relay.ReaderOptions{
		Options: relay.Options{URL: a.c.ForwardFrom, KeyFile: a.c.ForwardKeyFile},
		Hub:     hub, Name: name, Log: a.log.Logger("segraph.centre"),
		Panicked: func(ctx context.Context, value any) { a.core.Panicked(ctx, value) },
		Arrives:  func(at time.Time) { a.arrived.Store(&at) },
		Decide: func(ctx context.Context, text []byte) (any, error) {
			var d decision
			if err := json.Unmarshal(text, &d); err != nil {
				return nil, fmt.Errorf("reading a decision of a centre: %w", err)
			}
			return d.carryOut(ctx, a.contexts)
		},
	})
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

// decision is a decision of a person, as centres send it to each other.
type decision struct {
	Do     string        `json:"do"`
	Entry  journal.Entry `json:"entry"`
	ID     string        `json:"id,omitempty"` // of what is decided on
	Of     string        `json:"of,omitempty"` // the target, or the other robot
	Yes    bool          `json:"yes,omitempty"`
	Offset *int64        `json:"offset,omitempty"`

	Person *resolver.PersonDecision `json:"person,omitempty"`
}

// carryOut calls the method of the resolver.
func (d decision) carryOut(ctx context.Context, r *resolver.Resolver) (any, error) {
	switch d.Do {
	case "accept":
		return r.Accept(ctx, d.ID, d.Of, d.Yes, d.Entry)
	case "reject":
		return r.Reject(ctx, d.ID, d.Entry)
	case "undo":
		return r.Undo(ctx, d.ID, d.Entry)
	case "subject":
		return r.DecideSubject(ctx, d.ID, d.Yes, d.Entry)
	case "clock":
		return r.ConfirmClock(ctx, d.ID, d.Offset, d.Entry)
	case "revoke clock":
		return r.RevokeClock(ctx, d.ID, d.Entry)
	case "relay":
		return r.DecideRelay(ctx, d.ID, d.Of, d.Yes, d.Entry)
	case "reconcile":
		return r.Reconcile(ctx, d.Entry)
	case "person":
		if d.Person != nil {
			return r.DecidePerson(ctx, *d.Person, d.Entry)
		}
	}
	return nil, fmt.Errorf("a centre decided %.50q, which this version does not know", d.Do)
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

func decide[T any](ctx context.Context, c replicated, d decision) (answer T, err error) {
	text, err := json.Marshal(d)
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
	return decide[*resolver.Verdict](ctx, c, decision{Do: "accept", Entry: e, ID: caseID, Of: target, Yes: override})
}

func (c replicated) Reject(ctx context.Context, caseID string, e journal.Entry) (*resolver.Verdict, error) {
	return decide[*resolver.Verdict](ctx, c, decision{Do: "reject", Entry: e, ID: caseID})
}

func (c replicated) Undo(ctx context.Context, id string, e journal.Entry) (*resolver.Reversal, error) {
	return decide[*resolver.Reversal](ctx, c, decision{Do: "undo", Entry: e, ID: id})
}

func (c replicated) DecideSubject(ctx context.Context, subject string, person bool, e journal.Entry) (*resolver.Placeholder, error) {
	return decide[*resolver.Placeholder](ctx, c, decision{Do: "subject", Entry: e, ID: subject, Yes: person})
}

func (c replicated) ConfirmClock(ctx context.Context, robot string, offset *int64, e journal.Entry) (*resolver.RobotClock, error) {
	return decide[*resolver.RobotClock](ctx, c, decision{Do: "clock", Entry: e, ID: robot, Offset: offset})
}

func (c replicated) RevokeClock(ctx context.Context, robot string, e journal.Entry) (*resolver.RobotClock, error) {
	return decide[*resolver.RobotClock](ctx, c, decision{Do: "revoke clock", Entry: e, ID: robot})
}

func (c replicated) DecideRelay(ctx context.Context, robot, of string, yes bool, e journal.Entry) (*resolver.Relay, error) {
	return decide[*resolver.Relay](ctx, c, decision{Do: "relay", Entry: e, ID: robot, Of: of, Yes: yes})
}

func (c replicated) DecidePerson(ctx context.Context, d resolver.PersonDecision, e journal.Entry) (*resolver.Person, error) {
	return decide[*resolver.Person](ctx, c, decision{Do: "person", Entry: e, Person: &d})
}

func (c replicated) Reconcile(ctx context.Context, e journal.Entry) (*resolver.Reconciliation, error) {
	return decide[*resolver.Reconciliation](ctx, c, decision{Do: "reconcile", Entry: e})
}
