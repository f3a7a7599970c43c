package engine

import "fmt"

// TextIndexBytes returns how many bytes of the file the index of texts takes, in whole
// pages. It looks at each of them, some tens of thousands for a hundred million triples.
func (s *Store) TextIndexBytes() (int64, error) {
	tx, err := s.file.Begin(false)
	if err != nil {
		return 0, fmt.Errorf("beginning to read: %w", s.unready(err))
	}
	defer s.file.EndRead(tx)
	b := tx.Bucket(trigramsName)
	if b == nil {
		return 0, nil
	}
	pages := b.Stats()
	return int64(pages.BranchAlloc + pages.LeafAlloc), nil
}
