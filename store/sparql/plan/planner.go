package plan

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/value"
)

// planner plans one query. After an error, which it keeps in err, it stops soon.
type planner struct {
	statistics Statistics
	budget     *budget.Budget
	vars       *algebra.Variables
	err        error
	exists     int // number of enclosing EXISTS
	bothWays   int // number of enclosing operators that are planned in two ways
	// Cached results.
	sizes      map[*algebra.Triple]size
	costs      map[costKey]costs
	conditions map[algebra.Expr]condition
	likelyVars map[algebra.Op]algebra.Set
	texts      map[algebra.Expr]textBound
	lists      map[algebra.Slot][][]rdf.Term
	unplanned  map[*algebra.Exists]algebra.Op // the original pattern of each planned EXISTS
}

func newPlanner(s Statistics, b *budget.Budget) *planner {
	vars := &algebra.Variables{}
	p := (&planner{statistics: s, budget: b, vars: vars}).another()
	vars.Spend = p.spend
	return p
}

// another returns a planner for the same query without cached estimates.
func (p *planner) another() *planner {
	return &planner{statistics: p.statistics, budget: p.budget, vars: p.vars,
		sizes: map[*algebra.Triple]size{}, costs: map[costKey]costs{},
		conditions: map[algebra.Expr]condition{}, likelyVars: map[algebra.Op]algebra.Set{}, texts: map[algebra.Expr]textBound{},
		lists: map[algebra.Slot][][]rdf.Term{}, unplanned: map[*algebra.Exists]algebra.Op{}}
}

func (p *planner) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// tick charges n units of work and reports whether to continue.
func (p *planner) tick(n int) bool {
	p.fail(p.budget.Tick(n))
	return p.err == nil
}

// setWork is the number of bytes of a set that cost one unit of work.
const setWork = 256

// spend charges for memory that is kept.
func (p *planner) spend(bytes int64) {
	p.fail(p.budget.Grow(bytes))
	p.tick(1 + int(bytes/setWork))
}

// condition describes a condition or another expression.
type condition struct {
	needs    algebra.Set // its variables
	volatile bool        // each evaluation may return another value, as for RAND
}

// condition returns what is known about a condition: the variables that it needs, and whether it is
// volatile, such as RAND(). It caches the answer.
func (p *planner) condition(e algebra.Expr) condition {
	c, ok := p.conditions[e]
	if ok {
		return c
	}
	c.needs = p.vars.MentionedBy(e)
	algebra.Walk(e, func(e algebra.Expr) {
		if call, ok := e.(*algebra.Call); ok && !c.volatile {
			f, ok := value.Lookup(string(call.Op))
			c.volatile = ok && f.Volatile
		}
	})
	p.conditions[e] = c
	p.spend(c.needs.Size())
	return c
}
