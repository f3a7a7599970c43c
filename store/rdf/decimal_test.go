package rdf

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

func decimal(t testing.TB, lexical string) Decimal {
	t.Helper()
	d, ok := ParseDecimal(lexical)
	if !ok {
		t.Fatalf("%q is not a decimal", lexical)
	}
	return d
}

func TestParseDecimalTakesLexicalFormsOnly(t *testing.T) {
	for lexical, want := range map[string]string{
		"0": "0", "-0": "0", "+0.0": "0", "1": "1", "+1": "1", "-1": "-1", "007": "7",
		"1.": "1", ".5": "0.5", "-.50": "-0.5", "1.10": "1.1", "100": "100", "0.001": "0.001",
		"999999999999999999":           "999999999999999999",
		"9223372036854775807":          "9223372036854775807",
		"-9223372036854775808":         "-9223372036854775808",
		"9223372036854775808":          "9223372036854775808",
		"0.0000000000000000000000001":  "0.0000000000000000000000001",
		"123456789012345678901.234500": "123456789012345678901.2345",
		strings.Repeat("0", 30) + "1":  "1",
		"10000000000000000000000.0000": "10000000000000000000000",
	} {
		d, ok := ParseDecimal(lexical)
		if !ok || d.String() != want {
			t.Errorf("%q: %v, %v, want %s", lexical, d, ok, want)
		}
		if form, ok := Canonical(lexical, XSDDecimal); !ok || form != want {
			t.Errorf("Canonical(%q) = %q, %v", lexical, form, ok)
		}
	}
	for _, lexical := range []string{"", ".", "+", "-", "+-1", "1e0", "1.2.3", " 1", "1 ", "1_000", "0x1", "INF", "NaN", "١"} {
		if d, ok := ParseDecimal(lexical); ok {
			t.Errorf("%q is taken for %v", lexical, d)
		}
		if valid, known := ValidLexical(lexical, XSDDecimal); valid || !known {
			t.Errorf("%q is a valid decimal: %v, %v", lexical, valid, known)
		}
	}
	if _, ok := ParseDecimal(strings.Repeat("1", maxDecimalDigits+1)); ok {
		t.Error("there is no limit of digits")
	}
}

// All operations are compared with big.Rat, for numbers of all sizes.
func TestDecimalArithmeticIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		a, b := randomDecimal(r), randomDecimal(r)
		d, e := decimal(t, a), decimal(t, b)
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		check := func(name string, got Decimal, want *big.Rat) {
			t.Helper()
			back, _ := new(big.Rat).SetString(got.String())
			if back == nil || back.Cmp(want) != 0 {
				t.Fatalf("%s of %s and %s: %s, want %s", name, a, b, got, want.FloatString(40))
			}
			if again := decimal(t, got.String()); again.Cmp(got) != 0 || again.scale != got.scale || (again.large == nil) != (got.large == nil) {
				t.Fatalf("%s of %s and %s is not in its one form: %+v", name, a, b, got)
			}
		}
		check("sum", d.Add(e), new(big.Rat).Add(x, y))
		check("difference", d.Sub(e), new(big.Rat).Sub(x, y))
		check("product", d.Mul(e), new(big.Rat).Mul(x, y))
		check("negation", d.Neg(), new(big.Rat).Neg(x))
		check("absolute", d.Abs(), new(big.Rat).Abs(x))
		if got := d.Cmp(e); got != x.Cmp(y) && got*x.Cmp(y) <= 0 {
			t.Fatalf("Cmp(%s, %s) = %d", a, b, got)
		}
		if d.Sign() != x.Sign() || d.IsInteger() != x.IsInt() {
			t.Fatalf("%s: sign %d, integer %v", a, d.Sign(), d.IsInteger())
		}
		floor := new(big.Rat).SetInt(new(big.Int).Div(x.Num(), x.Denom()))
		check("floor", d.Floor(), floor)
		ceil := new(big.Rat).SetInt(new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(x.Num()), x.Denom())))
		check("ceil", d.Ceil(), ceil)
		if want, _ := x.Float64(); d.Float64() != want {
			t.Fatalf("%s as float64: %v, want %v", a, d.Float64(), want)
		}
	}
}

// randomDecimal returns a number, often close to a change of representation.
func randomDecimal(r *rand.Rand) string {
	sign := []string{"", "-"}[r.IntN(2)]
	switch r.IntN(4) {
	case 0:
		return sign + strconv.Itoa(r.IntN(100))
	case 1:
		return strconv.FormatInt(math.MinInt64+r.Int64N(3), 10)
	case 2:
		return sign + strconv.FormatInt(math.MaxInt64-r.Int64N(3), 10)
	}
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "0001234599"[r.IntN(10)]
		}
		return string(b)
	}
	return sign + digits(1+r.IntN(24)) + "." + digits(r.IntN(24))
}

func TestDecimalQuotientHasAtLeast24Digits(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"1", "4", "0.25"},
		{"6", "-3", "-2"},
		{"1", "3", "0.3333333333333333333333333"},
		{"2", "3", "0.6666666666666666666666667"},
		{"-2", "3", "-0.6666666666666666666666667"},
		{"1", "1000000000000000000000000000000", "0.000000000000000000000000000001"},
		{"0", "7", "0"},
		{"1000000000000000000000000000000", "0.001", "1000000000000000000000000000000000"},
	} {
		got, ok := decimal(t, c.a).Quo(decimal(t, c.b))
		if !ok || got.String() != c.want {
			t.Errorf("%s / %s = %s, want %s", c.a, c.b, got, c.want)
		}
	}
	if _, ok := decimal(t, "1").Quo(Decimal{}); ok {
		t.Error("division by 0 is ok")
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 5000 {
		a, b := randomDecimal(r), randomDecimal(r)
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if y.Sign() == 0 {
			continue
		}
		got, _ := decimal(t, a).Quo(decimal(t, b))
		back, _ := new(big.Rat).SetString(got.String())
		want := new(big.Rat).Quo(x, y)
		// The error is at most half of the 24th digit, and at most half of 10^-24 below
		// 1.
		off := new(big.Rat).Abs(new(big.Rat).Sub(back, want))
		allowed := new(big.Rat).Mul(new(big.Rat).Abs(want), new(big.Rat).SetFrac(big.NewInt(5), power10(24)))
		if off.Cmp(allowed) > 0 || off.Cmp(new(big.Rat).SetFrac(big.NewInt(1), power10(24))) > 0 {
			t.Fatalf("%s / %s = %s, off by %s", a, b, got, off.FloatString(60))
		}
	}
}

func TestDecimalRoundsHalfUp(t *testing.T) {
	for in, want := range map[string]string{
		"2.5": "3", "2.4999": "2", "-2.5": "-2", "-2.51": "-3", "0.5": "1", "-0.5": "0", "7": "7",
		"123456789012345678901.5": "123456789012345678902",
	} {
		if got := decimal(t, in).Round().String(); got != want {
			t.Errorf("round %s = %s, want %s", in, got, want)
		}
	}
}

func TestDecimalConversions(t *testing.T) {
	if got := DecimalOf(math.MinInt64).String(); got != "-9223372036854775808" {
		t.Error(got)
	}
	for lexical, want := range map[string]bool{"9223372036854775807": true, "9223372036854775808": false, "1.5": false} {
		if i, ok := decimal(t, lexical).Int64(); ok != want || ok && strconv.FormatInt(i, 10) != lexical {
			t.Errorf("Int64 of %s: %d, %v", lexical, i, ok)
		}
	}
	if f := decimal(t, "1"+strings.Repeat("0", 400)).Float64(); !math.IsInf(f, 1) {
		t.Error(f)
	}
}

// TestZerosOfLongFractionsGoAtOnce subtracts fractions of 32,000 digits that differ in the first: a division for each zero
// would take a third of a second.
func TestZerosOfLongFractionsGoAtOnce(t *testing.T) {
	t.Parallel()
	tail := strings.Repeat("7", 32_000) + "1"
	a, ok := ParseDecimal(strings.Repeat("9", 32_000) + ".5" + tail)
	b, too := ParseDecimal("0.2" + tail)
	if !ok || !too {
		t.Fatal("they can't be parsed")
	}
	begin := time.Now()
	for range 20 {
		if got, want := a.Sub(b).String(), strings.Repeat("9", 32_000)+".3"; got != want {
			t.Fatalf("%.20s… of %d digits", got, len(got))
		}
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("20 subtractions took %v", took)
	}
	if zero := a.Sub(a); zero.Size() != 0 || !zero.IsInteger() || a.Size() < 20_000 {
		t.Errorf("%v of %d bytes, and %d", zero, zero.Size(), a.Size())
	}
}
