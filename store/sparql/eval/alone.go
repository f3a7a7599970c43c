package eval

import (
	"github.com/segraph/segraph/store/rdf"
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

// isAlone reports whether a call is computed apart from the columns: of the term of a
// variable, or row by row.
func isAlone(x *algebra.Call) bool {
	switch {
	case x.Op == syntax.OpIf, x.Op == syntax.OpCoalesce, binaries[x.Op] != nil, isTest(x.Op):
		return false
	}
	return unaryOf(x) == nil || isText(x.Args[0])
}

// alone computes an expression for one row after the other, or if it is of one variable,
// for each of its terms.
type alone struct {
	c    *columns
	work int
	slot algebra.Slot // of the variable; NoSlot for several
	peek *peek        // the variable's term, nil if the expression takes it from the row
	memo [1 << memoBits]ID
}

// memoBits is how many bits of a hash of an id choose where its outcome is remembered.
const memoBits = 8

func memoOf(id ID) int { return int(uint64(id) * 0x9E3779B97F4A7C15 >> (64 - memoBits)) }

// compileAlone calls compile, with the run's expressions of the variable taking its term
// from peek where they can.
func (c *columns) compileAlone(e algebra.Expr, compile func() error) (*alone, error) {
	a := &alone{c: c, work: workOf(e), slot: soleVariable(e)}
	if a.slot != algebra.NoSlot && passes(e) {
		a.peek = &peek{terms: c.r.terms, slot: a.slot}
	}
	c.r.peek = a.peek
	defer func() { c.r.peek = nil }()
	return a, compile()
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

// passes reports whether no function keeps the texts that it gets.
func passes(e algebra.Expr) bool {
	ok := true
	algebra.Walk(e, func(e algebra.Expr) {
		x, isCall := e.(*algebra.Call)
		if !isCall || x.Op != syntax.OpRegex && x.Op != syntax.OpReplace {
			return
		}
		for _, arg := range x.Args[1:] { // patterns are remembered
			if _, isConst := arg.(*algebra.Const); !isConst {
				ok = false
			}
		}
	})
	return ok
}

// known reports whether the outcome for the id that a row has is remembered, and where it
// is to be remembered.
func (a *alone) known(row []ID) (at int, ok bool) {
	if a.slot == algebra.NoSlot {
		return nowhere, false
	}
	id := row[a.slot]
	if at = memoOf(id); id != 0 && a.memo[at] == id {
		return at, true
	}
	a.memo[at] = id
	if a.peek != nil {
		a.peek.set(id)
	}
	return at, false
}

// nowhere is the place in a memo of what is not remembered.
const nowhere = 1 << memoBits

// compute sets rows of out to what f computes, or memo remembers.
func compute[T any](a *alone, rows []int32, out, memo []T, f func(row []ID) T) {
	for _, i := range rows {
		row := a.c.row(i)
		at, ok := a.known(row)
		if !ok {
			if a.c.stop(a.work) {
				return
			}
			memo[at] = f(row)
		}
		out[i] = memo[at]
	}
}

// testAlone compiles an expression for its truths.
func (c *columns) testAlone(e algebra.Expr) (truthsOf, error) {
	var t test
	a, err := c.compileAlone(e, func() (err error) { t, err = c.r.test(e); return err })
	memo := make([]value.Truth, nowhere+1)
	return func(rows []int32, out []value.Truth) { compute(a, rows, out, memo, t) }, err
}

// valueAlone compiles an expression for its values.
func (c *columns) valueAlone(e algebra.Expr) (columnOf, error) {
	var f expression
	a, err := c.compileAlone(e, func() (err error) { f, err = c.r.value(e, false); return err })
	memo, out := make([]value.Cell, nowhere+1), &value.Column{}
	return func(rows []int32) *value.Column {
		out.Reset(c.n)
		for _, i := range rows {
			row := c.row(i)
			at, ok := a.known(row)
			if ok {
				out.Cells()[i] = memo[at]
				continue
			}
			if c.stop(a.work) {
				break
			}
			v := f(row)
			if v.Size() > 0 && a.peek != nil {
				v = v.Clone()
			}
			c.hold(out, i, v)
			if memo[at], ok = out.Computed(i); (!ok || !c.ok()) && at != nowhere {
				a.memo[at] = 0 // a text is not remembered
			}
		}
		return out
	}, err
}

// identityAlone compiles an expression for the ids of its terms.
func (c *columns) identityAlone(e algebra.Expr) (columnIDs, error) {
	var f expression
	a, err := c.compileAlone(e, func() (err error) { f, err = c.r.value(e, true); return err })
	id := func(row []ID) ID { return c.r.idOf(f(row)) }
	if a.peek != nil {
		id = func(row []ID) ID { return c.r.idOfPassing(f(row)) }
	}
	memo, terms, passed := make([]ID, nowhere+1), c.r.terms, 0
	return func(rows []int32, out []ID) {
		if passed != terms.passed { // and with that ids that may be remembered
			clear(a.memo[:])
			passed = terms.passed
		}
		compute(a, rows, out, memo, id)
	}, err
}

// peek is the term of a variable, whose texts are good only until the next one is set.
type peek struct {
	terms *terms
	slot  algebra.Slot
	id    [1]ID
	cell  [1]value.Cell // of an id that is a value itself
	exact value.Value   // unbound until it is asked for
}

func (p *peek) set(id ID) {
	p.id[0], p.cell[0], p.exact = id, value.Cell{}, value.Value{}
	if p.terms.columnar != nil {
		p.terms.columnar.Cells(p.id[:], p.cell[:])
	}
}

// value returns what the term means; only if exact, it certainly has its lexical form.
func (p *peek) value(exact bool) value.Value {
	if !exact && p.cell[0] != (value.Cell{}) {
		return value.Of(p.cell[0], rdf.Term{})
	}
	if p.exact.Kind() == value.KindUnbound {
		p.exact = p.read()
	}
	return p.exact
}

func (p *peek) read() value.Value {
	id := p.id[0]
	if id == 0 || id >= LocalFirst || p.terms.columnar == nil {
		return p.terms.exact(id)
	}
	term, err := p.terms.columnar.Peek(id)
	switch {
	case err != nil:
		p.terms.budget.Fail(err)
		return value.Error()
	case p.cell[0] != (value.Cell{}):
		return value.Of(p.cell[0], term)
	}
	return value.FromTerm(term)
}
