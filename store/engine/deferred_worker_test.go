package engine

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// worker writes to a store at random and knows what the store should hold.
type worker struct {
	t      *testing.T
	path   string
	s      *Store
	random *rand.Rand
	quads  map[string]rdf.Quad // by their text
	writes int                 // entries of the journal
	key    string              // last value of a record
	images int
}

func newWorker(t *testing.T, seed uint64, o Options) *worker {
	t.Helper()
	w := &worker{t: t, path: filepath.Join(t.TempDir(), "x.db"), random: rand.New(rand.NewPCG(seed, 3)), quads: map[string]rdf.Quad{}}
	var err error
	o.TextIndex = TextIndexAsIs // image reads the file, so the indexer must not write meanwhile
	if w.s, err = Open(w.path, withProvenance(o)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.s.Close() })
	return w
}

func (w *worker) term(names int) rdf.Term {
	return rdf.NewIRI(fmt.Sprintf("http://ex/%d", w.random.IntN(names)))
}

func (w *worker) quad() rdf.Quad {
	q := rdf.Quad{S: w.term(40), P: w.term(4), O: w.term(400)}
	switch w.random.IntN(5) {
	case 4:
		q.O = rdf.NewTripleTerm(rdf.Triple{S: w.term(4), P: w.term(4), O: q.O})
	case 0:
		q.O = rdf.NewLiteral(fmt.Sprint("text ", w.random.IntN(100)), rdf.XSDString)
	case 1:
		q.G = rdf.NewIRI("http://ex/g")
	}
	return q
}

// write does something at random and returns its error.
func (w *worker) write() error {
	ctx, e := w.t.Context(), journal.Entry{Action: journal.Insert, Actor: "test"}
	after := map[string]rdf.Quad{}
	for k, q := range w.quads {
		after[k] = q
	}
	entries, key := 1, w.key
	var err error
	switch n := w.random.IntN(20); {
	case n < 10:
		doc := &store.Document{}
		for range 1 + w.random.IntN(8) {
			q := w.quad()
			doc.Add(q)
			after[fmt.Sprint(q)] = q
		}
		_, err = w.s.Add(ctx, doc, e)
	case n < 14:
		var edits []Edit
		for _, q := range w.quads {
			if q.G == contextsGraph {
				continue
			}
			if edits = append(edits, Edit{Quad: q, Remove: true}); w.random.IntN(3) == 0 {
				break
			}
		}
		for _, edit := range edits {
			delete(after, fmt.Sprint(edit.Quad))
		}
		err = w.s.Apply(ctx, edits, EditOptions{}, e)
	case n < 17: // what a resolver does
		d := &Delta{}
		add := w.quad()
		add.G = contextsGraph
		d.Add.Add(add)
		after[fmt.Sprint(add)] = add
		for k, q := range w.quads {
			if q.G == contextsGraph && q != add {
				d.Remove.Add(q)
				delete(after, k)
				break
			}
		}
		key = fmt.Sprint(w.random.Uint32())
		d.Records = []Record{{[]byte("key"), []byte(key)}, {[]byte(key), []byte{}}}
		entries = 0
		err = w.s.Update(ctx, func(tx *Tx) error { return tx.Apply(d) })
	case n < 18:
		_, err = w.s.Clear(ctx, false, e)
		for k, q := range after {
			if q.G.IsZero() {
				delete(after, k)
			}
		}
	case n < 19:
		entries = 0
		err = w.s.direct(ctx, directly{do: func(*Tx) error { return nil }})
	default:
		var lines strings.Builder
		text := turtle.NewWriter(&lines, turtle.NQuads, nil)
		for range 30 {
			q := w.quad()
			after[fmt.Sprint(q)] = q
			if err := text.Write(q); err != nil {
				w.t.Fatal(err)
			}
		}
		if err := text.Close(); err != nil {
			w.t.Fatal(err)
		}
		_, err = w.s.Load(ctx, strings.NewReader(lines.String()), turtle.NQuads, turtle.Options{}, e, nil)
	}
	if err == nil {
		w.quads, w.key = after, key
		w.writes += entries
	}
	return err
}

// holds compares a store with what it should hold.
func (w *worker) holds(s *Store, when string) {
	w.t.Helper()
	var got []string
	for _, q := range quads(w.t, turtle.NQuads, dumped(w.t, s, turtle.NQuads)) {
		got = append(got, fmt.Sprint(q))
	}
	var want []string
	for k := range w.quads {
		want = append(want, k)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Fatalf("%s: %d quads are stored, want %d", when, len(got), len(want))
	}
	if n := len(entries(w.t, s)); n != w.writes {
		w.t.Fatalf("%s: the journal has %d entries, want %d", when, n, w.writes)
	}
	err := s.View(func(snap *Snapshot) error {
		value, err := snap.Records().Get([]byte("key"))
		if string(value) != w.key {
			w.t.Errorf("%s: the record is %q, want %q", when, value, w.key)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	mustCheck(w.t, s)
}

// image opens a copy of the file as a kill would leave it now, read-only and then for
// writing.
func (w *worker) image(when string) {
	w.t.Helper()
	w.images++
	content, err := os.ReadFile(w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	path := filepath.Join(w.t.TempDir(), "image.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		w.t.Fatal(err)
	}
	for _, o := range []Options{{ReadOnly: true}, {}, {ReadOnly: true}} {
		s, err := Open(path, withProvenance(o))
		if err != nil {
			w.t.Fatalf("%s: %v", when, err)
		}
		w.holds(s, when)
		if err := s.Close(); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := os.Remove(path); err != nil {
		w.t.Fatal(err)
	}
}
