package ui

import (
	"context"
	"slices"
	"testing"

	"github.com/segraph/segraph/resolver/persist"
	core "github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

// lateStore delays the query for the hours of messages until ending receives a value or
// is closed. Then it runs the query, or returns the error that it received.
type lateStore struct {
	*persist.Store
	ending chan error
}

func (s lateStore) Query(ctx context.Context, q *sparql.Query, l budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) error {
	if slices.Equal(q.Variables(), []string{"robot", "hour", "messages"}) {
		select {
		case err := <-s.ending:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.Store.Query(ctx, q, l, out, triple)
}

// lateService returns a service with data whose card of hours is delayed, and the
// channel that releases it.
func lateService(t *testing.T) (*service, chan error) {
	ending := make(chan error, 1)
	s := start(t, setup{around: func(store *persist.Store) core.Querier { return lateStore{store, ending} }})
	s.publishDemo()
	return s, ending
}

// TestASlowSectionLoadsByItself checks that all other sections are there
// meanwhile, and nothing moves.
func TestASlowSectionLoadsByItself(t *testing.T) {
	t.Parallel()
	for _, l := range []look{{}, {phone: true, dark: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			s, ending := lateService(t)
			b := open(t, s.ui, l)
			b.goTo("/reports?from=2026-02-24T12:00:00")
			b.see("#overview-hours.waits", "Loading messages by robot…")
			if len(b.all("#overview-hours .skeleton")) != 1 || len(b.all("#overview-hours table")) != 0 {
				t.Error("it does not look like a section that waits")
			}
			b.see("#overview-totals", "messages")
			b.shot("reports-late", l)
			close(ending)
			b.see("#overview-hours:not(.waits)", "TIAGo")
			b.eventually("all are there", func() bool { return len(b.all(".report.waits")) == 0 }, b.path)
			if got := b.all("#overview-hours a[href*='from=2026-02-24T12']"); len(got) == 0 {
				t.Error("the loaded section has lost the range")
			}
			b.still()
		})
	}
}

func TestASectionThatTakesTooLongSaysSo(t *testing.T) {
	t.Parallel()
	s, ending := lateService(t)
	b := open(t, s.ui, look{})
	b.goTo("/reports")
	b.see("#overview-hours.waits", "Loading messages by robot…")
	ending <- &budget.LimitError{Limit: "time", Detail: "30s"}
	b.see("#overview-hours [role=alert]", "Try this section again")
	if len(b.all("#overview-hours table")) > 0 {
		t.Error("it also shows values that it does not know")
	}
	b.see("#overview-sessions", "TIAGo")
}

func TestASectionThatNeverLoadsSaysSo(t *testing.T) {
	t.Parallel()
	s, _ := lateService(t)
	b := open(t, s.ui, look{})
	b.expect("Failed to load resource")
	b.expect("a script writes an error to the console") // htmx does
	b.goTo("/reports")
	b.see("#overview-hours.waits", "Loading messages by robot…")
	s.stop()
	b.see("#overview-hours", "This section could not be loaded")
	if len(b.all("#overview-hours .skeleton")) > 0 {
		t.Error("it still looks like waiting")
	}
}

func TestASlowSectionIsALinkWithoutScripts(t *testing.T) {
	t.Parallel()
	s, ending := lateService(t)
	b := open(t, s.ui, look{noScripts: true})
	b.goTo("/reports?from=2026-02-24T12:00:00")
	b.see("#overview-hours", "Show this section")
	close(ending)
	b.follow("#overview-hours [data-wait] a")
	b.see("#overview-hours", "TIAGo")
	b.see(".tabs", "Overview")
}
