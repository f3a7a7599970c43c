package syntax

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// scope holds the names of the variables in scope at some point (SPARQL 1.1, section
// 18.2.1). Their numbers increase in order of first appearance in the text.
type scope map[string]int

// checker checks the rules that the grammar can't express, and sets the fields of Query
// that depend on scope. err is the first error.
type checker struct {
	err    error
	number int             // of the next variable to appear
	labels map[string]*BGP // the basic graph pattern of each blank node label
	// starColumns is the number of columns of all SELECT * so far.
	starColumns int
}

// checkScope checks a whole query. The error is an *Error.
func checkScope(q *Query) error {
	c := checker{labels: map[string]*BGP{}}
	c.query(q)
	return c.err
}

func (c *checker) failf(at Pos, format string, args ...any) {
	if c.err == nil {
		c.err = &Error{Line: at.Line, Column: at.Column, Msg: fmt.Sprintf(format, args...)}
	}
}

func (c *checker) add(s scope, name string) {
	if _, ok := s[name]; !ok {
		s[name] = c.number
		c.number++
	}
}

// merge returns the union of a and b, which must not be nil. It may modify and return
// either of them. It copies the names of the smaller one, so that deep nesting does not
// copy the same names repeatedly.
func merge(a, b scope) scope {
	if len(a) < len(b) {
		a, b = b, a
	}
	for name, number := range b {
		if first, ok := a[name]; !ok || number < first {
			a[name] = number
		}
	}
	return a
}

// names returns the variables in order of first appearance.
func (s scope) names() []string {
	return slices.SortedFunc(maps.Keys(s), func(a, b string) int { return cmp.Compare(s[a], s[b]) })
}

// group checks a group and returns the variables in scope at its end.
func (c *checker) group(g *Group) scope {
	s := scope{}
	for _, pattern := range g.Patterns {
		if bind, ok := pattern.(*Bind); ok {
			if _, ok := s[bind.Var.Name]; ok {
				c.failf(bind.Var.Pos, "BIND can't set ?%s: a pattern before it in its group binds it", bind.Var.Name)
			}
		}
		s = merge(s, c.pattern(pattern))
	}
	for _, filter := range g.Filters {
		c.expression(filter, "FILTER")
	}
	return s
}

// pattern checks a pattern and returns the variables that it brings into scope.
func (c *checker) pattern(pattern Pattern) scope {
	s := scope{}
	switch x := pattern.(type) {
	case *Group:
		return c.group(x)
	case *BGP:
		for _, t := range x.Triples {
			for _, n := range []Node{t.Subject, t.Predicate, t.Object} {
				c.node(s, n, x)
			}
		}
	case *Optional:
		return c.group(x.Group)
	case *Union:
		for _, g := range x.Groups {
			s = merge(s, c.group(g))
		}
	case *Minus:
		c.group(x.Group)
	case *Graph:
		c.node(s, x.Name, nil)
		return merge(s, c.group(x.Group))
	case *Service:
		c.node(s, x.Name, nil)
		return merge(s, c.group(x.Group))
	case *Bind:
		c.expression(x.Expr, "BIND")
		c.add(s, x.Var.Name)
	case *InlineData:
		c.inlineData(s, x)
	case *SubSelect:
		return c.query(x.Query)
	}
	return s
}

// node adds n to s if it is a variable, or the variables in n if it is a triple term. The
// label of a blank node must not occur in another basic graph pattern (section 5.1.1).
func (c *checker) node(s scope, n Node, in *BGP) {
	if t, ok := n.(*TripleTerm); ok {
		c.node(s, t.Subject, in)
		c.node(s, t.Predicate, in)
		c.node(s, t.Object, in)
		return
	}
	v, ok := n.(*Var)
	switch {
	case !ok: // a term
	case !v.Blank:
		c.add(s, v.Name)
	case v.Name != "": // a blank node without a label occurs only once, and is named later
		if other := c.labels[v.Name]; other != nil && other != in {
			c.failf(v.Pos, "the blank node _:%s is also in the basic graph pattern at line %d, column %d; a label may occur in only one of them", v.Name, other.Line, other.Column)
		}
		c.labels[v.Name] = in
	}
}

// inlineData adds the variables of VALUES to a scope. Each may occur once.
func (c *checker) inlineData(s scope, d *InlineData) {
	for _, v := range d.Vars {
		if _, ok := s[v.Name]; ok {
			c.failf(v.Pos, "VALUES has the variable ?%s twice", v.Name)
		}
		c.add(s, v.Name)
	}
}
