package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/cayley"
	"github.com/segraph/segraph/store/journal"
)

// visit is what three robots see of a visit to a museum, one line an observation, and publish of it.
const visit = `
ari    09:12:13.150 maria speech Could you show me climate news?
tiago  09:12:13.950 maria speech Could you show me climate news?
pepper 09:12:13.650 -     speech Could you show me climate news?
ari    09:14:02.000 maria speech Where is the cloakroom, please?
tiago  09:14:02.310 juan  speech Could I have a map of the building?
pepper 09:14:02.480 juan  speech Could I have a map of the building?
ari    09:20:41.120 juan  vision -
pepper 09:20:41.700 -     vision -
`

// The queries of docs/shared-contexts.md have the answers that it says. go test -update writes them anew.
func TestTheQueriesOverSharedContextsHaveTheirAnswers(t *testing.T) {
	checkQuestions(t, "shared-contexts.md", 7, func(string) string {
		storeVisit(t, "visit.db")
		return "visit.db"
	})
}

// storeVisit resolves a visit, has a person accept one of its doubts and reject the other, and publishes
// a log of each robot about each event. Names and times are the same every time.
func storeVisit(t *testing.T, path string) {
	t.Helper()
	s, err := cayley.Open(path, cayley.Options{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 2, 11, 9, 30, 0, 0, time.UTC)
	contexts, err := resolver.Open(s.Contexts(), resolver.Options{
		Settings: resolver.Defaults(), Random: strings.NewReader("a museum at nine"),
		Now: func() time.Time { now = now.Add(time.Second); return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	absent := func(s string) string { return strings.TrimPrefix(s, "-") }
	var log strings.Builder
	for line := range strings.Lines(strings.TrimSpace(visit)) {
		f := strings.Fields(line)
		o := resolver.Observation{
			EventKind: "human_utterance", ObservedAt: "2026-02-11T" + f[1] + "Z", Modality: f[3], Text: absent(strings.Join(f[4:], " ")),
			RobotURI: "https://example.org/robot/" + f[0],
		}
		if o.Text == "" {
			o.EventKind = "human_gesture"
		}
		if f[2] != "-" {
			o.SubjectURI = "https://example.org/human/" + f[2]
		}
		a, err := contexts.Resolve(t.Context(), o, f[0])
		if err != nil {
			t.Fatal(err)
		}
		log.WriteString("<https://example.org/" + f[0] + "/activity/" + f[1] + "> <http://schema.org/about> <" + a.SharedContextURI + "> ; " +
			"<http://www.gsi.upm.es/ontologies/segb/ns#wasPerformedBy> <" + o.RobotURI + "> .\n")
	}
	queue, err := contexts.Pending(t.Context(), 10, 0)
	if err != nil || len(queue.PendingCases) != 2 {
		t.Fatalf("%d cases are pending, want 2: %v", len(queue.PendingCases), err)
	}
	entry := func(action journal.Action) journal.Entry {
		return journal.Entry{LogID: uuid.NewString(), Action: action, Actor: "eva", Time: now}
	}
	if _, err := contexts.Accept(t.Context(), queue.PendingCases[0].CaseID, "", false, entry(journal.Accept)); err != nil {
		t.Fatal(err)
	}
	if _, err := contexts.Reject(t.Context(), queue.PendingCases[1].CaseID, entry(journal.Reject)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := segraph(log.String(), nil, "load", "--data", path, "--format", "turtle", "-"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
}
