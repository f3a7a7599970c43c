package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

func mustAddText(t *testing.T, s *Store, text string) journal.Entry {
	t.Helper()
	e, err := s.AddText(t.Context(), &store.Text{Content: []byte(text)}, journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// mixedText returns a document of n statements with all kinds of terms, some of them
// twice.
func mixedText(seed uint64, n int) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("@prefix : <http://e/> .\n")
	for i := range n {
		switch random.IntN(6) {
		case 0:
			fmt.Fprintf(&b, ":s%d :p%d %d .\n", random.IntN(n), random.IntN(9), random.IntN(500))
		case 1:
			fmt.Fprintf(&b, "_:b%d :q [ :r ( 1 :x%d \"%d\"@en ) ] .\n", random.IntN(n), random.IntN(n), i)
		case 2:
			fmt.Fprintf(&b, ":s%d a :T , :T%d ; :t \"text %d\" .\n", i, random.IntN(5), random.IntN(n))
		case 3:
			fmt.Fprintf(&b, "_:a%d :q _:b%d .\n", random.IntN(n), random.IntN(n))
		default:
			fmt.Fprintf(&b, ":s%d :knows :s%d .\n", random.IntN(n), random.IntN(n))
		}
	}
	return b.String()
}

// tidied waits until there is nothing left to tidy.
func tidied(t *testing.T, s *Store) {
	t.Helper()
	for left := true; left; {
		if err := s.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		left = s.turn.moving || len(s.turn.abandoned) > 0
		s.turn.end()
	}
}

// keepUntidy keeps the tidier from working.
func keepUntidy(t *testing.T, s *Store) {
	t.Helper()
	if err := s.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.turn.neverTidy = true
	s.turn.end()
}

// tidyAgainNow ends what keepUntidy began, and waits until the tidier has nothing to do.
func tidyAgainNow(t *testing.T, s *Store) {
	t.Helper()
	if err := s.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.turn.neverTidy = false
	s.wantTidying()
	s.turn.end()
	tidied(t, s)
}

// A document that is stored in steps gives the same graph, with the same counts, as one
// that is stored at once. This holds before and after its triples are moved, and when it
// is sent again.
func TestALargeDocumentIsStoredAsASmallOneIs(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	steps, once := openStore(t), openStore(t)
	for i, text := range []string{mixedText(1, 3000), mixedText(2, 20_000), mixedText(3, 500)} {
		e := mustAddText(t, steps, text)
		var d store.Document
		r := (&store.Text{Content: []byte(text)}).Reader()
		for {
			q, err := r.Read()
			if err != nil {
				break
			}
			d.Add(q)
		}
		d.Prefixes = r.Prefixes()
		triples := d.Distinct()
		added, err := once.Add(t.Context(), &d, journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Triples: triples})
		if err != nil {
			t.Fatal(err)
		}
		if e.Triples != triples || e.Added != added {
			t.Errorf("%d: %d triples and %d added, want %d and %d", i, e.Triples, e.Added, triples, added)
		}
		if i%2 == 0 {
			tidied(t, steps)
		}
		mustCheck(t, steps)
		if got, want := strings.Count(exported(t, steps, turtle.NTriples), "\n"), strings.Count(exported(t, once, turtle.NTriples), "\n"); got != want {
			t.Errorf("%d: %d triples are exported, want %d", i, got, want)
		}
	}
	tidied(t, steps)
	mustCheck(t, steps)
	mustCheck(t, once)
	same := ":a :b 1 , 2 , 3 .\n:c :d :e .\n"
	same = "@prefix : <http://e/> .\n" + same
	if e := mustAddText(t, steps, same); e.Added != 4 {
		t.Errorf("%d are new of four", e.Added)
	}
	if e := mustAddText(t, steps, same); e.Triples != 4 || e.Added != 0 {
		t.Errorf("sent again %d of %d are new", e.Added, e.Triples)
	}
	mustCheck(t, steps)
}

// A triple that small logs and a large one contribute at the same time is counted once.
func TestTriplesSharedWithALargeDocumentCountOnce(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	s := openStore(t)
	const n = 60_000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<http://e/s%d> <http://e/p> %d .\n", i, i%100)
	}
	var writers sync.WaitGroup
	done := make(chan struct{})
	small, large := 0, 0
	writers.Go(func() {
		random := rand.New(rand.NewPCG(1, 1))
		for {
			select {
			case <-done:
				return
			default:
			}
			i := random.IntN(2 * n)
			var d store.Document
			r := (&store.Text{Content: fmt.Appendf(nil, "<http://e/s%d> <http://e/p> %d .\n", i, i%100)}).Reader()
			q, err := r.Read()
			if err != nil {
				t.Error(err)
			}
			d.Add(q)
			added, err := s.Add(t.Context(), &d, journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Triples: 1})
			if err != nil {
				t.Error(err)
			}
			small += added
		}
	})
	for range 3 {
		large += mustAddText(t, s, b.String()).Added
	}
	tidied(t, s)
	close(done)
	writers.Wait()
	mustCheck(t, s)
	if got := strings.Count(exported(t, s, turtle.NTriples), "\n"); got != small+large {
		t.Errorf("%d triples are there, and %d + %d were added", got, small, large)
	}
}

// A reader sees all of a large document that is being stored, or nothing of it.
func TestALargeDocumentIsSeenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	if !suite.Race { // whose only run in CI has -short
		suite.NotShort(t)
	}
	s := openStore(t)
	n := int64(suite.Size(30_000, 8_000))
	for round := range int64(3) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "[] <http://e/p%d> %d .\n", round, i)
		}
		want := n * (round + 1)
		done := make(chan struct{})
		var reader sync.WaitGroup
		reader.Go(func() {
			for {
				err := s.View(func(snap *Snapshot) error {
					all, err := snap.Count(0, 0, 0, defaultGraph)
					if all != want && all != want-n {
						t.Errorf("%d triples are seen", all)
					}
					for o := SPO; o <= OSP && err == nil; o++ {
						var found int64
						scan := snap.Match(0, 0, 0, defaultGraph)
						for batch := scan.Next(); batch != nil; batch = scan.Next() {
							found += int64(len(batch))
						}
						if err = scan.Err(); found != all {
							t.Errorf("%d triples are found and %d counted", found, all)
						}
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
		mustAddText(t, s, b.String())
		if round == 1 {
			tidied(t, s)
		}
		close(done)
		reader.Wait()
	}
	tidied(t, s)
	mustCheck(t, s)
}

// A graph that is deleted while a large document is being stored holds only that document
// in the end.
func TestALargeDocumentSurvivesADeletionBesideIt(t *testing.T) {
	t.Parallel()
	if !suite.Race { // whose only run in CI has -short
		suite.NotShort(t)
	}
	s := openStore(t)
	add(t, s, sample)
	text := mixedText(4, suite.Size(30_000, 10_000))
	var clearing sync.WaitGroup
	done := make(chan struct{})
	clearing.Go(func() {
		for range 3 {
			if _, err := s.Clear(t.Context(), true, journal.Entry{LogID: journal.NewLogID(), Action: journal.Clear}); err != nil {
				t.Error(err)
			}
			select {
			case <-done:
				return
			case <-time.After(30 * time.Millisecond): // somewhere in the middle
			}
		}
	})
	e := mustAddText(t, s, text)
	close(done)
	clearing.Wait()
	mustCheck(t, s)
	if got := strings.Count(exported(t, s, turtle.NTriples), "\n"); got != 0 && got != e.Triples {
		t.Errorf("%d of %d triples are there", got, e.Triples)
	}
	tidied(t, s)
	mustCheck(t, s)
}

// A large document that is abandoned leaves nothing, whether its client leaves or the
// process ends.
func TestAnAbandonedLargeDocumentLeavesNothing(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	path := filepath.Join(t.TempDir(), "s.db")
	s, err := Open(path, withProvenance(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	add(t, s, sample)
	before := exported(t, s, turtle.NTriples)
	text := &store.Text{Content: []byte(mixedText(5, suite.Size(30_000, 15_000)))}
	for i := range 4 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i+1)*20*time.Millisecond)
		_, err := s.AddText(ctx, text, journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%d: %v", i, err)
		}
		mustCheck(t, s)
	}
	tidied(t, s)
	mustCheck(t, s)
	// As a kill leaves it: the bucket and the pieces exist, but no process knows of them.
	d := s.newStaged(t.Context(), text)
	if err := errors.Join(d.number(), d.begin(), d.compare(), d.reorder(POS)); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(path, withProvenance(Options{})); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tidied(t, s)
	mustCheck(t, s)
	if after := exported(t, s, turtle.NTriples); after != before {
		t.Errorf("%d triples are there", strings.Count(after, "\n"))
	}
	err = s.View(func(snap *Snapshot) error {
		if k, _ := snap.bolt.Bucket(stagedName).Cursor().First(); k != nil {
			t.Errorf("%x is left", k)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A process that ends while it moves a large document continues at its next start.
func TestMovingALargeDocumentResumesAfterARestart(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	path := filepath.Join(t.TempDir(), "s.db")
	open := func(o Options) *Store {
		t.Helper()
		s, err := Open(path, withProvenance(o))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(Options{})
	keepUntidy(t, s)
	e := mustAddText(t, s, mixedText(6, 24_000))
	want := exported(t, s, turtle.NTriples)
	for n := 0; ; n++ {
		staged := s.parts(t)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if !staged {
			if n == 0 {
				t.Fatal("all was moved at once")
			}
			return
		}
		for _, o := range []Options{{ReadOnly: true}, {}} {
			s = open(o)
			if got := exported(t, s, turtle.NTriples); got != want {
				t.Fatalf("%d of %d triples are there", strings.Count(got, "\n"), e.Triples)
			}
			mustCheck(t, s)
			if o.ReadOnly {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// parts reports whether the published graph has parts.
func (s *Store) parts(t *testing.T) (has bool) {
	err := s.View(func(snap *Snapshot) error { _, has = readStaged(snap.bolt); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return has
}

// A large log is withdrawn like a small one, however much of it was moved.
func TestALargeLogIsWithdrawn(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	for steps := 0; steps < 24; steps += suite.Size(suite.Times(1, 6), 12) {
		s := openStore(t)
		keepUntidy(t, s)
		add(t, s, sample)
		before := exported(t, s, turtle.NTriples)
		e := mustAddText(t, s, mixedText(7, 8000))
		err := s.direct(t.Context(), directly{do: func(tx *Tx) error {
			more := true
			for i := 0; i < steps && more; i++ {
				var err error
				if more, err = tx.moveSome(); err != nil {
					return err
				}
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		mustCheck(t, s)
		out, err := provenanceOf(s).Withdraw(t.Context(), e.LogID, journal.Entry{LogID: journal.NewLogID(), Action: journal.Withdraw})
		if err != nil || out.Removed != e.Added {
			t.Fatalf("%d of %d triples are removed: %v", out.Removed, e.Added, err)
		}
		mustCheck(t, s)
		if exported(t, s, turtle.NTriples) != before {
			t.Error("the graph is not what it was")
		}
	}
}

// TestALargeDocumentIsStoredBesideAWithdrawal removes triples all the time, as a withdrawal does.
func TestALargeDocumentIsStoredBesideAWithdrawal(t *testing.T) {
	s := openStore(t)
	add(t, s, sample)
	w := s.Writer(journal.Entry{})
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ctx.Err() == nil; i++ {
			q := rdf.Quad{S: rdf.NewIRI(fmt.Sprint("http://ex/gone", i)), P: rdf.NewIRI("http://ex/p"), O: rdf.NewString("x")}
			_, err := w.Add(t.Context(), q)
			s.AwaitDocuments(ctx)
			if err == nil {
				_, err = w.Remove(t.Context(), q)
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	mustAddText(t, s, mixedText(7, 20_000))
	end()
	<-ended
}
