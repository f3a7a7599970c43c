package eval

import (
	"math/bits"
	"slices"

	"github.com/segraph/segraph/store/sparql/budget"
)

// column holds all triples with one predicate in one graph, read once: the objects of
// each subject, or the subjects of each object. It does not change once it is made.
// Every key has a number.
type column struct {
	first ID     // the least key, and the first id of the spans
	spans []span // of keys that are close together, in order; numbers follow that order
	keys  *table // the numbers of keys that are far apart; otherwise nil
	ones  []ID   // by number, the only value of each key; nil if some key has several
	// starts holds, by number, where the values of a key begin in values. Its last
	// element is where all end. The values of a key are sorted.
	starts []uint32
	values []ID
}

// span is 64 successive ids. A column with a span for each 64 ids is several times smaller
// than one with a value for each id, so more of it stays in the processor's cache.
type span struct {
	keys   uint64 // a bit for each id that is a key
	before uint32 // number of keys in the spans before
}

const spanSize = 16 // bytes

// number returns the number of a key, or -1.
func (c *column) number(key ID) int {
	if c.keys != nil {
		return c.keys.find1(key)
	}
	at := uint64(key - c.first)
	if at/64 >= uint64(len(c.spans)) || c.spans[at/64].keys>>(at%64)&1 == 0 {
		return -1
	}
	return c.spans[at/64].number(at)
}

// number returns the number of a key at a distance from the first.
func (s *span) number(at uint64) int {
	return int(s.before) + bits.OnesCount64(s.keys&(1<<(at%64)-1))
}

// of returns the sorted values of a key, or none.
func (c *column) of(key ID) []ID {
	at := c.number(key)
	switch {
	case at < 0:
		return nil
	case c.ones != nil:
		return c.ones[at : at+1]
	}
	return c.values[c.starts[at]:c.starts[at+1]]
}

// size returns how many bytes the column takes.
func (c *column) size() int64 {
	n := int64(len(c.ones)+len(c.values))*idSize + int64(len(c.starts))*4 + int64(len(c.spans))*spanSize
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
	// spansWorth is the number of ids per triple above which a hash table is better.
	spansWorth = 128
)

// pairs holds keys and their values while a column is read, and the least and greatest
// key.
type pairs struct {
	keys, values    []ID
	inOrder         bool // keys are in ascending order
	least, greatest ID
	numbers         []uint32 // by position in keys
	size            int64    // bytes that account has returned
}

// account returns how many bytes the pairs have grown since the last call.
func (p *pairs) account() int64 {
	was := p.size
	p.size = int64(cap(p.keys)+cap(p.values))*idSize + int64(cap(p.numbers))*4
	return p.size - was
}

// column returns a column of about n triples. It reads the column unless an earlier
// call did.
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
	c, err := r.makeColumn(was)
	if err != nil {
		return nil, err
	}
	if r.columns == nil {
		r.columns = map[columnKey]*column{}
	}
	r.columns[k] = c
	return c, nil
}

// makeColumn makes a column of the pairs that were read. was is the memory that the
// query took before reading them.
func (r *Run) makeColumn(was int64) (*column, error) {
	c := &column{}
	if err := c.make(r.budget, &r.pairs); err != nil {
		return nil, err
	}
	was += r.pairs.account()
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
	scan.Seek(prefixRange(Tuple{uint64(k.predicate)}, 1))
	for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
		if err := r.budget.Tick(len(tuples)); err != nil {
			return err
		}
		at := len(keys)
		keys, values = slices.Grow(keys, len(tuples))[:at+len(tuples)], slices.Grow(values, len(tuples))[:at+len(tuples)]
		for i := range tuples {
			value, key := ID(tuples[i][1]), ID(tuples[i][2])
			if k.byObject {
				key, value = value, key
			}
			keys[at+i], values[at+i] = key, value
			least, greatest = min(least, key), max(greatest, key)
		}
	}
	p.keys, p.values, p.least, p.greatest, p.inOrder = keys, values, least, greatest, k.byObject
	return scan.Err()
}

// make makes the column from pairs.
func (c *column) make(b *budget.Budget, p *pairs) error {
	n, err := c.addKeys(b, p)
	switch {
	case err != nil:
		return err
	case n == len(p.keys):
		return c.takeOnes(b, p)
	}
	return c.sort(b, p, n)
}

// addKeys gives each key a number and returns how many keys there are.
func (c *column) addKeys(b *budget.Budget, p *pairs) (n int, err error) {
	if len(p.keys) == 0 {
		return 0, nil
	}
	distance := uint64(p.greatest - p.least)
	size := int64(distance/64+1) * spanSize
	if distance/spansWorth > uint64(len(p.keys)) || !b.Room(size) {
		return c.addToTable(b, p)
	}
	if err := b.Grow(size); err != nil {
		return 0, err
	}
	spans := make([]span, distance/64+1)
	for i, key := range p.keys {
		if err := tickSome(b, i); err != nil {
			return 0, err
		}
		at := uint64(key - p.least)
		spans[at/64].keys |= 1 << (at % 64)
	}
	for i := range spans {
		spans[i].before = uint32(n)
		n += bits.OnesCount64(spans[i].keys)
	}
	c.first, c.spans = p.least, spans
	return n, nil
}

// addToTable is addKeys for keys that are far apart.
func (c *column) addToTable(b *budget.Budget, p *pairs) (n int, err error) {
	c.keys = newTable(b, 1)
	for i := range p.keys {
		if err := tickSome(b, i); err != nil {
			return 0, err
		}
		if _, _, err := c.keys.insert(p.keys[i : i+1]); err != nil {
			return 0, err
		}
	}
	return c.keys.n, nil
}

// takeOnes sets ones. Every key must have one value.
func (c *column) takeOnes(b *budget.Budget, p *pairs) error {
	if err := b.Grow(int64(len(p.keys)) * idSize); err != nil {
		return err
	}
	if p.inOrder { // values are already in the order of numbers
		c.ones = slices.Clone(p.values)
		return nil
	}
	ones := make([]ID, len(p.keys))
	for i, key := range p.keys {
		if err := tickSome(b, i); err != nil {
			return err
		}
		if at := uint64(key - c.first); c.keys == nil {
			ones[c.spans[at/64].number(at)] = p.values[i]
		} else {
			ones[c.number(key)] = p.values[i]
		}
	}
	c.ones = ones
	return nil
}

// sort groups the values of n keys by key with a counting sort. The values of a key keep
// their order.
func (c *column) sort(b *budget.Budget, p *pairs, n int) error {
	if !p.inOrder {
		p.numbers = slices.Grow(p.numbers[:0], len(p.keys))[:len(p.keys)]
	}
	// Counts are stored two elements further on, so that in the end starts holds where
	// the values of each key begin.
	c.starts = make([]uint32, n+2)
	for i, key := range p.keys {
		if err := tickSome(b, i); err != nil {
			return err
		}
		number := uint32(c.number(key))
		if !p.inOrder {
			p.numbers[i] = number
		}
		c.starts[number+2]++
	}
	for i := 2; i < len(c.starts); i++ {
		c.starts[i] += c.starts[i-1]
	}
	if p.inOrder {
		c.starts, c.values = c.starts[1:], slices.Clone(p.values)
		return nil
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
