package engine

import (
	"context"
	"errors"
	"fmt"
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

func TestManyWritersShareTransactionsAndEachGetsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const writers, each = 16, 25
	var mu sync.Mutex
	total := 0
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				// One triple of its own, and one that all writers send.
				d := document(t, turtle.Turtle, fmt.Sprintf("<http://ex/w%d> <http://ex/p> %d . <http://ex/all> <http://ex/p> %d .", w, i, i))
				n, err := s.Add(t.Context(), d, journal.Entry{LogID: fmt.Sprintf("%d/%d", w, i), Triples: 2})
				if err != nil || n < 1 || n > 2 {
					t.Errorf("writer %d: %d new, %v", w, n, err)
				}
				mu.Lock()
				total += n
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if want := writers*each + each; total != want {
		t.Errorf("%d triples were new, want %d", total, want)
	}
	seen, added := map[string]bool{}, 0
	for _, e := range entries(t, s) {
		seen[e.LogID] = true
		added += e.Added
	}
	if len(seen) != writers*each || added != total {
		t.Errorf("the journal has %d entries and %d triples", len(seen), added)
	}
	mustCheck(t, s)
}

// TestAFailedWriteTakesNoOtherWithIt checks writes that were submitted before and after
// the failed one, in the same batch.
func TestAFailedWriteTakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	failure := errors.New("refused")
	var tickets []*Ticket
	for i := range 5 {
		doc := document(t, turtle.Turtle, fmt.Sprintf("<http://ex/%d> <http://ex/p> \"new\" .", i))
		ticket, err := s.Submit(t.Context(), func(tx *Tx) error {
			if _, err := tx.addDocument(doc, nil); err != nil || i != 2 {
				return err
			}
			return failure
		})
		if (i == 2) != errors.Is(err, failure) {
			t.Errorf("write %d: %v", i, err)
		}
		if err == nil {
			tickets = append(tickets, ticket)
		}
	}
	for i, ticket := range tickets {
		if err := ticket.Wait(); err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if text := exported(t, s, turtle.NTriples); strings.Count(text, "\n") != 4 || strings.Contains(text, "/2>") {
		t.Error(text)
	}
	// Ids from the failed transaction must not have terms.
	if n := add(t, s, "<http://ex/2> <http://ex/p> \"newer\" , \"new\" ."); n != 2 {
		t.Errorf("%d", n)
	}
	mustCheck(t, s)
}

func TestAWriteThatCameTooLateIsNotDone(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Add(ctx, document(t, turtle.Turtle, "<http://ex/a> <http://ex/p> 1 ."), journal.Entry{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s.Close()
	if _, err := s.Add(t.Context(), document(t, turtle.Turtle, "<http://ex/a> <http://ex/p> 1 ."), journal.Entry{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("closed: %v", err)
	}
	if err := s.Ready(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Ready after Close: %v", err)
	}
	if _, err := s.Export(t.Context(), rdf.Term{}, turtle.Turtle); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Export after Close: %v", err)
	}
}

// TestCloseFinishesWhatWasBegun checks that all queued writes are answered, and that
// acknowledged ones are stored.
func TestCloseFinishesWhatWasBegun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := reopen(t, path)
	var wg sync.WaitGroup
	var mu sync.Mutex
	stored := 0
	for i := range 50 {
		wg.Go(func() {
			_, err := s.Add(t.Context(), document(t, turtle.Turtle, fmt.Sprintf("<http://ex/%d> <http://ex/p> 1 .", i)), journal.Entry{})
			if err == nil {
				mu.Lock()
				stored++
				mu.Unlock()
			} else if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	s.Close()
	wg.Wait()
	s = reopen(t, path)
	if n := strings.Count(exported(t, s, turtle.NTriples), "\n"); n != stored {
		t.Errorf("%d writes were answered, %d are there", stored, n)
	}
}

// TestAWriteIsAnsweredHoweverItMeetsClose checks that accepted writes are done and others
// are refused.
func TestAWriteIsAnsweredHoweverItMeetsClose(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	for range 30 {
		s := openStore(t)
		d := document(t, turtle.Turtle, "<http://ex/a> <http://ex/p> 1 .")
		answered := make(chan error)
		for range 8 {
			go func() {
				_, err := s.Add(context.Background(), d, journal.Entry{})
				answered <- err
			}()
		}
		s.Close()
		for range 8 {
			select {
			case err := <-answered:
				if err != nil && !errors.Is(err, store.ErrUnavailable) {
					t.Error(err)
				}
			case <-time.After(30 * time.Second):
				t.Fatal("a write was left without an answer")
			}
		}
	}
}

func TestAStoreOpenedForReadingRefusesWrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := reopen(t, path)
	add(t, s, sample)
	want := exported(t, s, turtle.Turtle)
	s.Close()
	s, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Add(t.Context(), document(t, turtle.Turtle, sample), journal.Entry{}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Add: %v", err)
	}
	if got := exported(t, s, turtle.Turtle); got != want {
		t.Error("it reads another graph")
	}
}

// Edits that empty a graph run a second time, and count once.
func TestEditsThatEmptyAGraphCountOnce(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	x := rdf.NewIRI("http://ex/x")
	from, to := rdf.Quad{S: x, P: x, O: x, G: rdf.NewIRI("http://ex/from")}, rdf.Quad{S: x, P: x, O: x, G: rdf.NewIRI("http://ex/to")}
	for _, edits := range [][]Edit{{{Quad: from}}, {{Quad: to}, {Quad: from, Remove: true}}} {
		if err := s.Apply(t.Context(), edits, EditOptions{}, journal.Entry{}); err != nil {
			t.Fatal(err)
		}
	}
	es := entries(t, s)
	if e := es[len(es)-1]; e.Triples != 1 || e.Added != 1 || e.Removed != 1 {
		t.Errorf("%d triples, %d new, %d removed", e.Triples, e.Added, e.Removed)
	}
}
