package resolver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/store/rdf"
)

// check checks the invariants after every step.
func (w *world) check(t *rapid.T) {
	ctx := context.Background()
	s, err := w.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	q, err := w.Pending(ctx, 1000, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if int(s.PendingReviews) != len(q.PendingCases) || int(s.AmbiguousContexts) != len(q.UnresolvedContexts) || s.Aliases != s.AutomaticMerges+s.ManualMerges || int(s.Aliases) != len(w.into) {
		t.Fatalf("%+v beside %d cases of %d contexts", s, len(q.PendingCases), len(q.UnresolvedContexts))
	}
	if int(s.Observations) != len(w.answers) || int(s.ReusedIDs.Total) != w.reused || s.ActiveContexts+s.AmbiguousContexts+s.MergedContexts != s.Outcomes.Created+s.Outcomes.Ambiguous ||
		int(s.AutomaticMatches) != len(w.matches) || s.Outcomes.Matched != s.AutomaticMatches {
		t.Fatalf("%+v after %d observations", s, len(w.answers))
	}
	if len(w.answers) > 0 { // a repeat is answered with the context that the merges in force lead to
		asked := rapid.SampledFrom(slices.Sorted(maps.Keys(w.answers))).Draw(t, "asks again")
		var o resolver.Observation
		if err := json.Unmarshal([]byte(asked), &o); err != nil {
			t.Fatal(err)
		}
		x, err := w.Resolve(ctx, o, "tester")
		if err != nil || !x.Duplicate || x.SharedContextURI != w.root(w.answers[asked]) {
			t.Fatalf("%s answers %+v, %v; want %s", asked, x, err, w.root(w.answers[asked]))
		}
	}
	fresh, err := resolver.Open(w.store, resolver.Options{Settings: resolver.Defaults()}) // finds all groups again
	if err != nil {
		t.Fatal(err)
	}
	same, err := fresh.Pending(ctx, 1000, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.checkContexts(t)
	for i, k := range q.PendingCases {
		if len(k.Candidates) == 0 {
			t.Fatalf("%s asks nothing", k.CaseID)
		}
		if k.GroupID != same.PendingCases[i].GroupID {
			t.Fatalf("%s is in the group %s, and in %s after a start", k.CaseID, k.GroupID, same.PendingCases[i].GroupID)
		}
	}
	mirrored := map[rdf.Quad]bool{}
	for _, x := range w.store.Quads() {
		mirrored[x] = true
	}
	err = resolver.Quads(w.store, func(x rdf.Quad) error {
		if !mirrored[x] {
			return fmt.Errorf("the mirror lacks %v", x)
		}
		delete(mirrored, x)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for x := range mirrored {
		if mirror.IsContribution(x.S) && mirror.SaysItsName(x) { // shared evidence stays
			continue
		}
		t.Fatalf("the mirror has %v besides", x)
	}
}

// checkContexts compares every current context with the observations that were answered
// with it.
func (w *world) checkContexts(t *rapid.T) {
	count := map[string]int{}
	for _, uri := range w.answers {
		count[w.root(uri)]++
	}
	for uri, n := range count {
		x, err := w.Context(context.Background(), uri, 100, 0)
		if err != nil || x.Context.URI != uri || x.Context.ObservationCount != n || len(x.Context.Observations) != n {
			t.Fatalf("%s: %+v, %v; want %d observations", uri, x, err, n)
		}
		for _, o := range x.Context.Observations {
			if o.DecisionID == "" || o.Undoable != (w.matches[o.DecisionID] != "") {
				t.Fatalf("%s: %+v", uri, o)
			}
		}
	}
}
