package remote

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// textSuffix is appended to the name of a column to name the column with the STR of its
// numbers.
const textSuffix = "_segraph_text"

// withText adds, for each column of sent, a second one with the text of the first one's
// xsd:double and xsd:float values. Some servers show more digits with STR than in the
// number itself. sent is a SELECT made for q. The new column depends only on the original
// one, so it affects neither DISTINCT nor the order.
func withText(sent *syntax.Query, q *sparql.Query) {
	items := sent.Projection
	if sent.Star {
		sent.Star = false
		for _, name := range q.Syntax().Variables {
			items = append(items, syntax.SelectItem{Var: &syntax.Var{Name: name}})
		}
	}
	for _, item := range items {
		of := item.Expr
		if of == nil {
			of = item.Var
		}
		is := func(datatype string) syntax.Expr {
			return &syntax.Call{Op: syntax.OpEqual, Args: []syntax.Expr{
				&syntax.Call{Op: syntax.OpDatatype, Args: []syntax.Expr{of}}, &syntax.Term{Term: rdf.NewIRI(datatype)}}}
		}
		text := &syntax.Call{Op: syntax.OpIf, Args: []syntax.Expr{
			&syntax.Call{Op: syntax.OpOr, Args: []syntax.Expr{is(rdf.XSDDouble), is(rdf.XSDFloat)}},
			&syntax.Call{Op: syntax.OpStr, Args: []syntax.Expr{of}}, &syntax.Term{Term: rdf.NewString("")}}}
		items = append(items, syntax.SelectItem{Expr: text, Var: &syntax.Var{Name: item.Var.Name + textSuffix}})
	}
	sent.Projection = items
}

// exactFloat returns t with the digits of text, or t itself if text has none.
func exactFloat(t, text rdf.Term) rdf.Term {
	if !isFloat(t) || strings.TrimSpace(text.Value()) == "" {
		return t
	}
	if t.Datatype() == rdf.XSDFloat {
		if f, ok := rdf.ParseFloat(text.Value()); ok {
			return rdf.NewLiteral(rdf.FormatFloat(f), rdf.XSDFloat)
		}
	} else if f, ok := rdf.ParseDouble(text.Value()); ok {
		return rdf.NewLiteral(rdf.FormatDouble(f), rdf.XSDDouble)
	}
	return t
}
