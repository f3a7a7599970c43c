// Package ids defines the 64-bit numbers that stand for terms, and the tuples of an index.
//
// Small values are encoded in the id itself: numbers, booleans, dates and times whose
// lexical form can be recovered exactly. Ids of one such datatype sort like their values,
// so a time window is a range of ids. Every other term has a number in a dictionary.
package ids

// ID identifies a term. Its top four bits, the tag, are the kind of term. Ids sort by
// kind in the order of SPARQL's ORDER BY: blank nodes, IRIs, literals, triple terms.
type ID uint64

// Tags, the top four bits of an ID.
const (
	TagNone        = iota // no term; as a graph, the default graph
	TagBlank              // a blank node: its number or, with LabelBit, a dictionary number
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
	// TagShift is the number of bits of an id that are not its tag, and PayloadMask has
	// them.
	TagShift    = 60
	PayloadMask = 1<<TagShift - 1
	bias        = 1 << (TagShift - 1)
	// LabelBit marks a blank node whose label is in the dictionary. Blank nodes of
	// documents are numbers and need no dictionary.
	LabelBit = 1 << (TagShift - 1)
)

// Tuple holds three ids in the order of an index.
type Tuple [3]uint64

// MaxNumber is the largest number under a dictionary tag.
const MaxNumber = LabelBit - 1

// Tag returns the tag of the id.
func (id ID) Tag() int { return int(id >> TagShift) }

// Inline reports whether the id alone determines the term.
func (id ID) Inline() bool {
	tag := id.Tag()
	return TagBoolean <= tag && tag <= TagDate || tag == TagBlank && id&LabelBit == 0
}

// IsBlank reports whether the term is a blank node.
func (id ID) IsBlank() bool { return id.Tag() == TagBlank }

// IsIRI reports whether the term is an IRI.
func (id ID) IsIRI() bool { return id.Tag() == TagIRI }

// IsTriple reports whether the term is a triple term.
func (id ID) IsTriple() bool { return id.Tag() == TagTriple }

// IsLiteral reports whether the term is a literal.
func (id ID) IsLiteral() bool { return id.Tag() > TagIRI && id.Tag() != TagTriple }

// Range returns the least and the greatest id with a tag.
func Range(tag int) (lo, hi ID) {
	return ID(tag) << TagShift, ID(tag)<<TagShift | PayloadMask
}

// New returns the id with a tag and a payload.
func New(tag int, payload uint64) ID { return ID(tag)<<TagShift | ID(payload) }
