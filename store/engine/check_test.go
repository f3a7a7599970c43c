package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// harm changes the file without the store's knowledge.
func harm(t *testing.T, s *Store, do func(*bolt.Tx) error) {
	t.Helper()
	flushed(t, s)
	if err := s.file.DB.Update(do); err != nil {
		t.Fatal(err)
	}
}

// changeBlock changes a byte of the first block of the default graph's index.
func changeBlock(o Order) func(*bolt.Tx) error {
	return func(tx *bolt.Tx) error {
		return changeFirst(tx.Bucket(graphsName).Bucket(idKey(0)).Bucket(indexNames[o]))
	}
}

// spoiltPart adds a part to the default graph, with one block in its SPO index: the first of the graph's, damaged.
func spoiltPart(tx *bolt.Tx) error {
	g := tx.Bucket(graphsName).Bucket(idKey(0))
	k, v := g.Bucket(indexNames[SPO]).Cursor().First()
	b, err := g.CreateBucket(partsName)
	for _, name := range [][]byte{[]byte("part"), indexNames[SPO]} {
		if err == nil {
			b, err = b.CreateBucket(name)
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(b.Put(slices.Clone(k), slices.Clone(v)), changeFirst(b))
}

func changeFirst(b *bolt.Bucket) error {
	k, v := b.Cursor().First()
	v = slices.Clone(v)
	v[0] ^= 1
	return b.Put(slices.Clone(k), v)
}

// moveGraph gives the default graph another id.
func moveGraph(to []byte) func(*bolt.Tx) error {
	return func(tx *bolt.Tx) error {
		graphs := tx.Bucket(graphsName)
		moved, err := graphs.CreateBucket(to)
		if err != nil {
			return err
		}
		old := graphs.Bucket(idKey(0))
		err = old.ForEachBucket(func(name []byte) error {
			b, err := moved.CreateBucket(name)
			if err != nil {
				return err
			}
			return old.Bucket(name).ForEach(func(k, v []byte) error { return b.Put(slices.Clone(k), slices.Clone(v)) })
		})
		if err != nil {
			return err
		}
		return graphs.DeleteBucket(idKey(0))
	}
}

func counts(tx *bolt.Tx) *bolt.Bucket {
	return tx.Bucket(graphsName).Bucket(idKey(0)).Bucket(countsName)
}

func lists(tx *bolt.Tx, name string) *bolt.Bucket {
	return tx.Bucket(graphsName).Bucket(idKey(0)).Bucket([]byte(name))
}

// TestCheckFindsEveryHarm checks damage in a running store, whose readers have cached
// terms.
func TestCheckFindsEveryHarm(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	aDate, _ := ids.Inline(quads(t, turtle.Turtle, `<http://e/s> <http://e/p> "2026-01-02"^^<http://www.w3.org/2001/XMLSchema#date> .`)[0].O)
	says := map[string]string{
		"a count of a predicate that is not there": "the count of predicate 0x2000000000000000 is 1 instead of 0",
	}
	for name, do := range map[string]func(*bolt.Tx) error{
		"a block of SPO changed": changeBlock(SPO),
		"a block of POS changed": changeBlock(POS),
		"a block of OSP changed": changeBlock(OSP),
		"an index is missing": func(tx *bolt.Tx) error {
			return tx.Bucket(graphsName).Bucket(idKey(0)).DeleteBucket(indexNames[OSP])
		},
		"a graph under an id without a term": moveGraph(idKey(0x2000000000abcdef)),
		"a graph under a literal's id":       moveGraph(idKey(aDate)),
		"a graph under a short key":          moveGraph([]byte("graph")),
		"a value among the graphs":           func(tx *bolt.Tx) error { return tx.Bucket(graphsName).Put(idKey(7), []byte("v")) },
		"a count under a short key":          func(tx *bolt.Tx) error { return counts(tx).Put([]byte("key"), idKey(1)) },
		"a count of a predicate that is not there": func(tx *bolt.Tx) error {
			return counts(tx).Put(idKey(0x2000000000000000), idKey(1))
		},
		"a count too short":         func(tx *bolt.Tx) error { return counts(tx).Put(idKey(0), []byte("1")) },
		"the counts are missing":    func(tx *bolt.Tx) error { return tx.Bucket(graphsName).Bucket(idKey(0)).DeleteBucket(countsName) },
		"a block of terms changed":  func(tx *bolt.Tx) error { return changeFirst(tx.Bucket(dictName).Bucket([]byte("terms"))) },
		"a block of texts changed":  func(tx *bolt.Tx) error { return changeFirst(tx.Bucket(dictName).Bucket([]byte("texts"))) },
		"all texts are missing":     func(tx *bolt.Tx) error { return tx.Bucket(dictName).DeleteBucket([]byte("texts")) },
		"the dictionary is missing": func(tx *bolt.Tx) error { return tx.DeleteBucket(dictName) },
		"the counters changed": func(tx *bolt.Tx) error {
			return tx.Bucket(dictName).Put([]byte("next"), make([]byte, 8*16+4))
		},
		"the counters are missing":     func(tx *bolt.Tx) error { return tx.Bucket(dictName).Delete([]byte("next")) },
		"a list of a log changed":      func(tx *bolt.Tx) error { return changeFirst(lists(tx, "logs")) },
		"a list of no log":             func(tx *bolt.Tx) error { return lists(tx, "logs").Put(idKey(99), []byte{1}) },
		"a piece of a list changed":    func(tx *bolt.Tx) error { return changeFirst(lists(tx, "pieces")) },
		"a piece of a list is missing": func(tx *bolt.Tx) error { return lists(tx, "pieces").Delete(idKey(1)) },
		"a piece of no list": func(tx *bolt.Tx) error {
			return lists(tx, "pieces").Put(idKey(99), lists(tx, "pieces").Get(idKey(1)))
		},
		"a hash of another piece": func(tx *bolt.Tx) error { return lists(tx, "hashes").Put([]byte("12345678"), idKey(1)) },
		"the pieces are missing":  func(tx *bolt.Tx) error { return tx.Bucket(graphsName).Bucket(idKey(0)).DeleteBucket([]byte("pieces")) },
		"a log can't be found by its id": func(tx *bolt.Tx) error {
			ids := tx.Bucket([]byte("logids"))
			k, _ := ids.Cursor().First()
			return ids.Delete(k)
		},
		"an entry of the journal lost": func(tx *bolt.Tx) error { return tx.Bucket([]byte("journal")).Delete(idKey(1)) },
	} {
		s := openStore(t)
		add(t, s, sample)
		add(t, s, "<http://ex/one> <http://ex/more> <http://ex/entry> .")
		add(t, s, large(0, 50))
		mustCheck(t, s)
		exported(t, s, turtle.Turtle) // its readers now have the terms cached
		harm(t, s, do)
		var damaged *file.DamagedError
		err := s.Check(t.Context())
		if !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
		if want := says[name]; !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: the error is %q, without %q", name, err, want)
		}
		// The damage must not make other reads panic.
		withSnapshot(t, s, func(snap *Snapshot) {
			for _, g := range append(snap.Graphs(), defaultGraph) {
				snap.Predicates(g)
			}
		})
	}
}

// TestCheckKnowsTermsThatNoGraphUses checks a file that still has the terms of a graph
// that was cleared while another graph remained.
func TestCheckKnowsTermsThatNoGraphUses(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	load(t, s, turtle.TriG, dataset)
	mustCheck(t, s)
	harm(t, s, func(tx *bolt.Tx) error { return tx.Bucket(graphsName).DeleteBucket(idKey(0)) })
	mustCheck(t, s)
	harm(t, s, func(tx *bolt.Tx) error { return changeFirst(tx.Bucket(dictName).Bucket([]byte("terms"))) })
	var damaged *file.DamagedError
	if err := s.Check(t.Context()); !errors.As(err, &damaged) {
		t.Errorf("Check gave %v", err)
	}
}

// TestABlockThatRotsIsFoundByTheCheckOfPages checks that CheckPages finds a damaged block
// on a page that is otherwise valid. The service calls CheckPages after every start.
func TestABlockThatRotsIsFoundByTheCheckOfPages(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*bolt.Tx) error{
		"an index": changeBlock(POS),
		"a part":   spoiltPart,
		"terms":    func(tx *bolt.Tx) error { return changeFirst(tx.Bucket(dictName).Bucket([]byte("terms"))) },
		"texts":    func(tx *bolt.Tx) error { return changeFirst(tx.Bucket(dictName).Bucket([]byte("texts"))) },
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			add(t, s, sample)
			if err := s.CheckPages(t.Context()); err != nil {
				t.Errorf("CheckPages of a good file returned %v", err)
			}
			harm(t, s, change)
			var damaged *file.DamagedError
			if err := s.CheckPages(t.Context()); !errors.As(err, &damaged) || damaged.Path != s.file.Path() {
				t.Errorf("CheckPages returned %v", err)
			}
			if err := s.Ready(t.Context()); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("Ready gives %v", err)
			}
		})
	}
}

// TestDamageThatAReadMeetsEndsWriting checks that damage found by a read stops writing: a
// write next to damaged pages could not be trusted.
func TestDamageThatAReadMeetsEndsWriting(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, sample)
	harm(t, s, changeBlock(SPO))
	export, err := s.Export(t.Context(), rdf.Term{}, turtle.NTriples)
	if err == nil {
		_, werr := export.WriteTo(io.Discard)
		err = errors.Join(werr, export.Close())
	}
	var damaged *file.DamagedError
	if !errors.As(err, &damaged) {
		t.Errorf("the export gives %v", err)
	}
	if err := s.Ready(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Ready gives %v", err)
	}
}

// sampled notes how much memory was in use when somebody asked whether it has ended.
type sampled struct {
	context.Context
	heap
	asked int
}

func (c *sampled) Err() error {
	if c.asked++; c.asked%100 == 0 {
		_, _ = c.Write(nil)
	}
	return c.Context.Err()
}

// TestManyPredicatesTakeLittleMemory has a predicate for each triple.
func TestManyPredicatesTakeLittleMemory(t *testing.T) {
	suite.NotShort(t)
	s := openStore(t)
	var text strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&text, "<e:s> <e:%d> <e:s> .\n", i)
	}
	mustAddText(t, s, text.String())
	flushed(t, s)
	tidied(t, s) // the tidier takes memory, and so does the indexer
	if err := s.IndexTexts(t.Context()); err != nil {
		t.Fatal(err)
	}
	var base heap
	_, _ = base.Write(nil)
	ctx := &sampled{Context: t.Context()}
	err := s.Check(ctx)
	if held := (int64(ctx.heap) - int64(base)) >> 20; err != nil || held > 8 {
		t.Errorf("a check holds %d MB, %v", held, err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = s.usedIDs(t.Context())
	runtime.ReadMemStats(&after)
	if made := (after.TotalAlloc - before.TotalAlloc) >> 20; err != nil || made > 12 {
		t.Errorf("a collection allocates %d MB, %v", made, err)
	}
}
