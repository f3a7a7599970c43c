package expr

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// shortAnswers are functions that return no text and are computed row by row.
var shortAnswers = map[syntax.Op]bool{syntax.OpStrLen: true, syntax.OpContains: true, syntax.OpStrStarts: true, syntax.OpStrEnds: true,
	syntax.OpRegex: true, syntax.OpLangMatches: true, syntax.OpIsNumeric: true, syntax.OpNow: true}

// isText reports whether an expression may return texts. It returns false for a variable,
// about which it knows nothing.
func isText(e algebra.Expr) bool {
	switch x := e.(type) {
	case *algebra.Const:
		kind := value.FromTerm(x.Term).Kind()
		return kind < value.KindBoolean || kind > value.KindDateTime // others fit in a cell
	case *algebra.Call:
		switch {
		case x.Op == syntax.OpIf:
			return isText(x.Args[1]) || isText(x.Args[2])
		case x.Op == syntax.OpCoalesce:
			return slices.ContainsFunc(x.Args, isText)
		}
		return binaries[x.Op] == nil && !isTest(x.Op) && unaryOf(x) == nil && !shortAnswers[x.Op]
	}
	return false
}

// isFunction reports whether a call is computed row by row, not a column at a time.
func isFunction(x *algebra.Call) bool {
	switch {
	case x.Op == syntax.OpIf, x.Op == syntax.OpCoalesce, binaries[x.Op] != nil, unaries[x.Op] != nil, isTest(x.Op):
		return false
	}
	return unaryOf(x) == nil || isText(x.Args[0])
}

// soleVariable returns the only variable of an expression. It returns NoSlot if there is
// none or more than one, or if there is an EXISTS.
func soleVariable(e algebra.Expr) algebra.Slot {
	slot, several := algebra.NoSlot, false
	algebra.Walk(e, func(e algebra.Expr) {
		switch x := e.(type) {
		case *algebra.Var:
			several = several || slot != algebra.NoSlot && slot != x.Slot
			slot = x.Slot
		case *algebra.Exists:
			several = true
		}
	})
	if several {
		return algebra.NoSlot
	}
	return slot
}

// Costly reports whether evaluating one of exprs calls a function or compares texts.
func Costly(exprs ...algebra.Expr) (is bool) {
	for _, e := range exprs {
		algebra.Walk(e, func(e algebra.Expr) { is = is || costly(e) })
	}
	return is
}

// FewValues reports whether an expression has few different values, such as true and false, or the lengths of texts.
func FewValues(e algebra.Expr) bool {
	switch x := e.(type) {
	case *algebra.Const:
		return true
	case *algebra.Call:
		if x.Op == syntax.OpIf {
			return FewValues(x.Args[1]) && FewValues(x.Args[2])
		}
		return isTest(x.Op) || shortAnswers[x.Op]
	}
	return false
}

// Movable reports whether another goroutine may evaluate exprs: their values do not depend on
// which one does, they are no texts unless there are few, and they use no variable of except.
func Movable(except algebra.Set, exprs ...algebra.Expr) bool {
	may := true
	for _, e := range exprs {
		may = may && (!isText(e) || ofKind(e))
		algebra.Walk(e, func(e algebra.Expr) {
			_, exists := e.(*algebra.Exists)
			v, isVar := e.(*algebra.Var)
			may = may && !exists && !volatile(e) && !(isVar && except.Has(v.Slot))
		})
	}
	return may
}

// costly reports whether evaluating an expression takes longer than looking up its
// result. It does if it calls a function or compares texts.
func costly(e algebra.Expr) bool {
	switch x := e.(type) {
	case *algebra.In:
		return isText(x.Expr) || slices.ContainsFunc(x.List, isText)
	case *algebra.Call:
		switch {
		case foldable(x) || isOfID(x):
			return false
		case isTest(x.Op):
			return slices.ContainsFunc(x.Args, isText)
		}
		return isFunction(x)
	}
	return false
}

// ofKind reports whether an expression depends only on the kind, datatype and language of
// its variables' terms.
func ofKind(e algebra.Expr) bool {
	switch x := e.(type) {
	case *algebra.Const:
		return true
	case *algebra.Call:
		if kinds[x.Op] {
			if _, ok := x.Args[0].(*algebra.Var); ok {
				return true
			}
		}
		return !slices.ContainsFunc(x.Args, func(arg algebra.Expr) bool { return !ofKind(arg) })
	}
	return false
}

// kinds has the functions that depend only on the kind, datatype and language of a
// term.
var kinds = map[syntax.Op]bool{syntax.OpLang: true, syntax.OpDatatype: true, syntax.OpLangDir: true, syntax.OpHasLang: true,
	syntax.OpHasLangDir: true, syntax.OpIsIRI: true, syntax.OpIsBlank: true, syntax.OpIsLiteral: true, syntax.OpIsTriple: true}

// memo caches the results of an expression of one variable, so that few terms of the
// variable are computed more than once.
type memo[T any] struct {
	c       *Columns
	slot    algebra.Slot
	ofKind  bool        // the results depend only on the kind, datatype and language
	keys    []source.ID // of the rows of a chunk; 0 for a result that is not cached
	like    []uint64
	chunks  int
	forgot  int      // Terms.generation of the cached results
	at      []uint16 // by row, the slot of its result, or nowhere
	missing []int32  // rows whose results must be computed
	*cache[T]
}

// cache holds the results of a memo by a hash of their keys.
type cache[T any] struct {
	ids     [1 << memoBits]source.ID
	results [1 << memoBits]T
	rows    [1 << memoBits]int32 // row of the chunk with the result; noRow if it is from an earlier chunk
	chunk   [1 << memoBits]int   // the last chunk that used the result
}

const (
	// memoBits is the number of bits of a key's hash that select the slot of its
	// result.
	memoBits = 8
	// minRows is the number of rows of a chunk from which a cache pays.
	minRows = 16
	// nowhere is the slot of results that are not cached.
	nowhere = 1 << memoBits
	noRow   = -1
)

// newMemo compiles an expression and returns a memo for it, if it is costly and has
// one variable. Otherwise it returns nil. A memo contains no other memos.
func newMemo[T any](c *Columns, e algebra.Expr, compile func() error) (*memo[T], error) {
	if c.inMemo || !costly(e) {
		return nil, nil
	}
	slot := soleVariable(e)
	if slot == algebra.NoSlot {
		return nil, nil
	}
	c.inMemo = true
	defer func() { c.inMemo = false }()
	return &memo[T]{c: c, slot: slot, ofKind: ofKind(e)}, compile()
}

// prepare makes room for the rows of a chunk, and drops results for ids that may now be those
// of other terms. It returns false, without doing so, if the rows are too few for a memo.
func (m *memo[T]) prepare() bool {
	if m.c.n < minRows {
		return false
	}
	if m.cache == nil {
		m.cache = &cache[T]{}
	}
	if now := m.c.q.Terms.generation; m.forgot != now {
		m.forget()
		m.forgot = now
	}
	m.at, m.keys = Sized(m.c, m.at), Sized(m.c, m.keys)
	if m.ofKind {
		m.like = Sized(m.c, m.like)
	}
	return true
}

// setKeys sets the first keys to those of rows: the ids of the variable or, if only its kind counts, ids of like terms.
func (m *memo[T]) setKeys(rows []int32) {
	for k, i := range rows {
		m.keys[k] = m.c.Row(i)[m.slot]
	}
	if !m.ofKind {
		return
	}
	stored := m.c.ids[:0]
	for _, id := range m.keys[:len(rows)] {
		if id != 0 && id < source.LocalFirst {
			stored = append(stored, id)
		}
	}
	m.c.ids = stored
	if err := m.c.q.Terms.ds.Like(stored, m.like); err != nil {
		m.c.q.budget.Fail(err)
	}
	n := 0
	for k, id := range m.keys[:len(rows)] {
		if id != 0 && id < source.LocalFirst {
			m.keys[k] = source.ID(m.like[n])
			n++
		}
	}
}

// unknown finds the slot of each row's result in the cache; it is nowhere if the row gets none.
// It returns the rows for which the expression must be computed: the first row of each key that
// is not cached, and the rows without a slot.
func (m *memo[T]) unknown(rows []int32) []int32 {
	m.chunks++
	m.missing = m.missing[:0]
	m.setKeys(rows)
	last, lastAt := source.ID(0), uint16(nowhere)
	for k, i := range rows {
		id := m.keys[k]
		if id == last && lastAt != nowhere { // adjacent rows often have the same term
			m.at[i] = lastAt
			continue
		}
		at := uint16(uint64(id) * 0x9E3779B97F4A7C15 >> (64 - memoBits))
		if m.ids[at] != id && m.chunk[at] == m.chunks {
			at ^= 1 // another key of the chunk has the slot: try its neighbour
		}
		switch inUse := m.chunk[at] == m.chunks; {
		case id != 0 && m.ids[at] == id:
			if !inUse {
				m.rows[at] = noRow
			}
		case inUse || id == 0:
			at = nowhere
			m.missing = append(m.missing, i)
		default:
			m.ids[at], m.rows[at] = id, i
			m.missing = append(m.missing, i)
		}
		if m.at[i] = at; at != nowhere {
			m.chunk[at] = m.chunks
		}
		last, lastAt = id, at
	}
	return m.missing
}

// fill caches the results of the rows that unknown returned. For the other rows, it
// sets out to the cached results.
func (m *memo[T]) fill(rows []int32, out []T) {
	for _, i := range m.missing {
		if at := m.at[i]; at != nowhere {
			m.results[at] = out[i]
		}
	}
	if len(m.missing) == len(rows) {
		return
	}
	for _, i := range rows {
		if at := m.at[i]; at != nowhere {
			out[i] = m.results[at]
		}
	}
}

// forget drops all results.
func (m *memo[T]) forget() { clear(m.ids[:]) }

// once compiles an expression with every, but calls the result only for rows whose variables have new values: it
// remembers the results of the others while that pays. It returns nil if the expression gets no memo.
func once[T any, F ~func(rows []int32, out []T)](c *Columns, e algebra.Expr, every func(algebra.Expr) (F, error)) (F, error) {
	var f F
	m, err := newMemo[T](c, e, func() (err error) { f, err = every(e); return err })
	if m == nil {
		return nil, err
	}
	return func(rows []int32, out []T) {
		if !m.prepare() {
			f(rows, out)
			return
		}
		if some := m.unknown(rows); len(some) > 0 {
			f(some, out)
		}
		if m.fill(rows, out); !c.Valid() {
			m.forget()
		}
	}, err
}

// testOnce compiles an expression to its effective boolean values with a memo.
func (c *Columns) testOnce(e algebra.Expr) (Truths, error) {
	return once[value.Truth](c, e, c.testEvery)
}

// valueOnce compiles an expression to its values with a memo; exact is as in Value. It returns nil if the
// expression gets none. Texts are cached for the rows of one chunk.
func (c *Columns) valueOnce(e algebra.Expr, exact bool) (Values, error) {
	var f Values
	m, err := newMemo[value.Cell](c, e, func() (err error) { f, err = c.valueEvery(e, exact); return err })
	if m == nil {
		return nil, err
	}
	own := &value.Column{}
	return func(rows []int32) *value.Column {
		if !m.prepare() {
			return f(rows)
		}
		some, out := m.unknown(rows), own
		if len(some) == len(rows) { // nothing is cached
			out = f(rows)
		} else if out.Reset(c.n); len(some) > 0 {
			computed := f(some)
			for _, i := range some {
				out.Copy(i, computed)
			}
		}
		for _, i := range some { // keep what was computed
			if at := m.at[i]; at != nowhere {
				m.results[at], _ = out.Computed(i)
			}
		}
		if len(some) < len(rows) {
			for _, i := range rows { // use what is kept, or the value of an earlier row of this chunk
				switch at := m.at[i]; {
				case at == nowhere: // the memo has no place for it
				case m.rows[at] == noRow:
					out.Cells()[i] = m.results[at]
				case m.rows[at] != i:
					out.CopyRow(i, m.rows[at])
				}
			}
		}
		for _, i := range some {
			if _, lasting := out.Computed(i); m.at[i] != nowhere && !(lasting && c.Valid()) {
				m.ids[m.at[i]] = 0 // its text is only valid for this chunk
			}
		}
		return out
	}, err
}

// identityOnce compiles an expression to the ids of its terms with a memo.
func (c *Columns) identityOnce(e algebra.Expr) (IDs, error) {
	return once[source.ID](c, e, c.identityEvery)
}
