package engine

import "fmt"

// TextIndexBytes returns the size of the index of texts in the file, in bytes of whole
// pages. It visits each page: some tens of thousands for a hundred million triples.
func (s *Store) TextIndexBytes() (int64, error) {
	tx, err := s.file.Begin(false)
	if err != nil {
		return 0, fmt.Errorf("beginning to read: %w", s.unready(err))
	}
	defer s.file.End(tx)
	b := tx.Bucket(trigramsName)
	if b == nil {
		return 0, nil
	}
	pages := b.Stats()
	return int64(pages.BranchAlloc + pages.LeafAlloc), nil
}
