package remote

import (
	"strings"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// xsd is the namespace of the casts (SPARQL 1.1, section 17.5).
const xsd = "http://www.w3.org/2001/XMLSchema#"

// rewriter rewrites a query for the server. It owns the tree, and changes it.
type rewriter struct {
	dialect *Dialect
	why     string // why the query can't be sent
	graphs  bool   // the query has a GRAPH
	floats  bool   // the query computes xsd:double or xsd:float values
	kept    bool   // the server has literals with substituted datatypes

	contexts string // the server's name for the graph of contexts
}

// rewrite returns the query for the server, a SELECT or ASK without FROM, or why there is none. dataset says that the
// query names its graphs. graphs reports whether it has a GRAPH.
func (f *follower) rewrite(b *budget.Budget, q *sparql.Query, dataset bool) (sent *syntax.Query, graphs bool, why string) {
	read, err := syntax.ParseQuery(q.Syntax().String(), syntax.Options{Budget: b})
	if err != nil {
		return nil, false, "the query can't be formatted: " + err.Error()
	}
	r := &rewriter{dialect: &f.config.Dialect, kept: f.kept.Load(), contexts: f.contextsGraph()}
	if r.why = r.dialect.Distrust(read); r.why != "" {
		return nil, false, r.why
	}
	if haveTripleTerm(read.Template) {
		return nil, false, hasTripleTerms
	}
	read.From, read.FromNamed = nil, nil
	switch read.Form {
	case syntax.Construct:
		read.Form, read.Template = syntax.Select, nil
		read.Projection, read.Star = projection(q.Syntax().Template), false
	case syntax.Describe:
		return nil, false, "the result of DESCRIBE is different on every server"
	}
	if read.Form == syntax.Select && !read.Star && len(read.Projection) == 0 { // a template without variables, for each row
		one := &syntax.Term{Term: rdf.NewLiteral("1", rdf.XSDInteger)}
		read.Projection = []syntax.SelectItem{{Expr: one, Var: &syntax.Var{Name: "one"}}}
	}
	r.query(read)
	if r.graphs && !dataset && r.why == "" {
		others, err := f.otherGraphs()
		if err != nil {
			return nil, false, err.Error()
		}
		if others {
			r.why = "it does not have the graphs that were loaded into the file"
		}
	}
	if read.Form == syntax.Select && r.dialect.ShortFloats && (r.floats || f.floats.Load()) {
		withText(read, q)
	}
	return read, r.graphs, r.why
}

// hasTripleTerms is the reason for not sending a query with triple terms.
const hasTripleTerms = "it has triple terms, which servers of SPARQL 1.1 do not know"

// haveTripleTerm reports whether a template has a triple term as a subject or object. For the pattern, rewriter.node tells.
func haveTripleTerm(triples []syntax.TriplePattern) bool {
	for _, t := range triples {
		for _, n := range []syntax.Node{t.Subject, t.Object} {
			switch x := n.(type) {
			case *syntax.TripleTerm:
				return true
			case *syntax.Term:
				if x.IsTriple() {
					return true
				}
			}
		}
	}
	return false
}

// otherGraphs reports whether the file has graphs that the server does not receive.
func (f *follower) otherGraphs() (bool, error) {
	snap, err := f.file.Snapshot()
	if err != nil {
		return false, err
	}
	defer snap.Close()
	for _, g := range snap.Graphs() {
		n, err := snap.Count(0, 0, 0, g)
		if err != nil {
			return false, err
		}
		if g == 0 || n == 0 {
			continue
		}
		if t, err := snap.Term(g); err != nil || t.Value() != store.ContextsGraph {
			return true, err
		}
	}
	return false, nil
}

// projection returns the variables of a template.
func projection(template []syntax.TriplePattern) (out []syntax.SelectItem) {
	seen := map[string]bool{}
	for _, t := range template {
		for _, n := range []syntax.Node{t.Subject, t.Predicate, t.Object} {
			if v, ok := n.(*syntax.Var); ok && !v.Blank && !seen[v.Name] {
				seen[v.Name] = true
				out = append(out, syntax.SelectItem{Var: &syntax.Var{Name: v.Name}})
			}
		}
	}
	return out
}

// query changes the terms of a query to those that the server has, and notes in r.why if the server may answer
// differently.
func (r *rewriter) query(q *syntax.Query) {
	for i := range q.Projection {
		q.Projection[i].Expr = r.expr(q.Projection[i].Expr)
	}
	if q.Where != nil {
		r.group(q.Where)
	}
	for i := range q.GroupBy {
		q.GroupBy[i].Expr = r.expr(q.GroupBy[i].Expr)
	}
	r.exprs(q.Having)
	q.OrderBy = r.order(q.OrderBy)
	if q.Values != nil {
		r.pattern(q.Values)
	}
}

// order rewrites the keys of ORDER BY. Blank nodes come before IRIs, also if they have names there.
func (r *rewriter) order(keys []syntax.OrderKey) (out []syntax.OrderKey) {
	for _, key := range keys {
		if v, ok := key.Expr.(*syntax.Var); ok && r.named() {
			number := func(n string) syntax.Expr { return &syntax.Term{Term: rdf.NewLiteral(n, rdf.XSDInteger)} }
			blank := r.call(&syntax.Call{Op: syntax.OpIsBlank, Args: []syntax.Expr{v}})
			out = append(out, syntax.OrderKey{Expr: &syntax.Call{Op: syntax.OpIf, Args: []syntax.Expr{blank, number("0"), number("1")}}, Descending: key.Descending})
		}
		key.Expr = r.expr(key.Expr)
		out = append(out, key)
	}
	return out
}

// named reports whether blank nodes are IRIs at the server.
func (r *rewriter) named() bool { return strings.HasPrefix(r.dialect.Blank("0"), blankSpace) }

func (r *rewriter) group(g *syntax.Group) {
	for _, p := range g.Patterns {
		r.pattern(p)
	}
	r.exprs(g.Filters)
}

// pattern does for a pattern what query does for a whole one.
func (r *rewriter) pattern(p syntax.Pattern) {
	switch x := p.(type) {
	case *syntax.Group:
		r.group(x)
	case *syntax.BGP:
		for i := range x.Triples {
			t := &x.Triples[i]
			t.Subject, t.Object = r.node(t.Subject), r.node(t.Object)
			if t.Predicate != nil {
				t.Predicate = r.node(t.Predicate)
			}
		}
	case *syntax.Optional:
		r.group(x.Group)
	case *syntax.Union:
		for _, g := range x.Groups {
			r.group(g)
		}
	case *syntax.Minus:
		r.group(x.Group)
	case *syntax.Graph:
		r.graphs = true
		// A name outside the dataset matches nothing, even if the server has a graph with
		// that name.
		if t, ok := x.Name.(*syntax.Term); ok {
			name := noGraph
			if t.Value() == store.ContextsGraph {
				name = r.contexts
			}
			x.Name = &syntax.Term{Pos: t.Pos, Term: rdf.NewIRI(name)}
		}
		r.group(x.Group)
	case *syntax.Bind:
		x.Expr = r.expr(x.Expr)
	case *syntax.InlineData:
		for _, row := range x.Rows {
			for i, t := range row {
				row[i] = r.out(t)
			}
		}
	case *syntax.SubSelect:
		r.query(x.Query)
	case *syntax.Service:
		r.why = "SERVICE is never sent"
	}
}

// out returns the server's term for a term of the query. For a triple term it sets r.why.
func (r *rewriter) out(t rdf.Term) rdf.Term {
	if t.IsTriple() {
		r.why = hasTripleTerms
	}
	if t.IsIRI() && t.Value() == store.ContextsGraph {
		return rdf.NewIRI(r.contexts)
	}
	return r.dialect.out(t)
}

// node rewrites a term for the server, and sets r.floats and r.why accordingly.
func (r *rewriter) node(n syntax.Node) syntax.Node {
	switch x := n.(type) {
	case *syntax.Term:
		r.floats = r.floats || isFloat(x.Term)
		return &syntax.Term{Pos: x.Pos, Term: r.out(x.Term)}
	case *syntax.TripleTerm:
		r.why = hasTripleTerms
	}
	return n
}

func (r *rewriter) exprs(list []syntax.Expr) {
	for i := range list {
		list[i] = r.expr(list[i])
	}
}

// expr rewrites an expression for the server. r.why says why the query can't be sent.
func (r *rewriter) expr(e syntax.Expr) syntax.Expr {
	switch x := e.(type) {
	case *syntax.Term:
		return r.node(x)
	case *syntax.Call:
		r.exprs(x.Args)
		r.floats = r.floats || x.Function == rdf.XSDDouble || x.Function == rdf.XSDFloat
		if x.Op == syntax.OpFunction && !strings.HasPrefix(x.Function, xsd) {
			r.why = "it has the function " + x.Function + ", which the server may define itself"
		}
		return r.call(x)
	case *syntax.Aggregate:
		if x.Arg != nil {
			x.Arg = r.expr(x.Arg)
		}
	case *syntax.In:
		x.Expr = r.expr(x.Expr)
		r.exprs(x.List)
	case *syntax.Exists:
		r.group(x.Group)
	}
	return e
}

// call rewrites functions whose result depends on how the server stores terms: ISBLANK
// and ISIRI of blank nodes, STR of a variable, which is an error for a blank node, and
// DATATYPE of literals with substituted datatypes.
func (r *rewriter) call(c *syntax.Call) syntax.Expr {
	call := func(op syntax.Op, args ...syntax.Expr) syntax.Expr {
		return &syntax.Call{Pos: c.Pos, Op: op, Args: args}
	}
	text := func(s string) syntax.Expr { return &syntax.Term{Term: rdf.NewString(s)} }
	named := r.named()
	switch c.Op {
	case syntax.OpTriple, syntax.OpSubject, syntax.OpPredicate, syntax.OpObject, syntax.OpIsTriple:
		r.why = hasTripleTerms
	}
	switch {
	case c.Op == syntax.OpIsBlank && named:
		return call(syntax.OpOr, c, call(syntax.OpAnd, call(syntax.OpIsIRI, c.Args...),
			call(syntax.OpStrStarts, call(syntax.OpStr, c.Args...), text(blankSpace))))
	case c.Op == syntax.OpIsIRI && named:
		return call(syntax.OpAnd, c, call(syntax.OpNot, call(syntax.OpStrStarts, call(syntax.OpStr, c.Args...), text(blankSpace))))
	case c.Op == syntax.OpStr && named:
		if v, ok := c.Args[0].(*syntax.Var); ok { // of more, nested calls would grow without limit
			return call(syntax.OpIf, r.call(&syntax.Call{Op: syntax.OpIsBlank, Args: []syntax.Expr{v}}), call(syntax.OpAbs, text("")), c)
		}
	case c.Op == syntax.OpIsIRI && r.dialect.BlankIsIRI:
		return call(syntax.OpAnd, c, call(syntax.OpNot, call(syntax.OpIsBlank, c.Args...)))
	case c.Op == syntax.OpDatatype && r.kept:
		name := call(syntax.OpStr, c)
		return call(syntax.OpIf, call(syntax.OpStrStarts, name, text(keptSpace)),
			call(syntax.OpIRI, call(syntax.OpStrAfter, name, text(keptSpace))), c)
	}
	return c
}
