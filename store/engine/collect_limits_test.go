package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// The collector holds no more than the memory of a flush, however long the terms are.
func TestTheCollectorHoldsFewBytesAtOnce(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{NoJournal: true, Deferred: 4 << 20, TextIndex: TextIndexAsIs}) // the indexer holds memory, too
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w, p := s.Writer(journal.Entry{}), rdf.NewIRI("http://ex/p")
	for i := range 40 {
		q := rdf.Quad{S: p, P: p, O: rdf.NewString(fmt.Sprint(i, strings.Repeat("x", 1<<20)))}
		for _, do := range []func(context.Context, ...rdf.Quad) (int, error){w.Add, w.Remove} {
			if _, err := do(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 200 {
		var some []rdf.Quad
		for j := range 50 {
			part := rdf.NewIRI(fmt.Sprint("http://ex/part", i, "/", j))
			some = append(some, rdf.Quad{S: p, P: p, O: rdf.NewTripleTerm(rdf.Triple{S: part, P: p, O: part})})
		}
		for _, do := range []func(context.Context, ...rdf.Quad) (int, error){w.Add, w.Remove} {
			if _, err := do(t.Context(), some...); err != nil {
				t.Fatal(err)
			}
		}
	}
	flushed(t, s)
	next, err := Read(s, (*Snapshot).numbers)
	if err != nil {
		t.Fatal(err)
	}
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	terms, before := 0, live()
	for last := dict.ID(math.MaxUint64); last > 0; {
		var some dict.Leaving
		if some, last, err = s.unused(t.Context(), &dict.IDSet{}, &next, last); err != nil {
			t.Fatal(err)
		}
		if held := live() - before; held > s.queue.most/flushUnits*5/4 {
			t.Errorf("%d terms take %d bytes", len(some.IDs), held)
		}
		terms += len(some.IDs)
		runtime.KeepAlive(some)
	}
	if terms != 41+20_000 {
		t.Errorf("%d terms are unused", terms)
	}
}

// A collection goes on while a large document is stored that began after it, and keeps the terms that the document uses
// again. It begins after the documents that are being stored. Documents that begin without end do not keep a collection from beginning.
func TestLargeDocumentsAndACollectionGoOnTogether(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	w := s.Writer(journal.Entry{})
	one := func(n string) rdf.Quad {
		return rdf.Quad{S: rdf.NewIRI("http://ex/" + n), P: rdf.NewIRI("http://ex/p"), O: rdf.NewString("sentence of " + n)}
	}
	for _, do := range []func(context.Context, ...rdf.Quad) (int, error){w.Add, w.Remove} {
		if _, err := do(t.Context(), one("gone"), one("again")); err != nil {
			t.Fatal(err)
		}
	}
	c := &collecting{}
	next, err := s.beginCollecting(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	used, err := s.usedIDs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	some, _, err := s.unused(t.Context(), used, &next, math.MaxUint64)
	if err != nil {
		t.Fatal(err)
	}
	mustAddText(t, s, mixedText(1, 5000)+fmt.Sprintln(one("again")))
	if _, err := s.removeTerms(t.Context(), c, &some, false); err != nil {
		t.Fatal(err)
	}
	if dictionaryHas(t, s, "http://ex/gone") || !dictionaryHas(t, s, "http://ex/again") {
		t.Error("it removed the wrong terms")
	}
	if err := s.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.turn.collecting = nil
	s.turn.end()
	var once sync.Once
	numbered, goOn := make(chan bool), make(chan bool)
	go func() {
		text := store.Text{Content: []byte(mixedText(7, 30_000) + fmt.Sprintln(one("last"))), Refuse: func(t rdf.Term) string {
			if t == one("last").S { // the terms before have ids, and are in no index
				once.Do(func() { numbered <- true; <-goOn })
			}
			return ""
		}}
		_, err := s.AddText(t.Context(), &text, journal.Entry{LogID: journal.NewLogID()})
		if err != nil {
			t.Error(err)
		}
		numbered <- true
	}()
	<-numbered
	time.AfterFunc(50*time.Millisecond, func() { goOn <- true })
	if _, err := s.Collect(t.Context()); err != nil {
		t.Error(err)
	}
	<-numbered
	mustCheck(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range uint64(3) {
		all.Go(func() {
			for n := i; ctx.Err() == nil; n += 3 {
				mustAddText(t, s, mixedText(n, 2000))
			}
		})
	}
	if _, err := s.Collect(t.Context()); err != nil {
		t.Error(err)
	}
	cancel()
	all.Wait()
	mustCheck(t, s)
}

// An index of texts may be made while terms are found no more and still have contents. It is not damaged.
func TestRemovedContentsAreNotedTooForTheIndexOfTexts(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	w := s.Writer(journal.Entry{})
	gone := rdf.Quad{S: rdf.NewIRI("http://ex/s"), P: rdf.NewIRI("http://ex/p"), O: rdf.NewString("some sentence")}
	for _, do := range []func(context.Context, ...rdf.Quad) (int, error){w.Add, w.Remove} {
		if _, err := do(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
	}
	first := true
	s.commitFile = func(tx *bolt.Tx) error { // in the first step it does what Collect does at its end
		if b := tx.Bucket(metaName); first && b.Get(removedKey) != nil {
			first = false
			if err := b.Delete(removedKey); err != nil {
				return err
			}
		}
		return s.file.Commit(tx)
	}
	if _, err := s.collectAll(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if noted, err := Read(s, func(snap *Snapshot) (bool, error) { return snap.tx().Bucket(metaName).Get(removedKey) != nil, nil }); err != nil || !noted {
		t.Errorf("that contents were removed is noted: %t, %v", noted, err)
	}
}

// A panic of an extension that the collector asks stops writing, and does not end the process.
func TestAPanicWhileTermsAreCollectedStopsWriting(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	uses := func(context.Context, *Snapshot, func(dict.ID)) error { panic("a bug") }
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{Extensions: []Extension{{Uses: uses}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.direct(t.Context(), directly{do: (*Tx).WantCollection}); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); s.works() == nil; time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatal("writing goes on")
		}
	}
}

// What waits for a collection, and a collection that waits, end with their contexts.
func TestNobodyWaitsForACollectionAfterTheContextEnded(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	short := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	want := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := s.documents.Acquire(t.Context(), 1); err != nil { // a large document is being stored
		t.Fatal(err)
	}
	_, err := s.Collect(short())
	want("a collection waits for a document", err)
	s.documents.Release(1)
	if err := s.documents.Acquire(t.Context(), allDocuments); err != nil { // a collection begins
		t.Fatal(err)
	}
	_, err = s.AddText(short(), &store.Text{Content: []byte(mixedText(1, 10))}, journal.Entry{LogID: journal.NewLogID()})
	want("a document waits for a collection", err)
	s.documents.Release(allDocuments)
	if err := s.collection.Acquire(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	_, err = s.Collect(short())
	want("a collection waits for another", err)
	s.collection.Release(1)
	mustAddText(t, s, mixedText(1, 10))
	if _, err := s.Collect(t.Context()); err != nil {
		t.Error(err)
	}
}
