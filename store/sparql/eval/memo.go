package eval

import (
	"reflect"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// shortAnswers are functions that do not return texts and that columns do not compute.
var shortAnswers = map[syntax.Op]bool{syntax.OpStrLen: true, syntax.OpContains: true, syntax.OpStrStarts: true, syntax.OpStrEnds: true,
	syntax.OpRegex: true, syntax.OpLangMatches: true, syntax.OpIsNumeric: true, syntax.OpNow: true}

// isText reports whether an expression may return texts.
func isText(e algebra.Expr) bool {
	switch x := e.(type) {
	case *algebra.Const:
		kind := value.FromTerm(x.Term).Kind()
		return kind < value.KindBoolean || kind > value.KindDateTime
	case *algebra.Call:
		switch {
		case x.Op == syntax.OpIf:
			return isText(x.Args[1]) || isText(x.Args[2])
		case x.Op == syntax.OpCoalesce:
			for _, arg := range x.Args {
				if isText(arg) {
					return true
				}
			}
			return false
		}
		return binaries[x.Op] == nil && !isTest(x.Op) && unaryOf(x) == nil && !shortAnswers[x.Op]
	}
	return false
}

// isFunction reports whether a call is computed row by row by a function of values, not
// by an operator on columns.
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

// costly reports whether evaluating an expression takes longer than looking up its
// result: it calls a function or compares texts.
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

// kinds lists the functions that depend only on the kind, datatype and language of a
// term.
var kinds = map[syntax.Op]bool{syntax.OpLang: true, syntax.OpDatatype: true, syntax.OpLangDir: true, syntax.OpHasLang: true,
	syntax.OpHasLangDir: true, syntax.OpIsIRI: true, syntax.OpIsBlank: true, syntax.OpIsLiteral: true, syntax.OpIsTriple: true}

// memo caches the results of an expression of one variable, so that each term of the
// variable is computed once, with few exceptions.
type memo[T any] struct {
	c        *columns
	slot     algebra.Slot
	ofKind   bool // once per kind, datatype and language
	asked    []ID
	like     []uint64
	ids      [1 << memoBits]ID
	outcomes [1 << memoBits]T
	rows     [1 << memoBits]int32 // row of the chunk with the result; noRow if it is from an earlier chunk
	chunk    [1 << memoBits]int   // the last chunk that used the result
	chunks   int
	at       []uint16 // by row, the place of its result, or nowhere
	some     []int32
}

const (
	// memoBits is the number of bits of an id's hash that select the place of its result.
	memoBits = 8
	// nowhere is the place of results that are not cached.
	nowhere = 1 << memoBits
	noRow   = -1
)

// remembered compiles an expression and returns a memo for it, if it is costly and has
// one variable. Otherwise it returns nil. A memo contains no other memos.
func remembered[T any](c *columns, e algebra.Expr, compile func() error) (*memo[T], error) {
	if c.inMemo || !costly(e) {
		return nil, nil
	}
	slot := soleVariable(e)
	if slot == algebra.NoSlot {
		return nil, nil
	}
	c.inMemo = true
	defer func() { c.inMemo = false }()
	m := &memo[T]{c: c, slot: slot, at: make([]uint16, chunkRows), asked: make([]ID, chunkRows)}
	if c.r.terms.columnar != nil && ofKind(e) {
		m.ofKind, m.like = true, make([]uint64, chunkRows)
	}
	return m, compile()
}

// ask sets asked to the key of each row: 0 if its result is not cached.
func (m *memo[T]) ask(rows []int32) {
	for k, i := range rows {
		m.asked[k] = m.c.row(i)[m.slot]
	}
	if !m.ofKind {
		return
	}
	stored := m.c.ids[:0]
	for _, id := range m.asked[:len(rows)] {
		if id != 0 && id < LocalFirst {
			stored = append(stored, id)
		}
	}
	m.c.ids = stored
	if err := m.c.r.terms.columnar.Like(stored, m.like); err != nil {
		m.c.r.budget.Fail(err)
	}
	n := 0
	for k, id := range m.asked[:len(rows)] {
		if id != 0 && id < LocalFirst {
			m.asked[k] = ID(m.like[n])
			n++
		}
	}
}

// unknown returns the rows for which the expression must be computed.
func (m *memo[T]) unknown(rows []int32) []int32 {
	m.chunks++
	m.some = m.some[:0]
	m.ask(rows)
	for k, i := range rows {
		id := m.asked[k]
		at := uint16(uint64(id) * 0x9E3779B97F4A7C15 >> (64 - memoBits))
		switch asked := m.chunk[at] == m.chunks; {
		case id != 0 && m.ids[at] == id:
			if !asked {
				m.rows[at] = noRow
			}
		case asked || id == 0:
			at = nowhere
			m.some = append(m.some, i)
		default:
			m.ids[at], m.rows[at] = id, i
			m.some = append(m.some, i)
		}
		if m.at[i] = at; at != nowhere {
			m.chunk[at] = m.chunks
		}
	}
	return m.some
}

// fill caches the results of the rows that unknown returned, and sets those of the other
// rows.
func (m *memo[T]) fill(rows []int32, out []T) {
	for _, i := range m.some {
		if at := m.at[i]; at != nowhere {
			m.outcomes[at] = out[i]
		}
	}
	if len(m.some) == len(rows) {
		return
	}
	for _, i := range rows {
		if at := m.at[i]; at != nowhere {
			out[i] = m.outcomes[at]
		}
	}
}

// forget drops all results.
func (m *memo[T]) forget() { clear(m.ids[:]) }

// testOnce compiles an expression to its truths with a memo, or returns nil if it gets
// none.
func (c *columns) testOnce(e algebra.Expr) (truthsOf, error) {
	var t truthsOf
	m, err := remembered[value.Truth](c, e, func() (err error) { t, err = c.testEvery(e); return err })
	if m == nil {
		return nil, err
	}
	return func(rows []int32, out []value.Truth) {
		if some := m.unknown(rows); len(some) > 0 {
			t(some, out)
		}
		if m.fill(rows, out); !c.ok() {
			m.forget()
		}
	}, err
}

// valueOnce compiles an expression to its values with a memo, or returns nil if it gets
// none. Texts are cached for the rows of one chunk.
func (c *columns) valueOnce(e algebra.Expr, exact bool) (columnOf, error) {
	var f columnOf
	m, err := remembered[value.Cell](c, e, func() (err error) { f, err = c.valueEvery(e, exact); return err })
	if m == nil {
		return nil, err
	}
	own := &value.Column{}
	return func(rows []int32) *value.Column {
		some, out := m.unknown(rows), own
		if len(some) == len(rows) {
			out = f(rows)
		} else if out.Reset(c.n); len(some) > 0 {
			computed := f(some)
			for _, i := range some {
				out.Copy(i, computed)
			}
		}
		for _, i := range some {
			if at := m.at[i]; at != nowhere {
				m.outcomes[at], _ = out.Computed(i)
			}
		}
		if len(some) < len(rows) {
			for _, i := range rows {
				switch at := m.at[i]; {
				case at == nowhere:
				case m.rows[at] == noRow:
					out.Cells()[i] = m.outcomes[at]
				case m.rows[at] != i:
					out.CopyRow(i, m.rows[at])
				}
			}
		}
		for _, i := range some {
			if _, ok := out.Computed(i); m.at[i] != nowhere && (!ok || !c.ok()) {
				m.ids[m.at[i]] = 0 // its text is only valid for this chunk
			}
		}
		return out
	}, err
}

// identityOnce compiles an expression to the ids of its terms with a memo, or returns nil
// if it gets none.
func (c *columns) identityOnce(e algebra.Expr) (columnIDs, error) {
	var f columnIDs
	m, err := remembered[ID](c, e, func() (err error) { f, err = c.identityEvery(e); return err })
	if m == nil {
		return nil, err
	}
	terms, passed := c.r.terms, 0
	return func(rows []int32, out []ID) {
		if passed != terms.passed { // cached ids may be among those forgotten
			m.forget()
			passed = terms.passed
		}
		if some := m.unknown(rows); len(some) > 0 {
			f(some, out)
		}
		if m.fill(rows, out); !c.ok() {
			m.forget()
		}
	}, err
}

// sharedColumn holds the values of an expression that occurs in several places, for all
// rows of a serial number. For some of the rows, each place computes its own.
type sharedColumn struct {
	e      algebra.Expr
	exact  bool
	serial int
	values *value.Column
}

// share makes the places of an expression share what they compute. v evaluates it at this
// place.
func (c *columns) share(e algebra.Expr, exact bool, v columnOf) columnOf {
	at := slices.IndexFunc(c.shared, func(s *sharedColumn) bool { return s.exact == exact && reflect.DeepEqual(s.e, e) })
	if at < 0 {
		at = len(c.shared)
		c.shared = append(c.shared, &sharedColumn{e: e, exact: exact})
	}
	s := c.shared[at]
	return func(rows []int32) *value.Column {
		switch {
		case len(rows) < c.n:
			return v(rows)
		case s.serial != c.serial:
			s.serial, s.values = c.serial, v(rows)
		}
		return s.values
	}
}
