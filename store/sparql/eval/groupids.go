package eval

import "github.com/segraph/segraph/store/sparql/budget"

// groupIDs holds a set of ids for each group. A word has a bit for each of 64
// successive ids. The ids of a dictionary are close together, so ids that arrive one
// after another often share a word.
type groupIDs struct {
	table *table // the numbers of the words, by group and id/wordIDs
	words []uint64
	key   [2]ID // of the last word
	last  int   // its number, -1 for none
	b     *budget.Budget
}

const wordIDs = 64

func newGroupIDs(b *budget.Budget) *groupIDs {
	return &groupIDs{table: newTable(b, 2), last: -1, b: b}
}

// insert adds an id to the set of a group and reports whether it was not there yet.
func (s *groupIDs) insert(group int, id ID) (added bool, err error) {
	if key := [2]ID{ID(group), id / wordIDs}; s.last < 0 || key != s.key {
		number, isNew, err := s.table.insert(key[:])
		if err != nil {
			return false, err
		}
		if isNew {
			had := cap(s.words)
			s.words = append(s.words, 0)
			if err := s.b.Grow(int64(cap(s.words)-had) * idSize); err != nil {
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

// free releases the memory.
func (s *groupIDs) free() {
	s.table.free()
	_ = s.b.Grow(-int64(cap(s.words)) * idSize)
	s.words, s.last = nil, -1
}
