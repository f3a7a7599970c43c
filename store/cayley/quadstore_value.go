package cayley

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/rdf"
)

// valueOf converts a term to a Cayley value. Literals become quad.String,
// quad.TypedString or quad.LangString, unchanged.
func valueOf(t rdf.Term) quad.Value {
	switch {
	case t.IsIRI():
		return quad.IRI(t.Value())
	case t.IsBlank():
		return quad.BNode(t.Value())
	case t.Tag() != "":
		return quad.LangString{Value: quad.String(t.Value()), Lang: t.Tag()}
	case t.Datatype() == rdf.XSDString:
		return quad.String(t.Value())
	}
	return quad.TypedString{Value: quad.String(t.Value()), Type: quad.IRI(t.Datatype())}
}

// termOf converts a Cayley value to a term. IRIs and datatypes are unchanged: short forms
// such as "rdf:type" are not expanded. Native values become XSD literals in canonical form,
// since Cayley's lexical forms may be invalid ("True") or lose the fraction of a second. A
// time loses its zone, as in Cayley, and is stored in UTC.
func termOf(v quad.Value) (rdf.Term, error) {
	switch v := v.(type) {
	case quad.IRI:
		if v != "" {
			return rdf.NewIRI(string(v)), nil
		}
	case quad.BNode:
		if v != "" {
			return rdf.NewBlank(string(v)), nil
		}
	case quad.String:
		return rdf.NewString(string(v)), nil
	case quad.LangString:
		if v.Lang == "" {
			return rdf.NewString(string(v.Value)), nil
		}
		return rdf.NewLang(string(v.Value), v.Lang), nil
	case quad.TypedString:
		// rdf.Term marks a language tag by a leading "@", with which an IRI can't begin. Two datatypes need a tag.
		if (v.Type == "" || v.Type[0] != '@') && v.Type != rdf.RDFLangString && v.Type != rdf.RDFDirLangString {
			return rdf.NewLiteral(string(v.Value), string(v.Type)), nil
		}
	case quad.Int:
		return rdf.NewLiteral(strconv.FormatInt(int64(v), 10), rdf.XSDInteger), nil
	case quad.Float:
		return rdf.NewLiteral(rdf.FormatDouble(float64(v)), rdf.XSDDouble), nil
	case quad.Bool:
		return rdf.NewLiteral(rdf.FormatBoolean(bool(v)), rdf.XSDBoolean), nil
	case quad.Time:
		return rdf.NewLiteral(time.Time(v).UTC().Format(time.RFC3339Nano), rdf.XSDDateTime), nil
	case quad.TypedStringer:
		return termOf(v.TypedString())
	}
	return rdf.Term{}, fmt.Errorf("the value %v can't be stored", v)
}
