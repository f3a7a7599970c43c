package eval

import (
	"github.com/segraph/segraph/store/sparql/budget"
	"math"
	"slices"
)

// column holds all triples with one predicate in one graph, read once: the objects of
// each subject, or the subjects of each object. It does not change once it is made.
type column struct {
	first ID     // the key with number 0, if a key's number is its distance from it
	keys  *table // the numbers of keys that are far apart; otherwise nil
	// ones holds the only value of each key, by number, or 0 if the key has none. It is
	// nil if a key has several values.
	ones []ID
	// starts holds, by number, where the values of a key begin, and last where all end.
	// The values of a key are sorted.
	starts []uint32
	values []ID
}

// of returns the values of a key.
func (c *column) of(key ID) []ID {
	at := uint64(key - c.first)
	if c.keys != nil {
		at = uint64(c.keys.find1(key)) // -1 is past the end
	}
	if c.ones != nil {
		if at >= uint64(len(c.ones)) || c.ones[at] == 0 {
			return nil
		}
		return c.ones[at : at+1]
	}
	if at >= uint64(len(c.starts)-1) {
		return nil
	}
	return c.values[c.starts[at]:c.starts[at+1]]
}

// size returns how many bytes the column takes.
func (c *column) size() int64 {
	n := int64(len(c.ones)+len(c.values))*idSize + int64(len(c.starts))*4
	if c.keys != nil {
		n += c.keys.size()
	}
	return n
}

// columnKey identifies a column.
type columnKey struct {
	graph, predicate ID
	byObject         bool
}

const (
	// columnSize is roughly how many bytes a triple needs while a column is made.
	columnSize = 48
	// numbersWorth is the number of numbers per triple above which a hash table is
	// better.
	numbersWorth = 32
)

// pairs holds keys and their values, and the least and greatest key.
type pairs struct {
	keys, values    []ID
	least, greatest ID
	numbers         []uint32 // of the keys
	size            int64    // accounted
}

// account returns how many bytes the pairs have grown since the last call.
func (p *pairs) account() int64 {
	was := p.size
	p.size = int64(cap(p.keys)+cap(p.values))*idSize + int64(cap(p.numbers))*4
	return p.size - was
}

// column reads a column of about n triples, or returns it if it was read before.
func (r *Run) column(k columnKey, n int64) (*column, error) {
	if c, ok := r.columns[k]; ok {
		return c, nil
	}
	// The memory for reading is released; that of the column is kept until the query
	// ends.
	was := r.budget.Memory()
	if err := r.budget.Grow(n * columnSize); err != nil {
		return nil, err
	}
	if err := r.readPairs(k, n); err != nil {
		return nil, err
	}
	c := &column{}
	if err := c.make(r.budget, &r.pairs); err != nil {
		return nil, err
	}
	was += r.pairs.account()
	if r.columns == nil {
		r.columns = map[columnKey]*column{}
	}
	r.columns[k] = c
	return c, r.budget.Grow(was + c.size() - r.budget.Memory())
}

func (r *Run) readPairs(k columnKey, n int64) error {
	p := &r.pairs
	if int64(cap(p.keys)) < n {
		p.keys, p.values = make([]ID, 0, n), make([]ID, 0, n)
	}
	// Appending to the fields of p would write a pointer each time and so need a write
	// barrier.
	keys, values := p.keys[:0], p.values[:0]
	least, greatest := ^ID(0), ID(0)
	scan := sorted(r.ds, k.graph, POS) // in order, as starts requires
	scan.Seek(prefixRange([3]uint64{uint64(k.predicate)}, 1))
	for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
		if err := r.budget.Tick(len(tuples)); err != nil {
			return err
		}
		for i := range tuples {
			value, key := ID(tuples[i][1]), ID(tuples[i][2])
			if k.byObject {
				key, value = value, key
			}
			keys, values = append(keys, key), append(values, value)
			least, greatest = min(least, key), max(greatest, key)
		}
	}
	p.keys, p.values, p.least, p.greatest = keys, values, least, greatest
	return scan.Err()
}

// make makes the column from pairs.
func (c *column) make(b *budget.Budget, p *pairs) error {
	if len(p.keys) == 0 {
		c.starts = []uint32{0}
		return nil
	}
	n, err := c.number(b, p)
	if err != nil {
		return err
	}
	if single, err := c.takeOnes(b, p, n); single || err != nil {
		return err
	}
	return c.sort(b, p, n)
}

// number numbers the keys and returns how many numbers there are. It sets the numbers of
// p only if they are not distances.
func (c *column) number(b *budget.Budget, p *pairs) (n int, err error) {
	span := uint64(p.greatest - p.least)
	if span/numbersWorth <= uint64(len(p.keys)) && span < math.MaxUint32 && b.Room(int64(span)*idSize) {
		c.first = p.least
		return int(span) + 1, nil
	}
	p.numbers = slices.Grow(p.numbers[:0], len(p.keys))[:len(p.keys)]
	c.keys = newTable(b, 1)
	for i := range p.keys {
		if err := tickSome(b, i); err != nil {
			return 0, err
		}
		number, _, err := c.keys.insert(p.keys[i : i+1])
		if err != nil {
			return 0, err
		}
		p.numbers[i] = uint32(number)
	}
	return c.keys.n, nil
}

// takeOnes sets ones. single is false if a key has two values.
func (c *column) takeOnes(b *budget.Budget, p *pairs, n int) (single bool, err error) {
	if err := b.Grow(int64(n) * idSize); err != nil {
		return false, err
	}
	ones := make([]ID, n)
	for i, key := range p.keys {
		if err := tickSome(b, i); err != nil {
			return false, err
		}
		number := uint64(key - c.first)
		if c.keys != nil {
			number = uint64(p.numbers[i])
		}
		if ones[number] != 0 {
			return false, nil
		}
		ones[number] = p.values[i]
	}
	c.ones = ones
	return true, nil
}

// sort groups the values by key with a counting sort. The values of a key keep their
// order.
func (c *column) sort(b *budget.Budget, p *pairs, n int) error {
	if c.keys == nil {
		p.numbers = slices.Grow(p.numbers[:0], len(p.keys))[:len(p.keys)]
		for i, key := range p.keys {
			p.numbers[i] = uint32(key - c.first)
		}
	}
	// Counts are stored two places further on, so that in the end starts holds the
	// begins.
	c.starts = make([]uint32, n+2)
	for i, number := range p.numbers {
		if err := tickSome(b, i); err != nil {
			return err
		}
		c.starts[number+2]++
	}
	for i := 2; i < len(c.starts); i++ {
		c.starts[i] += c.starts[i-1]
	}
	c.values = make([]ID, len(p.values))
	for i, number := range p.numbers {
		if err := tickSome(b, i); err != nil {
			return err
		}
		at := c.starts[number+1]
		c.values[at] = p.values[i]
		c.starts[number+1] = at + 1
	}
	c.starts = c.starts[:n+1]
	return nil
}
