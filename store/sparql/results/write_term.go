package results

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// appendTerm appends a term in Turtle, on one line, without prefixes. A number is
// written without quotes if it parses to the same literal.
func appendTerm(b []byte, t rdf.Term) ([]byte, error) {
	if t.IsLiteral() && rdf.IsBareNumber(t.Value(), t.Datatype()) {
		return append(b, t.Value()...), nil
	}
	if !t.IsTriple() {
		return turtle.AppendTerm(b, t)
	}
	triple := t.Triple()
	b = append(b, "<<("...)
	for _, part := range [...]rdf.Term{triple.S, triple.P, triple.O} {
		var err error
		if b, err = appendTerm(append(b, ' '), part); err != nil {
			return b, err
		}
	}
	return append(b, " )>>"...), nil
}
