package provenance_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

func init() { suite.Checks(12) }

// TestWithdrawingALogRemovesOnlyWhatNoOtherLogContributed publishes random logs over few triples,
// some long enough for pieces, and withdraws them in any order. A model records what each
// log contributed.
func TestWithdrawingALogRemovesOnlyWhatNoOtherLogContributed(t *testing.T) {
	dir, round := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		round++
		s, err := open(filepath.Join(dir, fmt.Sprint(round)))
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		logs := map[string][]string{}
		var ids []string
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			if len(ids) > 0 && rapid.Bool().Draw(r, "withdraw") {
				at := rapid.IntRange(0, len(ids)-1).Draw(r, "which")
				alone := map[string]bool{}
				for _, line := range logs[ids[at]] {
					alone[line] = true
				}
				for id, lines := range logs {
					for _, line := range lines {
						if id != ids[at] {
							delete(alone, line)
						}
					}
				}
				gone, err := s.Withdraw(t.Context(), ids[at], entryOf(journal.Withdraw))
				if err != nil || gone.Removed != len(alone) || gone.Stayed != len(logs[ids[at]])-len(alone) {
					r.Fatalf("%+v, %v, want %d gone", gone, err, len(alone))
				}
				if _, err := s.Withdraw(t.Context(), ids[at], entryOf(journal.Withdraw)); !errors.Is(err, store.ErrNotKept) {
					r.Fatalf("a second time: %v", err)
				}
				delete(logs, ids[at])
				ids = slices.Delete(ids, at, at+1)
			} else {
				first, count := rapid.IntRange(0, 200).Draw(r, "first"), rapid.SampledFrom([]int{1, 5, 64, 65, 150, 400}).Draw(r, "count")
				var lines []string
				for i := first; i < first+count; i++ {
					lines = append(lines, fmt.Sprintf("<http://ex/%d> <http://ex/n> \"%d\" .\n", i, i))
				}
				id := publish(t, s, strings.Join(lines, ""))
				logs[id], ids = lines, append(ids, id)
			}
			var want []string
			for _, lines := range logs {
				want = append(want, lines...)
			}
			slices.Sort(want)
			if got := allQuads(t, s); !slices.Equal(got, slices.Compact(want)) {
				r.Fatalf("there are %d triples, want %d", len(got), len(want))
			}
		}
		if err := s.Check(t.Context()); err != nil {
			r.Fatal(err)
		}
	})
}

func TestTriplesThatWereLoadedStayAfterAWithdrawal(t *testing.T) {
	s := openStore(t)
	if _, err := s.Load(t.Context(), strings.NewReader(`<http://ex/0> <http://ex/n> "0" .`), turtle.Turtle, turtle.Options{}, journal.Entry{LogID: "loaded", Action: journal.Insert}, nil); err != nil {
		t.Fatal(err)
	}
	log := publish(t, s, `<http://ex/0> <http://ex/n> "0", [ <http://ex/n> "1" ] .`)
	if gone, err := s.Withdraw(t.Context(), log, entryOf(journal.Withdraw)); err != nil || gone.Removed != 2 || gone.Stayed != 1 {
		t.Errorf("%+v, %v", gone, err)
	}
	page, err := s.Logs(t.Context(), journal.Filter{Limit: 1, Look: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last := page.Entries[0]; last.Action != journal.Withdraw || last.Withdrawn != log || last.Removed != 2 {
		t.Errorf("the journal ends with %+v", last)
	}
	if l := logged(t, s, log); l.Kept || l.Total != 0 {
		t.Errorf("it still has %+v", l)
	}
	if _, err := s.Withdraw(t.Context(), "no such log", entryOf(journal.Withdraw)); !errors.Is(err, store.ErrNoLog) {
		t.Errorf("%v", err)
	}
	quads := publish(t, s, `<http://ex/a> <http://ex/n> "0" .`)
	e := entryOf(journal.Clear)
	if _, err := s.Clear(t.Context(), true, e); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Withdraw(t.Context(), quads, entryOf(journal.Withdraw)); !errors.Is(err, store.ErrNotKept) {
		t.Errorf("after everything was deleted: %v", err)
	}
	var unfit *store.UnfitError
	if _, err := s.Withdraw(t.Context(), e.LogID, entryOf(journal.Withdraw)); !errors.As(err, &unfit) {
		t.Errorf("a deletion was taken back: %v", err)
	}
	mustCheck(t, s)
}

// TestATripleWithoutAContributionBelongsToNoLog has a triple in the graph that no log
// contributed, as in old files.
func TestATripleWithoutAContributionBelongsToNoLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	without, err := engine.Open(path, engine.Options{}) // records no contributions
	if err != nil {
		t.Fatal(err)
	}
	if _, err := without.Add(t.Context(), document(t, turtle.Turtle, `<http://ex/a> <http://ex/b> 1 .`), journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	if err := without.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	log := publish(t, s, `<http://ex/a> <http://ex/b> 1, 2 .`)
	var unfit *store.UnfitError
	if _, err := s.Withdraw(t.Context(), log, entryOf(journal.Withdraw)); !errors.As(err, &unfit) {
		t.Errorf("%v", err)
	}
	if got := allQuads(t, s); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// What was loaded into graphs with names is withdrawn from each of them.
func TestWhatWasLoadedIntoNamedGraphsIsWithdrawn(t *testing.T) {
	s := openStore(t)
	load := func(id, text string) {
		t.Helper()
		e := entryOf(journal.Insert)
		e.LogID = id
		if _, err := s.Load(t.Context(), strings.NewReader(text), turtle.TriG, turtle.Options{}, e, nil); err != nil {
			t.Fatal(err)
		}
	}
	load("first", `<http://ex/a> <http://ex/n> 1, 2 . <http://ex/g> { <http://ex/a> <http://ex/n> 1, 2, 3 } <http://ex/h> { <http://ex/a> <http://ex/n> 4 }`)
	load("second", `<http://ex/g> { <http://ex/a> <http://ex/n> 3, 5 }`)
	if gone, err := s.Withdraw(t.Context(), "first", entryOf(journal.Withdraw)); err != nil || gone.Removed != 5 || gone.Stayed != 1 {
		t.Errorf("%+v, %v", gone, err)
	}
	if n, err := s.InNamedGraphs(); err != nil || n != 2 {
		t.Errorf("%d triples are left in named graphs, want those of the second log: %v", n, err)
	}
	mustCheck(t, s)
	if _, err := s.Withdraw(t.Context(), "first", entryOf(journal.Withdraw)); !errors.Is(err, store.ErrNotKept) {
		t.Errorf("withdrawn twice: %v", err)
	}
	if gone, err := s.Withdraw(t.Context(), "second", entryOf(journal.Withdraw)); err != nil || gone.Removed != 2 {
		t.Errorf("%+v, %v", gone, err)
	}
	if n, err := s.InNamedGraphs(); err != nil || n != 0 {
		t.Errorf("%d triples are left: %v", n, err)
	}
	mustCheck(t, s)
}
