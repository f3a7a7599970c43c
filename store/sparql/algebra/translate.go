package algebra

import (
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Query is a query as the algebra has it.
type Query struct {
	Form syntax.Form
	Base string // what IRI() resolves against
	Root Op     // its solutions are those of the query

	Names   []string // of the variables, by Slot; "" for those that the text does not name
	Columns []Column // of SELECT

	Template  []TemplateTriple // of CONSTRUCT
	Describe  []Node           // of DESCRIBE
	From      []rdf.Term       // FROM: the default graph is these
	FromNamed []rdf.Term       // FROM NAMED: the named graphs are these
}

// Column is a variable that SELECT shows.
type Column struct {
	Name string
	Slot Slot
}

// TemplateTriple is a triple of CONSTRUCT's template.
type TemplateTriple struct{ S, P, O TemplateNode }

// TemplateNode is a variable, a term, or a blank node: one that is new for every
// solution, by its number from 1.
type TemplateNode struct {
	Node
	Blank int
}

// Most operators and variables that a query may have. Planning takes time with their
// square at worst. What has no name in the text counts too, as the nodes between the
// steps of a path do.
const (
	MaxOperators = 1 << 15
	MaxVariables = 1 << 15
)

// Translate returns the meaning of a query (SPARQL 1.1, section 18.2), within b. An error
// says what can't be evaluated: SERVICE, aggregates that the standard does not have, and
// a query of more than MaxOperators or MaxVariables.
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

// translator makes the algebra of one query.
type translator struct {
	out    *Query
	graph  Node // of the patterns that are being translated
	err    error
	budget *budget.Budget

	at        syntax.Pos // of the pattern that is being translated
	operators int        // so far
	// aggregates gets those of the expressions that are being translated; nil where there
	// can be none.
	aggregates *[]Aggregate
	inner      *scope // where aggregates' arguments are evaluated
}

func (t *translator) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// scope says which variables the names of a query or subquery stand for.
type scope struct {
	slots  map[string]Slot
	outer  *scope
	shared map[string]bool // the names that are outer's
}

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

// operator counts an operator, and reports whether translation goes on.
func (t *translator) operator() bool {
	if t.operators++; t.operators > MaxOperators {
		t.tooLarge("operators: patterns, steps of paths, arms of UNION, OPTIONALs, BINDs and so on", MaxOperators)
	}
	if err := t.budget.Tick(1); err != nil {
		t.fail(err)
	}
	return t.err == nil
}

func (t *translator) tooLarge(what string, most int) {
	t.fail(&syntax.Error{Line: t.at.Line, Column: t.at.Column,
		Msg: fmt.Sprintf("up to here the query has more than %d %s; ask in parts, or put data into VALUES", most, what)})
}

// hidden returns a variable without a name.
func (t *translator) hidden() Slot {
	if len(t.out.Names) == MaxVariables {
		t.tooLarge("variables, those between the steps of paths included", MaxVariables)
	}
	t.out.Names = append(t.out.Names, "")
	return Slot(len(t.out.Names) - 1)
}

// blank returns the variable that a blank node of a pattern is. Its key is no name of a
// variable.
func (t *translator) blank(s *scope, label string) Slot {
	slot := t.slot(s, "_:"+label)
	t.out.Names[slot] = ""
	return slot
}

// node returns a node of a pattern.
func (t *translator) node(s *scope, n syntax.Node) Node {
	switch x := n.(type) {
	case *syntax.Term:
		return Constant(x.Term)
	case *syntax.Var:
		if x.Blank {
			return Variable(t.blank(s, x.Name))
		}
		return Variable(t.slot(s, x.Name))
	}
	t.fail(fmt.Errorf("a pattern with a %T in it", n))
	return Node{}
}

func (t *translator) template(q *syntax.Query, s *scope) {
	blanks := map[string]int{}
	node := func(n syntax.Node) TemplateNode {
		if v, ok := n.(*syntax.Var); ok && v.Blank {
			if blanks[v.Name] == 0 {
				blanks[v.Name] = len(blanks) + 1
			}
			return TemplateNode{Node: Node{Slot: NoSlot}, Blank: blanks[v.Name]}
		}
		return TemplateNode{Node: t.node(s, n)}
	}
	for _, p := range q.Template {
		t.out.Template = append(t.out.Template, TemplateTriple{node(p.Subject), node(p.Predicate), node(p.Object)})
	}
}
