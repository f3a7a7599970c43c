package persist

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

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

// A deleted graph is imported exactly, with its blank nodes, contributions, contexts,
// cases and decisions. The resolver continues as if nothing had been deleted.
func TestADeletedGraphIsRestoredUnchanged(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	first, second := publish(t, s, sample), publish(t, s, large(0, 300))
	third := publish(t, s, large(100, 400))
	cases := hears(t, r, 0, 3)
	if _, err := r.Accept(t.Context(), cases[0], "", false, entryOf(journal.Accept)); err != nil {
		t.Fatal(err)
	}
	path := backedUp(t, s)
	was, remembered, text := allQuads(t, s), recordsOf(t, s.Contexts()), exported(t, s, turtle.Turtle)
	if _, err := g.Clear(t.Context(), true, entryOf(journal.Clear)); err != nil {
		t.Fatal(err)
	}
	if got := allQuads(t, s); len(got) != 0 {
		t.Fatalf("left are %q", got)
	}
	for round := range 2 { // the second adds nothing
		e := entryOf(journal.Import)
		back, err := g.ImportBackup(t.Context(), path, e)
		if err != nil || back.Contexts != (round == 0) || (back.Added == 0) != (round == 1) {
			t.Fatalf("%+v, %v", back, err)
		}
		if got := allQuads(t, s); !slices.Equal(got, was) {
			t.Errorf("%d quads came back of %d", len(got), len(was))
		}
		// Deleting everything rewrites the usual offsets of clocks.
		clock := func(line string) bool { return strings.HasPrefix(line, fmt.Sprintf("%x=", record.ScaleKey())) }
		if got := slices.DeleteFunc(recordsOf(t, s.Contexts()), clock); !slices.Equal(got, slices.DeleteFunc(slices.Clone(remembered), clock)) {
			t.Errorf("%d records came back of %d", len(got), len(remembered))
		}
		if got := exported(t, s, turtle.Turtle); got != text {
			t.Errorf("the export is %s", got)
		}
		if all := entries(t, s); all[len(all)-1].LogID != e.LogID || int64(all[len(all)-1].Added) != back.Added {
			t.Errorf("the journal ends with %+v", all[len(all)-1])
		}
	}
	for _, id := range []string{first, second, third} {
		if l, err := s.Log(t.Context(), id, 0); err != nil || !l.Kept {
			t.Errorf("of log %s there are %d triples", id, l.Total)
		}
	}
	q := document(t, turtle.Turtle, `<http://ex/event150> <http://ex/n> 150 .`).Quad(0)
	page, err := s.Logs(t.Context(), journal.Filter{Limit: 10, Look: 100}, []rdf.Quad{q})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range page.Entries {
		got = append(got, e.LogID)
	}
	if !slices.Equal(got, []string{third, second}) {
		t.Errorf("it was brought by %q", got)
	}
	if _, err := r.Undo(t.Context(), cases[0], entryOf(journal.Undo)); err != nil {
		t.Error(err)
	}
	if _, err := r.Reject(t.Context(), cases[1], entryOf(journal.Reject)); err != nil {
		t.Error(err)
	}
	if more := hears(t, r, 10, 2); len(more) != 2 {
		t.Errorf("new cases are %q", more)
	}
	publish(t, s, large(0, 50))
	mustCheck(t, s)
	reopened := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, reopen(t, reopened))
}

// A deleted graph with triple terms is imported exactly, even though its terms have
// new ids. A log of it can still be withdrawn.
func TestADeletedGraphWithTripleTermsIsRestored(t *testing.T) {
	t.Parallel()
	const claims = `@prefix : <http://ex/> . :s :p 1 ~ :r {| :by _:x |} , "a"@ar--rtl ~ [] . :d :q <<( _:x :p <<( :s :p _:x )>> )>> .`
	s := openStore(t)
	g, _ := resolved(t, s)
	publish(t, s, claims)
	withdrawn := publish(t, s, claims+strings.ReplaceAll(claims, ":s", ":s2"))
	path, was := backedUp(t, s), allQuads(t, s)
	if _, err := g.Clear(t.Context(), true, entryOf(journal.Clear)); err != nil {
		t.Fatal(err)
	}
	const since = "<http://ex/z> <http://ex/p> <<( <http://ex/s> <http://ex/p> 1 )>> .\n"
	publish(t, s, since)
	for range 2 {
		if _, err := g.ImportBackup(t.Context(), path, entryOf(journal.Import)); err != nil {
			t.Fatal(err)
		}
		got := slices.DeleteFunc(allQuads(t, s), func(line string) bool { return strings.HasPrefix(line, "<http://ex/z>") })
		if !slices.Equal(got, was) {
			t.Errorf("these came back: %q\nnot %q", got, was)
		}
		mustCheck(t, s)
	}
	out, err := s.Withdraw(t.Context(), withdrawn, entryOf(journal.Withdraw))
	if err != nil || out.Stayed != 3 || out.Removed != len(was)-6 {
		t.Errorf("%+v, %v", out, err)
	}
	mustCheck(t, s)
}

// Blank nodes of a log in parts are one by their labels, also after an import.
func TestADeletedLogInPartsIsRestored(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	add := func(text, name string) {
		t.Helper()
		d := storetest.Document(t, turtle.Turtle, text)
		err := s.Update(t.Context(), func(tx *engine.Tx) error {
			e := entryOf(journal.Insert)
			return tx.AddPart(d, &e, name)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	add(`_:x <http://ex/p> "one" . _:y <http://ex/p> _:x .`, "aa")
	add(`_:x <http://ex/p> "two" .`, "aa")
	path, was := backedUp(t, s), allQuads(t, s)
	if _, err := g.Clear(t.Context(), true, entryOf(journal.Clear)); err != nil {
		t.Fatal(err)
	}
	add(`_:x <http://ex/q> "other" .`, "bb")
	if _, err := g.ImportBackup(t.Context(), path, entryOf(journal.Import)); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, s)
	shape := func(lines []string) string { // numbers of blank nodes are new
		for _, line := range lines {
			if node, _, _ := strings.Cut(line, " "); strings.Contains(line, `"one"`) {
				return strings.ReplaceAll(strings.Join(lines, ""), node, "_:x")
			}
		}
		return ""
	}
	got := slices.DeleteFunc(allQuads(t, s), func(line string) bool { return strings.Contains(line, "other") })
	if len(got) != len(was) || strings.Count(shape(got), "_:x") != 3 || strings.Count(shape(was), "_:x") != 3 {
		t.Errorf("these came back: %q\nnot %q", got, was)
	}
}

// Robots continued to publish and resolve after the deletion, so contexts are not
// imported and triples are merged.
func TestLaterTriplesSurviveADeletion(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	publish(t, s, large(0, 100))
	hears(t, r, 0, 2)
	path := backedUp(t, s)
	if _, err := g.Clear(t.Context(), true, entryOf(journal.Clear)); err != nil {
		t.Fatal(err)
	}
	publish(t, s, large(90, 20))
	fresh := hears(t, r, 30, 1)
	back, err := g.ImportBackup(t.Context(), path, entryOf(journal.Import))
	if err != nil || back.Contexts || back.Triples != 400 || back.Added != 400-20 { // ten events have two triples each that are already there
		t.Fatalf("%+v, %v", back, err)
	}
	if _, err := r.Accept(t.Context(), fresh[0], "", false, entryOf(journal.Accept)); err != nil {
		t.Error(err)
	}
	if stats, err := r.Stats(t.Context()); err != nil || stats.PendingReviews != 0 || stats.AcceptedReviews != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	mustCheck(t, s)
}

// What people decided since a backup, with its contexts, stays, and the mirror shows it alone.
func TestLaterDecisionsSurviveAnImport(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	hears(t, r, 0, 2)
	decide := func(yes bool, offset int64) {
		t.Helper()
		_, clock := r.ConfirmClock(t.Context(), "http://ex/ari", &offset, entryOf(journal.Clock))
		people := resolver.PersonDecision{Subjects: []string{"http://ex/maria", "http://ex/mary"}, One: yes}
		_, person := r.DecidePerson(t.Context(), people, entryOf(journal.Subject))
		_, subject := r.DecideSubject(t.Context(), "http://ex/maria", yes, entryOf(journal.Subject))
		_, relay := r.DecideRelay(t.Context(), "http://ex/tiago", "http://ex/ari", yes, entryOf(journal.Relay))
		if err := errors.Join(clock, person, subject, relay); err != nil {
			t.Fatal(err)
		}
	}
	decide(true, 100)
	path := backedUp(t, s)
	if _, err := g.Clear(t.Context(), true, entryOf(journal.Clear)); err != nil {
		t.Fatal(err)
	}
	decide(false, 200)
	if back, err := g.ImportBackup(t.Context(), path, entryOf(journal.Import)); err != nil || !back.Contexts {
		t.Fatalf("%+v, %v", back, err)
	}
	mustCheck(t, s)
}

func TestABackupOfAnotherHistoryIsRefused(t *testing.T) {
	t.Parallel()
	s, other := openStore(t), openStore(t)
	publish(t, s, large(0, 3))
	publish(t, other, large(0, 3))
	path := backedUp(t, other)
	var unfit *store.UnfitError
	if _, _, err := s.importBackup(t.Context(), path, entryOf(journal.Import), nil); !errors.As(err, &unfit) {
		t.Errorf("another file's backup: %v", err)
	}
	if _, _, err := s.importBackup(t.Context(), filepath.Join(t.TempDir(), "none.db"), entryOf(journal.Import), nil); err == nil {
		t.Error("a backup that is not there was brought back")
	}
	mustCheck(t, s)
}

// A log that was withdrawn after an import does not come back when the same backup is imported again.
func TestAnImportBringsNoWithdrawnLogBack(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	gone, kept := publish(t, s, "<http://ex/gone> <http://ex/p> 1 ."), publish(t, s, "<http://ex/kept> <http://ex/p> 1 .")
	path := backedUp(t, s)
	for range 3 {
		if _, err := g.Clear(t.Context(), false, entryOf(journal.Clear)); err != nil {
			t.Fatal(err)
		}
		if _, err := g.ImportBackup(t.Context(), path, entryOf(journal.Import)); err != nil {
			t.Fatal(err)
		}
		if gone != "" {
			if _, err := s.Withdraw(t.Context(), gone, entryOf(journal.Withdraw)); err != nil {
				t.Fatal(err)
			}
		}
		gone = ""
		if text := dumped(t, s); strings.Contains(text, "http://ex/gone") || !strings.Contains(text, "http://ex/kept") {
			t.Errorf("there is %s", text)
		}
		mustCheck(t, s)
	}
	if _, err := s.Withdraw(t.Context(), kept, entryOf(journal.Withdraw)); err != nil {
		t.Error(err)
	}
}

// The unit of work that imports a backup withdraws again what was withdrawn since, so that neither a reader nor a kill sees it.
func TestNobodySeesAWithdrawnLogInAnImport(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	log := publish(t, s, "<http://ex/x> <http://ex/says> \"withdrawn words\" , \"also kept\" .")
	publish(t, s, "<http://ex/x> <http://ex/says> \"also kept\" .")
	backup := backedUp(t, s)
	if _, err := s.Withdraw(t.Context(), log, entryOf(journal.Withdraw)); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Clear(t.Context(), false, entryOf(journal.Clear)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.importBackup(t.Context(), backup, entryOf(journal.Import), nil); err != nil {
		t.Fatal(err)
	}
	if text := dumped(t, s); strings.Contains(text, "withdrawn words") || !strings.Contains(text, "also kept") {
		t.Errorf("after the import:\n%s", text)
	}
	mustCheck(t, s)
}
