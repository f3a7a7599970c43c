package dict

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/rdf"
)

// varied stores each term with an id of its own, like programs for which language tags
// that differ in case made different terms. It returns the ids.
func varied(t *testing.T, db *bolt.DB, terms ...rdf.Term) []ID {
	t.Helper()
	ids := assign(t, db, nil, rdf.NewLang("first", "en"))[:0]
	err := db.Update(func(tx *bolt.Tx) error {
		w, err := NewWriter(tx.Bucket(bucketName), nil)
		if err != nil {
			return err
		}
		next := w.Numbers()
		var entries []Entry
		for _, term := range terms {
			id := newID(TagLang, next[TagLang])
			next[TagLang]++
			ids = append(ids, id)
			entries = append(entries, Entry{ID: id, Term: term, Text: AppendText(nil, term)})
		}
		if err := w.Insert(entries, next); err != nil {
			return err
		}
		return w.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func variantsOf(t *testing.T, db *bolt.DB) (out map[ID]ID) {
	t.Helper()
	if err := db.View(func(tx *bolt.Tx) (err error) { out, err = Variants(tx.Bucket(bucketName)); return err }); err != nil {
		t.Fatal(err)
	}
	return out
}

// Variants are found whichever of them has upper-case letters, however long the text, and
// among other terms. A term is found by the first of its ids, even after the others were
// forgotten. The forgotten ids still have the term.
func TestVariantsAreFoundAndForgotten(t *testing.T) {
	db := open(t)
	long := strings.Repeat("long ", 300)
	terms := []rdf.Term{rdf.NewLang("a", "EN"), rdf.NewLang("b", "en"), rdf.NewLang("a", "en"), rdf.NewLang("a", "En"), rdf.NewLang("b", "EN"),
		rdf.NewLang(long, "de"), rdf.NewLang(long, "DE"), rdf.NewLang(long+"er", "DE"), rdf.NewLang("c", "EN"), rdf.NewLang("c", "DE")}
	for i := range 500 {
		terms = append(terms, rdf.NewLang(fmt.Sprint("other ", i), "ES"))
	}
	for i := range 500 {
		terms = append(terms, rdf.NewLang(fmt.Sprint("other ", i), "es-MX"))
	}
	ids := varied(t, db, terms...)
	want := map[ID]ID{ids[2]: ids[0], ids[3]: ids[0], ids[4]: ids[1], ids[6]: ids[5]}
	if got := variantsOf(t, db); !maps.Equal(got, want) {
		t.Fatalf("the variants are %#x, want %#x", got, want)
	}
	for len(want) > 0 {
		for id := range want {
			delete(want, id)
			err := db.Update(func(tx *bolt.Tx) error {
				w, err := NewWriter(tx.Bucket(bucketName), nil)
				if err != nil {
					return err
				}
				if err := w.ForgetVariant(id); err != nil {
					return err
				}
				return w.Close()
			})
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if got := variantsOf(t, db); !maps.Equal(got, want) {
			t.Fatalf("%#x are left, want %#x", got, want)
		}
		view(t, db, func(r *Reader) {
			for i, term := range terms {
				first := ids[i]
				for j := range i {
					if terms[j].EqualFold(term) {
						first = ids[j]
						break
					}
				}
				if id, ok, err := r.ID(term); id != first || !ok || err != nil {
					t.Fatalf("ID(%.20v) = %#x, %v, %v, want %#x", term, uint64(id), ok, err, uint64(first))
				}
				if got, err := r.Term(ids[i]); got != term || err != nil {
					t.Fatalf("Term(%#x) = %.20v, %v", uint64(ids[i]), got, err)
				}
			}
		})
	}
	if err := db.Update(func(tx *bolt.Tx) error {
		w, err := NewWriter(tx.Bucket(bucketName), nil)
		if err == nil {
			err = w.ForgetVariant(ids[0])
		}
		return err
	}); err == nil {
		t.Error("the first id of a term was forgotten")
	}
}
