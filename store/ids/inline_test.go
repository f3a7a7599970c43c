package ids

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/store/rdf"
)

// TestInlineValuesRoundTrip checks lexical forms at random: either the value is
// not inline, or its id decodes to exactly the same term.
func TestInlineValuesRoundTrip(t *testing.T) {
	datatypes := []string{rdf.XSDBoolean, rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat, rdf.XSDDateTime, rdf.XSDDate}
	patterns := []string{`-?[0-9]{1,20}`, `[+-]?[0-9]{0,12}\.?[0-9]{0,8}`, `-?[0-9]{1,4}\.[0-9]{1,7}`, `[0-9.eE+-]{0,10}`,
		`[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,7})?(Z|\+00:00|-00:00|\+02:00)?`,
		`[0-9]{4}-[01][0-9]-[0-3][0-9](Z|\+00:00|\+01:00)?`, `true|false|TRUE|0|1`}
	rapid.Check(t, func(t *rapid.T) {
		lex := rapid.StringMatching(rapid.SampledFrom(patterns).Draw(t, "pattern")).Draw(t, "lexical")
		want := rdf.NewLiteral(lex, rapid.SampledFrom(datatypes).Draw(t, "datatype"))
		id, ok := Inline(want)
		if !ok {
			return
		}
		if got, ok := id.Value(); !ok || got != want {
			t.Fatalf("%v has id %#x, which is %v, %v", want, uint64(id), got, ok)
		}
	})
}

// TestUsualValuesAreInline checks values that robots send, which must not cost a
// dictionary entry.
func TestUsualValuesAreInline(t *testing.T) {
	for _, l := range [][2]string{
		{"0", rdf.XSDInteger}, {"-1", rdf.XSDInteger}, {"576460752303423487", rdf.XSDInteger},
		{"0.71", rdf.XSDDecimal}, {"-12.5", rdf.XSDDecimal}, {"1.50", rdf.XSDDecimal}, {"4503599626.123456", rdf.XSDDecimal},
		{"0.9", rdf.XSDFloat}, {"0.75", rdf.XSDDouble}, {"true", rdf.XSDBoolean},
		{"2026-06-04T11:53:18.739212+00:00", rdf.XSDDateTime}, {"2025-01-06T10:52:59.101Z", rdf.XSDDateTime},
		{"1969-12-31T23:59:59", rdf.XSDDateTime}, {"1401-01-01T00:00:00Z", rdf.XSDDateTime}, {"2024-02-29", rdf.XSDDate},
	} {
		if _, ok := Inline(rdf.NewLiteral(l[0], l[1])); !ok {
			t.Errorf("%s^^%s is not inline", l[0], l[1])
		}
	}
}

// TestFormsThatAnIdCannotHoldAreNotInline checks terms with other lexical forms, some of
// the same value.
func TestFormsThatAnIdCannotHoldAreNotInline(t *testing.T) {
	for _, l := range [][2]string{
		{"01", rdf.XSDInteger}, {"+1", rdf.XSDInteger}, {"-0", rdf.XSDInteger}, {"", rdf.XSDInteger}, {" 1", rdf.XSDInteger},
		{"1e3", rdf.XSDInteger}, {"576460752303423488", rdf.XSDInteger}, {"99999999999999999999", rdf.XSDInteger},
		{".5", rdf.XSDDecimal}, {"5.", rdf.XSDDecimal}, {"-0.0", rdf.XSDDecimal}, {"00.5", rdf.XSDDecimal}, {"0.1234567", rdf.XSDDecimal},
		{"99999999999.0", rdf.XSDDecimal}, {"1.0E0", rdf.XSDDouble}, {"INF", rdf.XSDFloat}, {"1", rdf.XSDBoolean},
		{"2025-02-30T00:00:00Z", rdf.XSDDateTime}, {"2025-01-06T24:00:00Z", rdf.XSDDateTime}, {"2025-01-06T10:00:00+02:00", rdf.XSDDateTime},
		{"2025-01-06T10:00:00-00:00", rdf.XSDDateTime}, {"2025-01-06T10:00:00.1234567Z", rdf.XSDDateTime}, {"2025-01-06T10:00:60Z", rdf.XSDDateTime},
		{"0001-01-01T00:00:00Z", rdf.XSDDateTime}, {"-0001-01-01", rdf.XSDDate}, {"0000-01-01", rdf.XSDDate}, {"2025-13-01", rdf.XSDDate},
	} {
		if id, ok := Inline(rdf.NewLiteral(l[0], l[1])); ok {
			t.Errorf("%q^^%s is inline as %#x", l[0], l[1], uint64(id))
		}
	}
}

// TestInlineIdsCompareAsValuesDo checks the order of ids, which turns a time window or a
// range of numbers into a range of ids.
func TestInlineIdsCompareAsValuesDo(t *testing.T) {
	decimals := []string{"-70000000000", "-12.5", "-12.49", "-1", "-0.000001", "0", "0.000001", "0.3", "0.71", "1", "1.000001", "70000000000.5"}
	for _, dt := range []string{rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat} {
		inOrder(t, dt, decimals)
	}
	inOrder(t, rdf.XSDInteger, []string{"-576460752303423487", "-2", "-1", "0", "1", "2", "10", "576460752303423487"})
	inOrder(t, rdf.XSDDateTime, []string{"1400-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z",
		"1970-01-01T00:00:00.000001Z", "2025-01-06T10:52:59", "2025-01-06T10:52:59.1+00:00", "2025-01-06T10:52:59.11Z", "2540-01-01T00:00:00"})
	inOrder(t, rdf.XSDDate, []string{"0001-01-01", "1969-12-31", "1970-01-01", "2025-01-06Z", "2025-01-07", "9999-12-31"})
	inOrder(t, rdf.XSDBoolean, []string{"false", "true"})
	rapid.Check(t, func(t *rapid.T) {
		lex := rapid.StringMatching(`-?(0|[1-9][0-9]{0,9})(\.[0-9]{1,6})?`)
		a, b := lex.Draw(t, "a"), lex.Draw(t, "b")
		x, okX := Inline(rdf.NewLiteral(a, rdf.XSDDecimal))
		y, okY := Inline(rdf.NewLiteral(b, rdf.XSDDecimal))
		if !okX || !okY {
			return
		}
		va, _ := new(big.Rat).SetString(a)
		vb, _ := new(big.Rat).SetString(b)
		if c := va.Cmp(vb); c < 0 && x >= y || c > 0 && x <= y {
			t.Fatalf("%s and %s compare as %d, their ids are %#x and %#x", a, b, c, uint64(x), uint64(y))
		}
	})
}

func inOrder(t *testing.T, datatype string, lexical []string) {
	t.Helper()
	var ids []ID
	for _, l := range lexical {
		id, ok := Inline(rdf.NewLiteral(l, datatype))
		if !ok {
			t.Errorf("%s^^%s is not inline", l, datatype)
		}
		ids = append(ids, id)
	}
	if !slices.IsSorted(ids) {
		t.Errorf("ids of %s are not in the order of their values", datatype)
	}
}

func TestDateTimesFollowTheCalendar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		micros := rapid.Int64Range(-17_000_000_000_000_000, 17_000_000_000_000_000).Draw(t, "micros")
		lex := time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000000Z")
		id, ok := Inline(rdf.NewLiteral(lex, rdf.XSDDateTime))
		if !ok {
			t.Fatalf("%s is not inline", lex)
		}
		if got := (int64(id&PayloadMask) - bias) >> formBits; got != micros {
			t.Fatalf("%s is %d microseconds, want %d", lex, got, micros)
		}
	})
}

// FuzzInline takes any text with any inline datatype, and any id. Decoding must not
// panic, and must return what was encoded.
func FuzzInline(f *testing.F) {
	f.Add("1.50", uint64(0))
	f.Add("2025-01-06T10:52:59.101Z", uint64(TagDateTime)<<60|bias)
	f.Add("", uint64(0xd7ffffffffffffeb)) // a fraction with more digits than the id says
	f.Add(strings.Repeat("9", 30), ^uint64(0))
	f.Fuzz(func(t *testing.T, lex string, raw uint64) {
		for _, dt := range []string{rdf.XSDBoolean, rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat, rdf.XSDDateTime, rdf.XSDDate} {
			term := rdf.NewLiteral(lex, dt)
			if id, ok := Inline(term); ok {
				if back, ok := id.Value(); !ok || back != term {
					t.Errorf("%q^^%s came back as %v", lex, dt, back)
				}
			}
		}
		if back, ok := ID(raw).Value(); ok && back.IsLiteral() {
			if id, ok := Inline(back); ok && id != ID(raw) {
				t.Errorf("id %#x is %v, which has id %#x", raw, back, uint64(id))
			}
		}
	})
}
