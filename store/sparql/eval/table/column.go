package table

import (
	"math/bits"
	"slices"

	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
)

// Column holds all triples with one predicate in one graph, read once: the objects of
// each subject, or the subjects of each object. It does not change once it is made.
// Every key has a number.
type Column struct {
	first source.ID   // the least key, and the first id of the spans
	spans []span      // of keys that are close together, in order; numbers follow that order
	keys  *Keys       // the numbers of keys that are far apart; otherwise nil
	ones  []source.ID // by number, the only value of each key; nil if some key has several
	// starts holds, by number, where the values of a key begin in values. Its last
	// element is where all end. The values of a key are sorted.
	starts []uint32
	values []source.ID
}

// span is 64 successive ids. A column with a span for each 64 ids is several times smaller
// than one with a value for each id, so more of it stays in the processor's cache.
type span struct {
	keys   uint64 // a bit for each id that is a key
	before uint32 // number of keys in the spans before
}

const spanSize = 16 // bytes

// number returns the number of a key, or -1.
func (c *Column) number(key source.ID) int {
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

// Of returns the sorted values of a key, or none.
func (c *Column) Of(key source.ID) []source.ID {
	at := c.number(key)
	switch {
	case at < 0:
		return nil
	case c.ones != nil:
		return c.ones[at : at+1]
	}
	return c.values[c.starts[at]:c.starts[at+1]]
}

// Sparse reports whether keys are in a hash table, because they are far apart or there is
// too little memory for spans.
func (c *Column) Sparse() bool { return c.keys != nil }

// Single reports whether every key has one value.
func (c *Column) Single() bool { return c.ones != nil }

// Size returns how many bytes the column takes.
func (c *Column) Size() int64 {
	n := int64(len(c.ones)+len(c.values))*IdSize + int64(len(c.starts))*4 + int64(len(c.spans))*spanSize
	if c.keys != nil {
		n += c.keys.size()
	}
	return n
}

const (
	// ColumnSize is roughly how many bytes a triple needs while a column is made.
	ColumnSize = 48
	// spansWorth is the number of ids per triple above which a hash table is better.
	spansWorth = 128
)

// Pairs holds keys and their values while a column is read, and the least and greatest
// key.
type Pairs struct {
	Keys, Values    []source.ID
	InOrder         bool // keys are in ascending order
	Least, Greatest source.ID
	numbers         []uint32 // by position in keys
	size            int64    // bytes that account has returned
}

// Account returns how many bytes the pairs have grown since the last call.
func (p *Pairs) Account() int64 {
	was := p.size
	p.size = int64(cap(p.Keys)+cap(p.Values))*IdSize + int64(cap(p.numbers))*4
	return p.size - was
}

// NewColumn makes a column of pairs.
func NewColumn(b *budget.Budget, p *Pairs) (*Column, error) {
	c := &Column{}
	n, err := c.addKeys(b, p)
	switch {
	case err != nil: // returned below
	case n == len(p.Keys):
		err = c.takeOnes(b, p)
	default:
		err = c.sort(b, p, n)
	}
	return c, err
}

// addKeys numbers the different keys and returns how many there are. Keys that are close
// together are found by spans, others by a hash table.
func (c *Column) addKeys(b *budget.Budget, p *Pairs) (n int, err error) {
	if len(p.Keys) == 0 {
		return 0, nil
	}
	distance := uint64(p.Greatest - p.Least)
	size := int64(distance/64+1) * spanSize
	if distance/spansWorth > uint64(len(p.Keys)) || !b.Room(size) {
		return c.addToTable(b, p)
	}
	if err := b.Grow(size); err != nil {
		return 0, err
	}
	spans := make([]span, distance/64+1)
	for i, key := range p.Keys {
		if err := TickSome(b, i); err != nil {
			return 0, err
		}
		at := uint64(key - p.Least)
		spans[at/64].keys |= 1 << (at % 64)
	}
	for i := range spans {
		spans[i].before = uint32(n)
		n += bits.OnesCount64(spans[i].keys)
	}
	c.first, c.spans = p.Least, spans
	return n, nil
}

// addToTable numbers the keys by a hash table, as they are too far apart for an array. n is how many there are.
func (c *Column) addToTable(b *budget.Budget, p *Pairs) (n int, err error) {
	c.keys = NewKeys(b, 1)
	for i := range p.Keys {
		if err := TickSome(b, i); err != nil {
			return 0, err
		}
		if _, _, err := c.keys.Insert(p.Keys[i : i+1]); err != nil {
			return 0, err
		}
	}
	return c.keys.N, nil
}

// takeOnes sets ones. Every key must have one value. A hash table numbers keys as they
// come, so those in order are numbered in order.
func (c *Column) takeOnes(b *budget.Budget, p *Pairs) error {
	if err := b.Grow(int64(len(p.Keys)) * IdSize); err != nil {
		return err
	}
	if p.InOrder {
		c.ones = slices.Clone(p.Values)
		return nil
	}
	ones := make([]source.ID, len(p.Keys))
	for i, key := range p.Keys {
		if err := TickSome(b, i); err != nil {
			return err
		}
		if at := uint64(key - c.first); c.keys == nil {
			ones[c.spans[at/64].number(at)] = p.Values[i]
		} else {
			ones[c.number(key)] = p.Values[i]
		}
	}
	c.ones = ones
	return nil
}

// sort groups the values of n keys by key with a counting sort. The values of a key keep
// their order.
func (c *Column) sort(b *budget.Budget, p *Pairs, n int) error {
	if !p.InOrder {
		p.numbers = slices.Grow(p.numbers[:0], len(p.Keys))[:len(p.Keys)]
	}
	// Counts are stored two elements further on, so that in the end starts holds where
	// the values of each key begin.
	c.starts = make([]uint32, n+2)
	for i, key := range p.Keys {
		if err := TickSome(b, i); err != nil {
			return err
		}
		number := uint32(c.number(key))
		if !p.InOrder {
			p.numbers[i] = number
		}
		c.starts[number+2]++
	}
	for i := 2; i < len(c.starts); i++ {
		c.starts[i] += c.starts[i-1]
	}
	if p.InOrder {
		c.starts, c.values = c.starts[1:], slices.Clone(p.Values)
		return nil
	}
	c.values = make([]source.ID, len(p.Values))
	for i, number := range p.numbers {
		if err := TickSome(b, i); err != nil {
			return err
		}
		at := c.starts[number+1]
		c.values[at] = p.Values[i]
		c.starts[number+1] = at + 1
	}
	c.starts = c.starts[:n+1]
	return nil
}

// One returns the only value of a key if it is compatible with value, and 0 otherwise.
// Every key must have a single value, or value must not be 0.
func (c *Column) One(key, value source.ID) source.ID {
	if c.ones == nil {
		if len(c.Compatible(key, value)) == 0 {
			return 0
		}
		return value
	}
	at := c.number(key)
	if at < 0 || value != 0 && value != c.ones[at] {
		return 0
	}
	return c.ones[at]
}

// Compatible returns the values of a key. If value is not 0, it returns at most that
// value.
func (c *Column) Compatible(key, value source.ID) []source.ID {
	values := c.Of(key)
	if value == 0 {
		return values
	}
	at, ok := slices.BinarySearch(values, value)
	if !ok {
		return nil
	}
	return values[at : at+1]
}
