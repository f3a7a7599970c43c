package evidence

import (
	"errors"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// ErrNoPatterns reports that a bundle can't be made of a query.
var ErrNoPatterns = errors.New("no triples can be proved for this query: outside of GRAPH, MINUS and NOT EXISTS it has no pattern of subject, predicate and object without blank nodes; write a CONSTRUCT")

// find finds the triples that a bundle is about. It runs before the log is read, since a
// query may wait for its turn.
func (m *maker) find(l Log) error {
	a := m.About
	var iris []string
	switch {
	case a.Query != "":
		text, err := constructed(a.Query)
		if err != nil {
			return err
		}
		return m.ask(text)
	case a.IRI != "":
		iris = []string{a.IRI}
	case a.Case != "":
		err := l.Excerpt(m.ctx, func(x *translog.Excerpt) error {
			m.log = x
			return m.eachOfCase(func(_ uint64, e *journal.Entry) error {
				for _, context := range []string{e.Source, e.Target, e.Context} {
					if rdf.IsIRI(context) && !slices.Contains(iris, context) {
						iris = append(iris, context)
					}
				}
				return nil
			})
		})
		if err != nil {
			return err
		}
	}
	if len(iris) == 0 {
		return nil
	}
	var values strings.Builder
	for _, iri := range iris {
		m.contexts[inJSONText(iri)] = true
		values.WriteString(" <" + iri + ">")
	}
	return m.ask("CONSTRUCT { ?s ?p ?o } { { VALUES ?s {" + values.String() + " } ?s ?p ?o } UNION { VALUES ?o {" + values.String() + " } ?s ?p ?o } }")
}

// ask runs a query and adds its triples. The error is ErrTooMuch for more than MaxTriples.
func (m *maker) ask(text string) error {
	return m.Ask(m.ctx, text, func(t rdf.Triple) error {
		if len(m.triples) == MaxTriples {
			return ErrTooMuch
		}
		m.triples = append(m.triples, t)
		return nil
	})
}

// constructed returns a CONSTRUCT of the triples that match the patterns of a SELECT or
// ASK. It returns a CONSTRUCT or DESCRIBE as it is.
func constructed(text string) (string, error) {
	q, err := syntax.ParseQuery(text, syntax.Options{})
	if err != nil {
		return "", err
	}
	if q.Form == syntax.Construct || q.Form == syntax.Describe {
		return text, nil
	}
	out := *q
	out.Form, out.Distinct, out.Reduced, out.Star, out.Projection = syntax.Construct, false, false, false, nil
	out.GroupBy, out.Having = nil, nil
	if q.Grouped { // its order and limit are those of groups
		out.OrderBy, out.Limit, out.Offset = nil, syntax.NoLimit, 0
	}
	for _, key := range q.OrderBy { // a CONSTRUCT can't order by an aggregate or an alias of SELECT
		if _, plain := key.Expr.(*syntax.Var); !plain {
			out.OrderBy = nil
		}
	}
	collect(q.Where, func(t syntax.TriplePattern) {
		for _, node := range []syntax.Node{t.Subject, t.Predicate, t.Object} {
			v, isVar := node.(*syntax.Var)
			if blank := isVar && v.Blank; blank || node == nil { // a blank node or a path
				return
			}
		}
		out.Template = append(out.Template, t)
	})
	if len(out.Template) == 0 {
		return "", ErrNoPatterns
	}
	return out.String(), nil
}

// collect calls f with the triple patterns of a group that a solution matches or may match. These are all but the
// patterns in MINUS and in filters.
func collect(g *syntax.Group, f func(syntax.TriplePattern)) {
	if g == nil {
		return
	}
	for _, p := range g.Patterns {
		switch x := p.(type) {
		case *syntax.Group:
			collect(x, f)
		case *syntax.BGP:
			for _, t := range x.Triples {
				f(t)
			}
		case *syntax.Optional:
			collect(x.Group, f)
		case *syntax.Union:
			for _, arm := range x.Groups {
				collect(arm, f)
			}
		case *syntax.SubSelect:
			collect(x.Query.Where, f)
		}
	}
}
