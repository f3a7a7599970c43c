package reports

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views/viewstest"
)

// graph returns the published graph as N-Triples.
func (s *fixture) graph() string {
	s.T.Helper()
	b := s.NewVisitor()
	b.Header.Set("Accept", "application/n-triples")
	return b.Get("/api/events").Body.String()
}

// own is a log of somebody else. It repeats a triple of the demo.
const own = `<https://example.org/robot/ari> a <http://kb.openrobots.org#Robot> ; <http://schema.org/name> "ARI" . <http://ours.test/x> a <http://kb.openrobots.org#Robot> .`

func TestTheDemoIsRemovedAndNothingElse(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	s.Publish(own)
	before := s.graph()
	if err := s.Service.PlayDemo(t.Context(), viewstest.Eva); err == nil || !strings.Contains(err.Error(), "only into an empty store") {
		t.Errorf("into a store with data: %v", err)
	}
	s = openService(t)
	s.PlayDemo()
	s.Publish(own)
	stats, err := s.Service.ContextStats(t.Context())
	if err != nil || stats.PendingReviews != demo.Cases || stats.ManualMerges == 0 {
		t.Fatalf("%+v %v", stats, err)
	}
	out, err := s.Service.RemoveDemo(t.Context(), viewstest.Eva)
	if err != nil || out.Logs < 100 || out.Triples < 5000 || out.Contexts < 100 || out.Rejected != 0 {
		t.Fatalf("%+v %v", out, err)
	}
	if after := s.graph(); after != before {
		t.Errorf("left is\n%s\nwant\n%s", after, before)
	}
	stats, err = s.Service.ContextStats(t.Context())
	if err != nil || stats.Observations+stats.PendingReviews+stats.ActiveContexts+stats.MergedContexts+stats.RejectedReviews != 0 || len(stats.Clock.Robots) != 0 {
		t.Errorf("left of the contexts: %+v %v", stats, err)
	}
	if _, err := s.Service.RemoveDemo(t.Context(), viewstest.Eva); service.ErrorOf(err).Kind != service.NotFound {
		t.Errorf("a second time: %v", err)
	}
	if err := s.Store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// The learnt frequencies do not say which contexts they come from. So if other robots have
// reported too, contexts stay, and only the pending cases of the demo are closed.
func TestContextsOfOthersStayWhenTheDemoIsRemoved(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	s := openService(t)
	s.PlayDemo()
	for _, robot := range []string{"a", "b"} {
		o := resolver.Observation{EventKind: "human_utterance", ObservedAt: "2026-01-02T03:04:05.100Z", Modality: "speech", Text: "Is this seat taken, please?", RobotURI: "http://ours.test/" + robot}
		if robot == "a" {
			o.SubjectURI = "http://ours.test/ana"
		}
		if _, err := s.Service.Resolve(t.Context(), viewstest.Eva, o, nil); err != nil {
			t.Fatal(err)
		}
	}
	out, err := s.Service.RemoveDemo(t.Context(), viewstest.Eva)
	if err != nil || out.Contexts != 0 || out.Rejected != demo.Cases {
		t.Fatalf("%+v %v", out, err)
	}
	waiting, err := s.Service.ReviewQueue().Waiting(t.Context(), 10)
	if err != nil || len(waiting) != 1 || waiting[0].Robot != "http://ours.test/b" {
		t.Errorf("waiting are %+v %v", waiting, err)
	}
	if err := s.Store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
