// Package dict maps every term to a 64-bit id and every id back to its term.
//
// Small values are encoded in the id itself: numbers, booleans, dates and times whose
// lexical form can be recovered exactly. Ids of one such datatype sort like their values,
// so a time window is a range of ids. Every other term has a number in the dictionary,
// which stores it in two bbolt buckets: by number, and by text.
//
// An id never changes its term, even after everything was deleted.
package dict

import "github.com/segraph/segraph/store/rdf"

// ID identifies a term. Its top four bits, the tag, are the kind of term. Ids sort by
// kind in the order of SPARQL's ORDER BY: blank nodes, IRIs, literals, triple terms.
type ID uint64

// Tags, the top four bits of an ID.
const (
	TagNone        = iota // no term; as a graph, the default graph
	TagBlank              // a blank node: its number or, with labelBit, a dictionary number
	TagIRI                // a dictionary number, as for all tags up to TagOther
	TagLang               // a language-tagged string
	TagString             // an xsd:string
	TagOtherNumber        // a literal of a numeric datatype that is not an inline value
	TagOtherTime          // the same for xsd:dateTime, xsd:date, xsd:time and the like
	TagOther              // any other literal
	TagBoolean            // 0 or 1
	TagInteger            // the value; from here on payloads are signed, plus a bias
	TagDecimal            // the value in millionths, and the number of digits after the point
	TagDouble             // the same, for xsd:double written as a plain decimal
	TagFloat              // the same, for xsd:float
	TagDateTime           // microseconds since 1970, and the written form
	TagDate               // days since 1970, and the written form
	// TagTriple is for triple terms (RDF 1.2): a dictionary number. Ids of this tag above
	// MaxNumber belong to the query evaluator, for terms that no file has.
	TagTriple
)

const (
	tagShift    = 60
	payloadMask = 1<<tagShift - 1
	bias        = 1 << (tagShift - 1)
	// labelBit marks a blank node whose label is in the dictionary. Blank nodes of
	// documents are numbers and need no dictionary.
	labelBit = 1 << (tagShift - 1)
)

// MaxNumber is the largest number under a dictionary tag.
const MaxNumber = labelBit - 1

// Tag returns the tag of the id.
func (id ID) Tag() int { return int(id >> tagShift) }

// Inline reports whether the id alone determines the term.
func (id ID) Inline() bool {
	tag := id.Tag()
	return TagBoolean <= tag && tag <= TagDate || tag == TagBlank && id&labelBit == 0
}

// IsBlank reports whether the term is a blank node.
func (id ID) IsBlank() bool { return id.Tag() == TagBlank }

// IsIRI reports whether the term is an IRI.
func (id ID) IsIRI() bool { return id.Tag() == TagIRI }

// IsLiteral reports whether the term is a literal.
func (id ID) IsLiteral() bool { return id.Tag() > TagIRI && id.Tag() != TagTriple }

// Range returns the least and the greatest id with a tag.
func Range(tag int) (lo, hi ID) {
	return ID(tag) << tagShift, ID(tag)<<tagShift | payloadMask
}

func newID(tag int, payload uint64) ID { return ID(tag)<<tagShift | ID(payload) }

// tagOf returns the tag under which the dictionary numbers a term.
func tagOf(t rdf.Term) int {
	switch t.Kind() {
	case rdf.KindBlank:
		return TagBlank
	case rdf.KindIRI:
		return TagIRI
	case rdf.KindTriple:
		return TagTriple
	}
	if t.Tag() != "" {
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

// temporal are the datatypes of times and their parts.
var temporal = xsdSet("dateTime", "dateTimeStamp", "date", "time", "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay")
