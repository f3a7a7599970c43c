// Package dict gives every term a 64-bit id and every id its term back, to the letter.
//
// Small values are ids themselves: numbers, booleans, dates and times whose lexical form
// can be had back from the id exactly. Their ids compare as the values do, so that a time
// window is a range of ids. Every other term has a number in the dictionary, which is
// kept in two bbolt buckets: by number, and in the order of the terms' text.
//
// An id, once given, stands for the same term for ever, also after everything was deleted.
package dict

import "github.com/segraph/segraph/store/rdf"

// ID stands for a term. The top four bits tell what kind of term it is; the order of ids
// is that of SPARQL's ORDER BY as far as kinds go (blank nodes, IRIs, literals).
type ID uint64

// Tags, the top four bits of an ID.
const (
	TagNone        = iota // no term; as a graph, the default graph
	TagBlank              // a blank node: its number, or with labelBit a dictionary number
	TagIRI                // a dictionary number, as for all tags up to TagOther
	TagLang               // a language-tagged string
	TagString             // an xsd:string
	TagOtherNumber        // a literal of a numeric datatype that is no inline value
	TagOtherTime          // the same for xsd:dateTime, xsd:date, xsd:time and the like
	TagOther              // any other literal
	TagBoolean            // 0 or 1
	TagInteger            // the value; from here on payloads are signed, plus bias
	TagDecimal            // the value in millionths, and the number of digits after the point
	TagDouble             // the same, for xsd:double written as a plain decimal
	TagFloat              // the same, for xsd:float
	TagDateTime           // microseconds since 1970, and the form that it was written in
	TagDate               // days since 1970, and the form
	// TagTriple is reserved for triple terms (RDF 1.2), each with a dictionary number.
	// This version stores none and reads none: see Reader.Term. Ids of this tag above
	// MaxNumber are the query evaluator's, for terms that no file has.
	TagTriple
)

const (
	tagShift    = 60
	payloadMask = 1<<tagShift - 1
	bias        = 1 << (tagShift - 1)
	// labelBit marks a blank node whose label is in the dictionary. Those come from
	// Cayley; documents' blank nodes are numbers and need no dictionary.
	labelBit = 1 << (tagShift - 1)
)

// MaxNumber bounds the numbers under a dictionary tag.
const MaxNumber = labelBit - 1

// Tag tells what kind of term the id stands for.
func (id ID) Tag() int { return int(id >> tagShift) }

// Inline reports whether the term can be had from the id alone.
func (id ID) Inline() bool {
	tag := id.Tag()
	return TagBoolean <= tag && tag <= TagDate || tag == TagBlank && id&labelBit == 0
}

// IsBlank, IsIRI and IsLiteral tell the kinds of term apart.
func (id ID) IsBlank() bool   { return id.Tag() == TagBlank }
func (id ID) IsIRI() bool     { return id.Tag() == TagIRI }
func (id ID) IsLiteral() bool { return id.Tag() > TagIRI }

// Range returns the least and the greatest id under a tag.
func Range(tag int) (lo, hi ID) {
	return ID(tag) << tagShift, ID(tag)<<tagShift | payloadMask
}

func newID(tag int, payload uint64) ID { return ID(tag)<<tagShift | ID(payload) }

// tagOf says under which tag the dictionary numbers a term.
func tagOf(t rdf.Term) int {
	switch t.Kind() {
	case rdf.KindBlank:
		return TagBlank
	case rdf.KindIRI:
		return TagIRI
	}
	if t.Language() != "" {
		return TagLang
	}
	switch dt := t.Datatype(); {
	case dt == rdf.XSDString:
		return TagString
	case numeric[dt]:
		return TagOtherNumber
	case temporal[dt]:
		return TagOtherTime
	}
	return TagOther
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

// temporal are the datatypes of moments and their parts.
var temporal = xsdSet("dateTime", "dateTimeStamp", "date", "time", "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay")
