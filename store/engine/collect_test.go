package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// statements returns quads with terms of all kinds, about two subjects.
func statements(i int) []rdf.Quad {
	s, p := rdf.NewIRI(fmt.Sprintf("http://ex/s%d", i)), rdf.NewIRI(fmt.Sprintf("http://ex/p%d", i%3))
	long := strings.Repeat(fmt.Sprint("long ", i%5, " "), 100)
	quads := []rdf.Quad{
		{S: s, P: p, O: rdf.NewString(fmt.Sprint("text of ", i))}, {S: s, P: p, O: rdf.NewLang("Wort", "de-"+strings.Repeat("x", 1+i%4))},
		{S: s, P: p, O: rdf.NewString(long)}, {S: s, P: p, O: rdf.NewLiteral(fmt.Sprint(i), "http://ex/type")}, {S: s, P: p, O: rdf.NewString("")},
	}
	t := rdf.NewTripleTerm(rdf.Triple{S: s, P: p, O: rdf.NewIRI(fmt.Sprintf("http://ex/o%d", i))})
	return append(quads, rdf.Quad{S: rdf.NewIRI("http://ex/r"), P: p, O: t, G: rdf.NewIRI(fmt.Sprintf("http://ex/g%d", i%4))})
}

// TestTermsThatNothingUsesAreRemoved adds and removes quads while the collector runs, and compares
// the file with a model. In the end no block of the dictionary has what only removed quads had.
func TestTermsThatNothingUsesAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for round := range suite.Times(40, 4) {
		random := rand.New(rand.NewPCG(1, uint64(round)))
		s, err := Open(filepath.Join(dir, fmt.Sprint(round)), Options{Deferred: int64(round%2) * 16 << 10}) // few terms at once
		if err != nil {
			t.Fatal(err)
		}
		w, have := s.Writer(journal.Entry{}), map[int]bool{}
		change := func(add bool) {
			var quads []rdf.Quad
			for range 1 + random.IntN(8) {
				i := random.IntN(60)
				have[i] = add
				quads = append(quads, statements(i)...)
			}
			if add {
				_, err = w.Add(t.Context(), quads...)
			} else {
				_, err = w.Remove(t.Context(), quads...)
			}
			if err != nil {
				t.Error(err)
			}
		}
		for range 3 {
			for range 8 {
				change(random.IntN(2) > 0)
			}
			var all sync.WaitGroup
			all.Go(func() {
				if _, err := s.Collect(t.Context()); err != nil {
					t.Error(err)
				}
			})
			for n := range 6 {
				change(n%3 > 0)
			}
			all.Wait()
			if err := s.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for i, has := range have {
			for _, q := range statements(i) {
				if has {
					want[q.String()] = true
				}
			}
		}
		var b bytes.Buffer
		if err := s.Dump(t.Context(), &b, turtle.NQuads); err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(strings.Lines(b.String())); len(got) != len(want) {
			t.Errorf("there are %d quads, want %d", len(got), len(want))
		}
		for i := range 60 {
			marker := fmt.Sprintf("s%d", i)
			if !have[i] && dictionaryHas(t, s, "http://ex/"+marker) {
				t.Errorf("the dictionary still has %s", marker)
			}
		}
		if err := errors.Join(s.Check(t.Context()), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// dictionaryHas reports whether a term with a value is stored under any id or as any text.
func dictionaryHas(t *testing.T, s *Store, value string) (has bool) {
	err := s.file.DB.View(func(tx *bolt.Tx) error {
		return dict.EachTerm(tx.Bucket(dictName), math.MaxUint64, func(_ dict.ID, content []byte) bool {
			has = has || string(content) == value
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return has
}

// A file of whose terms 39 % were orphaned is after a collection and a compaction as small as one
// that was loaded with a dump of it.
func TestAFileWithUnusedTermsShrinksToThatOfADumpAndLoad(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	dir := t.TempDir()
	s, err := Open(filepath.Join(dir, "a.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := suite.Size(60_000, 20_000)
	w := s.Writer(journal.Entry{})
	var gone []rdf.Quad
	for i := 0; i < n; i += 1000 {
		var some []rdf.Quad
		for j := i; j < i+1000; j++ {
			q := rdf.Quad{S: rdf.NewIRI(fmt.Sprintf("http://ex/s%d", j)), P: rdf.NewIRI("http://ex/p"), O: rdf.NewString(fmt.Sprint("sentence ", j*7919, " of a person"))}
			if some = append(some, q); j%100 < 39 {
				gone = append(gone, q)
			}
		}
		if _, err := w.Add(t.Context(), some...); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Remove(t.Context(), gone...); err != nil {
		t.Fatal(err)
	}
	if removed, err := s.Collect(t.Context()); err != nil || removed != 2*len(gone) {
		t.Errorf("%d terms were removed, want %d: %v", removed, 2*len(gone), err)
	}
	compacted, loaded := filepath.Join(dir, "b.db"), filepath.Join(dir, "c.db")
	var text bytes.Buffer
	if err := errors.Join(s.IndexTexts(t.Context()), s.Compact(filepath.Join(dir, "b.db")), s.Dump(t.Context(), &text, turtle.NQuads), s.Close()); err != nil {
		t.Fatal(err)
	}
	fresh, err := Open(filepath.Join(dir, "d.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fresh.Load(t.Context(), bytes.NewReader(text.Bytes()), turtle.NQuads, turtle.Options{}, journal.Entry{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fresh.IndexTexts(t.Context()), fresh.Compact(loaded), fresh.Close()); err != nil {
		t.Fatal(err)
	}
	var sizes []int64
	for _, path := range []string{compacted, loaded} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size()-file.RegionSize)
	}
	if sizes[0] > sizes[1]*113/100 { // without the log, and each block of the dictionary lost terms: 10 % for logs that were withdrawn
		t.Errorf("after the collection the file has %d bytes beside its log, loaded from a dump %d", sizes[0], sizes[1])
	}
}

// What was removed is in no byte of the file after Scrub, which waits for a reader that sees it.
// Find finds it before, in each place and also where it is stored in part.
func TestOldContentIsOverwrittenOnceNobodyReadsIt(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	w := s.Writer(journal.Entry{})
	var quads []rdf.Quad
	for i := range 400 {
		quads = append(quads, rdf.Quad{S: rdf.NewIRI(fmt.Sprintf("http://ex/marker%d", i)), P: rdf.NewIRI("http://ex/p"), O: rdf.NewString(fmt.Sprint("text ", i))})
	}
	for _, q := range quads {
		if _, err := w.Add(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	places := func() map[string]int {
		t.Helper()
		found, err := s.Find(t.Context(), "http://ex/marker399", func([]byte) [][]byte { return nil })
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]int{}
		for _, f := range found {
			out[f.Where] = f.Times
		}
		return out
	}
	if err := s.direct(t.Context(), directly{do: func(*Tx) error { return nil }}); err != nil {
		t.Fatal(err)
	}
	if got := places(); got["log region"] == 0 || got["dict/terms"] == 0 {
		t.Errorf("it is found in %v", got)
	}
	reader, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Remove(t.Context(), quads...); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := places(); got["free pages"] == 0 || got["dict/terms"] != 0 {
		t.Errorf("after the collection it is found in %v", got)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Scrub(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while somebody reads: %v", err)
	}
	if _, ok, err := reader.ID(quads[399].S); err != nil || !ok {
		t.Errorf("the reader lost a term: %v", err)
	}
	reader.Close()
	if err := s.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := places(); len(got) > 0 {
		t.Errorf("it is still found in %v", got)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := reopen(t, path).Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// Writing stops after an error that may leave old content on the disk although the system shows zeros, and goes on if
// nothing was written or the disk can't be read.
func TestAFailedOverwriteStopsWriting(t *testing.T) {
	t.Parallel()
	for stops, errs := range map[bool][]error{
		true: {&fs.PathError{Op: "write", Err: syscall.EIO}, os.NewSyscallError("fdatasync", syscall.EIO), &fs.PathError{Op: "sync", Err: syscall.ENOSPC},
			&file.CommitError{Err: syscall.EIO, InDoubt: true}},
		false: {nil, &file.CommitError{Err: syscall.ENOSPC}, context.Canceled, &fs.PathError{Op: "write", Err: syscall.ENOSPC}, &fs.PathError{Op: "read", Err: syscall.EIO}},
	} {
		for _, err := range errs {
			s := openStore(t)
			if got := s.failedOverwrite(err); (got == nil) != (err == nil) {
				t.Errorf("%v becomes %v", err, got)
			}
			if stopped := s.works() != nil; stopped != stops {
				t.Errorf("after %v writing has stopped: %t", err, stopped)
			}
		}
	}
}

// An empty string that is still used stays when all of its neighbours in the dictionary go.
func TestAUsedEmptyStringStays(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w, p := s.Writer(journal.Entry{}), rdf.NewIRI("http://ex/p")
	text := func(of, value string) rdf.Quad {
		return rdf.Quad{S: rdf.NewIRI("http://ex/" + of), P: p, O: rdf.NewString(value)}
	}
	gone := []rdf.Quad{text("a", "")}
	for i := range 200 {
		gone = append(gone, text("a", fmt.Sprint("a text of some length, number ", i)))
	}
	stays := text("b", "")
	for _, do := range []func() error{
		func() error { _, err := w.Add(t.Context(), gone...); return err },
		func() error { _, err := w.Add(t.Context(), stays); flushed(t, s); return err },
		func() error { _, err := w.Remove(t.Context(), gone...); return err },
		func() error { _, err := s.Collect(t.Context()); return err },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	if got := quads(t, turtle.NQuads, dumped(t, s, turtle.NQuads)); len(got) != 1 || got[0] != stays {
		t.Errorf("it has %v", got)
	}
	mustCheck(t, s)
}

// TestTheFileIsGoodAfterEachStepOfACollection removes triple terms and their parts.
func TestTheFileIsGoodAfterEachStepOfACollection(t *testing.T) {
	suite.NotShort(t)
	s, err := Open(filepath.Join(t.TempDir(), "x.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w, p := s.Writer(journal.Entry{}), rdf.NewIRI("http://ex/p")
	for i := 0; i < 3000; i += 500 {
		var some []rdf.Quad
		for j := i; j < i+500; j++ {
			part := rdf.NewIRI(fmt.Sprint("http://ex/", j*7919%6007, strings.Repeat("x", 400)))
			inner := rdf.NewTripleTerm(rdf.Triple{S: part, P: p, O: part})
			some = append(some, rdf.Quad{S: p, P: p, O: rdf.NewTripleTerm(rdf.Triple{S: part, P: p, O: inner})})
		}
		for _, do := range []func(context.Context, ...rdf.Quad) (int, error){w.Add, w.Remove} {
			if _, err := do(t.Context(), some...); err != nil {
				t.Fatal(err)
			}
		}
	}
	flushed(t, s)
	steps := 0
	var bad error
	s.storing.Lock()
	s.commitFile = func(tx *bolt.Tx) error {
		err := s.file.Commit(tx)
		if steps++; err == nil && bad == nil {
			bad = s.Check(t.Context())
		}
		return err
	}
	s.storing.Unlock()
	if n, err := s.Collect(t.Context()); n < 9000 || err != nil || bad != nil || steps < 10 {
		t.Errorf("%d terms in %d steps: %v; %v", n, steps, err, bad)
	}
}
