package syntax

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// node writes a variable, a blank node by its label, or a term.
func (p *printer) node(n Node) {
	switch x := n.(type) {
	case *Var:
		if x.Blank {
			p.write("_:", x.Name)
		} else {
			p.write("?", x.Name)
		}
	case *Term:
		p.write(p.term(x.Term))
	case *TripleTerm:
		p.write("<<( ")
		p.node(x.Subject)
		p.write(" ")
		p.predicate(x.Predicate)
		p.write(" ")
		p.node(x.Object)
		p.write(" )>>")
	}
}

// term returns a term as text. The zero Term is UNDEF.
func (p *printer) term(t rdf.Term) string {
	switch {
	case t.IsZero():
		return "UNDEF"
	case t.IsIRI():
		return p.iri(t.Value())
	case t.IsTriple():
		triple := t.Triple()
		return "<<( " + p.term(triple.S) + " " + p.term(triple.P) + " " + p.term(triple.O) + " )>>"
	case t.Tag() != "":
		return quote(t.Value()) + "@" + t.Tag()
	case t.Datatype() == rdf.XSDString:
		return quote(t.Value())
	case isBare(t):
		return t.Value()
	}
	return quote(t.Value()) + "^^" + p.iri(t.Datatype())
}

// isBare reports whether a literal can be written without quotes: whether the lexer reads
// it as one token with the same datatype.
func isBare(t rdf.Term) bool {
	switch t.Datatype() {
	case rdf.XSDBoolean:
		return t.Value() == "true" || t.Value() == "false"
	case rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble:
		return rdf.NumberDatatype(t.Value()) == t.Datatype()
	}
	return false
}

// iri returns an IRI as text. It uses a prefix if a namespace of the prologue and a plain
// local name make up the IRI.
func (p *printer) iri(iri string) string {
	n := len(iri)
	for n > 0 && (isLetter(iri[n-1]) || isDigit(iri[n-1]) || iri[n-1] == '_') {
		n--
	}
	if label, ok := p.prefixes[iri[:n]]; ok {
		return label + ":" + iri[n:]
	}
	return "<" + iri + ">"
}

// quote returns a string in double quotes.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(s) + `"`
}
