package reports

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/views"
)

// decideAll lets the resolver match, doubt and keep apart, and a person accept, reject
// and undo.
func (s *fixture) decideAll() {
	s.T.Helper()
	cases := s.AddCases(4)
	o := resolver.Observation{EventKind: "human_utterance", ObservedAt: "2026-02-12T09:00:00.000Z", SubjectURI: "https://ex/human/maria", Modality: "speech",
		Text: "Open the window, it is warm in here", RobotURI: "https://ex/robot/ari"}
	for _, robot := range []string{"ari", "tiago"} {
		o.RobotURI = "https://ex/robot/" + robot
		if _, err := s.Contexts.Resolve(s.T.Context(), o, "tester"); err != nil {
			s.T.Fatal(err)
		}
	}
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Accept, Time: s.Now, Actor: "tester"}
	_, accepted := s.Contexts.Accept(s.T.Context(), cases[0], "", false, e)
	_, again := s.Contexts.Accept(s.T.Context(), cases[2], "", false, e)
	_, rejected := s.Contexts.Reject(s.T.Context(), cases[1], e)
	_, undone := s.Contexts.Undo(s.T.Context(), cases[2], e)
	if err := errors.Join(accepted, again, rejected, undone); err != nil {
		s.T.Fatal(err)
	}
}

// TestTheResolverIsReportedAsItCounts compares the tables, which come from the graph,
// with the resolver's own counts.
func TestTheResolverIsReportedAsItCounts(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	s.decideAll()
	stats, err := s.Contexts.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	section := s.reckon("resolver", time.Time{}, time.Time{})
	for name, want := range map[string]map[string]int64{
		"resolver-contexts": {"active": stats.ActiveContexts, "ambiguous": stats.AmbiguousContexts, "merged": stats.MergedContexts},
		"resolver-cases":    {"pending": stats.PendingReviews, "accepted": stats.AcceptedReviews, "rejected": stats.RejectedReviews, "superseded": stats.SupersededReviews},
		"resolver-decisions": {
			"Creation": stats.Outcomes.Created, "Match": stats.Outcomes.Matched, "Doubt": stats.Outcomes.Ambiguous, "AutoMerge": stats.AutomaticMerges,
			"AcceptedMerge": stats.ManualMerges + 1, "Rejection": stats.RejectedReviews, "Undo": 1, // one merge was undone
		},
	} {
		got := columnOf(t, tableOf(t, section, name), 0, 1)
		for what, n := range want {
			if int64(got[what]) != n {
				t.Errorf("%s: %s is %d, want %d", name, what, got[what], n)
			}
			delete(got, what)
		}
		for what, n := range got {
			if n != 0 {
				t.Errorf("%s has %d %s, which nobody counts", name, n, what)
			}
		}
	}
	if got := section.Figures[0]; got.Number != views.Count(stats.PendingReviews) || stats.PendingReviews < 2 {
		t.Errorf("%+v, want %d", got, stats.PendingReviews)
	}
}

// TestAMergedEventIsOneEvent has two robots that named one event apart, and a third name for what both are.
func TestAMergedEventIsOneEvent(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(searchPrefixes + `@prefix sc: <urn:segraph:ns#> . ex:e1 a schema:Event ; sc:mergedInto ex:e2 . ex:e2 a schema:Event ; schema:description "a fall" ; sc:mergedInto ex:e3 .
		ex:a1 a segb:LoggedActivity . ex:a2 a segb:LoggedActivity .` +
		saidAt(1, "2026-03-01T09:00:00Z", "ex:ari", "ex:maria", "ex:e1", `"Help!"`) + saidAt(2, "2026-03-01T09:00:01Z", "ex:tiago", "ex:maria", "ex:e2", `"Help!"`))
	for section, want := range map[string][]string{"resolver": {"1 event logged by several robots", "e3 a fall 2 2"}, "sessions": {"ARI, TIAGo 0 0 0 1"}} {
		page := s.NewVisitor().Get("/reports?section=" + section).Body.String()
		page = strings.Join(strings.Fields(regexp.MustCompile("<[^>]*>").ReplaceAllString(page, " ")), " ")
		for _, w := range want {
			if !strings.Contains(page, w) {
				t.Errorf("%q is not on the page: %s", w, page)
			}
		}
	}
}
