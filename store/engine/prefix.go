package engine

import (
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/rdf"
)

// TermsWithPrefix returns the first IRIs or literals whose value begins with prefix, sorted by
// value, but no more than limit, nor than have maxFound bytes together. Each was used in a triple since everything was last
// deleted, but that triple may be gone.
func (s *Store) TermsWithPrefix(kind rdf.Kind, prefix string, limit int) (list []rdf.Term, err error) {
	err = s.View(func(snap *Snapshot) error {
		if limit < 1 {
			return nil
		}
		size := 0
		return snap.Reader.Texts(kind, prefix, func(id dict.ID) (bool, error) {
			t, err := snap.Term(id)
			if size += t.Size(); size > maxFound {
				return false, err
			}
			list = append(list, t)
			return len(list) < limit, err
		})
	})
	return list, err
}

// Ages returns a number for each of some IRIs: the earlier an IRI was stored, the smaller is
// its number. An IRI that was never stored has 0. IRIs keep their numbers when their triples
// are deleted.
func (s *Store) Ages(iris []string) (out []uint64, err error) {
	err = s.View(func(snap *Snapshot) error {
		for _, iri := range iris {
			id, _, err := snap.ID(rdf.NewIRI(iri))
			if err != nil {
				return err
			}
			out = append(out, uint64(id))
		}
		return nil
	})
	return out, err
}
