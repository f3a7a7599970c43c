package ids

import "github.com/segraph/segraph/store/rdf"

// Kind returns the kind of term that the id identifies.
func (id ID) Kind() rdf.Kind {
	switch tag := id.Tag(); {
	case tag == TagNone:
		return rdf.KindNone
	case tag == TagBlank:
		return rdf.KindBlank
	case tag == TagIRI:
		return rdf.KindIRI
	case tag == TagTriple:
		return rdf.KindTriple
	}
	return rdf.KindLiteral
}

// BlankNumber returns the number of a blank node without a label.
func (id ID) BlankNumber() (n uint64, ok bool) {
	if id.Tag() != TagBlank || id&LabelBit != 0 {
		return 0, false
	}
	return uint64(id & PayloadMask), true
}

// Integer returns the value of an inline xsd:integer or xsd:boolean, which is 0 or 1.
func (id ID) Integer() (v int64, ok bool) {
	switch id.Tag() {
	case TagBoolean:
		return int64(id & PayloadMask), true
	case TagInteger:
		return int64(id&PayloadMask) - bias, true
	}
	return 0, false
}

// Millionths returns the value of an inline xsd:decimal, xsd:double or xsd:float, in
// millionths.
func (id ID) Millionths() (v int64, ok bool) {
	switch id.Tag() {
	case TagDecimal, TagDouble, TagFloat:
		return (int64(id&PayloadMask) - bias) >> scaleBits, true
	}
	return 0, false
}

// Days returns the value of an inline xsd:date in days since 1970, and reports whether it
// has a time zone, which is UTC.
func (id ID) Days() (v int64, zoned, ok bool) {
	if id.Tag() != TagDate {
		return 0, false, false
	}
	payload := int64(id&PayloadMask) - bias
	return payload >> dateBits, payload&(1<<dateBits-1) != zoneNone, true
}

// Micros returns the value of an inline xsd:dateTime in microseconds since 1970, and
// reports whether it has a time zone, which is UTC. A time without a zone counts as UTC.
func (id ID) Micros() (v int64, zoned, ok bool) {
	if id.Tag() != TagDateTime {
		return 0, false, false
	}
	payload := int64(id&PayloadMask) - bias
	return payload >> formBits, payload&(1<<formBits-1)%zones != zoneNone, true
}
