package value

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
)

// inOrder lists groups of values in the order of ORDER BY. Within a group, no value
// comes first.
var inOrder = [][]string{
	{"unbound", "err"},
	{"_:a"},
	{"_:b"},
	{"<http://a>"},
	{"<http://b>"},
	{"false", `"0"^^xsd:boolean`},
	{"true"},
	{"NaN", `"NaN"^^xsd:float`},
	{"-INF"},
	{"-99999999999999999999"},
	{"-9223372036854775808"},
	{"-1.5", "-1.5e0"},
	{"-1"},
	{"-0.0e0", "0", "0.0"},
	{"5e-324"},
	{"0.1"},
	{"1e-1"},
	{`"0.1"^^xsd:float`},
	{"1", "01", "1.0", "1e0", `"1"^^xsd:byte`, `"1.0"^^xsd:float`},
	{"1.25"},
	{"2"},
	{"9007199254740992", "9007199254740992e0"},
	{"9007199254740993"},
	{"9223372036854775807"},
	{"9223372036854775808e0"},
	{"9223372036854775809"},
	{"99999999999999999999"},
	{"1e300"},
	{`"1` + strings.Repeat("0", 400) + `"^^xsd:integer`},
	{"INF", `"INF"^^xsd:float`},
	{`"1999-12-31T24:00:00Z"^^xsd:dateTime`, `"2000-01-01T01:00:00+01:00"^^xsd:dateTime`},
	{`"2000-01-01T00:00:00.1234567891Z"^^xsd:dateTime`},
	{`"2000-01-01T00:00:00.1234567892Z"^^xsd:dateTime`},
	{`"2000-01-01T02:00:00"^^xsd:dateTime`},
	{`"2000-01-01T02:00:00Z"^^xsd:dateTime`},
	{`"1999-01-01"^^xsd:date`},
	{`"2000-01-01"^^xsd:date`},
	{`"10:00:00"^^xsd:time`},
	{`"1999"^^xsd:gYear`},
	{`"-P1M"^^xsd:duration`},
	{`"PT0S"^^xsd:duration`, `"P0M"^^xsd:yearMonthDuration`},
	{`"P30D"^^xsd:duration`},
	{`"P1M"^^xsd:duration`},
	{`"P31D"^^xsd:duration`},
	{`"P1Y"^^xsd:duration`, `"P12M"^^xsd:duration`},
	{`""`},
	{`"A"`},
	{`"a"`},
	{`"a"@de`},
	{`"a"@en`, `"a"@EN`},
	{`"a"@en--ltr`},
	{`"a"@en-GB`},
	{`"ab"`},
	{`"｡"`},
	{`"𐀀"`},
	{`"a"^^x:t`}, {`"b"^^x:t`}, {`"a"^^x:u`}, {`"x"^^xsd:integer`},
	{"<<_:b <p> 5>>"},
	{"<<<a> <p> <z>>>"},
	{"<<<a> <p> 9>>", "<<<a> <p> 9.0>>"},
	{"<<<a> <p> 10>>"},
	{`<<<a> <p> "x">>`},
	{"<<<a> <p> <<<a> <p> 1>>>>"},
	{"<<<a> <q> 1>>"},
	{"<<<b> <p> 1>>"},
}

func TestOrder(t *testing.T) {
	for i, g := range inOrder {
		for _, s := range g {
			for j, h := range inOrder {
				for _, u := range h {
					if got, want := Order(val(t, s), val(t, u)), cmp.Compare(i, j); cmp.Compare(got, 0) != want {
						t.Errorf("%.40s and %.40s: %d, want %d", s, u, got, want)
					}
				}
			}
		}
	}
}

// drawValue returns random values close to each other, so that ties and edge cases
// occur.
func drawValue(r *rand.Rand) Value {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	number := pick("", "-") + pick("0", "1", "2", "10", "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808", "16777217", "16777216", "99999999999999999999")
	fraction := pick("", ".0", ".1", ".5", ".10", ".25", ".3333333333333333", ".000000000000000001")
	zone := pick("", "Z", "+00:00", "+14:00", "-14:00", "-05:00")
	date := pick("2000-01-01", "2000-01-02", "1999-12-31", "2000-02-29")
	clock := pick("00:00:00", "14:00:00", "10:00:00.5", "24:00:00", "23:59:59.1234567899")
	switch r.IntN(12) {
	case 0:
		return Value{}
	case 1:
		return FromTerm(rdf.NewIRI(pick("a", "b", "http://a/")))
	case 2:
		return FromTerm(rdf.NewBlank(pick("a", "b")))
	case 3:
		return FromTerm(rdf.NewString(pick("", "a", "b", "ab", "é")))
	case 4:
		return FromTerm(rdf.NewLang(pick("", "a", "b"), pick("en", "EN", "en-GB", "de", "en--ltr")))
	case 5:
		return FromTerm(rdf.NewLiteral(pick("a", "1", "b"), pick("http://t", "http://u", rdf.XSDByte, rdf.XSDToken)))
	case 6:
		return FromTerm(rdf.NewLiteral(date+"T"+clock+zone, rdf.XSDDateTime))
	case 7:
		return FromTerm(rdf.NewLiteral(date+zone, rdf.XSDDate))
	case 8:
		return FromTerm(rdf.NewLiteral(pick("P1M", "P30D", "P31D", "P29D", "P1Y", "P365D", "P12M", "PT0S", "-P1M", "P10M", "P11M", "P10MT2635200S", "PT0.1S"), rdf.XSDDuration))
	case 9:
		return FromTerm(rdf.NewLiteral(number, pick(rdf.XSDInteger, rdf.XSDLong)))
	case 10:
		return FromTerm(rdf.NewLiteral(number+fraction, rdf.XSDDecimal))
	}
	return FromTerm(rdf.NewLiteral(pick(number+fraction, number+fraction+"e1", "NaN", "INF", "-INF", "1e39"), pick(rdf.XSDDouble, rdf.XSDFloat)))
}

// TestOrderIsAWeakOrder checks that Order is antisymmetric, and transitive also for
// ties. It checks that Order agrees with Less. Equal values must tie, except where
// floats are rounded.
func TestOrderIsAWeakOrder(t *testing.T) {
	suite.NotShort(t)
	r := rand.New(rand.NewPCG(5, 6))
	for range suite.Size(200_000, 20_000) {
		a, b, c := drawValue(r), drawValue(r), drawValue(r)
		checkOrder(t, a, b, c)
		if t.Failed() {
			return
		}
	}
}

func checkOrder(t *testing.T, a, b, c Value) {
	t.Helper()
	for _, order := range []func(a, b Value) int{Order, OrderTerms} {
		ab, bc, ac := cmp.Compare(order(a, b), 0), cmp.Compare(order(b, c), 0), cmp.Compare(order(a, c), 0)
		if ba := cmp.Compare(order(b, a), 0); ab != -ba || order(a, a) != 0 {
			t.Errorf("%s and %s: %d, other way round %d", show(a), show(b), ab, ba)
		}
		if ab <= 0 && bc <= 0 && (ac > 0 || (ab < 0 || bc < 0) && ac == 0) {
			t.Errorf("%s, %s and %s: %d, %d, but %d", show(a), show(b), show(c), ab, bc, ac)
		}
	}
	order := Order(a, b)
	if Less(a, b) == True && order >= 0 || Less(b, a) == True && order <= 0 {
		t.Errorf("%s and %s: Order says %d, Less %v, %v", show(a), show(b), order, Less(a, b), Less(b, a))
	}
	equal := Equal(a, b)
	if floats := a.IsNumeric() && b.IsNumeric() && max(a.kind, b.kind) >= KindFloat; equal == True && order != 0 && !floats {
		t.Errorf("%s equals %s, but Order says %d", show(a), show(b), order)
	}
	if equal != Equal(b, a) {
		t.Errorf("%s and %s: equality depends on the side", show(a), show(b))
	}
	if equal == True && (Less(a, b) == True || Less(b, a) == True) {
		t.Errorf("%s and %s: equal, and one is less", show(a), show(b))
	}
	if less, or := Less(a, b), LessOrEqual(a, b); or != TypeError && less != TypeError && equal != TypeError && or != Or(less, equal) {
		t.Errorf("%s <= %s is %v, with < %v and = %v", show(a), show(b), or, less, equal)
	}
	if a.IsNumeric() && b.IsNumeric() {
		if sum := Add(a, b); sum.kind != max(a.kind, b.kind) || show(sum) != show(Add(b, a)) {
			t.Errorf("%s + %s is %s", show(a), show(b), show(sum))
		}
	}
}

func TestOrderTermsIsZeroForTheSameTermAlone(t *testing.T) {
	one := []Value{val(t, "1"), val(t, "01"), val(t, "1.0"), val(t, "1e0"), Integer(1)}
	slices.SortFunc(one, OrderTerms)
	for i := range one[1:] {
		if c := OrderTerms(one[i], one[i+1]); (c == 0) != (one[i].Term() == one[i+1].Term()) {
			t.Errorf("%s and %s: %d", show(one[i]), show(one[i+1]), c)
		}
	}
}

func FuzzCompare(f *testing.F) {
	for _, datatype := range []string{rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat, rdf.XSDDateTime, rdf.XSDDate, rdf.XSDDuration, rdf.XSDString, "http://t"} {
		f.Add("1", datatype, "2.5", rdf.XSDDecimal, "1e0", rdf.XSDDouble)
		f.Add("2000-01-01T00:00:00Z", datatype, "P1M", rdf.XSDDuration, "2000-01-01", rdf.XSDDate)
	}
	f.Fuzz(func(t *testing.T, a, aType, b, bType, c, cType string) {
		x, y, z := FromTerm(rdf.NewLiteral(a, aType)), FromTerm(rdf.NewLiteral(b, bType)), FromTerm(rdf.NewLiteral(c, cType))
		if x.Term() != rdf.NewLiteral(a, aType) {
			t.Fatalf("%q^^%s comes back as %s", a, aType, show(x))
		}
		checkOrder(t, x, y, z)
	})
}

// Sort keys agree with Order, whether made for one value or for many. The lower key
// comes first. Values with equal and exact keys tie.
func TestSortKeysFollowOrder(t *testing.T) {
	suite.NotShort(t)
	r := rand.New(rand.NewPCG(5, 5))
	var values []Value
	for _, g := range inOrder {
		for _, s := range g {
			values = append(values, val(t, s))
		}
	}
	for _, lexical := range []string{"536870912", "562949953.421312", "562949953.421313", "562949953.4213125", "-562949953.421312", "-562949953.421313",
		"562949954", "281474976710656", "281474976710657", "-281474976710656", "1700000000000", "1700000000001", "9223372036854775807", "0.0000005", "0.0000004999", "0.29", "0.289999"} {
		values = append(values, FromTerm(rdf.NewLiteral(lexical, rdf.XSDDecimal)), FromTerm(rdf.NewLiteral(lexical, rdf.XSDDouble)), FromTerm(rdf.NewLiteral(lexical, rdf.XSDFloat)))
	}
	for _, lexical := range []string{"2000-01-01T00:00:00.0000001", "2000-01-01T00:00:00.0000001Z", "2000-01-01T00:00:00.000001", "2000-01-01T00:00:00.000001Z",
		"9999-01-01T00:00:00Z", "99999-01-01T00:00:00Z", "-9999-01-01T00:00:00Z", "123456789-01-01T00:00:00", "2000-01-01T00:00:00.00000012345Z"} {
		values = append(values, FromTerm(rdf.NewLiteral(lexical, rdf.XSDDateTime)))
	}
	for range suite.Size(1500, 300) {
		values = append(values, drawValue(r))
		f := math.Float64frombits(r.Uint64())
		values = append(values, Double(f), Double(math.Ldexp(f, -1000)), Double(float64(r.IntN(2000)-1000)/64), Decimal(r.Int64()>>r.IntN(60), r.IntN(19)))
	}
	keys, together := make([]uint64, len(values)), SortKeys(values)
	exact := make([]bool, len(values))
	settled := 0
	for i, v := range values {
		keys[i], exact[i] = v.SortKey()
	}
	for i, a := range values {
		for j, b := range values[:i] {
			want := Order(a, b)
			if c := cmp.Compare(keys[i], keys[j]); c != 0 && c != cmp.Compare(want, 0) || c == 0 && exact[i] && exact[j] && want != 0 {
				t.Fatalf("%v and %v: keys %#x and %#x, exact %v and %v; want the order %d", a.Term(), b.Term(), keys[i], keys[j], exact[i], exact[j], want)
			}
			if c := cmp.Compare(together[i], together[j]); c != 0 && c != cmp.Compare(want, 0) {
				t.Fatalf("%v and %v together: keys %#x and %#x; want the order %d", a.Term(), b.Term(), together[i], together[j], want)
			}
			if keys[i] != keys[j] || exact[i] && exact[j] {
				settled++
			}
		}
	}
	if all := len(values) * (len(values) - 1) / 2; settled < all*4/5 {
		t.Errorf("keys settle the order of %d of %d pairs", settled, all)
	}
}

// A prefix that all texts share takes no room in their keys.
func TestSortKeysLeaveOutWhatTextsShare(t *testing.T) {
	var values []Value
	for i := range 100 {
		values = append(values, IRI(fmt.Sprintf("http://example.org/id/a%06d", i)), LangString(fmt.Sprintf("la sala está %03d", i), "es"))
	}
	keys := SortKeys(values)
	slices.Sort(keys)
	if n := len(slices.Compact(keys)); n != len(values) {
		t.Errorf("%d different keys of %d values", n, len(values))
	}
}
