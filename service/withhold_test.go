package service

import (
	"context"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
)

// erasedList is a list with Ines, and counts the writes that have begun.
type erasedList struct {
	Forgotten
	begun int
}

func (l *erasedList) Begin() func()                { l.begun++; return func() { l.begun-- } }
func (l *erasedList) In(string) bool               { return false }
func (l *erasedList) Of(iri string) (string, bool) { return "", iri == "http://ex/ines" }

// slow is contexts that look at the list while they decide.
type slow struct {
	Contexts
	list         *erasedList
	calls, begun int
}

func (c *slow) DecideSubject(context.Context, string, bool, journal.Entry) (*resolver.Placeholder, error) {
	c.calls, c.begun = c.calls+1, c.list.begun
	return &resolver.Placeholder{}, nil
}

// An erasure waits for the writes that have begun. It must not wait for decisions that wait for a stream, which may wait
// for the erasure.
func TestADecisionThatWaitsForAStreamHoldsUpNoErasure(t *testing.T) {
	t.Parallel()
	for _, streamed := range []bool{false, true} {
		list := &erasedList{}
		c := &slow{list: list}
		config := Config{Forgotten: list, Contexts: c, Log: logs.New(logs.Options{Name: "none"})}
		if streamed {
			config.Lag = func() (time.Duration, string) { return 0, "" }
		}
		s := New(config)
		if _, err := s.DecideSubject(t.Context(), auth.Actor{}, "http://ex/maria", true); err != nil || (c.begun == 0) != streamed || list.begun != 0 {
			t.Errorf("over a stream %v: %d writes while it is decided, %d after, %v", streamed, c.begun, list.begun, err)
		}
		if _, err := s.DecideSubject(t.Context(), auth.Actor{}, "http://ex/ines", true); ErrorOf(err).Kind != Conflict || c.calls != 1 || list.begun != 0 {
			t.Errorf("over a stream %v, of somebody who was erased: %v, %d calls, %d writes", streamed, err, c.calls, list.begun)
		}
	}
}

func TestACentreOfAStreamClearsNothing(t *testing.T) {
	t.Parallel()
	s := New(Config{Lag: func() (time.Duration, string) { return 0, "" }, Log: logs.New(logs.Options{Name: "none"})})
	_, cleared := s.Clear(t.Context(), auth.Actor{}, "", true)
	_, removed := s.RemoveDemo(t.Context(), auth.Actor{})
	for what, err := range map[string]error{"a clear": cleared, "removing the demo": removed} {
		if e := ErrorOf(err); e == nil || e.Kind != Forbidden {
			t.Errorf("%s: %v", what, err)
		}
	}
}
