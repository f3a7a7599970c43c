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

// lateStore delays the queries for the times of activities until ending receives a value or
// is closed. Then it runs the query, or returns the error that it received.
type lateStore struct {
	*persist.Store
	ending chan error
}

func (s lateStore) Query(ctx context.Context, q *sparql.Query, l budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) error {
	if slices.Equal(q.Variables(), []string{"first", "activities"}) {
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

// lateService returns a service with data whose section Activity is delayed, and the
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
			b.goTo("/reports?section=all&from=2026-02-24T12:00:00")
			b.see("#activity.waits", "Loading activity…")
			if len(b.all("#activity .skeleton")) != 1 || len(b.all("#activity table")) != 0 {
				t.Error("it does not look like a section that waits")
			}
			b.see("#totals", "triples")
			prints := func() bool { return !value[bool](b, `document.querySelector("[data-print]").disabled`) }
			if prints() {
				t.Error("the page offers to print before all sections are there")
			}
			b.shot("reports-late", l)
			close(ending)
			b.see("#activity:not(.waits) .chart", "Activities by minute")
			b.eventually("all are there", func() bool { return len(b.all(".report.waits")) == 0 }, b.path)
			b.eventually("it offers to print", prints, b.path)
			if got := b.all("#activity a[href*='from=2026-02-24T12']"); len(got) == 0 {
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
	b.goTo("/reports?section=all")
	b.see("#activity.waits", "Loading activity…")
	ending <- &budget.LimitError{Limit: "time", Detail: "30s"}
	b.see("#activity [role=alert]", "Try this section again")
	if len(b.all("#activity table, #activity .chart")) > 0 {
		t.Error("it also shows values that it does not know")
	}
	b.see("#people", "TIAGo")
}

func TestASectionThatNeverLoadsSaysSo(t *testing.T) {
	t.Parallel()
	s, _ := lateService(t)
	b := open(t, s.ui, look{})
	b.expect("Failed to load resource")
	b.expect("a script writes an error to the console") // htmx does
	b.goTo("/reports?section=all")
	b.see("#activity.waits", "Loading activity…")
	s.stop()
	b.see("#activity", "This section could not be loaded")
	if len(b.all("#activity .skeleton")) > 0 {
		t.Error("it still looks like waiting")
	}
}

func TestASlowSectionIsALinkWithoutScripts(t *testing.T) {
	t.Parallel()
	s, ending := lateService(t)
	b := open(t, s.ui, look{noScripts: true})
	b.goTo("/reports?section=all&from=2026-02-24T12:00:00")
	b.see("#activity", "Show this section")
	close(ending)
	b.follow("#activity [data-wait] a")
	b.see("#activity", "By the hour of the week")
	b.see(".tabs", "Overview")
}
