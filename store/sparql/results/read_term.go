package results

import (
	"errors"
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

const rdfDirLangString = rdf.RDF + "dirLangString"

var errTripleTerm = errors.New("triple terms of RDF 1.2 are not supported")

// ErrNameless is the error of an answer as JSON that has a literal with an empty language tag or datatype. No literal has
// one (RDF 1.1 Concepts, section 3.3): whoever wrote it had lost the name, so what the literal was is not known.
var ErrNameless = errors.New("a literal whose language tag or datatype is empty")

// newIRI gives an IRI as it came.
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

// literal is what a text says of a literal. Parts that it does not name are "".
type literal struct{ lexical, language, direction, datatype string }

// term gives the literal, if its parts go together.
func (l literal) term() (rdf.Term, error) {
	switch {
	case l.language != "":
		want := rdf.RDFLangString
		if l.direction != "" {
			want = rdfDirLangString
		}
		switch {
		case !turtle.IsLanguage(l.language):
			return rdf.Term{}, fmt.Errorf("%.80q is no language tag", l.language)
		case l.direction != "" && l.direction != "ltr" && l.direction != "rtl":
			return rdf.Term{}, fmt.Errorf("the base direction %.80q is neither ltr nor rtl", l.direction)
		case l.datatype != "" && l.datatype != want:
			return rdf.Term{}, fmt.Errorf("a literal with a language tag and the datatype %.80q", l.datatype)
		}
		if l.direction != "" {
			l.language += "--" + l.direction
		}
		return rdf.NewLang(l.lexical, l.language), nil
	case l.direction != "":
		return rdf.Term{}, errors.New("a literal with a base direction and no language tag")
	case l.datatype == rdf.RDFLangString || l.datatype == rdfDirLangString:
		return rdf.Term{}, errors.New("a literal of the datatype rdf:langString and no language tag")
	case l.datatype == "":
		return rdf.NewString(l.lexical), nil
	}
	if err := turtle.CheckIRI(l.datatype); err != nil {
		return rdf.Term{}, err
	}
	return rdf.NewLiteral(l.lexical, l.datatype), nil
}
