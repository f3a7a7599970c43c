package eval

import "github.com/segraph/segraph/store/sparql/budget"

// idSet is a set of ids that does not change once it is made. If the ids are close
// together, as those of a dictionary are, it has a bit for every id from the least to the
// greatest. Otherwise it is a hash table.
type idSet struct {
	n      int
	first  ID
	bits   []uint64
	sparse *table // nil if there are bits
}

// bitsWorth is the number of bits per id above which a hash table is smaller.
const bitsWorth = 128

// newIDSet makes a set of ids, which may be in any order and have duplicates.
func newIDSet(b *budget.Budget, ids []ID) (*idSet, error) {
	s := &idSet{}
	if len(ids) == 0 {
		return s, nil
	}
	least, greatest := ids[0], ids[0]
	for _, id := range ids {
		least, greatest = min(least, id), max(greatest, id)
	}
	if span := uint64(greatest - least); span/bitsWorth <= uint64(len(ids)) {
		s.first, s.bits = least, make([]uint64, span/64+1)
		if err := b.Grow(int64(len(s.bits)) * idSize); err != nil {
			return nil, err
		}
		for i, id := range ids {
			if err := tickSome(b, i); err != nil {
				return nil, err
			}
			at := uint64(id - least)
			if bit := uint64(1) << (at % 64); s.bits[at/64]&bit == 0 {
				s.bits[at/64] |= bit
				s.n++
			}
		}
		return s, nil
	}
	s.sparse = newTable(b, 1)
	for i := range ids {
		if err := tickSome(b, i); err != nil {
			return nil, err
		}
		if _, _, err := s.sparse.insert(ids[i : i+1]); err != nil {
			return nil, err
		}
	}
	s.n = s.sparse.n
	return s, nil
}

// has reports whether the set contains an id.
func (s *idSet) has(id ID) bool {
	if s.sparse != nil {
		return s.sparse.find1(id) >= 0
	}
	at := uint64(id - s.first)
	return at/64 < uint64(len(s.bits)) && s.bits[at/64]>>(at%64)&1 == 1
}

// tickSome accounts for the work of a loop over many ids, once in checkEvery ids. i
// counts the ids from 0.
func tickSome(b *budget.Budget, i int) error {
	if i%checkEvery != 0 {
		return nil
	}
	return b.Tick(checkEvery)
}
