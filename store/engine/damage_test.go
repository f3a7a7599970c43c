package engine

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Offsets in bbolt's pages; see package file.
const (
	boltPage      = 4096
	boltHeader    = 16
	boltHighWater = boltHeader + 40
	boltTxid      = boltHeader + 48
)

// sizeableFile makes a file of more than a megabyte and returns the bytes of its used
// pages.
func sizeableFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "good.db")
	s := reopen(t, path)
	for part := range 3 {
		var b strings.Builder
		b.WriteString("@prefix ex: <http://ex/> .\n")
		for i := range 1000 {
			n := part*1000 + i
			fmt.Fprintf(&b, "ex:event%d a ex:Event ; ex:at \"2026-01-02T03:04:%02d.%06dZ\"^^<http://www.w3.org/2001/XMLSchema#dateTime> ; ex:says \"number %d of part %d\" ; ex:part [ ex:x %d ] .\n", n, n%60, n, n, part, n)
		}
		load(t, s, turtle.Turtle, b.String())
	}
	load(t, s, turtle.TriG, dataset)
	mustCheck(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	meta := 0
	if binary.NativeEndian.Uint64(good[boltPage+boltTxid:]) > binary.NativeEndian.Uint64(good[boltTxid:]) {
		meta = boltPage
	}
	return good[:binary.NativeEndian.Uint64(good[meta+boltHighWater:])*boltPage]
}

// TestDamageNeverEndsTheProcess changes bytes of a page's header, elements or body, one
// page at a time: some pages, or all with SEGRAPH_EVERY_PAGE=1. Then it opens, checks and
// exports the file, in other processes, because a fault or a full stack could end this
// one. Each step must end within seconds, without an error or with a *file.DamagedError.
func TestDamageNeverEndsTheProcess(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	if path := os.Getenv("SEGRAPH_TEST_DAMAGED"); path != "" {
		damagePages(t, path, os.Getenv("SEGRAPH_TEST_PART"))
		return
	}
	good := sizeableFile(t)
	if len(good) < 1<<20 {
		t.Errorf("a file of %d bytes", len(good))
	}
	var parts []*exec.Cmd
	var said []*bytes.Buffer
	for _, part := range []string{"0", "1"} {
		path := filepath.Join(t.TempDir(), "good.db")
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDamageNeverEndsTheProcess$")
		cmd.Env = append(os.Environ(), suite.LetProcessesEnd(), "SEGRAPH_TEST_DAMAGED="+path, "SEGRAPH_TEST_PART="+part)
		out := &bytes.Buffer{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		parts, said = append(parts, cmd), append(said, out)
	}
	for i, cmd := range parts {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, lastLines(said[i], 60))
		}
	}
}

func lastLines(b *bytes.Buffer, n int) string {
	var lines []string
	for in := bufio.NewScanner(b); in.Scan(); {
		lines = append(lines, in.Text())
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// damagePages damages every other page, beginning with page part. It runs in a child
// process.
func damagePages(t *testing.T, path, part string) {
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, want := useDamaged(t, path)
	step := suite.Size(suite.Times(16, 128), 256)
	if os.Getenv("SEGRAPH_EVERY_PAGE") == "1" {
		step = 2
	}
	for at := int(part[0]-'0') * boltPage; at < len(good); at += step * boltPage {
		r := rand.New(rand.NewPCG(uint64(at), 4))
		for _, where := range []struct {
			name     string
			from, to int
		}{{"header", 0, boltHeader}, {"elements", boltHeader, boltHeader + 10*16}, {"body", 0, boltPage}} {
			bad := bytes.Clone(good)
			for range 1 + r.IntN(4) {
				bad[at+where.from+r.IntN(where.to-where.from)] ^= byte(1 + r.IntN(255))
			}
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("page %d, %s", at/boltPage, where.name)
			fmt.Println(what)
			timer := time.AfterFunc(20*time.Second, func() { panic(what + " takes too long") })
			errs, got := useDamaged(t, path)
			// Without the newer meta page, the file shows the previous transaction.
			if errs[len(errs)-1] == nil && got != want && at >= 2*boltPage {
				t.Errorf("%s: an export without an error lacks triples", what)
			}
			for i, err := range errs {
				var damaged *file.DamagedError
				if err != nil && !errors.As(err, &damaged) {
					t.Errorf("%s, step %d: %v", what, i, err)
				}
			}
			timer.Stop()
		}
	}
}

// useDamaged opens a file and does with it whatever is possible. It returns the hash of
// the exported triples.
func useDamaged(t *testing.T, path string) (errs []error, triples [sha256.Size]byte) {
	s, err := Open(path, withProvenance(Options{}))
	if err != nil {
		return []error{err}, triples
	}
	defer s.Close()
	checked := s.Check(t.Context())
	sum := sha256.New()
	e, err := s.Export(t.Context(), rdf.Term{}, turtle.NTriples)
	if err == nil {
		_, err = e.WriteTo(sum)
		e.Close()
	}
	return []error{checked, err}, [sha256.Size]byte(sum.Sum(nil))
}

// TestDamageNamesTheFile checks that damage found by an index is returned as a
// *file.DamagedError.
func TestDamageNamesTheFile(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, sample)
	harm(t, s, changeBlock(SPO))
	e, err := s.Export(t.Context(), rdf.Term{}, turtle.Turtle)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, exported := e.WriteTo(io.Discard)
	for name, err := range map[string]error{
		"export": exported,
		"dump":   s.Dump(t.Context(), io.Discard, turtle.NQuads),
	} {
		var damaged *file.DamagedError
		if !errors.As(err, &damaged) || damaged.Path != s.file.Path() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDamageThatAWriteMeetsIsNamedAndEndsWriting checks damage found in a block, by a
// fault of the map, and by a panic of bbolt, before a transaction, in it, and in its
// commit. Reading goes on as far as it can.
func TestDamageThatAWriteMeetsIsNamedAndEndsWriting(t *testing.T) {
	t.Parallel()
	post := func(s *Store, text string) error {
		_, err := s.Add(t.Context(), document(t, turtle.Turtle, text), journal.Entry{})
		return err
	}
	truncate := func(s *Store) error { return os.Truncate(s.file.Path(), 4*boltPage) }
	for name, harmed := range map[string]func(*testing.T, *Store) error{ // each returns the error of a write to the damaged file
		"a block": func(t *testing.T, s *Store) error { harm(t, s, changeBlock(SPO)); return post(s, sample) },
		"a part": func(t *testing.T, s *Store) error {
			harm(t, s, spoiltPart)
			return s.direct(t.Context(), directly{do: func(tx *Tx) error { _, err := tx.insert(0, []index.Tuple{{1, 2, 3}}); return err }})
		},
		"the map": func(t *testing.T, s *Store) error { return errors.Join(truncate(s), post(s, sample)) },
		"the commit": func(t *testing.T, s *Store) error {
			return s.direct(t.Context(), directly{do: func(tx *Tx) error {
				return errors.Join(tx.Journal(journal.Entry{}), truncate(s))
			}})
		},
		"the first pages": func(t *testing.T, s *Store) error {
			f, err := os.OpenFile(s.file.Path(), os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteAt(make([]byte, 2*boltPage), 0)
				err = errors.Join(err, f.Close())
			}
			return errors.Join(err, post(s, sample))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			add(t, s, sample)
			flushed(t, s)
			var damaged *file.DamagedError
			if err := harmed(t, s); !errors.As(err, &damaged) || damaged.Path != s.file.Path() {
				t.Errorf("the write gave %v", err)
			}
			if err := s.Ready(t.Context()); !errors.Is(err, store.ErrUnavailable) || !errors.As(err, &damaged) {
				t.Errorf("Ready gives %v", err)
			}
			if err := post(s, "<http://ex/a> <http://ex/b> 1 ."); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("the next write gave %v", err)
			}
			for range 2 { // whatever its result, it must return
				if snap, err := s.Snapshot(); err == nil {
					snap.Close()
				}
			}
		})
	}
}

// TestAPanicInAWriteEndsWritingAndNothingElse checks that a panic in a write stops
// writing, because it may have left anything half done.
func TestAPanicInAWriteEndsWritingAndNothingElse(t *testing.T) {
	t.Parallel()
	panics := func() { panic("a fault of the program") }
	for name, write := range map[string]func(*Store) error{
		"deferred": func(s *Store) error { return s.Update(t.Context(), func(*Tx) error { panics(); return nil }) },
		"direct": func(s *Store) error {
			return s.direct(t.Context(), directly{do: func(*Tx) error { panics(); return nil }})
		},
		"before it": func(s *Store) error {
			return s.direct(t.Context(), directly{do: func(*Tx) error { return nil }, before: func() error { panics(); return nil }})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			add(t, s, sample)
			want := exported(t, s, turtle.NTriples)
			if err := write(s); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "a fault of the program") {
				t.Errorf("the write gave %v", err)
			}
			if err := s.Ready(t.Context()); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("Ready gives %v", err)
			}
			if _, err := s.Add(t.Context(), document(t, turtle.Turtle, sample), journal.Entry{}); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("the next write gave %v", err)
			}
			if got := exported(t, s, turtle.NTriples); got != want {
				t.Errorf("read is\n%s", got)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
