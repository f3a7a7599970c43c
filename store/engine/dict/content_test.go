package dict

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
)

// A reader that continues in the last block returns the same terms in any order of ids.
// It returns errors for ids that do not exist, and can be used after them.
func TestTermsAreFoundInAnyOrder(t *testing.T) {
	db := open(t)
	var terms []rdf.Term
	for i := range 2000 {
		terms = append(terms, rdf.NewIRI(fmt.Sprintf("http://example.org/id/%d", i*i%7919)), rdf.NewLang(fmt.Sprintf("a text, %d", i), []string{"en", "de", "fr"}[i%3]),
			rdf.NewLiteral(fmt.Sprint("+", i), rdf.XSDInteger), rdf.NewBlank(fmt.Sprint("label", i)), rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger))
	}
	ids := assign(t, db, nil, terms...)
	view(t, db, func(r *Reader) {
		r.cache = nil // so that all terms are read from blocks
		rng := rand.New(rand.NewPCG(1, 1))
		check := func(i int) {
			if rng.IntN(4) == 0 {
				if got, err := r.Term(ids[i]); err != nil || got != terms[i] {
					t.Fatalf("Term(%#x) = %v, %v; want %v", uint64(ids[i]), got, err, terms[i])
				}
			} else if _, got, err := r.Append([]byte("before"), ids[i]); err != nil || got != terms[i] {
				t.Fatalf("Append(%#x) = %v, %v; want %v", uint64(ids[i]), got, err, terms[i])
			}
		}
		for i := range ids {
			check(i)
		}
		for i := range ids {
			check(len(ids) - 1 - i)
		}
		for range 20_000 {
			i := rng.IntN(len(ids))
			check(i)
			for range rng.IntN(3) {
				i = min(len(ids)-1, max(0, i+rng.IntN(21)-10))
				check(i)
			}
			for _, read := range []func(ID) (rdf.Term, error){r.Term, func(id ID) (rdf.Term, error) { _, t, err := r.Append(nil, id); return t, err }} {
				if _, err := read(newIRI(1<<40 + rng.Uint64N(100))); !errors.As(err, new(*DamagedError)) {
					t.Fatalf("an id that does not exist: %v", err)
				}
			}
		}
	})
}

// A reader in a write transaction sees everything written since its last read.
func TestAReaderSeesWhatItsTransactionWrites(t *testing.T) {
	db := open(t)
	assign(t, db, nil, rdf.NewIRI("x:a"))
	err := db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketName)
		r := NewReader(b, nil)
		for i := range 200 {
			term := rdf.NewIRI(fmt.Sprint("x:", i))
			ids := make([]ID, 1)
			w, err := NewWriter(b, nil)
			if err != nil {
				return err
			}
			if err := w.IDs([]rdf.Term{term}, ids); err != nil {
				return err
			}
			if err := w.Close(); err != nil {
				return err
			}
			if got, err := r.Term(ids[0]); err != nil || got != term {
				return fmt.Errorf("Term(%#x) = %v, %v; want %v", uint64(ids[0]), got, err, term)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Append allocates nothing for ids in the order of an index. The returned terms stay
// valid.
func TestAppendingInOrderAllocatesNothing(t *testing.T) {
	db := open(t)
	var terms []rdf.Term
	for i := range 500 {
		terms = append(terms, rdf.NewLang(fmt.Sprintf("a text, %d", i), []string{"en", "de", "fr"}[i%3]), rdf.NewLiteral(fmt.Sprintf("2025-01-06T08:00:00.%03dZ", i), rdf.XSDDateTime))
	}
	ids := assign(t, db, nil, terms...)
	slices.Sort(ids)
	view(t, db, func(r *Reader) {
		texts, got := make([]byte, 0, 1<<16), make([]rdf.Term, len(ids))
		all := func() {
			texts = texts[:0]
			for i, id := range ids {
				var err error
				if texts, got[i], err = r.Append(texts, id); err != nil {
					t.Fatal(err)
				}
			}
		}
		all()
		for i, id := range ids {
			if want, err := r.Term(id); err != nil || got[i] != want {
				t.Errorf("Append(%#x) = %v; want %v, %v", uint64(id), got[i], want, err)
			}
		}
		if n := testing.AllocsPerRun(5, all); n > 2 {
			t.Errorf("%v allocations for %d terms", n, len(ids))
		}
	})
}

// Append finds ids at any distance from the previous one. It caches a term when it is
// read a second time out of order.
func TestTermsThatAreReadOnceAreNotCached(t *testing.T) {
	db := open(t)
	var terms []rdf.Term
	for i := range 6000 {
		terms = append(terms, rdf.NewLiteral(fmt.Sprint("USD ", i*i%7919, strings.Repeat("0", i/1000)), "x:price"))
	}
	ids := assign(t, db, nil, terms...)
	view(t, db, func(r *Reader) {
		r.cache = NewCache(0)
		for step := maxTerms + 1; step < 2*blocksAhead*maxTerms; step += 7 {
			for i := step % 5; i < len(ids); i += step {
				if _, got, err := r.Append(nil, ids[i]); err != nil || got != terms[i] {
					t.Fatalf("Append(%#x) = %v, %v; want %v", uint64(ids[i]), got, err, terms[i])
				}
			}
		}
		r.cache = NewCache(0)
		for pass := range 3 {
			for i := 0; i < len(ids); i += 100 {
				if _, cached := r.cache.get(ids[i]); cached != (pass == 2) {
					t.Errorf("before read %d, term %d is cached: %v", pass+1, i, cached)
				}
				if _, _, err := r.Append(nil, ids[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// Terms with the same number have the same kind, datatype and language, wherever in a
// block the reader begins. Most terms with the same kind, datatype and language have the
// same number.
func TestLikeTermsShareKindDatatypeAndLanguage(t *testing.T) {
	db := open(t)
	var terms []rdf.Term
	for i := range 500 {
		terms = append(terms, rdf.NewLang(fmt.Sprintf("a text, %d", i), []string{"en", "de", "en-gb", "e", "EN"}[i*i%5]), rdf.NewIRI(fmt.Sprint("x:", i)), rdf.NewBlank(fmt.Sprint("label", i)),
			rdf.NewString(fmt.Sprint(i)), rdf.NewLiteral(fmt.Sprint("0", i), []string{rdf.XSDInteger, rdf.XSD + "byte"}[i/3%2]), rdf.NewLiteral("", fmt.Sprint("x:type", i/7)),
			rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger), rdf.NewLang(strings.Repeat("long", i), "x-"+strings.Repeat("y", i%40)))
	}
	kind := func(t rdf.Term) string { return fmt.Sprint(t.Kind(), t.Datatype(), t.Tag()) }
	ids := assign(t, db, nil, terms...)
	view(t, db, func(r *Reader) {
		rng := rand.New(rand.NewPCG(2, 2))
		kinds, pairs := map[uint64]string{}, 0
		check := func(i int) {
			like, err := r.Like(ids[i])
			if err != nil {
				t.Fatal(err)
			}
			known, ok := kinds[like]
			if ok && known != kind(terms[i]) {
				t.Fatalf("%v shares its number %d with %q", terms[i], like, known)
			}
			if kinds[like] = kind(terms[i]); ok {
				pairs++
			}
		}
		order := slices.Clone(ids)
		slices.Sort(order)
		for _, id := range order {
			check(slices.Index(ids, id))
		}
		if pairs < len(ids)*3/4 {
			t.Errorf("%d of %d terms share the number of an earlier one", pairs, len(ids))
		}
		for range 5000 {
			i := rng.IntN(len(ids))
			check(i)
			if _, got, err := r.Append(nil, ids[i]); err != nil || got != terms[i] {
				t.Fatalf("Append(%#x) = %v, %v; want %v", uint64(ids[i]), got, err, terms[i])
			}
		}
		if _, err := r.Like(unknownTag); !errors.As(err, new(*DamagedError)) {
			t.Errorf("an id that does not exist: %v", err)
		}
	})
}

// newIRI returns the id of the IRI with a number.
func newIRI(n uint64) ID { return ids.New(ids.TagIRI, n) }

// unknownTag is the id of a string with a language that the dictionary does not have.
var unknownTag = ids.New(ids.TagLang, 1<<40)

// What an entry shares with the one before fits an int on every machine.
func TestAnEntryThatSharesTooMuchIsRefused(t *testing.T) {
	for shared, fits := range map[uint64]bool{1<<31 - 1: true, 1 << 31: false} {
		if _, _, _, err := cutEntry(append(varint.Append(nil, shared), 0)); (err == nil) != fits {
			t.Errorf("%d: %v", shared, err)
		}
	}
}
