package engine

import (
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/rdf"
)

// TermsWithPrefix returns the first IRIs or literals whose value begins with prefix, sorted by
// value, but no more than limit. Each was used in a triple since everything was last
// deleted, but that triple may be gone.
func (s *Store) TermsWithPrefix(kind rdf.Kind, prefix string, limit int) (list []rdf.Term, err error) {
	err = s.View(func(snap *Snapshot) error {
		if limit < 1 {
			return nil
		}
		return snap.Reader.Texts(kind, prefix, func(id dict.ID) (bool, error) {
			t, err := snap.Term(id)
			list = append(list, t)
			return len(list) < limit, err
		})
	})
	return list, err
}
