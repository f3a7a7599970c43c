package vocabulary

import (
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

func TestShortTriple(t *testing.T) {
	iri := func(iri string) string { return "<" + iri[len(iri)-1:] + ">" }
	a := rdf.NewIRI("x:a")
	for want, object := range map[string]rdf.Term{
		"<<( <a> <a> <a> )>>":                 a,
		"<<( <a> <a> _:b )>>":                 rdf.NewBlank("b"),
		`<<( <a> <a> "x\"\n" )>>`:             rdf.NewString("x\"\n"),
		`<<( <a> <a> "x"@he--rtl )>>`:         rdf.NewDirLang("x", "he", "rtl"),
		"<<( <a> <a> 1.5 )>>":                 rdf.NewLiteral("1.5", rdf.XSDDecimal),
		"<<( <a> <a> true )>>":                rdf.NewLiteral("true", rdf.XSDBoolean),
		`<<( <a> <a> "x"^^<t> )>>`:            rdf.NewLiteral("x", "x:t"),
		"<<( <a> <a> <<( <a> <a> <a> )>> )>>": rdf.NewTripleTerm(rdf.Triple{S: a, P: a, O: a}),
	} {
		if got := ShortTriple(rdf.NewTripleTerm(rdf.Triple{S: a, P: a, O: object}), iri); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
