package rdf

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// form has lexical forms of a datatype with their canonical forms, and invalid forms.
type form struct {
	datatype  string
	canonical map[string]string
	invalid   []string
}

var forms = []form{
	{XSDBoolean, map[string]string{"true": "true", "1": "true", "false": "false", "0": "false"}, []string{"", "TRUE", "True", "yes", " true", "00"}},
	{XSDInteger, map[string]string{"0": "0", "-0": "0", "+00": "0", "01": "1", "-01": "-1", "+5": "5", strings.Repeat("9", 100): strings.Repeat("9", 100)},
		[]string{"", "-", "1.", "1.0", ".", "1e1", "1 ", "٣", "--1"}},
	{XSDDouble, map[string]string{
		"1": "1.0E0", "0": "0.0E0", "-0": "-0.0E0", "+1.5": "1.5E0", "100": "1.0E2", "0.001e-7": "1.0E-10", ".5": "5.0E-1", "5.": "5.0E0",
		"1E400": "INF", "-1E400": "-INF", "1E-400": "0.0E0", "INF": "INF", "+INF": "INF", "-INF": "-INF", "NaN": "NaN",
		"0.1": "1.0E-1", "123456.789": "1.23456789E5", "1.7976931348623157E308": "1.7976931348623157E308", "5e-324": "5.0E-324", "1E+007": "1.0E7"},
		[]string{"", "inf", "Infinity", "nan", "-NaN", "0x1p3", "1_0", "1e", "e1", "1e1.5", "1 ", "+", ".", "1e+-1"}},
	{XSDFloat, map[string]string{"0.1": "1.0E-1", "16777217": "1.6777216E7", "1E39": "INF", "3.4028235E38": "3.4028235E38", "-0.0": "-0.0E0", "NaN": "NaN"},
		[]string{"", "x", "1f"}},
	{XSDHexBinary, map[string]string{"": "", "0fB7": "0FB7"}, []string{"0", "0g", "0f "}},
	{XSDBase64Binary, map[string]string{"": "", "YWJj": "YWJj", "Y W J j": "YWJj", "YQ==": "YQ==", "YQ = =": "YQ==", "YWI=": "YWI="},
		[]string{"YQ", "YQ=", "YR==", "YWJ=", "YWJj\n", " YWJj", "YW  Jj", "Y*Jj"}},
	{XSDString, map[string]string{"": "", " a\tb\n": " a\tb\n", "\u0001": "\u0001"}, []string{"\x00", "\uFFFE", "a\xff"}},
	{XSDAnyURI, map[string]string{"http://a b": "http://a b", "": ""}, []string{"\x00"}},
	{RDFLangString, map[string]string{"a": "a"}, []string{"\x00"}},
	{XSDNormalizedString, map[string]string{" a  b ": " a  b "}, []string{"a\tb", "a\nb", "a\rb"}},
	{XSDToken, map[string]string{"": "", "a b": "a b"}, []string{" a", "a ", "a  b", "a\tb"}},
	{XSDLanguage, map[string]string{"en": "en", "de-1901": "de-1901", "x-ABCDEFGH": "x-ABCDEFGH"}, []string{"", "e1", "en-", "-en", "abcdefghi", "en_GB", "en-é"}},
	{XSDName, map[string]string{"a:b": "a:b", "_é.1-": "_é.1-"}, []string{"", "1a", "-a", "a b", "a×"}},
	{XSDNCName, map[string]string{"ab": "ab"}, []string{"", "a:b", ":"}},
	{XSDNMToken, map[string]string{"1a": "1a", "-.:·": "-.:·"}, []string{"", "a b"}},
}

func TestCanonicalAndValidLexical(t *testing.T) { checkForms(t, forms) }

func checkForms(t *testing.T, forms []form) {
	t.Helper()
	for _, c := range forms {
		for lexical, want := range c.canonical {
			if got, ok := Canonical(lexical, c.datatype); !ok || got != want {
				t.Errorf("Canonical(%q, %s) = %q, %v; want %q", lexical, c.datatype, got, ok, want)
			}
			if again, ok := Canonical(want, c.datatype); !ok || again != want {
				t.Errorf("the canonical form %q of %s has the canonical form %q, %v", want, c.datatype, again, ok)
			}
			for _, s := range [...]string{lexical, want} {
				if valid, known := ValidLexical(s, c.datatype); !valid || !known {
					t.Errorf("ValidLexical(%q, %s) = %v, %v", s, c.datatype, valid, known)
				}
			}
		}
		for _, lexical := range c.invalid {
			if got, ok := Canonical(lexical, c.datatype); ok {
				t.Errorf("Canonical(%q, %s) = %q", lexical, c.datatype, got)
			}
			if valid, known := ValidLexical(lexical, c.datatype); valid || !known {
				t.Errorf("ValidLexical(%q, %s) = %v, %v", lexical, c.datatype, valid, known)
			}
		}
	}
}

func TestUnknownDatatypesAreNotJudged(t *testing.T) {
	for _, datatype := range []string{"", "http://example.org/t", XSD + "integers", XSD + "NOTATION", RDF + "HTML"} {
		if valid, known := ValidLexical("1", datatype); valid || known {
			t.Errorf("%q: %v, %v", datatype, valid, known)
		}
		if form, ok := Canonical("1", datatype); ok {
			t.Errorf("%q: %q", datatype, form)
		}
	}
}

func TestIntegerTypesKeepTheirRange(t *testing.T) {
	for datatype, bounds := range map[string][4]string{ // below the least, least, greatest, above the greatest
		XSDLong:               {"-9223372036854775809", "-9223372036854775808", "9223372036854775807", "9223372036854775808"},
		XSDInt:                {"-2147483649", "-2147483648", "2147483647", "2147483648"},
		XSDShort:              {"-32769", "-32768", "32767", "32768"},
		XSDByte:               {"-129", "-128", "127", "128"},
		XSDUnsignedLong:       {"-1", "0", "18446744073709551615", "18446744073709551616"},
		XSDUnsignedInt:        {"-1", "0", "4294967295", "4294967296"},
		XSDUnsignedShort:      {"-1", "0", "65535", "65536"},
		XSDUnsignedByte:       {"-1", "0", "255", "256"},
		XSDNonNegativeInteger: {"-1", "0", strings.Repeat("9", 50), "x"},
		XSDPositiveInteger:    {"0", "1", strings.Repeat("9", 50), "x"},
		XSDNonPositiveInteger: {"x", "-" + strings.Repeat("9", 50), "0", "1"},
		XSDNegativeInteger:    {"x", "-" + strings.Repeat("9", 50), "-1", "0"},
	} {
		for i, lexical := range bounds {
			want := i == 1 || i == 2
			if valid, known := ValidLexical(lexical, datatype); valid != want || !known {
				t.Errorf("%s as %s: %v, %v", lexical, datatype, valid, known)
			}
			if lexical != "x" && strings.TrimLeft(lexical, "-0") != "" {
				padded := strings.Replace("+00"+lexical, "+00-", "-00", 1)
				if form, ok := Canonical(padded, datatype); ok != want || ok && form != lexical {
					t.Errorf("%s as %s: %q, %v", padded, datatype, form, ok)
				}
			}
		}
		if !IsInteger(datatype) || !IsNumeric(datatype) {
			t.Errorf("%s is not an integer type", datatype)
		}
	}
	for datatype, want := range map[string][2]bool{XSDInteger: {true, true}, XSDDecimal: {false, true}, XSDFloat: {false, true}, XSDDouble: {false, true}, XSDString: {}, XSDDateTime: {}, "": {}} {
		if IsInteger(datatype) != want[0] || IsNumeric(datatype) != want[1] {
			t.Errorf("%s: %v, %v", datatype, IsInteger(datatype), IsNumeric(datatype))
		}
	}
}

func TestDoubleReadsBackFromItsCanonicalForm(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 50_000 {
		f := math.Float64frombits(r.Uint64())
		back, ok := ParseDouble(FormatDouble(f))
		if !ok || back != f && !math.IsNaN(f) || math.Signbit(back) != math.Signbit(f) && !math.IsNaN(f) {
			t.Fatalf("%v: %s reads as %v, %v", f, FormatDouble(f), back, ok)
		}
		g := math.Float32frombits(r.Uint32())
		small, ok := ParseFloat(FormatFloat(g))
		if !ok || small != g && g == g {
			t.Fatalf("%v: %s reads as %v, %v", g, FormatFloat(g), small, ok)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, c := range forms {
		for lexical := range c.canonical {
			f.Add(lexical, c.datatype)
		}
	}
	f.Add("2024-02-29T24:00:00.5+14:00", XSDDateTime)
	f.Add("P1Y2M3DT4H5M6.7S", XSDDuration)
	f.Fuzz(func(t *testing.T, lexical, datatype string) {
		form, ok := Canonical(lexical, datatype)
		valid, known := ValidLexical(lexical, datatype)
		if ok != (valid && known) {
			t.Fatalf("Canonical says %v, ValidLexical %v, %v", ok, valid, known)
		}
		if !ok {
			return
		}
		if again, ok := Canonical(form, datatype); !ok || again != form {
			t.Fatalf("%q has the form %q, which has %q, %v", lexical, form, again, ok)
		}
	})
}

// ParseDouble rounds as strconv does, and accepts what XSD does.
func TestDoublesAreReadAsStrconvReadsThem(t *testing.T) {
	valid := regexp.MustCompile(`^([+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN)$`)
	rng := rand.New(rand.NewPCG(4, 4))
	texts := []string{"", "-0", "+.5", "5.", ".", "-", "+-1", "1.2.3", "123456789012345", "0.00000000000001", ".000000000000001", "-9007199254740993", "0x1p-2", "1_0", "inf", "-INF", "NaN"}
	for range 20_000 {
		text := make([]byte, 1+rng.IntN(19))
		for i := range text {
			text[i] = "0123456789012345678901234567890123456789.-+e "[rng.IntN(45)]
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		got, ok := ParseDouble(text)
		if ok != valid.MatchString(text) {
			t.Fatalf("ParseDouble(%q) reports %v", text, ok)
		}
		if want, _ := strconv.ParseFloat(text, 64); ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("ParseDouble(%q) = %v, want %v", text, got, want)
		}
	}
}
