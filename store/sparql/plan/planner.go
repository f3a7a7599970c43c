package plan

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/value"
)

// planner plans one query. After its first error, which is in err, all it does ends soon.
type planner struct {
	statistics Statistics
	budget     *budget.Budget
	vars       *algebra.Variables
	err        error
	exists     int // how many EXISTS there are around
	twice      int // and how many operators that have it planned in two ways
	// What was found out before.
	sizes      map[*algebra.Triple]size
	costs      map[costKey]costs
	lately     map[algebra.Op]estimated
	conditions map[algebra.Expr]condition
	likelies   map[algebra.Op]algebra.Set
	texts      map[algebra.Expr]textBound
	lists      map[algebra.Slot][][]rdf.Term
	unplanned  map[*algebra.Exists]algebra.Op // what EXISTS that were planned had as their pattern
}

func newPlanner(s Statistics, b *budget.Budget) *planner {
	p := &planner{statistics: s, budget: b, vars: &algebra.Variables{}}
	p.vars.Spend = p.spend
	return p
}

// another returns a planner for the same query that has found out nothing about its
// operators yet.
func (p *planner) another() *planner {
	return &planner{statistics: p.statistics, budget: p.budget, vars: p.vars}
}

func (p *planner) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// tick accounts for n units of work, and reports whether planning goes on.
func (p *planner) tick(n int) bool {
	p.fail(p.budget.Tick(n))
	return p.err == nil
}

// setWork is how many bytes of a set take as long as a unit of work.
const setWork = 256

// spend accounts for what is kept.
func (p *planner) spend(bytes int64) {
	p.fail(p.budget.Grow(bytes))
	p.tick(1 + int(bytes/setWork))
}

// condition is what is known of a condition, or of another expression.
type condition struct {
	needs    algebra.Set // the variables in it
	volatile bool        // it gives something else every time
}

func (p *planner) condition(e algebra.Expr) condition {
	c, ok := p.conditions[e]
	if ok {
		return c
	}
	c.needs = p.vars.MentionedBy(e)
	algebra.Walk(e, func(e algebra.Expr) {
		if call, ok := e.(*algebra.Call); ok && !c.volatile {
			f, ok := value.Lookup(string(call.Op), false)
			c.volatile = ok && f.Volatile
		}
	})
	if p.conditions == nil {
		p.conditions = map[algebra.Expr]condition{}
	}
	p.conditions[e] = c
	p.spend(c.needs.Size())
	return c
}

// made returns what bindings bind.
func made(bindings []algebra.Binding) algebra.Set {
	slots := make([]algebra.Slot, len(bindings))
	for i, b := range bindings {
		slots[i] = b.Var
	}
	return algebra.SetOf(slots...)
}
