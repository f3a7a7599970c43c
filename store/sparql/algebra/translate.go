package algebra

import (
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Query is a query translated to the algebra.
type Query struct {
	Form syntax.Form
	Base string // the base IRI for IRI()
	Root Op     // the solutions of the query

	Names   []string // of the variables, by Slot; "" for those without a name in the query
	Columns []Column // of SELECT

	Template  []TemplateTriple // of CONSTRUCT
	Describe  []Node           // of DESCRIBE
	From      []rdf.Term       // FROM: the graphs that form the default graph
	FromNamed []rdf.Term       // FROM NAMED: the named graphs
}

// Column is a variable that SELECT returns.
type Column struct {
	Name string
	Slot Slot
}

// TemplateTriple is a triple of the template of a CONSTRUCT.
type TemplateTriple struct{ S, P, O TemplateNode }

// TemplateNode is a variable, a term, a blank node or a triple term. Blank is the
// number of a blank node, from 1, or 0 for other nodes. Each solution gets new blank
// nodes. If Triple is not nil, the node is the triple term of that triple, instantiated
// for each solution.
type TemplateNode struct {
	Node
	Blank  int
	Triple *TemplateTriple
}

// Limits on the operators and variables of a query, because planning takes quadratic
// time at worst. Both include those that the query does not name, such as the nodes
// between the steps of a path.
const (
	MaxOperators = 1 << 15
	MaxVariables = 1 << 15
)

// Translate returns the meaning of a query (SPARQL 1.1, section 18.2), within b. It
// returns an error for SERVICE, for aggregates that are not in the standard, and for a
// query of more than MaxOperators or MaxVariables; the Query beside it is not complete.
func Translate(q *syntax.Query, b *budget.Budget) (*Query, error) {
	if err := q.RefuseService(); err != nil {
		return nil, err
	}
	t := &translator{budget: b, at: q.Pos, out: &Query{Form: q.Form, Base: q.Prologue.Base}, graph: DefaultGraph}
	s := &scope{}
	t.out.Root = t.solutions(q, s)
	for _, name := range q.Variables {
		t.out.Columns = append(t.out.Columns, Column{name, t.slot(s, name)})
	}
	for _, f := range q.From {
		t.out.From = append(t.out.From, f.Term)
	}
	for _, f := range q.FromNamed {
		t.out.FromNamed = append(t.out.FromNamed, f.Term)
	}
	t.template(q, s)
	for _, n := range q.Describe {
		t.out.Describe = append(t.out.Describe, t.node(s, n))
	}
	if q.Form == syntax.Describe && q.Star {
		for _, c := range t.out.Columns {
			t.out.Describe = append(t.out.Describe, Variable(c.Slot))
		}
	}
	if q.Form != syntax.Select {
		t.out.Columns = nil
	}
	return t.out, t.err
}

// translator translates one query.
type translator struct {
	out    *Query
	graph  Node // of the patterns being translated
	err    error
	budget *budget.Budget

	at        syntax.Pos // position of the pattern being translated
	operators int        // so far
	terms     []Op       // the triple terms of the pattern being translated
	// aggregates collects the aggregates of the expressions being translated. It is nil
	// if aggregates are not allowed there.
	aggregates *[]Aggregate
	inner      *scope // scope of the arguments of aggregates
	// exists is set in EXISTS where order and repetition of solutions do not matter.
	exists bool
}

func (t *translator) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// scope maps the names in a query or subquery to variables.
type scope struct {
	slots  map[string]Slot
	outer  *scope
	shared map[string]bool // names that belong to outer
}

// slot returns the slot of a variable in a scope, and takes a new slot if the variable has none. A shared variable has
// the slot of the outer scope.
func (t *translator) slot(s *scope, name string) Slot {
	if s.shared[name] {
		return t.slot(s.outer, name)
	}
	if slot, ok := s.slots[name]; ok {
		return slot
	}
	slot := t.hidden()
	t.out.Names[slot] = name
	if s.slots == nil {
		s.slots = map[string]Slot{}
	}
	s.slots[name] = slot
	return slot
}

// operator counts an operator and reports whether to continue.
func (t *translator) operator() bool {
	if t.operators++; t.operators > MaxOperators {
		t.tooLarge("operators (patterns, steps of paths, arms of UNION, OPTIONALs, BINDs and so on)", MaxOperators)
	}
	if err := t.budget.Tick(1); err != nil {
		t.fail(err)
	}
	return t.err == nil
}

func (t *translator) tooLarge(what string, limit int) {
	t.fail(&syntax.Error{Line: t.at.Line, Column: t.at.Column,
		Msg: fmt.Sprintf("up to here the query has more than %d %s; split it, or put data into VALUES", limit, what)})
}

// hidden returns a new variable without a name. It fails the translation if there are
// MaxVariables, but returns one more.
func (t *translator) hidden() Slot {
	if len(t.out.Names) == MaxVariables {
		t.tooLarge("variables (including those between the steps of paths)", MaxVariables)
	}
	t.out.Names = append(t.out.Names, "")
	return Slot(len(t.out.Names) - 1)
}

// blank returns the variable for a blank node of a pattern. Its key can't be the name of
// a variable.
func (t *translator) blank(s *scope, label string) Slot {
	slot := t.slot(s, "_:"+label)
	t.out.Names[slot] = ""
	return slot
}

// node translates a node of a pattern. It replaces a triple term by a variable, and adds
// the term to t.terms. If it fails, the result means nothing.
func (t *translator) node(s *scope, n syntax.Node) Node {
	switch x := n.(type) {
	case *syntax.Term:
		return Constant(x.Term)
	case *syntax.Var:
		if x.Blank {
			return Variable(t.blank(s, x.Name))
		}
		return Variable(t.slot(s, x.Name))
	case *syntax.TripleTerm:
		if t.at = x.Pos; !t.operator() {
			return Node{}
		}
		term := &TripleTerm{Term: t.hidden()}
		t.terms = append(t.terms, term)
		term.S, term.P, term.O = t.node(s, x.Subject), t.node(s, x.Predicate), t.node(s, x.Object)
		return Variable(term.Term)
	}
	t.fail(fmt.Errorf("unknown kind of node: %T", n))
	return Node{}
}

// template translates the template of a CONSTRUCT, whose blank nodes are numbered: each solution gets new ones.
func (t *translator) template(q *syntax.Query, s *scope) {
	blanks := map[string]int{}
	var node func(n syntax.Node) TemplateNode
	node = func(n syntax.Node) TemplateNode {
		switch x := n.(type) {
		case *syntax.Var:
			if !x.Blank {
				break
			}
			if blanks[x.Name] == 0 {
				blanks[x.Name] = len(blanks) + 1
			}
			return TemplateNode{Node: Node{Slot: NoSlot}, Blank: blanks[x.Name]}
		case *syntax.TripleTerm:
			return TemplateNode{Node: Node{Slot: NoSlot}, Triple: &TemplateTriple{node(x.Subject), node(x.Predicate), node(x.Object)}}
		}
		return TemplateNode{Node: t.node(s, n)}
	}
	for _, p := range q.Template {
		t.out.Template = append(t.out.Template, TemplateTriple{node(p.Subject), node(p.Predicate), node(p.Object)})
	}
}
