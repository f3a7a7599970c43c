package table

import (
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
)

// IDs is a set of ids that does not change once it is made. If the ids are close
// together, as those of a dictionary are, it has a bit for every id from the least to the
// greatest. Otherwise it is a hash table.
type IDs struct {
	N      int       // ids
	First  source.ID // of which the first bit says whether it is in the set
	Bits   []uint64
	sparse *Keys // nil if there are bits
}

// bitsWorth is the number of bits per id above which a hash table is smaller.
const bitsWorth = 128

// NewIDs makes a set of ids, which may be in any order and have duplicates.
func NewIDs(b *budget.Budget, ids []source.ID) (*IDs, error) {
	s := &IDs{}
	if len(ids) == 0 {
		return s, nil
	}
	least, greatest := ids[0], ids[0]
	for _, id := range ids {
		least, greatest = min(least, id), max(greatest, id)
	}
	if span := uint64(greatest - least); span/bitsWorth <= uint64(len(ids)) {
		s.First, s.Bits = least, make([]uint64, span/64+1)
		if err := b.Grow(int64(len(s.Bits)) * IdSize); err != nil {
			return nil, err
		}
		for i, id := range ids {
			if err := TickSome(b, i); err != nil {
				return nil, err
			}
			at := uint64(id - least)
			if bit := uint64(1) << (at % 64); s.Bits[at/64]&bit == 0 {
				s.Bits[at/64] |= bit
				s.N++
			}
		}
		return s, nil
	}
	s.sparse = NewKeys(b, 1)
	for i := range ids {
		if err := TickSome(b, i); err != nil {
			return nil, err
		}
		if _, _, err := s.sparse.Insert(ids[i : i+1]); err != nil {
			return nil, err
		}
	}
	s.N = s.sparse.N
	return s, nil
}

// Has reports whether the set contains an id.
func (s *IDs) Has(id source.ID) bool {
	if s.sparse != nil {
		return s.sparse.find1(id) >= 0
	}
	at := uint64(id - s.First)
	return at/64 < uint64(len(s.Bits)) && s.Bits[at/64]>>(at%64)&1 == 1
}
