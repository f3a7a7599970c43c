package value

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

func TestArithmetic(t *testing.T) {
	operators := map[string]func(a, b Value) Value{"+": Add, "-": Subtract, "*": Multiply, "/": Divide}
	for _, c := range []struct{ a, op, b, want string }{
		{"1", "+", "2", "3"},
		{"1", "-", "2", "-1"},
		{"3", "*", "-4", "-12"},
		{"1", "+", "2.0", `"3"^^xsd:decimal`},
		{"1.0", "+", "2", `"3"^^xsd:decimal`},
		{"1.25", "+", "0.75", `"2"^^xsd:decimal`},
		{"0.1", "+", "0.2", "0.3"},
		{"1.5", "*", "1.5", "2.25"},
		{"1.5", "-", "2.25", "-0.75"},
		{"100", "+", "0.001", "100.001"},
		// Integers: division returns a decimal.
		{"1", "/", "2", "0.5"},
		{"4", "/", "2", `"2"^^xsd:decimal`},
		{"-7", "/", "8", "-0.875"},
		{"7", "/", "-8", "-0.875"},
		{"19.5", "/", "3", "6.5"},
		{"1", "/", "0.001", `"1000"^^xsd:decimal`},
		{"0.001", "/", "1000", "0.000001"},
		{"1", "/", "3", "0.3333333333333333333333333"},
		{"2", "/", "3", "0.6666666666666666666666667"},
		{"1", "/", "0", "err"},
		{"0.0", "/", "0.0", "err"},
		{"1", "/", "0e0", "INF"},
		{"-1e0", "/", "0", "-INF"},
		{"0e0", "/", "0", "NaN"},
		// Beyond 64 bits.
		{"9223372036854775807", "+", "1", "9223372036854775808"},
		{"-9223372036854775808", "-", "1", "-9223372036854775809"},
		{"9223372036854775808", "-", "1", "9223372036854775807"},
		{"-9223372036854775808", "*", "-1", "9223372036854775808"},
		{"4294967296", "*", "4294967296", "18446744073709551616"},
		{"-9223372036854775808", "/", "-1", `"9223372036854775808"^^xsd:decimal`},
		{"3037000500", "*", "3037000500", "9223372037000250000"},
		{"1", "-", "-9223372036854775808", "9223372036854775809"},
		{"-9223372036854775808", "+", "0.5", "-9223372036854775807.5"},
		{"9223372036854775807", "*", "0.1", "922337203685477580.7"},
		{"0.000000001", "*", "0.0000000001", "0.0000000000000000001"},
		{"99999999999999999999.5", "-", "99999999999999999999", "0.5"},
		// Type promotion (XPath 2.0, appendix B.1).
		{`"1"^^xsd:byte`, "+", `"1"^^xsd:short`, "2"},
		{`"1"^^xsd:float`, "+", "1.0", `"2.0E0"^^xsd:float`},
		{`"1"^^xsd:float`, "*", "1e0", "1.0E0"},
		{"0.1", "+", "1e0", "1.1E0"},
		{"1", "/", `"4"^^xsd:float`, `"2.5E-1"^^xsd:float`},
		{`"3.4E38"^^xsd:float`, "*", "10", `"INF"^^xsd:float`},
		{`"3.4E38"^^xsd:float`, "*", "1e1", "3.399999952144364E39"},
		{"1e308", "*", "1e1", "INF"},
		{"INF", "-", "INF", "NaN"},
		{`"5"^^xsd:float`, "-", "1", `"4.0E0"^^xsd:float`},
		{"2e0", "-", "0.5", "1.5E0"},
		// Operands that are not numbers.
		{`"1"`, "+", "1", "err"},
		{"1", "-", "<a>", "err"},
		{"true", "*", "1", "err"},
		{"1", "/", "unbound", "err"},
		{"err", "+", "1", "err"},
		{`"x"^^xsd:integer`, "+", "1", "err"},
		{`"1"`, "+", `"1"`, "err"},
	} {
		if got := show(operators[c.op](val(t, c.a), val(t, c.b))); got != c.want {
			t.Errorf("%s %s %s = %s, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
	for _, c := range [][3]string{{"5", "-5", "5"}, {"-9223372036854775808", "9223372036854775808", "-9223372036854775808"}, {"-1.50", "1.5", "-1.5"}, {"1e0", "-1.0E0", "1.0E0"},
		{`"07"^^xsd:byte`, "-7", "7"}, {`"1"^^xsd:float`, `"-1.0E0"^^xsd:float`, `"1.0E0"^^xsd:float`}, {`"1"`, "err", "err"}, {"unbound", "err", "err"}} {
		if got := show(Negate(val(t, c[0]))); got != c[1] {
			t.Errorf("-%s = %s, want %s", c[0], got, c[1])
		}
		if got := show(Plus(val(t, c[0]))); got != c[2] {
			t.Errorf("+%s = %s, want %s", c[0], got, c[2])
		}
	}
}

// TestArithmeticIsExact compares with math/big, near the limits of an int64.
func TestArithmeticIsExact(t *testing.T) {
	suite.NotShort(t)
	r := rand.New(rand.NewPCG(1, 2))
	edges := []int64{0, 1, -1, 9, 10, 1 << 31, 1 << 32, 1e9, 1e18, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, math.MinInt64 + 1}
	draw := func() Value {
		i := r.Int64() >> r.IntN(64)
		if r.IntN(3) == 0 {
			i = edges[r.IntN(len(edges))]
		}
		if r.IntN(2) == 0 {
			return Integer(i)
		}
		return Decimal(i, r.IntN(19))
	}
	rat := func(v Value) *big.Rat {
		x, ok := new(big.Rat).SetString(v.Term().Value())
		if !ok {
			t.Fatalf("%s is no number", show(v))
		}
		return x
	}
	for range 20_000 {
		a, b := draw(), draw()
		x, y := rat(a), rat(b)
		for name, c := range map[string][2]*big.Rat{
			"+": {rat(Add(a, b)), new(big.Rat).Add(x, y)}, "-": {rat(Subtract(a, b)), new(big.Rat).Sub(x, y)},
			"*": {rat(Multiply(a, b)), new(big.Rat).Mul(x, y)},
		} {
			if c[0].Cmp(c[1]) != 0 {
				t.Fatalf("%s %s %s = %s, want %s", show(a), name, show(b), c[0], c[1])
			}
		}
		if got := compareExact(a, b); got != x.Cmp(y) {
			t.Fatalf("%s and %s compare as %d", show(a), show(b), got)
		}
		if want, _ := x.Float64(); a.double() != want {
			t.Fatalf("%s as a double is %v, want %v", show(a), a.double(), want)
		}
		if want, _ := x.Float32(); a.float() != want {
			t.Fatalf("%s as a float is %v, want %v", show(a), a.float(), want)
		}
		if y.Sign() == 0 {
			continue
		}
		exactly := new(big.Rat).Quo(x, y)
		miss := new(big.Rat).Sub(rat(Divide(a, b)), exactly)
		if allowed := new(big.Rat).Quo(exactly, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))); miss.Abs(miss).Cmp(allowed.Abs(allowed)) > 0 {
			t.Fatalf("%s / %s = %s has less than 18 right digits", show(a), show(b), show(Divide(a, b)))
		}
	}
}

func TestNumbersDoNotGrowWithoutEnd(t *testing.T) {
	v, steps := Integer(10), 0
	for !v.IsError() && steps < 100 {
		v = Multiply(v, v)
		steps++
	}
	if steps > 18 {
		t.Errorf("%d squarings", steps)
	}
	tiny := val(t, `"0.`+strings.Repeat("0", 60_000)+`1"^^xsd:decimal`)
	if got := Divide(Divide(Integer(1), tiny), tiny); !got.IsError() {
		t.Errorf("a number of %d digits", len(got.Term().Value()))
	}
}

func TestEqualAndLess(t *testing.T) {
	for _, c := range []struct{ a, b, equal, less, greater string }{
		{"1", "1", "true", "false", "false"},
		{"1", "01", "true", "false", "false"},
		{"1", "1.0", "true", "false", "false"},
		{"1", "1e0", "true", "false", "false"},
		{"1", "2", "false", "true", "false"},
		{"1", `"1"^^xsd:float`, "true", "false", "false"},
		{"0.1", "1e-1", "true", "false", "false"},
		{`"0.1"^^xsd:float`, "1e-1", "false", "false", "true"},
		{`"0.1"^^xsd:float`, "0.1", "true", "false", "false"},
		{"NaN", "NaN", "false", "false", "false"},
		{"NaN", "1", "false", "false", "false"},
		{"INF", "99999999999999999999", "false", "false", "true"},
		{"-0.0e0", "0", "true", "false", "false"},
		{"99999999999999999999", "99999999999999999998", "false", "false", "true"},
		{"-1.5", "-1", "false", "true", "false"},
		{"-1.25", "-1.5", "false", "false", "true"},
		{"9007199254740993", "9007199254740992e0", "true", "false", "false"},
		{`"a"`, `"a"`, "true", "false", "false"},
		{`"a"`, `"b"`, "false", "true", "false"},
		{`"Z"`, `"a"`, "false", "true", "false"},
		{`"｡"`, `"𐀀"`, "false", "true", "false"},
		{`"a"`, `"a"@en`, "false", "err", "err"},
		{`"a"@en`, `"a"@EN`, "true", "err", "err"},
		{`"a"@en`, `"b"@en`, "false", "err", "err"},
		{`"a"@en--ltr`, `"a"@en`, "false", "err", "err"},
		{`"a"@en--ltr`, `"a"@EN--ltr`, "true", "err", "err"},
		{"true", "false", "false", "false", "true"},
		{"true", `"1"^^xsd:boolean`, "true", "false", "false"},
		{"true", "1", "false", "err", "err"},
		{"<a>", "<a>", "true", "err", "err"},
		{"<a>", "<b>", "false", "err", "err"},
		{"<a>", `"a"`, "false", "err", "err"},
		{"<a>", "_:a", "false", "err", "err"},
		{"_:a", "_:a", "true", "err", "err"},
		{"<a>", `"x"^^x:t`, "false", "err", "err"},
		// Known types that have no values in common, such as dates and dateTimes.
		{"1", `"1"`, "false", "err", "err"},
		{`"2006-08-23"^^xsd:date`, `"2006-08-23T09:00:00+01:00"^^xsd:dateTime`, "false", "err", "err"},
		// Unknown results.
		{`"a"^^x:t`, `"a"^^x:t`, "true", "err", "err"},
		{`"a"^^x:t`, `"b"^^x:t`, "err", "err", "err"},
		{`"a"^^x:t`, `"a"^^x:u`, "err", "err", "err"},
		{`"a"^^x:t`, `"a"`, "err", "err", "err"},
		{`"a"^^x:t`, "1", "err", "err", "err"},
		{`"a"^^x:t`, `"a"@en`, "false", "err", "err"},
		{`"xyz"^^xsd:integer`, `"xyz"^^xsd:integer`, "true", "err", "err"},
		{`"xyz"^^xsd:integer`, "1", "err", "err", "err"},
		{`"xyz"^^xsd:integer`, `"xyz"@en`, "false", "err", "err"},
		{"err", "1", "err", "err", "err"},
		{"unbound", "unbound", "err", "err", "err"},
		{"unbound", "<a>", "err", "err", "err"},
		// Triple terms.
		{"<<<a> <p> 1>>", "<<<a> <p> 01.0>>", "true", "err", "err"},
		{"<<<a> <p> 1>>", "<<<a> <p> 2>>", "false", "err", "err"},
		{"<<<a> <p> 1>>", "<<<b> <p> 1>>", "false", "err", "err"},
		{"<<<a> <p> 1>>", "<<<a> <q> 1>>", "false", "err", "err"},
		{`<<<a> <p> "x"^^x:t>>`, `<<<a> <p> 1>>`, "err", "err", "err"},
		{`<<<a> <p> "x"^^x:t>>`, `<<<b> <p> 1>>`, "false", "err", "err"},
		{`<<<a> <p> "x"@en>>`, `<<<a> <p> "x"@EN>>`, "true", "err", "err"},
		{"<<<a> <p> <<<b> <p> 1>>>>", "<<<a> <p> <<<b> <p> 1e0>>>>", "true", "err", "err"},
		{"<<<a> <p> 1>>", "<a>", "false", "err", "err"},
		{"<<<a> <p> 1>>", "1", "false", "err", "err"},
		{"<<<a> <p> 1>>", `"x"^^x:t`, "false", "err", "err"},
		{"<<<a> <p> 1>>", "err", "err", "err", "err"},
		// Dates and times. Without a time zone, the order is known from 14 hours on.
		{`"2008-04-01T00:00:00.00Z"^^xsd:dateTime`, `"2008-04-01T00:00:00Z"^^xsd:dateTime`, "true", "false", "false"},
		{`"1999-12-31T24:00:00"^^xsd:dateTime`, `"2000-01-01T00:00:00"^^xsd:dateTime`, "true", "false", "false"},
		{`"2002-04-02T23:00:00-04:00"^^xsd:dateTime`, `"2002-04-03T02:00:00-01:00"^^xsd:dateTime`, "true", "false", "false"},
		{`"2002-04-02T23:00:00"^^xsd:dateTime`, `"2002-04-02T23:00:00+06:00"^^xsd:dateTime`, "err", "err", "err"},
		{`"2008-10-01T00:00:00Z"^^xsd:dateTime`, `"2008-10-03T00:00:00"^^xsd:dateTime`, "false", "true", "false"},
		{`"2008-10-01T14:00:01"^^xsd:dateTime`, `"2008-10-01T00:00:00Z"^^xsd:dateTime`, "false", "false", "true"},
		{`"2008-10-01T14:00:00"^^xsd:dateTime`, `"2008-10-01T00:00:00Z"^^xsd:dateTime`, "err", "err", "err"},
		{`"2008-10-01T00:00:00.5"^^xsd:dateTime`, `"2008-10-01T14:00:00.6Z"^^xsd:dateTime`, "false", "true", "false"},
		{`"2008-10-01T00:00:00.1234567891Z"^^xsd:dateTime`, `"2008-10-01T00:00:00.1234567892Z"^^xsd:dateTime`, "false", "true", "false"},
		{`"2008-10-01T00:00:00.123456789Z"^^xsd:dateTime`, `"2008-10-01T00:00:00.1234567891Z"^^xsd:dateTime`, "false", "true", "false"},
		{`"2006-08-23"^^xsd:date`, `"2006-08-23"^^xsd:date`, "true", "false", "false"},
		{`"2006-08-23Z"^^xsd:date`, `"2006-08-23"^^xsd:date`, "err", "err", "err"},
		{`"2006-08-23Z"^^xsd:date`, `"2006-08-22"^^xsd:date`, "false", "false", "true"},
		{`"2006-08-23Z"^^xsd:date`, `"2006-08-23+00:00"^^xsd:date`, "true", "false", "false"},
		{`"10:00:00Z"^^xsd:time`, `"11:00:00+01:00"^^xsd:time`, "true", "false", "false"},
		{`"2024"^^xsd:gYear`, `"2025"^^xsd:gYear`, "false", "true", "false"},
		{`"PT0S"^^xsd:dayTimeDuration`, `"P0M"^^xsd:yearMonthDuration`, "true", "false", "false"},
		{`"P1Y"^^xsd:duration`, `"P12M"^^xsd:yearMonthDuration`, "true", "false", "false"},
		{`"P1M"^^xsd:duration`, `"P30D"^^xsd:duration`, "false", "err", "err"},
		{`"PT1H"^^xsd:dayTimeDuration`, `"P1D"^^xsd:dayTimeDuration`, "false", "true", "false"},
	} {
		a, b := val(t, c.a), val(t, c.b)
		if got := truthNames[Equal(a, b)]; got != c.equal || truthNames[Equal(b, a)] != c.equal {
			t.Errorf("%s = %s: %s, other way round %s, want %s", c.a, c.b, got, truthNames[Equal(b, a)], c.equal)
		}
		if got := truthNames[Less(a, b)]; got != c.less {
			t.Errorf("%s < %s: %s, want %s", c.a, c.b, got, c.less)
		}
		if got := truthNames[Less(b, a)]; got != c.greater {
			t.Errorf("%s > %s: %s, want %s", c.a, c.b, got, c.greater)
		}
		want := c.less
		if c.equal == "true" && c.less != "err" {
			want = "true"
		}
		if got := truthNames[LessOrEqual(a, b)]; got != want {
			t.Errorf("%s <= %s: %s, want %s", c.a, c.b, got, want)
		}
	}
}

func TestEffectiveBooleanValue(t *testing.T) {
	for s, want := range map[string]string{
		"true": "true", "false": "false", `"0"^^xsd:boolean`: "false", `"maybe"^^xsd:boolean`: "err", "1": "true",
		"0": "false", "-0.0": "false", "0.01": "true", "0e0": "false", "NaN": "false", "INF": "true",
		`"0"^^xsd:float`: "false", `"x"^^xsd:integer`: "err", `"x"^^xsd:byte`: "err", `"x"^^xsd:double`: "err",
		"99999999999999999999": "true", `""`: "false", `"false"`: "true", `"0"`: "true", `""@en`: "err", `"a"@en`: "err", "<<<a> <p> 1>>": "err",
		"<a>": "err", "_:a": "err", `"2024-01-01"^^xsd:date`: "err", `"x"^^x:t`: "err", "unbound": "err", "err": "err",
	} {
		if got := truthNames[val(t, s).Truth()]; got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
}

func TestLogicHasThreeValues(t *testing.T) {
	all := []Truth{True, False, TypeError}
	and := [3][3]Truth{{True, False, TypeError}, {False, False, False}, {TypeError, False, TypeError}}
	or := [3][3]Truth{{True, True, True}, {True, False, TypeError}, {True, TypeError, TypeError}}
	for i, s := range all {
		for j, u := range all {
			if And(s, u) != and[i][j] || Or(s, u) != or[i][j] {
				t.Errorf("%s and, or %s: %s, %s", truthNames[s], truthNames[u], truthNames[And(s, u)], truthNames[Or(s, u)])
			}
		}
	}
	if Not(True) != False || Not(False) != True || Not(TypeError) != TypeError {
		t.Error("not")
	}
}
