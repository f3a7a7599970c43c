package turtle

import "github.com/segraph/segraph/store/rdf"

// The terms of a document may exceed freeTerm bytes each by maxExcess bytes in all, plus
// excessPerByte for each byte of the document.
const (
	freeTerm      = 96
	maxExcess     = 4 << 20
	excessPerByte = 8
)

// Excess counts by how many bytes terms are longer than their text. Prefixes, bases,
// namespaces and inherited languages let a few bytes stand for long terms.
type Excess int64

// ExcessOf returns by how many bytes terms exceed freeTerm each, given their number and their bytes in all: 0 for most.
func ExcessOf(terms, bytes int) Excess { return Excess(max(0, bytes-terms*freeTerm)) }

// Add adds the excess of terms that the text repeats or abbreviates. It reports whether terms
// this long are allowed after read bytes of the document.
func (e *Excess) Add(more Excess, read int64) bool {
	*e += more
	return int64(*e) <= maxExcess+excessPerByte*read
}

// allows reports whether text, a number of bytes, may stand for an IRI of iri bytes, no matter how often. It uses half of
// what a Reader allows; the other half is for triple terms with that IRI.
func allows(text, iri int) bool {
	return iri <= maxComposed && iri-freeTerm <= excessPerByte/2*text
}

// Annotatable reports whether a reifier of a triple with this subject and predicate may be an annotation, no matter how
// often: the predicate is not rdf:reifies, and both are short enough, because the annotation stands for a triple term that
// repeats them.
func Annotatable(s, p rdf.Term) bool {
	return p.Value() != rdf.RDFReifies && len(s.Value())+len(p.Value()) <= 3*freeTerm
}

// TooLong is the error of a document whose terms exceed its text too far.
const TooLong = "prefixes, bases or languages make the terms of this document far longer than its text; use shorter ones"
