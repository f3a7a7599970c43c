package table

import (
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
)

// GroupIDs holds a set of ids for each group. A word has a bit for each of 64
// successive ids. The ids of a dictionary are close together, so ids that arrive one
// after another often share a word.
type GroupIDs struct {
	table *Keys // the numbers of the words, by group and id/wordIDs
	words []uint64
	key   [2]source.ID // of the last word
	last  int          // its number, -1 for none
	b     *budget.Budget
}

const wordIDs = 64

// NewGroupIDs returns sets without ids, accounted for in b.
func NewGroupIDs(b *budget.Budget) *GroupIDs {
	return &GroupIDs{table: NewKeys(b, 2), last: -1, b: b}
}

// Insert adds an id to the set of a group and reports whether it was not there yet.
func (s *GroupIDs) Insert(group int, id source.ID) (added bool, err error) {
	if key := [2]source.ID{source.ID(group), id / wordIDs}; s.last < 0 || key != s.key {
		number, isNew, err := s.table.Insert(key[:])
		if err != nil {
			return false, err
		}
		if isNew {
			had := cap(s.words)
			s.words = append(s.words, 0)
			if err := s.b.Grow(int64(cap(s.words)-had) * IdSize); err != nil {
				return false, err
			}
		}
		s.key, s.last = key, number
	}
	word, bit := &s.words[s.last], uint64(1)<<(id%wordIDs)
	added = *word&bit == 0
	*word |= bit
	return added, nil
}

// Free releases the memory.
func (s *GroupIDs) Free() {
	s.table.Free()
	_ = s.b.Grow(-int64(cap(s.words)) * IdSize)
	s.words, s.last = nil, -1
}
