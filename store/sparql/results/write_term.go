package results

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
)

// appendTerm appends a term in Turtle, on one line, without prefixes. A number is
// written without quotes if it parses to the same literal.
func appendTerm(b []byte, t rdf.Term) ([]byte, error) {
	if t.IsLiteral() && isBare(t.Value(), t.Datatype()) {
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

// isBare reports whether to write a literal without quotes. It is stricter than the
// grammar, because not all readers accept a number without digits on both sides of its
// point, or keep a "+".
func isBare(lexical, datatype string) bool {
	if datatype != rdf.XSDInteger && datatype != rdf.XSDDecimal && datatype != rdf.XSDDouble || syntax.NumberDatatype(lexical) != datatype {
		return false
	}
	digits := strings.TrimPrefix(lexical, "-")
	point := strings.IndexByte(lexical, '.')
	return isDigit(digits[0]) && (point < 0 || isDigit(lexical[point+1]))
}
