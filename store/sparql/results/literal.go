package results

import (
	"errors"
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// partNames names the parts of a triple term.
var partNames = [...]string{"subject", "predicate", "object"}

// newTriple returns the triple term of three parts. It returns an error if a part is
// missing (zero), or if RDF does not allow the triple.
func newTriple(parts [3]rdf.Term) (rdf.Term, error) {
	s, p, o := parts[0], parts[1], parts[2]
	for i, part := range parts {
		if part.IsZero() {
			return rdf.Term{}, fmt.Errorf("a triple term without its %s", partNames[i])
		}
	}
	switch {
	case !s.IsIRI() && !s.IsBlank():
		return rdf.Term{}, errors.New("a triple term whose subject is neither an IRI nor a blank node")
	case !p.IsIRI():
		return rdf.Term{}, errors.New("a triple term whose predicate is not an IRI")
	}
	return rdf.NewTripleTerm(rdf.Triple{S: s, P: p, O: o}), nil
}

// newIRI returns an IRI unchanged, if it is valid.
func newIRI(iri string) (rdf.Term, error) {
	if err := turtle.CheckIRI(iri); err != nil {
		return rdf.Term{}, err
	}
	return rdf.NewIRI(iri), nil
}

func newBlank(label string) (rdf.Term, error) {
	if label == "" {
		return rdf.Term{}, errors.New("a blank node without a label")
	}
	return rdf.NewBlank(label), nil
}

// literal holds the parts of a literal. Absent parts are "".
type literal struct{ lexical, language, direction, datatype string }

// term returns the literal, or an error if its parts contradict each other.
func (l literal) term() (rdf.Term, error) {
	switch {
	case l.language != "":
		want := rdf.RDFLangString
		if l.direction != "" {
			want = rdf.RDFDirLangString
		}
		switch {
		case !rdf.IsLanguageTag(l.language):
			return rdf.Term{}, fmt.Errorf("%.80q is not a language tag", l.language)
		case l.direction != "" && l.direction != "ltr" && l.direction != "rtl":
			return rdf.Term{}, fmt.Errorf("the base direction %.80q is neither ltr nor rtl", l.direction)
		case l.datatype != "" && l.datatype != want:
			return rdf.Term{}, fmt.Errorf("a literal with a language tag and the datatype %.80q", l.datatype)
		}
		if l.direction != "" {
			return rdf.NewDirLang(l.lexical, l.language, l.direction), nil
		}
		return rdf.NewLang(l.lexical, l.language), nil
	case l.direction != "":
		return rdf.Term{}, errors.New("a literal with a base direction and no language tag")
	case l.datatype == rdf.RDFLangString || l.datatype == rdf.RDFDirLangString:
		return rdf.Term{}, errors.New("a literal of the datatype rdf:langString and no language tag")
	case l.datatype == "":
		return rdf.NewString(l.lexical), nil
	}
	if err := turtle.CheckIRI(l.datatype); err != nil {
		return rdf.Term{}, err
	}
	return rdf.NewLiteral(l.lexical, l.datatype), nil
}

// newTerm returns the term of a kind: uri, bnode or literal.
func newTerm(kind, value string, l literal) (rdf.Term, error) {
	switch kind {
	case "uri", "bnode":
		if l != (literal{}) {
			return rdf.Term{}, fmt.Errorf("a term of type %s with a language tag or a datatype", kind)
		}
		if kind == "uri" {
			return newIRI(value)
		}
		return newBlank(value)
	case "literal", "typed-literal": // the latter precedes the standard, but Virtuoso still uses it
		l.lexical = value
		return l.term()
	case "triple":
		return rdf.Term{}, errors.New("a triple term whose value is not a triple")
	}
	return rdf.Term{}, fmt.Errorf("%.40q is not a type of a term: use uri, literal, bnode or triple", kind)
}
