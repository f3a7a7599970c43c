package eval

import (
	"cmp"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

// orderKey holds one key of ORDER BY for many rows. As long as all values have exact
// sort keys, it keeps those. After that it is inexact: it keeps the values of an
// expression. Those of a variable are read when rows are sorted.
type orderKey struct {
	r          *Run
	expr       algebra.Expr
	one        *expr.OneRow // evaluates expr again; nil until needed
	now        value.Value  // of an expression, for the current row
	slot       algebra.Slot // of a variable; NoSlot for an expression
	descending bool
	terms      *expr.Terms

	inexact bool
	keys    []uint64                  // by row, unless the key is inexact
	values  table.Pieces[value.Value] // by row, of an inexact expression

	bound    value.Value   // the key of a row
	boundKey uint64        // its sort key
	isExact  bool          // boundKey is exact
	compared []comparedIDs // by the lowest bits of an id
}

// comparedIDs caches how a term compares with the bound.
type comparedIDs struct {
	id    source.ID
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

// sizeOfValue returns the number of bytes that a kept value takes.
func sizeOfValue(v value.Value) int64 {
	if n := v.Size(); n > 0 {
		return valueSize + int64(n) + 16 // for the allocator's rounding
	}
	return valueSize
}

func (r *Run) orderKey(x algebra.OrderKey) *orderKey {
	k := &orderKey{r: r, expr: x.Expr, slot: algebra.NoSlot, descending: x.Descending, terms: r.terms}
	if x, ok := x.Expr.(*algebra.Var); ok {
		k.slot = x.Slot
	}
	return k
}

// evaluate returns the key of a row, which stays valid. If the expression can't be compiled,
// the query ends.
func (k *orderKey) evaluate(row []source.ID) value.Value {
	if k.isVar() {
		return k.terms.Value(row[k.slot])
	}
	if k.one == nil {
		var err error
		if k.one, err = k.r.exprs.NewOneRow(k.expr, func(c *expr.Columns) (expr.Values, error) { return c.Value(k.expr, expr.AnyForm) }); err != nil {
			k.r.budget.Fail(err)
			return value.Error()
		}
	}
	return k.one.Of(row).Clone()
}

func (k *orderKey) isVar() bool { return k.slot != algebra.NoSlot }

// bind makes the key of a row the bound.
func (k *orderKey) bind(row []source.ID) {
	k.bound = k.evaluate(row)
	k.boundKey, k.isExact = k.bound.SortKey()
	if k.compared == nil && k.isVar() {
		k.compared = make([]comparedIDs, 1<<comparedBits)
	}
	clear(k.compared)
}

// compare compares the key of a row with the bound, in reverse if the key is descending.
func (k *orderKey) compare(row []source.ID) int {
	if !k.isVar() {
		return k.order(k.now)
	}
	id := row[k.slot]
	known := &k.compared[id&(1<<comparedBits-1)]
	if known.id != id || id == 0 {
		*known = comparedIDs{id, k.order(k.terms.Value(id))}
	}
	return known.order
}

// order compares a value with the bound, in the direction of the key.
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

// add keeps the key of a row. rows are the rows before it. It returns by how many bytes
// the size of the key changes.
func (k *orderKey) add(row []source.ID, rows *table.Pieces[source.ID]) (size int64, err error) {
	v := k.now
	if !k.inexact {
		if k.isVar() {
			v = k.terms.Value(row[k.slot])
		}
		key, exact := v.SortKey()
		if exact {
			k.keys = append(k.keys, key)
			return keySize, nil
		}
		if size, err = k.keepAll(rows); err != nil {
			return 0, err
		}
	}
	if !k.isVar() {
		size += k.keep(v)
	}
	return size, nil
}

// keepAll makes the key inexact: it keeps the values of all rows in place of their keys. It
// returns by how many bytes the size of the key changes.
func (k *orderKey) keepAll(rows *table.Pieces[source.ID]) (size int64, err error) {
	size = -int64(len(k.keys)) * keySize
	k.inexact, k.keys = true, nil
	if k.isVar() {
		return size, nil
	}
	for i := range rows.N {
		if err := k.r.budget.Tick(expr.Work(k.expr)); err != nil {
			return 0, err
		}
		size += k.keep(k.evaluate(rows.Row(i)))
	}
	return size, nil
}

// keep keeps a value of an expression and returns the number of bytes that this takes.
func (k *orderKey) keep(v value.Value) int64 {
	v = v.Clone() // the text of a column is only valid for a chunk
	k.values.Add([]value.Value{v})
	return sizeOfValue(v)
}

// kept returns the value of a row, if the key is inexact, and by how many bytes keeping
// it for a while increases what is kept.
func (k *orderKey) kept(rows *table.Pieces[source.ID], row uint32) (v value.Value, size int64) {
	if !k.isVar() {
		return k.values.Row(int(row))[0], valueSize + 8
	}
	v = k.terms.Value(rows.Row(int(row))[k.slot])
	return v, sizeOfValue(v) + 8
}

// move copies the key of the row from to the row to.
func (k *orderKey) move(to, from int) {
	switch {
	case !k.inexact:
		k.keys[to] = k.keys[from]
	case !k.isVar():
		k.values.Row(to)[0] = k.values.Row(from)[0]
	}
}

// sizeAt returns the number of bytes that the key of a row takes.
func (k *orderKey) sizeAt(row int) int64 {
	switch {
	case !k.inexact:
		return keySize
	case !k.isVar():
		return sizeOfValue(k.values.Row(row)[0])
	}
	return 0
}

// cut keeps the keys of the first n rows.
func (k *orderKey) cut(n int) {
	switch {
	case !k.inexact:
		k.keys = k.keys[:n]
	case !k.isVar():
		k.values.Cut(n)
	}
}

func (k *orderKey) clear() { k.keys, k.values, k.inexact = nil, table.Pieces[value.Value]{}, false }
