package dict

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/rdf"
)

// A reader that goes on in the block that it read last gives the same terms in any order of ids, and errors for ids that
// there are not, after which it reads on.
func TestTermsComeBackInAnyOrder(t *testing.T) {
	db := open(t)
	var terms []rdf.Term
	for i := range 2000 {
		terms = append(terms, rdf.NewIRI(fmt.Sprintf("http://example.org/id/%d", i*i%7919)), rdf.NewLang(fmt.Sprintf("a text, %d", i), []string{"en", "de", "fr"}[i%3]),
			rdf.NewLiteral(fmt.Sprint("+", i), rdf.XSDInteger), rdf.NewBlank(fmt.Sprint("label", i)), rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger))
	}
	ids := assign(t, db, nil, terms...)
	view(t, db, func(r *Reader) {
		r.cache = nil // so that all are read
		rng := rand.New(rand.NewPCG(1, 1))
		check := func(i int) {
			if rng.IntN(4) == 0 {
				if got, err := r.Term(ids[i]); err != nil || got != terms[i] {
					t.Fatalf("Term(%#x) = %v, %v; want %v", uint64(ids[i]), got, err, terms[i])
				}
			} else if got, err := r.Peek(ids[i]); err != nil || got != terms[i] {
				t.Fatalf("Peek(%#x) = %v, %v; want %v", uint64(ids[i]), got, err, terms[i])
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
			for _, read := range []func(ID) (rdf.Term, error){r.Term, r.Peek} {
				if _, err := read(newID(TagIRI, 1<<40+rng.Uint64N(100))); !errors.As(err, new(*DamagedError)) {
					t.Fatalf("an id that there is not: %v", err)
				}
			}
		}
	})
}

// A reader in a transaction that writes sees what was written since it last read.
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

// Peek allocates nothing for ids in the order of an index.
func TestPeekingInOrderAllocatesNothing(t *testing.T) {
	db := open(t)
	var terms []rdf.Term
	for i := range 500 {
		terms = append(terms, rdf.NewLang(fmt.Sprintf("a text, %d", i), []string{"en", "de", "fr"}[i%3]), rdf.NewLiteral(fmt.Sprintf("2025-01-06T08:00:00.%03dZ", i), rdf.XSDDateTime))
	}
	ids := assign(t, db, nil, terms...)
	slices.Sort(ids)
	view(t, db, func(r *Reader) {
		all := func() {
			for _, id := range ids {
				if _, err := r.Peek(id); err != nil {
					t.Fatal(err)
				}
			}
		}
		all()
		if n := testing.AllocsPerRun(5, all); n > 2 {
			t.Errorf("%v allocations for %d terms", n, len(ids))
		}
	})
}
