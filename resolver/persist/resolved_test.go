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

// A backup contains the merges of its time. Contexts are kept by a deletion, so a merge
// undone after the backup must not come back.
func TestImportingABackupRestoresCurrentMerges(t *testing.T) {
	t.Parallel()
	for _, undone := range []bool{false, true} {
		s, g, r, caseID := merged(t)
		path := backedUp(t, s)
		clearPublished(t, g, 4)
		want := 1
		if undone {
			undo(t, r, caseID)
			want = 0
		}
		back, err := g.ImportBackup(t.Context(), path, entryOf(journal.Import))
		if err != nil || back.Contexts || !back.Kept || back.Triples != int64(2+2*want) || back.Added != back.Triples {
			t.Fatalf("undone %v: %+v, %v", undone, back, err)
		}
		if n := merges(t, s); n != want {
			t.Errorf("undone %v: %d merges are published", undone, n)
		}
		mustCheck(t, s)
		if !undone {
			undo(t, r, caseID)
		}
		if n := merges(t, s); n != 0 {
			t.Errorf("undone %v: %d merges are published in the end", undone, n)
		}
		mustCheck(t, s)
	}
}

// Contexts that were deleted later are imported with their triples in the published
// graph.
func TestContextsAreRestoredAfterThePublishedGraphWasCleared(t *testing.T) {
	t.Parallel()
	s, g, r, caseID := merged(t)
	clearPublished(t, g, 4)
	add(t, s, "<http://ex/b> <http://ex/p> 3 .")
	path := backedUp(t, s)
	was := allQuads(t, s)
	if got, err := g.Clear(t.Context(), true, entryOf(journal.Clear)); err != nil || got != (store.Cleared{Triples: 1, Contexts: 4}) {
		t.Fatalf("cleared %+v, %v", got, err)
	}
	clearPublished(t, g, 0) // like the next run of a robot
	back, err := g.ImportBackup(t.Context(), path, entryOf(journal.Import))
	if err != nil || !back.Contexts || back.Kept {
		t.Fatalf("%+v, %v", back, err)
	}
	if got := allQuads(t, s); !slices.Equal(got, was) {
		t.Errorf("%d quads came back of %d", len(got), len(was))
	}
	mustCheck(t, s)
	undo(t, r, caseID)
	mustCheck(t, s)
}

// After an import of contexts, numbers continue from where they were, and names are new.
func TestImportedContextsGiveNoNameTwice(t *testing.T) {
	t.Parallel()
	s, g, r, _ := merged(t)
	seen := map[string]bool{}
	for round := range 3 {
		x, err := r.Resolve(t.Context(), resolver.Observation{EventKind: "human_utterance", ObservedAt: fmt.Sprintf("2026-05-%02dT09:00:00Z", 1+round),
			RobotURI: "https://ex/robot/ari", Text: "Where is the exit?"}, "tester")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{x.SharedContextURI, *x.DecisionID} {
			if seen[name] {
				t.Errorf("%s was given twice", name)
			}
			seen[name] = true
		}
		path := backedUp(t, s)
		if _, err := g.Clear(t.Context(), true, entryOf(journal.Clear)); err != nil {
			t.Fatal(err)
		}
		if back, err := g.ImportBackup(t.Context(), path, entryOf(journal.Import)); err != nil || !back.Contexts {
			t.Fatalf("round %d: %+v, %v", round, back, err)
		}
		mustCheck(t, s)
	}
	if stats, err := r.Stats(t.Context()); err != nil || stats.Observations != 7 {
		t.Errorf("%+v, %v", stats, err)
	}
}
