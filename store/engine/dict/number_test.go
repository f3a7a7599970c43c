package dict

import (
	"testing"

	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
)

// The value that an inline id returns is the value of its term.
func TestInlineNumbersAndTimes(t *testing.T) {
	for _, tt := range []struct {
		lexical, datatype string
		integer           int64
		millionths        int64
		micros            int64
		zoned             bool
	}{
		{lexical: "-7", datatype: rdf.XSDInteger, integer: -7},
		{lexical: "0", datatype: rdf.XSDInteger},
		{lexical: "true", datatype: rdf.XSDBoolean, integer: 1},
		{lexical: "1.50", datatype: rdf.XSDDecimal, millionths: 1_500_000},
		{lexical: "-0.25", datatype: rdf.XSDDouble, millionths: -250_000},
		{lexical: "3", datatype: rdf.XSDFloat, millionths: 3_000_000},
		{lexical: "1970-01-01T00:00:01.5Z", datatype: rdf.XSDDateTime, micros: 1_500_000, zoned: true},
		{lexical: "1969-12-31T23:59:59+00:00", datatype: rdf.XSDDateTime, micros: -1_000_000, zoned: true},
		{lexical: "1970-01-01T00:00:00", datatype: rdf.XSDDateTime},
	} {
		id, ok := ids.Inline(rdf.NewLiteral(tt.lexical, tt.datatype))
		if !ok || id.Kind() != rdf.KindLiteral {
			t.Fatalf("%s is not inline", tt.lexical)
		}
		integer, isInteger := id.Integer()
		millionths, isScaled := id.Millionths()
		micros, zoned, isMoment := id.Micros()
		if integer != tt.integer || millionths != tt.millionths || micros != tt.micros || zoned != tt.zoned {
			t.Errorf("%s: %d, %d millionths, %d µs, zoned %v", tt.lexical, integer, millionths, micros, zoned)
		}
		if kinds := map[bool]int{}; true {
			kinds[isInteger]++
			kinds[isScaled]++
			kinds[isMoment]++
			if kinds[true] != 1 {
				t.Errorf("%s is %d kinds of value", tt.lexical, kinds[true])
			}
		}
	}
	for id, kind := range map[ID]rdf.Kind{0: rdf.KindNone, ids.New(ids.TagBlank, 3): rdf.KindBlank, ids.New(ids.TagIRI, 1): rdf.KindIRI, ids.New(ids.TagLang, 1): rdf.KindLiteral} {
		if id.Kind() != kind {
			t.Errorf("%#x is a %v", uint64(id), id.Kind())
		}
	}
}

func TestAssignedTellsOldIDsFromNewOnes(t *testing.T) {
	n := Numbers{ids.TagNone: 3, ids.TagBlank: 5, ids.TagIRI: 7}
	inline, _ := ids.Inline(rdf.NewLiteral("12", rdf.XSDInteger))
	for _, c := range []struct {
		id   ID
		want bool
	}{
		{ids.New(ids.TagIRI, 6), true}, {ids.New(ids.TagIRI, 7), false}, {ids.New(ids.TagString, 0), false},
		{ids.New(ids.TagBlank, 4), true}, {ids.New(ids.TagBlank, 5), false},
		{ids.New(ids.TagBlank, 2|ids.LabelBit), true}, {ids.New(ids.TagBlank, 3|ids.LabelBit), false}, {inline, true},
	} {
		if got := n.Assigned(c.id); got != c.want {
			t.Errorf("Assigned(%#x) = %v", uint64(c.id), got)
		}
	}
}
