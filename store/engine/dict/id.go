// Package dict maps every term to a 64-bit id and every id back to its term.
//
// Terms that no id holds inline (package ids) have a number in the dictionary, which stores
// it in two bbolt buckets: by number, and by text.
//
// An id never changes its term, even after everything was deleted.
package dict

import (
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
)

// ID identifies a term.
type ID = ids.ID

// tagOf returns the tag under which the dictionary numbers a term.
func tagOf(t rdf.Term) int {
	switch t.Kind() {
	case rdf.KindBlank:
		return ids.TagBlank
	case rdf.KindIRI:
		return ids.TagIRI
	case rdf.KindTriple:
		return ids.TagTriple
	}
	if t.Tag() != "" { // of a language
		return ids.TagLang
	}
	switch dt := t.Datatype(); {
	case dt == rdf.XSDString:
		return ids.TagString
	case numeric[dt]:
		return ids.TagOtherNumber
	case temporal[dt]:
		return ids.TagOtherTime
	}
	return ids.TagOther
}

func xsdSet(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[rdf.XSD+n] = true
	}
	return m
}

// numeric are the datatypes that SPARQL compares as numbers (SPARQL 1.1, 17.1).
var numeric = xsdSet("integer", "decimal", "float", "double", "nonPositiveInteger", "negativeInteger",
	"long", "int", "short", "byte", "nonNegativeInteger", "unsignedLong", "unsignedInt", "unsignedShort",
	"unsignedByte", "positiveInteger")

// temporal are the datatypes of times and their parts.
var temporal = xsdSet("dateTime", "dateTimeStamp", "date", "time", "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay")
