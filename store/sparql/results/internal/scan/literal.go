package scan

import (
	"errors"
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Parts names the parts of a triple term.
var Parts = [...]string{"subject", "predicate", "object"}

// NewTriple returns the triple term of three parts. It returns an error if a part is
// missing (zero), or if RDF does not allow the triple.
func NewTriple(parts [3]rdf.Term) (rdf.Term, error) {
	s, p, o := parts[0], parts[1], parts[2]
	for i, part := range parts {
		if part.IsZero() {
			return rdf.Term{}, fmt.Errorf("a triple term without its %s", Parts[i])
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

// Literal holds the parts of a literal. Absent parts are "".
type Literal struct{ Lexical, Language, Direction, Datatype string }

// Term returns the literal, or an error if its parts contradict each other.
func (l Literal) Term() (rdf.Term, error) {
	switch {
	case l.Language != "":
		want := rdf.RDFLangString
		if l.Direction != "" {
			want = rdf.RDFDirLangString
		}
		switch {
		case !rdf.IsLanguageTag(l.Language):
			return rdf.Term{}, fmt.Errorf("%.80q is not a language tag", l.Language)
		case l.Direction != "" && l.Direction != "ltr" && l.Direction != "rtl":
			return rdf.Term{}, fmt.Errorf("the base direction %.80q is neither ltr nor rtl", l.Direction)
		case l.Datatype != "" && l.Datatype != want:
			return rdf.Term{}, fmt.Errorf("a literal with a language tag and the datatype %.80q", l.Datatype)
		}
		if l.Direction != "" {
			return rdf.NewDirLang(l.Lexical, l.Language, l.Direction), nil
		}
		return rdf.NewLang(l.Lexical, l.Language), nil
	case l.Direction != "":
		return rdf.Term{}, errors.New("a literal with a base direction and no language tag")
	case l.Datatype == rdf.RDFLangString || l.Datatype == rdf.RDFDirLangString:
		return rdf.Term{}, errors.New("a literal of the datatype rdf:langString and no language tag")
	case l.Datatype == "":
		return rdf.NewString(l.Lexical), nil
	}
	if err := turtle.CheckIRI(l.Datatype); err != nil {
		return rdf.Term{}, err
	}
	return rdf.NewLiteral(l.Lexical, l.Datatype), nil
}

// NewTerm returns the term of a kind: uri, bnode or literal.
func NewTerm(kind, value string, l Literal) (rdf.Term, error) {
	switch kind {
	case "uri", "bnode":
		if l != (Literal{}) {
			return rdf.Term{}, fmt.Errorf("a term of type %s with a language tag or a datatype", kind)
		}
		if kind == "uri" {
			return newIRI(value)
		}
		return newBlank(value)
	case "literal", "typed-literal": // the latter precedes the standard, but Virtuoso still uses it
		l.Lexical = value
		return l.Term()
	case "triple":
		return rdf.Term{}, errors.New("a triple term whose value is not a triple")
	}
	return rdf.Term{}, fmt.Errorf("%.40q is not a type of a term: use uri, literal, bnode or triple", kind)
}
