package dict

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
)

// sliceLevel is a level in a slice sorted by text and id.
type sliceLevel struct{ entries []Entry }

func (l *sliceLevel) add(fresh []Entry) error {
	l.entries = append(l.entries, fresh...)
	for _, e := range fresh {
		if e.ID.IsTriple() {
			e.OtherTexts(func(text []byte) { l.entries = append(l.entries, Entry{ID: e.ID, Text: text}) })
		}
	}
	slices.SortFunc(l.entries, func(a, b Entry) int { return compareText(textEntry{a.Text, a.ID}, textEntry{b.Text, b.ID}) })
	return nil
}

func (l *sliceLevel) Entry(id ID) (Entry, bool) {
	for _, e := range l.entries {
		if e.ID == id {
			return e, true
		}
	}
	return Entry{}, false
}

// terms returns the entries without the further texts of triple terms.
func (l *sliceLevel) terms() (out []Entry) {
	for _, e := range l.entries {
		if e.Text[0] <= tripleKind {
			out = append(out, e)
		}
	}
	return out
}

func (l *sliceLevel) ID(text []byte) (id ID, ok bool) {
	l.Texts(text, func(t []byte, i ID) bool { id, ok = i, bytes.Equal(t, text); return false })
	return id, ok
}

func (l *sliceLevel) Texts(from []byte, f func(text []byte, id ID) bool) {
	for _, e := range l.entries {
		if bytes.Compare(e.Text, from) >= 0 && !f(e.Text, e.ID) {
			return
		}
	}
}

// someTerms returns terms of all kinds. Some are similar, and some occur more than once.
func someTerms(random *rand.Rand, n int) []rdf.Term {
	out := make([]rdf.Term, n)
	for i := range out {
		text := fmt.Sprint("a/", random.IntN(200))
		if random.IntN(10) == 0 {
			text = strings.Repeat("long ", 120) + text // longer than the index by text holds, so the hash matters
		}
		out[i] = []rdf.Term{rdf.NewIRI(text), rdf.NewIRI(text), rdf.NewString(text), rdf.NewLang(text, "en"), rdf.NewBlank("label" + text),
			rdf.NewLiteral(text, rdf.XSDInteger), rdf.NewLiteral(text, "http://ex/dt"), rdf.NewLiteral("17", rdf.XSDInteger)}[random.IntN(8)]
		if random.IntN(4) == 0 {
			out[i] = rdf.NewTripleTerm(rdf.Triple{S: rdf.NewIRI(text), P: rdf.NewIRI("p"), O: out[random.IntN(i+1)]})
		}
	}
	return out
}

// sameSecret gives two dictionaries the same secret.
func sameSecret(t *testing.T, a, b *bolt.DB) {
	t.Helper()
	var secret []byte
	for _, db := range []*bolt.DB{a, b} {
		assign(t, db, nil)
		err := db.Update(func(tx *bolt.Tx) error {
			if secret == nil {
				secret = bytes.Clone(tx.Bucket(bucketName).Get(secretName))
			}
			return tx.Bucket(bucketName).Put(secretName, secret)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A dictionary with some terms in levels reads like one in which a Writer stored all of
// them. An Assigner assigns the same ids as the Writer, and its terms can be stored
// afterwards.
func TestTermsInLevelsReadAsStoredOnes(t *testing.T) {
	suite.NotShort(t)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		direct, deferred := open(t), open(t)
		base := someTerms(random, 150)
		sameSecret(t, direct, deferred) // otherwise long texts have another order
		assign(t, direct, nil, base...)
		assign(t, deferred, nil, base...)
		batches := [][]rdf.Term{someTerms(random, 100), someTerms(random, 1), someTerms(random, 100)}
		levels := []Level{&sliceLevel{}, &sliceLevel{}}
		var next Numbers
		err := deferred.View(func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketName)
			var err error
			if next, err = Counters(b); err != nil {
				return err
			}
			known := &Known{}
			for i, batch := range batches {
				in := min(i, 1) + 1
				g := NewAssigner(NewReader(b, nil, levels[:in]...), next, known, levels[in-1].(*sliceLevel).add)
				ids := make([]ID, len(batch))
				if err := g.IDs(batch, ids); err != nil {
					return err
				}
				next = g.Numbers()
				if want := assign(t, direct, nil, batch...); !slices.Equal(ids, want) {
					t.Fatalf("the Assigner gives %v, the Writer %v", ids, want)
				}
			}
			return direct.View(func(tx *bolt.Tx) error {
				compareReaders(t, NewReader(b, &Cache{}, levels...), NewReader(tx.Bucket(bucketName), nil))
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range levels { // a flush
			err = deferred.Update(func(tx *bolt.Tx) error {
				w, err := NewWriter(tx.Bucket(bucketName), nil)
				if err != nil {
					return err
				}
				entries := l.(*sliceLevel).terms()
				random.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
				if err := w.Insert(entries, next); err != nil {
					return err
				}
				return w.Close()
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		view(t, deferred, func(got *Reader) { view(t, direct, func(want *Reader) { compareReaders(t, got, want) }) })
		more := someTerms(random, 50)
		if got, want := assign(t, deferred, nil, more...), assign(t, direct, nil, more...); !slices.Equal(got, want) {
			t.Fatalf("after the flush the ids are %v, want %v", got, want)
		}
	}
}

// compareReaders compares all texts of two readers, from several prefixes on and stopped
// early, and every look-up.
func compareReaders(t *testing.T, got, want *Reader) {
	t.Helper()
	texts := func(r *Reader, kind rdf.Kind, prefix string, most int) (out []ID) {
		if err := r.Texts(kind, prefix, func(id ID) (bool, error) { out = append(out, id); return len(out) < most, nil }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, kind := range []rdf.Kind{rdf.KindBlank, rdf.KindIRI, rdf.KindLiteral, rdf.KindTriple} {
		for _, prefix := range []string{"", "a", "a/1", "a/19", "long", "label", "zzz"} {
			for _, most := range []int{1, 7, 1 << 20} {
				if g, w := texts(got, kind, prefix, most), texts(want, kind, prefix, most); !slices.Equal(g, w) {
					t.Fatalf("texts of kind %v from %q: %v, want %v", kind, prefix, g, w)
				}
			}
		}
		for _, id := range texts(want, kind, "", 1<<20) {
			term, err := got.Term(id)
			if same, wrong := want.Term(id); err != nil || wrong != nil || term != same {
				t.Fatalf("Term(%#x) = %v, %v, want %v", uint64(id), term, err, same)
			}
			if _, appended, err := got.Append(nil, id); err != nil || appended != term {
				t.Fatalf("Append(%#x) = %v, %v, want %v", uint64(id), appended, err, term)
			}
			for _, other := range texts(want, kind, "", 1<<20)[:20] {
				a, err := got.Like(id)
				b, wrong := got.Like(other)
				if t2, _ := want.Term(other); a == b && (t2.Datatype() != term.Datatype() || t2.Tag() != term.Tag()) || err != nil || wrong != nil {
					t.Fatalf("Like(%#x) = %d, %v, Like(%#x) = %d, %v", uint64(id), a, err, uint64(other), b, wrong)
				}
			}
			if back, ok, err := got.ID(term); back != id || !ok || err != nil {
				t.Fatalf("ID(%v) = %#x, %v, %v, want %#x", term, uint64(back), ok, err, uint64(id))
			}
		}
	}
	for _, absent := range []rdf.Term{rdf.NewIRI("a/999"), rdf.NewString("b"), rdf.NewBlank("label")} {
		if id, ok, err := got.ID(absent); ok || err != nil {
			t.Errorf("ID(%v) = %#x, %v", absent, uint64(id), err)
		}
	}
}

// Ids that are rolled back are assigned to other terms. Neither Known nor the cache keeps
// them.
func TestAbandonedIDsAreForgotten(t *testing.T) {
	db := open(t)
	kept, lost, other := rdf.NewIRI("kept"), rdf.NewIRI("lost"), rdf.NewIRI("other")
	assign(t, db, nil, kept)
	known, cache := &Known{}, &Cache{}
	give := func(r *Reader, term rdf.Term, store func([]Entry) error) ID {
		next := Numbers{ids.TagIRI: 1}
		ids := []ID{0, 0}
		if err := NewAssigner(r, next, known, store).IDs([]rdf.Term{kept, term}, ids); err != nil {
			t.Fatal(err)
		}
		return ids[1]
	}
	if err := db.View(func(tx *bolt.Tx) error {
		level := &sliceLevel{}
		r := NewReader(tx.Bucket(bucketName), cache, level)
		first := give(r, lost, level.add)
		if got, err := r.Term(first); got != lost || err != nil {
			t.Errorf("Term(%#x) = %v, %v", uint64(first), got, err)
		}
		known.Undo()
		if _, ok := known.get(kept); !ok {
			t.Error("a term that was found is forgotten, too")
		}
		if _, ok := known.get(lost); ok {
			t.Error("an id that was rolled back is remembered")
		}
		level = &sliceLevel{}
		r = NewReader(tx.Bucket(bucketName), cache, level)
		second := give(r, other, level.add)
		if got, err := r.Term(second); second != first || got != other || err != nil {
			t.Errorf("the id %#x, assigned again, stands for %v, %v", uint64(second), got, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	// More terms than Known can undo one by one.
	known.begin()
	for i := range maxKnown + 1 {
		known.put(rdf.NewIRI(fmt.Sprint(i)), ID(i), true)
	}
	known.Undo()
	if _, ok := known.get(rdf.NewIRI("1")); ok || len(known.young)+len(known.old) > 0 {
		t.Error("after many ids were rolled back, some are remembered")
	}
}

// An id that is stored can't be inserted again, especially not for another term.
func TestInsertRefusesIdsThatAreStored(t *testing.T) {
	db := open(t)
	ids := assign(t, db, nil, rdf.NewIRI("a"), rdf.NewIRI("b"))
	err := db.Update(func(tx *bolt.Tx) error {
		w, err := NewWriter(tx.Bucket(bucketName), nil)
		if err != nil {
			return err
		}
		c := rdf.NewIRI("c")
		return w.Insert([]Entry{{ID: ids[1], Term: c, Text: w.reader.hasher.AppendText(nil, c)}}, Numbers{})
	})
	if err == nil {
		t.Error("the id of b was given to c")
	}
}

// The hash of a long text depends on the dictionary's secret, and a damaged secret is
// found.
func TestTheHashOfALongTextNeedsTheSecret(t *testing.T) {
	long := rdf.NewString(strings.Repeat("what maria said ", 60))
	var texts []string
	for range 2 {
		db := open(t)
		id := assign(t, db, nil, long)[0]
		view(t, db, func(r *Reader) {
			if got, ok, err := r.ID(long); got != id || !ok || err != nil {
				t.Errorf("ID = %#x, %v, %v", uint64(got), ok, err)
			}
			text := r.hasher.AppendText(nil, long)
			if len(text) != maxText {
				t.Errorf("the text has %d bytes", len(text))
			}
			texts = append(texts, string(text))
		})
		err := db.Update(func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketName)
			if err := CheckSecret(b); err != nil {
				t.Errorf("a good secret: %v", err)
			}
			damaged := bytes.Clone(b.Get(secretName))
			damaged[3] ^= 1
			if err := b.Put(secretName, damaged); err != nil {
				return err
			}
			if err := CheckSecret(b); !errors.As(err, new(*DamagedError)) {
				t.Errorf("a damaged secret: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	plain := append([]byte{byte(rdf.KindLiteral)}, long.Value()...)
	sum := sha256.Sum256(append(plain, 0, 1))
	if texts[0] == texts[1] || strings.HasSuffix(texts[0], string(sum[:])) {
		t.Error("the hash does not depend on a secret")
	}
}
