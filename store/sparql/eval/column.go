package eval

import (
	"math"
	"slices"
)

// column is all triples with one predicate in one graph, read once: for every subject its
// objects, or for every object its subjects. It is not changed once it is made.
type column struct {
	first  ID       // the key with number 0, where numbers are distances from it
	keys   *table   // numbers of keys, where those stand far apart; nil elsewhere
	starts []uint32 // by number of key, where its values begin; the last is where all end
	values []ID     // those of one key in order
	single bool     // no key has two values
}

// of gives the values of a key.
func (c *column) of(key ID) []ID {
	at := uint64(key - c.first)
	if c.keys != nil {
		at = uint64(c.keys.find1(key)) // -1 is past the end
	}
	if at >= uint64(len(c.starts)-1) {
		return nil
	}
	return c.values[c.starts[at]:c.starts[at+1]]
}

// columnKey says what a column is made of.
type columnKey struct {
	graph, predicate ID
	byObject         bool
}

const (
	// columnSize is about how many bytes a triple costs while a column is made.
	columnSize = 32
	// startsWorth is how many places for numbers a triple may cost before a hash table is better.
	startsWorth = 16
)

// column reads a column of n triples, or gives the one that was read before.
func (r *Run) column(k columnKey, n int64) (*column, error) {
	if c, ok := r.columns[k]; ok {
		return c, nil
	}
	was := r.budget.memory
	c, err := r.readColumn(k, n)
	if err != nil {
		return nil, err
	}
	if r.columns == nil {
		r.columns = map[columnKey]*column{}
	}
	r.columns[k] = c
	// What was kept while reading goes; what the column is stays until the query ends.
	size := int64(cap(c.values))*idSize + int64(cap(c.starts))*4
	if c.keys != nil {
		size += c.keys.size()
	}
	return c, r.budget.grow(was + size - r.budget.memory)
}

func (r *Run) readColumn(k columnKey, n int64) (*column, error) {
	if err := r.budget.grow(n * columnSize); err != nil {
		return nil, err
	}
	keys, values := make([]ID, 0, n), make([]ID, 0, n)
	scan := r.ds.Scan(k.graph, POS)
	lo, hi := prefixRange([3]uint64{uint64(k.predicate)}, 1)
	scan.Seek(lo, hi)
	for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
		if err := r.budget.tick(len(tuples)); err != nil {
			return nil, err
		}
		for i := range tuples {
			if t := &tuples[i]; k.byObject {
				keys, values = append(keys, ID(t[1])), append(values, ID(t[2]))
			} else {
				keys, values = append(keys, ID(t[2])), append(values, ID(t[1]))
			}
		}
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	c := &column{}
	numbers, err := c.number(r.budget, keys)
	if err != nil {
		return nil, err
	}
	return c, c.sort(r.budget, keys, values, numbers)
}

// number chooses how keys are numbered, and says how many numbers there are.
func (c *column) number(b *budget, keys []ID) (int, error) {
	if len(keys) == 0 {
		return 0, nil
	}
	c.first = slices.Min(keys)
	if span := uint64(slices.Max(keys) - c.first); span/startsWorth <= uint64(len(keys)) && span < math.MaxUint32 {
		return int(span) + 1, nil
	}
	c.keys = newTable(b, 1)
	for i := range keys {
		if err := tickSome(b, i); err != nil {
			return 0, err
		}
		if _, _, err := c.keys.insert(keys[i : i+1]); err != nil {
			return 0, err
		}
	}
	return c.keys.n, nil
}

// sort puts the values of each key together, in the order in which they came, by counting.
func (c *column) sort(b *budget, keys, values []ID, numbers int) error {
	number := func(key ID) int {
		if c.keys != nil {
			return c.keys.find1(key)
		}
		return int(key - c.first)
	}
	if err := b.grow(int64(numbers) * 4); err != nil {
		return err
	}
	// Two places further on, so that in the end each number has where its values begin.
	c.starts = make([]uint32, numbers+2)
	for i, key := range keys {
		if err := tickSome(b, i); err != nil {
			return err
		}
		c.starts[number(key)+2]++
	}
	most := uint32(0)
	for i := 2; i < len(c.starts); i++ {
		most = max(most, c.starts[i])
		c.starts[i] += c.starts[i-1]
	}
	c.single = most <= 1
	c.values = make([]ID, len(values))
	for i, key := range keys {
		if err := tickSome(b, i); err != nil {
			return err
		}
		at := &c.starts[number(key)+1]
		c.values[*at] = values[i]
		*at++
	}
	c.starts = c.starts[:numbers+1]
	return nil
}
