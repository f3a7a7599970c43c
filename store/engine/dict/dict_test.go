package dict

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/segraph/segraph/store/engine/checksum"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
)

var bucketName = []byte("dict")

func open(t testing.TB) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(filepath.Join(t.TempDir(), "dict.db"), 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// assign stores terms in a transaction of its own and returns their ids.
func assign(t testing.TB, db *bolt.DB, known *Known, terms ...rdf.Term) []ID {
	t.Helper()
	ids := make([]ID, len(terms))
	err := db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketName)
		if b == nil {
			var err error
			if b, err = tx.CreateBucket(bucketName); err != nil {
				return err
			}
			if err := Create(b); err != nil {
				return err
			}
		}
		w, err := NewWriter(b, known)
		if err != nil {
			return err
		}
		if err := w.IDs(terms, ids); err != nil {
			return err
		}
		return w.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func view(t testing.TB, db *bolt.DB, f func(r *Reader)) {
	t.Helper()
	if err := db.View(func(tx *bolt.Tx) error { f(NewReader(tx.Bucket(bucketName), &Cache{})); return nil }); err != nil {
		t.Fatal(err)
	}
}

func termGen() *rapid.Generator[rdf.Term] {
	return rapid.Custom(func(t *rapid.T) rdf.Term {
		text := rapid.OneOf(rapid.StringMatching(`[ab]{0,6}`), rapid.String(), rapid.StringMatching(`http://ex/[a-c][0-9]{1,3}`),
			rapid.Just(strings.Repeat("long ", 200)), rapid.Just(strings.Repeat("long ", 200)+"er"), rapid.Just("nul\x00inside"), rapid.Just("nul\x00\x01")).Draw(t, "text")
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return rdf.NewString(text)
		case 1:
			return rdf.NewLang(text, rapid.SampledFrom([]string{"en", "EN", "en-GB", "en-gb", "es"}).Draw(t, "language"))
		case 2:
			return rdf.NewLiteral(text, rapid.SampledFrom([]string{rdf.XSDInteger, rdf.XSDDateTime, "http://ex/dt", rdf.XSDBoolean}).Draw(t, "datatype"))
		case 3:
			return rdf.NewBlank("label" + text)
		}
		return rdf.NewIRI(text)
	})
}

// TestEveryTermHasOneIDAndRoundTrips compares the dictionary with a map over several
// transactions.
func TestEveryTermHasOneIDAndRoundTrips(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		db, err := bolt.Open(filepath.Join(t.TempDir(), "dict.db"), 0o600, &bolt.Options{NoSync: true})
		if err != nil {
			rt.Fatal(err)
		}
		defer db.Close()
		known := &Known{}
		model, back := map[rdf.Term]ID{}, map[ID]rdf.Term{} // by Fold, and as first sent
		for range rapid.IntRange(1, 6).Draw(rt, "transactions") {
			terms := rapid.SliceOfN(termGen(), 1, 150).Draw(rt, "terms")
			if rapid.Bool().Draw(rt, "forget") {
				known.Reset()
			}
			for i, id := range assign(t, db, known, terms...) {
				key := terms[i].Fold()
				if old, ok := model[key]; ok && old != id {
					rt.Fatalf("%v had id %#x and has %#x", terms[i], uint64(old), uint64(id))
				}
				if other, ok := back[id]; ok && !other.EqualFold(terms[i]) {
					rt.Fatalf("%v and %v share id %#x", other, terms[i], uint64(id))
				} else if !ok {
					back[id] = terms[i]
				}
				model[key] = id
			}
		}
		view(t, db, func(r *Reader) {
			for term, id := range model {
				if got, err := r.Term(id); err != nil || got != back[id] {
					rt.Fatalf("Term(%#x) = %v, %v; want %v", uint64(id), got, err, back[id])
				}
				if got, ok, err := r.ID(term); err != nil || !ok || got != id {
					rt.Fatalf("ID(%v) = %#x, %v, %v; want %#x", term, uint64(got), ok, err, uint64(id))
				}
				if id.Tag() != tagOf(term) && !id.Inline() {
					rt.Fatalf("%v is under tag %d", term, id.Tag())
				}
			}
			for range 20 {
				term := termGen().Draw(rt, "absent")
				if _, ok := model[term.Fold()]; ok {
					continue
				}
				if _, ok := ids.Inline(term); ok {
					continue
				}
				if id, ok, err := r.ID(term); ok || err != nil {
					rt.Fatalf("ID(%v) = %#x, %v, %v for a term that was never stored", term, uint64(id), ok, err)
				}
			}
		})
	})
}

func TestNewIdsFollowTheOrderOfTerms(t *testing.T) {
	ids := assign(t, open(t), nil, rdf.NewIRI("z"), rdf.NewIRI("a"), rdf.NewIRI("m"), rdf.NewIRI("a"))
	if !slices.IsSorted(ids[:3]) || ids[3] != ids[1] {
		t.Errorf("ids are %#x", ids)
	}
}

// The test includes terms that are too long for the index by text, and terms stored
// together.
func TestLanguageTagsThatDifferInCaseAreOneTermAsFirstSent(t *testing.T) {
	for _, text := range []string{"tea", strings.Repeat("tea ", 500)} {
		db := open(t)
		first := assign(t, db, nil, rdf.NewLang(text, "en-GB"), rdf.NewLang(text, "en"), rdf.NewString(text))
		known := &Known{}
		for range 2 {
			again := assign(t, db, known, rdf.NewLang(text, "EN"), rdf.NewLang(text, "en-gb"), rdf.NewLang(text, "EN-gb"), rdf.NewString(text))
			if want := []ID{first[1], first[0], first[0], first[2]}; !slices.Equal(again, want) {
				t.Errorf("the ids are %#x, want %#x", again, want)
			}
		}
		if ids := assign(t, db, nil, rdf.NewLang(text, "De"), rdf.NewLang(text, "dE")); ids[0] != ids[1] {
			t.Errorf("two new terms have the ids %#x", ids)
		}
		view(t, db, func(r *Reader) {
			for tag, want := range map[string]string{"EN-gb": "en-GB", "en-GB": "en-GB", "En": "en", "de": "De"} {
				id, ok, err := r.ID(rdf.NewLang(text, tag))
				if !ok || err != nil {
					t.Fatalf("@%s is not found: %v", tag, err)
				}
				if term, err := r.Term(id); term != rdf.NewLang(text, want) || err != nil {
					t.Errorf("@%s came back as %v, %v, want @%s", tag, term, err, want)
				}
			}
		})
	}
}

func TestTextsAreInOrderOfValue(t *testing.T) {
	db := open(t)
	var terms []rdf.Term
	for i := range 3000 {
		terms = append(terms, rdf.NewIRI(fmt.Sprintf("http://ex/%d", i*7919%3000)), rdf.NewString(fmt.Sprint("text ", i)))
	}
	assign(t, db, nil, terms...)
	view(t, db, func(r *Reader) {
		var got []string
		err := r.Texts(rdf.KindIRI, "http://ex/1", func(id ID) (bool, error) {
			term, err := r.Term(id) // moves the cursors between two calls
			if _, _, err := r.ID(rdf.NewIRI("http://ex/999")); err != nil {
				return false, err
			}
			got = append(got, term.Value())
			return true, err
		})
		if err != nil || !slices.IsSorted(got) || len(got) != 1111 {
			t.Errorf("%d IRIs, sorted: %v, %v", len(got), slices.IsSorted(got), err)
		}
	})
}

// TestBlankNodesAreNeverGivenTwice checks that numbers of blank nodes are assigned once,
// even if a label from outside names one.
func TestBlankNodesAreNeverGivenTwice(t *testing.T) {
	db := open(t)
	named := assign(t, db, nil, rdf.NewBlank("b7"))[0]
	err := db.Update(func(tx *bolt.Tx) error {
		w, err := NewWriter(tx.Bucket(bucketName), nil)
		if err != nil {
			return err
		}
		for range 20 {
			id, err := w.NewBlank()
			if err != nil || id == named || !id.IsBlank() {
				return fmt.Errorf("NewBlank = %#x, %v", uint64(id), err)
			}
		}
		ids := []ID{0}
		if err := w.IDs([]rdf.Term{rdf.NewBlank("b99999999999")}, ids); err == nil {
			return fmt.Errorf("a blank node far ahead got id %#x", uint64(ids[0]))
		}
		return w.Close()
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDamagedDictionaryIsAnErrorNeverAnAnswer(t *testing.T) {
	db := open(t)
	var terms []rdf.Term
	for i := range 200 {
		terms = append(terms, rdf.NewIRI(fmt.Sprintf("http://ex/%d", i)))
	}
	ids := assign(t, db, nil, terms...)
	for _, name := range [][]byte{termsName, textsName} {
		err := db.Update(func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketName).Bucket(name)
			k, v := b.Cursor().First()
			v = slices.Clone(v)
			v[len(v)/2] ^= 4
			return b.Put(slices.Clone(k), v)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	view(t, db, func(r *Reader) {
		if term, err := r.Term(ids[0]); err == nil {
			t.Errorf("Term returned %v", term)
		}
		if id, ok, err := r.ID(terms[0]); err == nil {
			t.Errorf("ID returned %#x, %v", uint64(id), ok)
		}
	})
}

// TestACounterThatWasLoweredIsDamage checks that a lowered counter is an error. Otherwise
// new terms would replace old ones.
func TestACounterThatWasLoweredIsDamage(t *testing.T) {
	db := open(t)
	assign(t, db, nil, rdf.NewIRI("a"), rdf.NewIRI("b"))
	store := func(v []byte) error {
		return db.Update(func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketName)
			if err := b.Put(nextName, v); err != nil {
				return err
			}
			w, err := NewWriter(b, nil)
			if err != nil {
				return err
			}
			return w.IDs([]rdf.Term{rdf.NewIRI("c")}, make([]ID, 1))
		})
	}
	zeros := make([]byte, 8*16)
	var damaged *DamagedError
	if err := store(append(zeros, 0, 0, 0, 0)); !errors.As(err, &damaged) {
		t.Errorf("without a checksum: %v", err)
	}
	if err := store(binary.BigEndian.AppendUint32(zeros, checksum.Of(nextName, zeros))); !errors.As(err, &damaged) {
		t.Errorf("with a checksum that fits: %v", err)
	}
}

// TestTheCacheHoldsSmallTermsAlone checks that the cache skips long terms: a datatype can
// be as long as a request. Known keeps only hashes.
func TestTheCacheHoldsSmallTermsAlone(t *testing.T) {
	long := rdf.NewLiteral("x", "http://ex/"+strings.Repeat("long", 1000))
	known, cache := &Known{}, &Cache{}
	known.put(long, 5, false)
	cache.put(5, long)
	if id, ok := known.get(long); !ok || id != 5 {
		t.Errorf("Known has %d, %v", id, ok)
	}
	if _, ok := cache.get(5); ok {
		t.Error("the Cache keeps it")
	}
}

// TestKnownTermsAreEqualInAllParts checks that Known distinguishes terms that differ in
// one part, and keeps the last maxKnown.
func TestKnownTermsAreEqualInAllParts(t *testing.T) {
	known := &Known{}
	terms := []rdf.Term{rdf.NewIRI("a"), rdf.NewBlank("a"), rdf.NewString("a"), rdf.NewLang("a", "en"), rdf.NewLang("a", "de"),
		rdf.NewDirLang("a", "en", "ltr"), rdf.NewLiteral("a", "http://ex/en"), rdf.NewLiteral("b", "http://ex/en"), rdf.NewIRI("")}
	for i, term := range terms {
		if id, ok := known.get(term); ok {
			t.Errorf("%v has the id %d of another term", term, id)
		}
		known.put(term, ID(i+1), false)
	}
	for i, term := range append(terms, rdf.NewLang("a", "EN"))[1:] {
		want := ID(i + 2)
		if i+1 == len(terms) {
			want = 4 // ignoring case
		}
		if id, ok := known.get(term); !ok || id != want {
			t.Errorf("%v has id %d, %v; want %d", term, id, ok, want)
		}
	}
	for i := range 2 * maxKnown {
		known.put(rdf.NewIRI(strconv.Itoa(i)), ID(i), false)
		known.get(terms[0]) // use it, so that it stays
	}
	_, first := known.get(terms[0])
	_, second := known.get(terms[1])
	if n := len(known.young) + len(known.old); !first || second || n > 2*maxKnown {
		t.Errorf("a term in use is known: %v, one that is not: %v, of %d", first, second, n)
	}
}
