package syntax_test

import (
	"fmt"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// dump returns a query's tree as nested lists, one clause or pattern per line. It is
// independent of the printer: its brackets show the tree.
func dump(q *syntax.Query) string {
	d := &dumper{}
	d.query(q, 0)
	return strings.Join(d.lines, "\n")
}

type dumper struct{ lines []string }

func (d *dumper) add(depth int, parts ...string) {
	d.lines = append(d.lines, strings.Repeat("  ", depth)+strings.Join(parts, " "))
}

func (d *dumper) query(q *syntax.Query, n int) {
	head := []string{q.Form.String()}
	for word, is := range map[string]bool{"distinct": q.Distinct, "reduced": q.Reduced} {
		if is {
			head = append(head, word)
		}
	}
	if q.Star {
		head = append(head, "*")
	}
	if q.Grouped {
		head = append(head, "grouped")
	}
	d.add(n, append(head, fmt.Sprint(q.Variables))...)
	n++
	if q.Prologue.Base != "" {
		d.add(n, "base", q.Prologue.Base)
	}
	for _, p := range q.Prologue.Prefixes {
		d.add(n, "prefix", p.Label+":", p.Namespace)
	}
	for _, v := range q.Prologue.Versions {
		d.add(n, "version", v)
	}
	for _, item := range q.Projection {
		if item.Expr != nil {
			d.add(n, "item", expr(item.Expr), "as", expr(item.Var))
		} else {
			d.add(n, "item", expr(item.Var))
		}
	}
	for _, t := range q.Template {
		d.add(n, "make", triple(t))
	}
	for _, node := range q.Describe {
		d.add(n, "item", expr(node))
	}
	for _, t := range q.From {
		d.add(n, "from", expr(t))
	}
	for _, t := range q.FromNamed {
		d.add(n, "from named", expr(t))
	}
	if q.Where != nil {
		d.group("where", q.Where, n)
	}
	for _, k := range q.GroupBy {
		d.add(n, "group by", expr(k.Expr))
		if k.As != nil {
			d.lines[len(d.lines)-1] += " as " + expr(k.As)
		}
	}
	for _, e := range q.Having {
		d.add(n, "having", expr(e))
	}
	for _, k := range q.OrderBy {
		d.add(n, map[bool]string{false: "ascending", true: "descending"}[k.Descending], expr(k.Expr))
	}
	if q.Limit != syntax.NoLimit {
		d.add(n, "limit", fmt.Sprint(q.Limit))
	}
	if q.Offset != 0 {
		d.add(n, "offset", fmt.Sprint(q.Offset))
	}
	if q.Values != nil {
		d.pattern(q.Values, n)
	}
}

func (d *dumper) group(word string, g *syntax.Group, n int) {
	d.add(n, word)
	for _, p := range g.Patterns {
		d.pattern(p, n+1)
	}
	for _, f := range g.Filters {
		if e, ok := f.(*syntax.Exists); ok {
			d.group(map[bool]string{false: "filter exists", true: "filter not exists"}[e.Not], e.Group, n+1)
			continue
		}
		d.add(n+1, "filter", expr(f))
	}
}

func (d *dumper) pattern(p syntax.Pattern, n int) {
	switch x := p.(type) {
	case *syntax.Group:
		d.group("group", x, n)
	case *syntax.BGP:
		d.add(n, "bgp")
		for _, t := range x.Triples {
			d.add(n+1, triple(t))
		}
	case *syntax.Optional:
		d.group("optional", x.Group, n)
	case *syntax.Union:
		d.add(n, "union")
		for _, g := range x.Groups {
			d.group("group", g, n+1)
		}
	case *syntax.Minus:
		d.group("minus", x.Group, n)
	case *syntax.Graph:
		d.group("graph "+expr(x.Name), x.Group, n)
	case *syntax.Service:
		d.group(fmt.Sprintf("service %s silent=%v", expr(x.Name), x.Silent), x.Group, n)
	case *syntax.Bind:
		d.add(n, "bind", expr(x.Expr), "as", expr(x.Var))
	case *syntax.InlineData:
		var names []string
		for _, v := range x.Vars {
			names = append(names, expr(v))
		}
		d.add(n, "values", strings.Join(names, " "))
		for _, row := range x.Rows {
			var values []string
			for _, t := range row {
				if values = append(values, shortTerm(t)); t.IsZero() {
					values[len(values)-1] = "undef"
				}
			}
			d.add(n+1, "row", strings.Join(values, " "))
		}
	case *syntax.SubSelect:
		d.query(x.Query, n)
	default:
		d.add(n, fmt.Sprintf("%T", p))
	}
}

func triple(t syntax.TriplePattern) string {
	middle := ""
	if t.Path != nil {
		middle = path(t.Path)
	} else {
		middle = expr(t.Predicate)
	}
	return expr(t.Subject) + " " + middle + " " + expr(t.Object)
}

func path(p syntax.Path) string {
	switch x := p.(type) {
	case *syntax.Link:
		return shortTerm(rdf.NewIRI(x.IRI))
	case *syntax.InversePath:
		return "(^ " + path(x.Path) + ")"
	case *syntax.RepeatPath:
		return "(" + string(x.Op) + " " + path(x.Path) + ")"
	case *syntax.SequencePath:
		return "(/" + paths(x.Paths) + ")"
	case *syntax.AlternativePath:
		return "(|" + paths(x.Paths) + ")"
	case *syntax.NegatedSet:
		s := "(!"
		for _, l := range x.Links {
			s += " " + map[bool]string{true: "^"}[l.Inverse] + shortTerm(rdf.NewIRI(l.IRI))
		}
		return s + ")"
	}
	return fmt.Sprintf("%T", p)
}

func paths(list []syntax.Path) (s string) {
	for _, p := range list {
		s += " " + path(p)
	}
	return s
}

func expr(e syntax.Expr) string {
	switch x := e.(type) {
	case *syntax.Var:
		if x.Blank {
			return "_:" + x.Name
		}
		return "?" + x.Name
	case *syntax.Term:
		return shortTerm(x.Term)
	case *syntax.TripleTerm:
		return "<<( " + expr(x.Subject) + " " + expr(x.Predicate) + " " + expr(x.Object) + " )>>"
	case *syntax.Call:
		name := string(x.Op)
		if x.Op == syntax.OpFunction {
			name = shortTerm(rdf.NewIRI(x.Function))
		}
		if x.Distinct {
			name += " distinct"
		}
		return "(" + name + exprs(x.Args) + ")"
	case *syntax.Aggregate:
		s := "(" + string(x.Op)
		if x.Distinct {
			s += " distinct"
		}
		if x.Arg == nil {
			return s + " *)"
		}
		if x.Op == syntax.OpGroupConcat {
			s += fmt.Sprintf(" %q", x.Separator)
		}
		return s + " " + expr(x.Arg) + ")"
	case *syntax.In:
		return "(" + map[bool]string{true: "not "}[x.Not] + "in " + expr(x.Expr) + exprs(x.List) + ")"
	case *syntax.Exists:
		d := &dumper{}
		d.group(map[bool]string{true: "not "}[x.Not]+"exists", x.Group, 0)
		return "(" + strings.Join(strings.Fields(strings.Join(d.lines, " ")), " ") + ")"
	}
	return fmt.Sprintf("%T", e)
}

func exprs(list []syntax.Expr) (s string) {
	for _, e := range list {
		s += " " + expr(e)
	}
	return s
}

// shortTerm returns a term in N-Triples, but with prefixes for common namespaces.
func shortTerm(t rdf.Term) string {
	return strings.NewReplacer("<http://e/", "<", rdf.XSD, "xsd:", rdf.RDF, "rdf:").Replace(t.String())
}
