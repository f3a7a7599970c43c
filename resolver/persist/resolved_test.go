package persist

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

// merged returns a store with published triples and a case whose contexts a person
// merged.
func merged(t *testing.T) (s *Store, g ResolvedGraph, r *resolver.Resolver, caseID string) {
	t.Helper()
	s = openStore(t)
	g, r = resolved(t, s)
	add(t, s, "@prefix ex: <http://ex/> . ex:a ex:p 1, 2 .")
	cases := hears(t, r, 0, 2)
	accept(t, r, cases[0])
	if n := merges(t, s); n != 1 {
		t.Fatalf("the published graph tells of %d merges, want 1", n)
	}
	return s, g, r, cases[0]
}

func accept(t *testing.T, r *resolver.Resolver, caseID string) {
	t.Helper()
	if _, err := r.Accept(t.Context(), caseID, "", false, entryOf(journal.Accept)); err != nil {
		t.Fatal(err)
	}
}

func undo(t *testing.T, r *resolver.Resolver, caseID string) {
	t.Helper()
	if _, err := r.Undo(t.Context(), caseID, entryOf(journal.Undo)); err != nil {
		t.Fatal(err)
	}
}

// merges returns the number of merges in the published graph.
func merges(t *testing.T, s *Store) int {
	t.Helper()
	text := exported(t, s, turtle.NTriples)
	into, alternate := strings.Count(text, "mergedInto"), strings.Count(text, "alternateOf")
	if into != alternate {
		t.Errorf("%d triples mergedInto beside %d alternateOf", into, alternate)
	}
	return into
}

func clearPublished(t *testing.T, g ResolvedGraph, removed int64) {
	t.Helper()
	got, err := g.Clear(t.Context(), false, entryOf(journal.Clear))
	if err != nil || got != (store.Cleared{Triples: removed}) {
		t.Fatalf("cleared %+v, %v; want %d triples", got, err, removed)
	}
}

func TestClearingThePublishedGraphKeepsContextsCasesAndDecisions(t *testing.T) {
	t.Parallel()
	s, g, r, caseID := merged(t)
	mirror := func() []string {
		return slices.DeleteFunc(allQuads(t, s), func(line string) bool { return !strings.Contains(line, store.ContextsGraph) })
	}
	was := mirror()
	stats, err := r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clearPublished(t, g, 4)
	if text := exported(t, s, turtle.Turtle); text != "" {
		t.Errorf("the published graph is %s", text)
	}
	if got := mirror(); !slices.Equal(got, was) {
		t.Errorf("the graph of contexts has %d quads, and had %d", len(got), len(was))
	}
	if now, err := r.Stats(t.Context()); err != nil || jsonOf(t, now) != jsonOf(t, stats) {
		t.Errorf("the counts are %s, %v; and were %s", jsonOf(t, now), err, jsonOf(t, stats))
	}
	mustCheck(t, s)
	clearPublished(t, g, 0)
	// A later merge is published, and removed when it is undone.
	undo(t, r, caseID)
	if n := merges(t, s); n != 0 {
		t.Errorf("after the undo %d merges are published", n)
	}
	accept(t, r, caseID)
	if n := merges(t, s); n != 1 {
		t.Errorf("after the second acceptance %d merges are published", n)
	}
	mustCheck(t, s)
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, reopen(t, path))
}

// This test has no resolver, like a command on the file of a stopped service.
func TestClearingAStoreKeepsWhatItsRecordsSay(t *testing.T) {
	t.Parallel()
	s, _, _, _ := merged(t)
	if got, err := s.Clear(t.Context(), false, entryOf(journal.Clear)); err != nil || got.Triples != 4 {
		t.Fatalf("cleared %+v, %v", got, err)
	}
	mustCheck(t, s)
	r := openResolver(t, s.Contexts(), steadyClock())
	if stats, err := r.Stats(t.Context()); err != nil || stats.ManualMerges != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// imports follows while its graph is imported.
type imports struct{ store.Graph }

func (imports) Importing() error { return store.ErrUnavailable }

// A deletion during an import would seem to do nothing: the imported graph comes after it.
func TestNothingIsClearedDuringAnImport(t *testing.T) {
	t.Parallel()
	s, g, _, _ := merged(t)
	g.Graph = imports{g.Graph}
	if got, err := g.Clear(t.Context(), true, entryOf(journal.Clear)); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("cleared %+v, %v", got, err)
	}
	if n := merges(t, s); n != 1 {
		t.Errorf("%d merges are left", n)
	}
}

// resolved returns a store with its resolver and the graph that both serve.
func resolved(t testing.TB, s *Store) (ResolvedGraph, *resolver.Resolver) {
	t.Helper()
	r := openResolver(t, s.Contexts(), steadyClock())
	return ResolvedGraph{Graph: s, Store: s, Resolver: r}, r
}

// hears lets two robots report n events from number first on. Each creates a case.
func hears(t *testing.T, r *resolver.Resolver, first, n int) (cases []string) {
	t.Helper()
	for i := first; i < first+n; i++ {
		for j, robot := range []string{"ari", "tiago"} {
			o := resolver.Observation{EventKind: "human_utterance", ObservedAt: fmt.Sprintf("2026-02-11T09:%02d:00.%d00Z", i, 5*j), Modality: "speech",
				Text: "Could you show me climate news?", RobotURI: "http://ex/" + robot}
			if j == 0 {
				o.SubjectURI = "http://ex/maria"
			}
			x, err := r.Resolve(t.Context(), o, robot)
			if err != nil {
				t.Fatal(err)
			}
			if x.CaseID != nil {
				cases = append(cases, *x.CaseID)
			}
		}
	}
	return cases
}

func entryOf(a journal.Action) journal.Entry {
	return journal.Entry{LogID: journal.NewLogID(), Action: a, Actor: "ari"}
}
