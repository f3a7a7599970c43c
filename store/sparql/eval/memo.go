package eval

import (
	"reflect"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// shortAnswers are the functions that are not computed in columns and do not return texts.
var shortAnswers = map[syntax.Op]bool{syntax.OpStrLen: true, syntax.OpContains: true, syntax.OpStrStarts: true, syntax.OpStrEnds: true,
	syntax.OpRegex: true, syntax.OpLangMatches: true, syntax.OpIsNumeric: true, syntax.OpNow: true}

// isText reports whether an expression may compute texts.
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

// isFunction reports whether a call is computed by a function of values, one row after the
// other, and not by an operator on columns.
func isFunction(x *algebra.Call) bool {
	switch {
	case x.Op == syntax.OpIf, x.Op == syntax.OpCoalesce, binaries[x.Op] != nil, unaries[x.Op] != nil, isTest(x.Op):
		return false
	}
	return unaryOf(x) == nil || isText(x.Args[0])
}

// soleVariable returns the one variable of an expression, NoSlot if there are others or
// there is an EXISTS.
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

// costly reports whether computing an expression takes longer than to remember what came
// out: it calls a function, or compares texts.
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

// ofKind reports whether an expression asks of its variables nothing but what terms of the
// same kind, datatype and language share.
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

// kinds are the functions of that.
var kinds = map[syntax.Op]bool{syntax.OpLang: true, syntax.OpDatatype: true, syntax.OpLangDir: true, syntax.OpHasLang: true,
	syntax.OpHasLangDir: true, syntax.OpIsIRI: true, syntax.OpIsBlank: true, syntax.OpIsLiteral: true}

// memo remembers what an expression of one variable came to, so that it is computed once
// for each of the variable's terms, or almost so.
type memo[T any] struct {
	c        *columns
	slot     algebra.Slot
	ofKind   bool // once for each kind of term
	asked    []ID
	like     []uint64
	ids      [1 << memoBits]ID
	outcomes [1 << memoBits]T
	rows     [1 << memoBits]int32 // of the chunk that has an outcome; noRow for one that came before
	chunk    [1 << memoBits]int   // the last one that asked
	chunks   int
	at       []uint16 // by row: where its outcome is, or nowhere
	some     []int32
}

const (
	// memoBits is how many bits of a hash of an id choose where its outcome is remembered.
	memoBits = 8
	// nowhere is the place of what is not remembered.
	nowhere = 1 << memoBits
	noRow   = -1
)

// remembered returns a memo for an expression and compiles that, if it is costly and has
// one variable. In the expression there is no other memo.
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

// ask leaves in asked, for each of the rows, what outcomes are remembered by: 0 for what
// is not remembered.
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

// fill sets what is remembered, after the rows that unknown returned are computed.
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

// forget forgets everything.
func (m *memo[T]) forget() { clear(m.ids[:]) }

// testOnce compiles an expression for its truths, if it is one to remember.
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

// valueOnce compiles an expression for its values, if it is one to remember. It remembers
// texts for the rows of a chunk.
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
				m.ids[m.at[i]] = 0 // whose text is good for this chunk alone
			}
		}
		return out
	}, err
}

// identityOnce compiles an expression for the ids of its terms, if it is one to remember.
func (c *columns) identityOnce(e algebra.Expr) (columnIDs, error) {
	var f columnIDs
	m, err := remembered[ID](c, e, func() (err error) { f, err = c.identityEvery(e); return err })
	if m == nil {
		return nil, err
	}
	terms, passed := c.r.terms, 0
	return func(rows []int32, out []ID) {
		if passed != terms.passed { // and with that ids that may be remembered
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

// sharedColumn is an expression that may be in several places, and its values for all rows
// with a serial number. Where only some rows are asked for, each place computes its own.
type sharedColumn struct {
	e      algebra.Expr
	exact  bool
	serial int
	values *value.Column
}

// share lets the places of an expression, each with its own v, share what they compute.
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
