package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/turtle"
)

func iri(name string) rdf.Term { return rdf.NewIRI("http://ex/" + name) }

// claims returns a document in which a reifier, a blank node, says who claimed each of n
// triples. Their subjects are one blank node. The last claim is about another one.
func claims(from, n int) *store.Document {
	d := &store.Document{}
	var last rdf.Term
	for i := range n {
		r := rdf.NewBlank(fmt.Sprint("r", i))
		last = rdf.NewTripleTerm(rdf.Triple{S: rdf.NewBlank("thing"), P: iri("size"), O: rdf.NewLiteral(fmt.Sprint(from+i), rdf.XSDInteger)})
		d.Add(rdf.Quad{S: r, P: rdf.NewIRI(rdf.RDFReifies), O: last})
		d.Add(rdf.Quad{S: r, P: iri("by"), O: iri("robot")})
	}
	outer := rdf.NewTripleTerm(rdf.Triple{S: rdf.NewBlank("r0"), P: rdf.NewIRI(rdf.RDFReifies), O: last})
	d.Add(rdf.Quad{S: iri("doubt"), P: rdf.NewIRI(rdf.RDFReifies), O: outer})
	return d
}

func mustAdd(t *testing.T, s *Store, d *store.Document) {
	t.Helper()
	if _, err := s.Add(t.Context(), d, journal.Entry{Action: journal.Insert, Actor: "test"}); err != nil {
		t.Fatal(err)
	}
}

// triplesOf returns the triple terms with the given parts, the zero Term for any.
func triplesOf(t *testing.T, s *Store, parts ...rdf.Term) (out []rdf.Triple) {
	t.Helper()
	withSnapshot(t, s, func(snap *Snapshot) {
		ds := snap.Dataset()
		var ids [3]source.ID
		for i, part := range parts {
			id, err := ds.ID(part)
			if !part.IsZero() && id == 0 || err != nil {
				t.Fatalf("%v has no id: %v", part, err)
			}
			ids[i] = id
		}
		for found, err := range ds.TripleTerms(ids[0], ids[1], ids[2]) {
			if err != nil {
				t.Fatal(err)
			}
			id := found.ID
			term, err := ds.Term(id)
			if err != nil {
				t.Fatal(err)
			}
			spo, ok, err := ds.TripleParts(id)
			for i, part := range spo {
				if ids[i] != 0 && part != ids[i] || spo != found.Parts || !ok || err != nil {
					t.Errorf("%v has the part %#x, %v, %v", term, part, ok, err)
				}
			}
			if back, err := ds.ID(term); back != id || err != nil {
				t.Errorf("%v is %#x and is found as %#x, %v", term, id, back, err)
			}
			if ds.Kind(id) != rdf.KindTriple || id >= source.LocalFirst {
				t.Errorf("%#x is of kind %v", id, ds.Kind(id))
			}
			out = append(out, term.Triple())
		}
		for range ds.TripleTerms(0, 0, 0) {
			break
		}
	})
	return out
}

// Triple terms are stored once for each of their parts, whose blank nodes are those of the
// document. They survive a kill, a flush and a restart.
func TestTripleTermsAreStored(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s, err := Open(path, withProvenance(Options{TextIndex: TextIndexAsIs}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	mustAdd(t, s, claims(0, 1)) // the first goes to the indexes, with the feature bit
	mustAdd(t, s, claims(0, 20))
	if s.Deferred() == 0 {
		t.Error("the second document is not deferred")
	}
	holds := func(s *Store, when string) {
		t.Helper()
		if got := len(triplesOf(t, s, rdf.Term{}, rdf.Term{}, rdf.Term{})); got != 2+21 {
			t.Errorf("%s: %d triple terms", when, got)
		}
		seven := triplesOf(t, s, rdf.Term{}, iri("size"), rdf.NewLiteral("7", rdf.XSDInteger))
		if len(seven) != 1 || !seven[0].S.IsBlank() {
			t.Fatalf("%s: with 7: %v", when, seven)
		}
		if got := triplesOf(t, s, seven[0].S, rdf.Term{}, rdf.Term{}); len(got) != 20 {
			t.Errorf("%s: with the subject of 7: %v", when, got)
		}
		if got := triplesOf(t, s, rdf.Term{}, rdf.Term{}, rdf.NewTripleTerm(triplesOf(t, s, seven[0].S, iri("size"), rdf.NewLiteral("19", rdf.XSDInteger))[0])); len(got) != 1 {
			t.Errorf("%s: with a triple term: %v", when, got)
		}
		mustCheck(t, s)
	}
	holds(s, "deferred")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	image := filepath.Join(t.TempDir(), "image.db")
	if err := os.WriteFile(image, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{ReadOnly: true}, {}, {ReadOnly: true}} {
		killed, err := Open(image, withProvenance(o))
		if err != nil {
			t.Fatal(err)
		}
		holds(killed, "after a kill")
		if err := killed.Close(); err != nil {
			t.Fatal(err)
		}
	}
	flushed(t, s)
	holds(s, "flushed")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	holds(reopen(t, path), "after a restart")
}

// Triple terms are found by their parts while the dictionary has nothing in its buckets.
func TestTripleTermsAreFoundAfterAllWasCleared(t *testing.T) {
	s := openStore(t)
	mustAdd(t, s, claims(0, 3))
	if _, err := s.Clear(t.Context(), true, journal.Entry{Action: journal.Clear}); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, s, claims(5, 1)) // the dictionary in the buckets is empty
	withSnapshot(t, s, func(snap *Snapshot) {
		p, _, err := snap.ID(iri("size"))
		found := 0
		if err == nil {
			err = snap.EachTriple(0, p, 0, func(ids []dict.ID) error { found += len(ids); return nil })
		}
		if err != nil || found != 1 {
			t.Errorf("%d triple terms are found, want 1; %v", found, err)
		}
	})
}

// A file has the feature bit of triple terms from its first triple term on, and not
// before.
func TestOnlyFilesWithTripleTermsSayThatTheyHaveThem(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	bits := func() (n uint64) {
		_ = s.file.DB.View(func(tx *bolt.Tx) error {
			n = binary.BigEndian.Uint64(tx.Bucket(metaName).Get([]byte("features")))
			return nil
		})
		return n
	}
	add(t, s, sample)
	flushed(t, s)
	if got := bits(); got != 1 {
		t.Errorf("the features are %b", got)
	}
	mustAdd(t, s, claims(0, 1))
	if got := bits(); got != 3 {
		t.Errorf("with a triple term the features are %b", got)
	}
	if _, err := s.Clear(t.Context(), true, journal.Entry{Action: journal.Clear, Actor: "test"}); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, s, claims(5, 2)) // after the dictionary was emptied
	if got := triplesOf(t, s, rdf.Term{}, iri("size"), rdf.Term{}); len(got) != 2 {
		t.Errorf("after everything was deleted: %v", got)
	}
	mustCheck(t, s)
	err := s.file.Update(func(tx *bolt.Tx) error {
		return tx.Bucket(metaName).Put([]byte("features"), []byte{0, 0, 0, 0, 0, 0, 0, 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "there are triple terms") {
		t.Errorf("a file that does not say that it has triple terms: %v", err)
	}
}

// Quads with triple terms can be removed and added by the store's own names of blank
// nodes.
func TestTriplesWithTripleTermsCanBeRemoved(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	mustAdd(t, s, claims(0, 3))
	all := quadsOf(t, s)
	literal := rdf.Quad{S: iri("s"), P: iri("p"), O: rdf.NewTripleTerm(rdf.Triple{S: rdf.NewString("x"), P: iri("p"), O: iri("o")})}
	if err := s.Apply(t.Context(), []Edit{{Quad: literal}}, EditOptions{}, journal.Entry{Action: journal.Insert, Actor: "test"}); err == nil {
		t.Error("a literal is the subject of a triple term")
	}
	var edits []Edit
	for _, q := range all {
		edits = append(edits, Edit{Quad: q, Remove: true})
	}
	if err := s.Apply(t.Context(), edits, EditOptions{}, journal.Entry{Action: journal.Insert, Actor: "test"}); err != nil {
		t.Fatal(err)
	}
	if left := quadsOf(t, s); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	for i := range edits {
		edits[i].Remove = false
	}
	if err := s.Apply(t.Context(), edits, EditOptions{}, journal.Entry{Action: journal.Insert, Actor: "test"}); err != nil {
		t.Fatal(err)
	}
	if again := quadsOf(t, s); !slices.Equal(again, all) {
		t.Errorf("%v are back, not %v", again, all)
	}
	mustCheck(t, s)
}

func quadsOf(t *testing.T, s *Store) (out []rdf.Quad) {
	t.Helper()
	withSnapshot(t, s, func(snap *Snapshot) {
		scan := snap.Match(0, 0, 0, 0)
		for batch := scan.Next(); batch != nil; batch = scan.Next() {
			for _, tuple := range batch {
				q, err := snap.Quad(0, SPO.Tuple(scan.Order.Triple(tuple)))
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, q)
			}
		}
	})
	return out
}

// Check finds a triple term that one of the orders lacks.
func TestCheckComparesTheOrdersOfTripleTerms(t *testing.T) {
	t.Parallel()
	for o := range orders.Count {
		s := openStore(t)
		mustAdd(t, s, claims(0, 200))
		harm(t, s, func(tx *bolt.Tx) error {
			texts := tx.Bucket(dictName).Bucket([]byte("texts"))
			k, _ := texts.Cursor().Seek([]byte{byte(rdf.KindTriple) + byte(o)})
			if k == nil || k[0] != byte(rdf.KindTriple)+byte(o) {
				t.Fatalf("no block begins with %s", orders.Order(o))
			}
			return texts.Delete(slices.Clone(k))
		})
		var damaged *file.DamagedError
		if err := s.Check(t.Context()); !errors.As(err, &damaged) {
			t.Errorf("without a block of %s: %v", orders.Order(o), err)
		}
	}
}

const annotated = `@prefix : <http://ex/> .
:s :p _:o ~ :r {| :by :robot |} ~ [] , "a"@ar--rtl {| :at 5 |} .
_:o :q << _:o :p << :a a <<( :b :c 'd' )>> >> ~ :r2 >> .
[] :nested <<( _:x :p _:x )>> .
`

// Texts with triple terms survive each way to store and to write them.
func TestTripleTermsComeBack(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	want := quads(t, turtle.Turtle, annotated)
	many := "<http://ex/s> <http://ex/p> 1 .\n"
	for i := range 6000 { // too many for one transaction
		many += fmt.Sprintf("<http://ex/r%d> <%s> <<( <http://ex/s> <http://ex/p> <<( <http://ex/t%d> <http://ex/p> \"%d\" )>> )>> .\n", i, rdf.RDFReifies, i, i%7)
	}
	for name, store := range map[string]func(*testing.T, *Store){
		"a document": func(t *testing.T, s *Store) { add(t, s, annotated) },
		"a load":     func(t *testing.T, s *Store) { load(t, s, turtle.Turtle, annotated) },
		"a text":     func(t *testing.T, s *Store) { mustAddText(t, s, annotated) },
	} {
		s := openStore(t)
		store(t, s)
		for _, f := range []turtle.Format{turtle.Turtle, turtle.NTriples, turtle.TriG, turtle.NQuads} {
			text := dumped(t, s, f)
			if got := quads(t, f, text); !canon.Isomorphic(got, want) {
				t.Errorf("%s comes back in format %d as\n%s", name, f, text)
			}
		}
		mustCheck(t, s)
		if name != "a text" {
			continue
		}
		mustAddText(t, s, many)
		if got := len(triplesOf(t, s, iri("s"), iri("p"), rdf.Term{})); got != 6000+2 {
			t.Errorf("after a large document %d triple terms are about s, p", got)
		}
		if got := len(triplesOf(t, s, rdf.Term{}, rdf.Term{}, rdf.NewString("3"))); got != 857 {
			t.Errorf("%d triple terms have the object 3", got)
		}
		mustCheck(t, s)
	}
}

// A backup and a compacted file have the triple terms, deferred or not.
func TestCopiesOfAFileHaveItsTripleTerms(t *testing.T) {
	t.Parallel()
	s, dir := openStore(t), t.TempDir()
	add(t, s, annotated)
	mustAdd(t, s, claims(0, 20))
	if s.Deferred() == 0 {
		t.Error("nothing is deferred")
	}
	want, compacted, saved := dumped(t, s, turtle.NQuads), filepath.Join(dir, "compacted.db"), filepath.Join(dir, "backup.db")
	w, err := os.Create(saved)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Backup(t.Context(), w)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	flushed(t, s)
	if err := s.Compact(compacted); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{saved, compacted} {
		copied := reopen(t, path)
		if got := dumped(t, copied, turtle.NQuads); got != want {
			t.Errorf("%s has\n%s", path, got)
		}
		if got := triplesOf(t, copied, rdf.Term{}, iri("size"), rdf.NewLiteral("7", rdf.XSDInteger)); len(got) != 1 {
			t.Errorf("%s finds %v", path, got)
		}
		mustAdd(t, copied, claims(30, 2))
		mustCheck(t, copied)
	}
}

// Parts that the text of a triple term can't hold are refused, because they would be
// other terms when read.
func TestTripleTermsWithUnreadablePartsAreRefused(t *testing.T) {
	t.Parallel()
	s, p, o := iri("s"), iri("p"), iri("o")
	db := openStore(t)
	for _, triple := range []rdf.Triple{
		{S: rdf.NewIRI("http://ex/a b"), P: p, O: o},
		{S: rdf.NewIRI("http://ex/a> <http://ex/b"), P: p, O: o},
		{S: s, P: p, O: rdf.NewIRI("http://ex/a )>> b")},
		{S: rdf.NewBlank("a b"), P: p, O: o},
		{S: s, P: p, O: rdf.NewLang("x", "en us")},
		{S: s, P: p, O: rdf.NewLiteral("x", "http://ex/a b")},
		{S: s, P: p, O: rdf.NewTripleTerm(rdf.Triple{S: rdf.NewIRI("a b"), P: p, O: o})},
	} {
		q := rdf.Quad{S: s, P: p, O: rdf.NewTripleTerm(triple)}
		for _, anyTerms := range []bool{false, true} {
			var failed *EditError
			if err := db.Apply(t.Context(), []Edit{{Quad: q}}, EditOptions{AnyTerms: anyTerms}, journal.Entry{Action: journal.Insert, Actor: "test"}); !errors.As(err, &failed) {
				t.Errorf("%v, any terms %v: the error is %v", triple, anyTerms, err)
			}
		}
	}
	odd := rdf.Quad{S: s, P: p, O: rdf.NewTripleTerm(rdf.Triple{S: rdf.NewString("x )>> y"), P: p, O: rdf.NewIRI("relative")})}
	if err := db.Apply(t.Context(), []Edit{{Quad: odd}}, EditOptions{AnyTerms: true}, journal.Entry{Action: journal.Insert, Actor: "test"}); err != nil {
		t.Error(err)
	}
	if got := quadsOf(t, db); len(got) != 1 || got[0] != odd {
		t.Errorf("the file has %v", got)
	}
}

// Triple terms are nested no deeper in a file than the readers of its exports allow.
func TestTheNestingOfTripleTermsIsLimited(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	q := rdf.Quad{S: iri("s"), P: iri("p"), O: iri("o")}
	for depth := range rdf.MaxTripleDepth + 2 {
		if depth > 0 {
			q.O = rdf.NewTripleTerm(q.Triple())
		}
		if depth < rdf.MaxTripleDepth {
			continue
		}
		d := &store.Document{}
		d.Add(q)
		_, err := s.Add(t.Context(), d, journal.Entry{Action: journal.Insert, Actor: "test"})
		if allowed := depth == rdf.MaxTripleDepth; (err == nil) != allowed {
			t.Errorf("a document with depth %d: %v", depth, err)
		}
		for _, anyTerms := range []bool{false, true} {
			err := s.Apply(t.Context(), []Edit{{Quad: q}}, EditOptions{IgnorePresent: true, AnyTerms: anyTerms}, journal.Entry{Action: journal.Insert, Actor: "test"})
			if allowed := depth == rdf.MaxTripleDepth; (err == nil) != allowed {
				t.Errorf("an edit with depth %d: %v", depth, err)
			}
		}
	}
	if got := quads(t, turtle.NQuads, dumped(t, s, turtle.NQuads)); len(got) != 1 || got[0].O.TripleDepth() != rdf.MaxTripleDepth {
		t.Errorf("the file has %v", got)
	}
	mustCheck(t, s)
}
