package eval

import (
	"cmp"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/value"
)

// orderKey holds one key of ORDER BY for many rows. As long as all values have exact
// sort keys, it keeps those. After that the key is ranked: it keeps the ids of a
// variable or the values of an expression, and when rows are arranged it replaces them
// by their ranks.
type orderKey struct {
	evaluate   expression
	now        value.Value  // of an expression, for the current row
	slot       algebra.Slot // of a variable; NoSlot for an expression
	descending bool
	terms      *terms
	b          *budget.Budget

	keys   []uint64 // by row: a sort key or, if ranked, an id or the number of a value
	ranked bool
	values pieces[value.Value] // of an expression
	before ID                  // value of the variable in the last row
	repeat bool                // before is valid, and its sort key is the last of keys

	bound    value.Value   // the key of a row
	boundKey uint64        // its sort key
	isExact  bool          // boundKey is exact
	compared []comparedIDs // by the lowest bits of an id
}

// comparedIDs caches how a term compares with the bound.
type comparedIDs struct {
	id    ID
	order int
}

const (
	// keySize is the number of bytes of a key, with the room that a slice needs to grow.
	keySize = 16
	// valueSize is the number of bytes of a value without its text.
	valueSize = 64
	// comparedBits is the number of bits of an id that select its place in the cache.
	comparedBits = 8
)

func textSize(v value.Value) int64 {
	if n := v.Size(); n > 0 {
		return int64(n) + 16 // for the allocator's rounding
	}
	return 0
}

func (r *Run) orderKey(x algebra.OrderKey) (*orderKey, error) {
	v, err := r.value(x.Expr, false)
	k := &orderKey{evaluate: v, slot: algebra.NoSlot, descending: x.Descending, terms: r.terms, b: r.budget}
	if x, ok := x.Expr.(*algebra.Var); ok {
		k.slot = x.Slot
	}
	return k, err
}

func (k *orderKey) isVar() bool { return k.slot != algebra.NoSlot }

// bind makes the key of a row the bound.
func (k *orderKey) bind(row []ID) {
	k.bound = k.evaluate(row)
	k.boundKey, k.isExact = k.bound.SortKey()
	if k.compared == nil && k.isVar() {
		k.compared = make([]comparedIDs, 1<<comparedBits)
	}
	clear(k.compared)
}

// compare compares the key of a row with the bound, in reverse if the key is descending.
func (k *orderKey) compare(row []ID) int {
	if !k.isVar() {
		return k.order(k.now)
	}
	id := row[k.slot]
	known := &k.compared[id&(1<<comparedBits-1)]
	if known.id != id || id == 0 {
		*known = comparedIDs{id, k.order(k.terms.value(id))}
	}
	return known.order
}

func (k *orderKey) order(v value.Value) int {
	if key, exact := v.SortKey(); key != k.boundKey || exact && k.isExact {
		if k.descending {
			return cmp.Compare(k.boundKey, key)
		}
		return cmp.Compare(key, k.boundKey)
	}
	if k.descending {
		return value.Order(k.bound, v)
	}
	return value.Order(v, k.bound)
}

// add keeps the key of a row. rows are the rows before it. It returns the number of
// bytes that this takes.
func (k *orderKey) add(row []ID, rows *pieces[ID]) (size int64, err error) {
	if k.isVar() {
		id := row[k.slot]
		switch {
		case k.repeat && id == k.before:
			k.keys = append(k.keys, k.keys[len(k.keys)-1])
			return keySize, nil
		case k.ranked:
			k.keys = append(k.keys, uint64(id))
			return keySize, nil
		}
		k.before, k.repeat = id, true
	}
	v := k.now
	if k.isVar() {
		v = k.evaluate(row)
	}
	if !k.ranked {
		key, exact := v.SortKey()
		if exact {
			k.keys = append(k.keys, key)
			return keySize, nil
		}
		if size, err = k.rankRows(rows); err != nil {
			return 0, err
		}
	}
	if k.isVar() {
		k.keys = append(k.keys, uint64(row[k.slot]))
		return keySize + size, nil
	}
	k.keys = append(k.keys, uint64(k.values.n))
	return keySize + size + k.keep(v), nil
}

// rankRows makes the key ranked: it replaces the sort keys of rows by ids or by numbers
// of values.
func (k *orderKey) rankRows(rows *pieces[ID]) (size int64, err error) {
	k.ranked, k.repeat = true, false
	for i := range rows.n {
		if k.isVar() {
			k.keys[i] = uint64(rows.row(i)[k.slot])
			continue
		}
		if err := k.b.Tick(expressionWork); err != nil {
			return 0, err
		}
		k.keys[i] = uint64(k.values.n)
		size += k.keep(k.evaluate(rows.row(i)))
	}
	return size, nil
}

// keep keeps a value of an expression and returns the number of bytes that this takes.
func (k *orderKey) keep(v value.Value) int64 {
	v = v.Clone() // the text of a column is only valid for a chunk
	k.values.add([]value.Value{v})
	return valueSize + textSize(v)
}

// cut keeps the first n rows and returns the number of bytes that frees.
func (k *orderKey) cut(n int) (size int64) {
	size = int64(len(k.keys)-n) * keySize
	k.keys, k.repeat = k.keys[:n], false
	if k.values.n <= n {
		return size
	}
	values := k.values
	k.values = pieces[value.Value]{}
	for i := range values.n {
		size += valueSize + textSize(values.row(i)[0])
	}
	for i, number := range k.keys {
		size -= k.keep(values.row(int(number))[0])
		k.keys[i] = uint64(i)
	}
	return size
}

func (k *orderKey) clear() {
	k.keys, k.values, k.ranked, k.repeat = nil, pieces[value.Value]{}, false, false
}

// fewRanks is the number of values that are always ranked, even if earlier keys may
// decide the order.
const fewRanks = 1024

// column returns keys that compare as numbers, one for each of rows. If may is set, ok
// is false if it would have to rank more than fewRanks values.
func (k *orderKey) column(rows []uint64, may bool) (c keyColumn, ok bool, err error) {
	if k.descending {
		c.flip = ^uint64(0)
	}
	c.keys = make([]uint64, len(rows))
	for i, row := range rows {
		c.keys[i] = k.keys[row]
	}
	if !k.ranked {
		return c, true, nil
	}
	values := func(number uint64) value.Value { return k.values.row(int(number))[0] }
	if k.isVar() {
		ids := newTable(k.b, 1)
		defer ids.free()
		if err := number(ids, c.keys); err != nil {
			return c, false, err
		}
		if may && ids.n > max(fewRanks, len(rows)/8) {
			return c, false, nil
		}
		return c, true, k.rank(c.keys, ids.n, func(number uint64) value.Value { return k.terms.value(ids.keys[number]) })
	}
	numbers := make([]uint64, len(rows))
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	found := c.keys
	c.keys = numbers
	return c, true, k.rank(numbers, len(rows), func(number uint64) value.Value { return values(found[number]) })
}

// number replaces keys, which are ids, by their numbers in ids.
func number(ids *table, keys []uint64) error {
	for i, key := range keys {
		number, _, err := ids.insert([]ID{ID(key)})
		if err != nil {
			return err
		}
		keys[i] = uint64(number)
	}
	return nil
}

// rank replaces keys, which are the numbers of n values, by the ranks of the values.
func (k *orderKey) rank(keys []uint64, n int, value func(number uint64) value.Value) error {
	size := int64(n) * (valueSize + 2*idSize + arrangeSize)
	if err := k.b.Grow(size); err != nil {
		return err
	}
	ranks, err := k.ranks(n, value)
	if err != nil {
		return err
	}
	for i, number := range keys {
		keys[i] = ranks[number]
	}
	return k.b.Grow(-size)
}

func (k *orderKey) ranks(n int, of func(number uint64) value.Value) ([]uint64, error) {
	values, texts := make([]value.Value, n), int64(0)
	for i := range values {
		if err := k.b.Tick(1); err != nil {
			return nil, err
		}
		values[i] = of(uint64(i))
		if k.isVar() && textSize(values[i]) > 0 {
			texts += textSize(values[i])
			if err := k.b.Grow(textSize(values[i])); err != nil {
				return nil, err
			}
		}
	}
	if err := k.b.Failed(); err != nil {
		return nil, err
	}
	ranks, err := ranksOf(k.b, values)
	if err != nil {
		return nil, err
	}
	return ranks, k.b.Grow(-texts)
}

// ranksOf returns the rank of each value in the order of ORDER BY. Values of which
// neither comes first have the same rank.
func ranksOf(b *budget.Budget, values []value.Value) ([]uint64, error) {
	ranks := value.SortKeys(values)
	a := &arranger{b: b, columns: []keyColumn{{keys: ranks}}, tie: func(x, y int) int { return value.Order(values[x], values[y]) }}
	sorted, err := a.arrange(len(values), 0, len(values))
	if err != nil {
		return nil, err
	}
	rank := uint64(0)
	for i, number := range sorted {
		if i > 0 && value.Order(values[sorted[i-1]], values[number]) != 0 {
			rank++
		}
		ranks[number] = rank
	}
	return ranks, nil
}
