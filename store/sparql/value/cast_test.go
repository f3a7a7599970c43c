package value

import (
	"strings"
	"testing"
)

func TestCasts(t *testing.T) {
	checkCalls(t, &Context{}, []callRow{
		{"xsd:string", list("<http://a>"), `"http://a"`},
		{"xsd:string", list(`"12.5"^^x:USD`), `"12.5"`},
		{"xsd:string", list(`"abc"^^xsd:integer`), `"abc"`},
		{"xsd:string", list(`"2020"^^xsd:gYear`), `"2020"`},
		{"xsd:string", list("1.0"), `"1"`},
		{"xsd:string", list("01"), `"1"`},
		{"xsd:string", list("0E1"), `"0"`},
		{"xsd:string", list("-0e0"), `"-0"`},
		{"xsd:string", list("1E7"), `"1.0E7"`},
		{"xsd:string", list("123456.5e0"), `"123456.5"`},
		{"xsd:string", list("1e6"), `"1.0E6"`},
		{"xsd:string", list("1e-6"), `"0.000001"`},
		{"xsd:string", list("1e-7"), `"1.0E-7"`},
		{"xsd:string", list("NaN"), `"NaN"`},
		{"xsd:string", list("-INF"), `"-INF"`},
		{"xsd:string", list(`"0.1"^^xsd:float`), `"0.1"`},
		{"xsd:string", list(`"1E10"^^xsd:float`), `"1.0E10"`},
		{"xsd:string", list(`"0"^^xsd:boolean`), `"false"`},
		{"xsd:string", list(`"2024-01-01T24:00:00Z"^^xsd:dateTime`), `"2024-01-02T00:00:00Z"`},
		{"xsd:string", list(`"P12M"^^xsd:yearMonthDuration`), `"P1Y"`},
		{"xsd:string", list(`"PT24H"^^xsd:duration`), `"P1D"`},
		{"xsd:string", list("_:a"), "err"},
		{"xsd:string", list(`"a"@en`), `"a"`},
		{"xsd:string", list(`"a"^^x:t`), `"a"`},
		{"xsd:string", list("unbound"), "err"},
		{"xsd:string", list(`" a "`), `" a "`},
		{"xsd:boolean", list(`" true "`), "true"},
		{"xsd:boolean", list(`"TRUE"`), "err"},
		{"xsd:boolean", list(`"0"`), "false"},
		{"xsd:boolean", list("NaN"), "false"},
		{"xsd:boolean", list("-2.5"), "true"},
		{"xsd:boolean", list(`"1"^^xsd:boolean`), "true"},
		{"xsd:boolean", list("<a>"), "err"},
		{"xsd:boolean", list(`"2024-01-01"^^xsd:date`), "err"},
		{"xsd:integer", list("2.9"), "2"},
		{"xsd:integer", list("-2.9"), "-2"},
		{"xsd:integer", list("-7.875e0"), "-7"},
		{"xsd:integer", list("1e20"), "100000000000000000000"},
		{"xsd:integer", list("-99999999999999999999.5"), "-99999999999999999999"},
		{"xsd:integer", list("INF"), "err"},
		{"xsd:integer", list("NaN"), "err"},
		{"xsd:integer", list(`"1.0"`), "err"},
		{"xsd:integer", list(`" +7 "`), "7"},
		{"xsd:integer", list("true"), "1"},
		{"xsd:integer", list(`"5"^^xsd:byte`), "5"},
		{"xsd:integer", list(`"1e0"`), "err"},
		{"xsd:integer", list("<a>"), "err"},
		{"xsd:decimal", list("0.1e0"), "0.1"},
		{"xsd:decimal", list(`"0.1"^^xsd:float`), "0.1"},
		{"xsd:decimal", list("1e3"), `"1000"^^xsd:decimal`},
		{"xsd:decimal", list("1e-20"), "0.00000000000000000001"},
		{"xsd:decimal", list("INF"), "err"},
		{"xsd:decimal", list(`"1e0"`), "err"},
		{"xsd:decimal", list(`"+33.3300"`), "33.33"},
		{"xsd:decimal", list("false"), `"0"^^xsd:decimal`},
		{"xsd:decimal", list(`"7"^^xsd:int`), `"7"^^xsd:decimal`},
		{"xsd:double", list(`" -10.2E3 "`), "-1.02E4"},
		{"xsd:double", list(`"INF"`), "INF"},
		{"xsd:double", list(`"inf"`), "err"},
		{"xsd:double", list("true"), "1.0E0"},
		{"xsd:double", list(`"0.1"^^xsd:float`), "1.0000000149011612E-1"},
		{"xsd:double", list("99999999999999999999"), "1.0E20"},
		{"xsd:double", list("<a>"), "err"},
		{"xsd:float", list("0.1"), `"1.0E-1"^^xsd:float`},
		{"xsd:float", list("16777217"), `"1.6777216E7"^^xsd:float`},
		{"xsd:float", list("1e300"), `"INF"^^xsd:float`},
		{"xsd:float", list(`"x"`), "err"},
		{"xsd:float", list("true"), `"1.0E0"^^xsd:float`},
		{"xsd:float", list("<a>"), "err"},
		{"xsd:byte", list("127"), `"127"^^xsd:byte`},
		{"xsd:byte", list("128"), "err"},
		{"xsd:byte", list(`"-5.5"^^xsd:double`), `"-5"^^xsd:byte`},
		{"xsd:nonNegativeInteger", list("-1"), "err"},
		{"xsd:unsignedLong", list("18446744073709551615"), `"18446744073709551615"^^xsd:unsignedLong`},
		{"xsd:long", list(`"x"`), "err"},
		{"xsd:dateTime", list(`" 2002-10-10T17:00:00Z "`), `"2002-10-10T17:00:00Z"^^xsd:dateTime`},
		{"xsd:dateTime", list(`"2002-10-10"`), "err"},
		{"xsd:dateTime", list(`"2002-10-10+02:00"^^xsd:date`), `"2002-10-10T00:00:00+02:00"^^xsd:dateTime`},
		{"xsd:dateTime", list(`"2002-10-10"^^xsd:date`), `"2002-10-10T00:00:00"^^xsd:dateTime`},
		{"xsd:dateTime", list(`"2002-10-10T17:00:00Z"^^xsd:dateTimeStamp`), `"2002-10-10T17:00:00Z"^^xsd:dateTime`},
		{"xsd:dateTime", list("1"), "err"},
		{"xsd:dateTime", list(`"10:00:00"^^xsd:time`), "err"},
		{"xsd:date", list(`"2002-10-10T17:00:00-05:00"^^xsd:dateTime`), `"2002-10-10-05:00"^^xsd:date`},
		{"xsd:date", list(`"2002-10-10T17:00:00"^^xsd:dateTime`), `"2002-10-10"^^xsd:date`},
		{"xsd:date", list(`"2002-10-10Z"`), `"2002-10-10Z"^^xsd:date`},
		{"xsd:date", list("<a>"), "err"},
		{"xsd:time", list(`"2002-10-10T17:00:00.5Z"^^xsd:dateTime`), `"17:00:00.5Z"^^xsd:time`},
		{"xsd:time", list(`"24:00:00"`), `"00:00:00"^^xsd:time`},
		{"xsd:time", list(`"2002-10-10"^^xsd:date`), "err"},
		{"xsd:duration", list(`"P1Y2M3DT4H"`), `"P1Y2M3DT4H"^^xsd:duration`},
		{"xsd:yearMonthDuration", list(`"P1Y2M3DT4H"^^xsd:duration`), `"P1Y2M"^^xsd:yearMonthDuration`},
		{"xsd:dayTimeDuration", list(`"-P1Y2M3DT4H"^^xsd:duration`), `"-P3DT4H"^^xsd:dayTimeDuration`},
		{"xsd:dayTimeDuration", list(`"P1Y"`), "err"},
		{"xsd:duration", list("1"), "err"},
		{"xsd:dayTimeDuration", list(`"PT90M"`), `"PT1H30M"^^xsd:dayTimeDuration`},
	})
}

func TestCastingIsIdempotent(t *testing.T) {
	for name := range casts {
		f := casts[name]
		for _, s := range []string{"1", "1.5", "2.5e0", "true", `"1"`, `"2024-01-01T00:00:00Z"`, `"2024-01-01"`, `"10:00:00"`, `"P1M"`, `"PT1S"`, "<a>", `"0.1"^^xsd:float`} {
			once, err := f.Call(&Context{}, []Value{val(t, s)})
			if err != nil || once.IsError() {
				continue
			}
			if once.datatype() != f.Name {
				t.Errorf("%s(%s) is of datatype %s", f.Name, s, once.datatype())
			}
			if twice, _ := f.Call(&Context{}, []Value{once}); twice.Term() != once.Term() {
				t.Errorf("%s of %s is %s", f.Name, show(once), show(twice))
			}
		}
	}
}

func TestAggregates(t *testing.T) {
	const text = "a b"
	for _, c := range []struct {
		values             []string
		sum, avg, joinedBy string
	}{
		// The W3C tests agg-*.
		{nil, "0", "0", `""`},
		{list("1", "2", "3"), "6", `"2"^^xsd:decimal`, `"1|2|3"`},
		{list("1.0", "2.2", "2.2", "2.2", "3.5"), "11.1", "2.22", `"1.0|2.2|2.2|2.2|3.5"`},
		{list("1.0E2", "2.0E3", "3.0E4"), "3.21E4", "1.07E4", `"1.0E2|2.0E3|3.0E4"`},
		{list("2E-1", "2.2"), "2.4000000000000004E0", "1.2000000000000002E0", `"2E-1|2.2"`},
		{list("1", "_:b2", "3", "4"), "err", "err", "err"},
		{list(`"1"@en`, `"2"@fr`), "err", "err", `"1|2"`},
		// Errors and missing values.
		{list("err", "1"), "err", "err", "err"},
		{list("unbound"), "err", "err", "err"},
		{list("1", "unbound"), "err", "err", "err"},
		// Mixed values.
		{list("<b>", `"a"`, "5", "<a>"), "err", "err", `"b|a|5|a"`},
		{list("1.0", "1", "01"), `"3"^^xsd:decimal`, `"1"^^xsd:decimal`, `"1.0|1|01"`},
		{list(`"2024-01-02T00:00:00Z"^^xsd:dateTime`, `"2024-01-01T00:00:00Z"^^xsd:dateTime`), "err", "err", `"2024-01-02T00:00:00Z|2024-01-01T00:00:00Z"`},
		// Sums of derived types, and beyond 64 bits.
		{list(`"5"^^xsd:byte`), "5", `"5"^^xsd:decimal`, `"5"`},
		{list("9223372036854775807", "1"), "9223372036854775808", `"4611686018427387904"^^xsd:decimal`, `"9223372036854775807|1"`},
	} {
		for i, a := range []Aggregate{&Sum{}, &Sum{Mean: true}, &GroupConcat{Separator: "|"}} {
			for _, s := range c.values {
				if err := a.Add(val(t, s)); err != nil {
					t.Fatal(err)
				}
			}
			want := []string{c.sum, c.avg, c.joinedBy}[i]
			if got := show(a.Value()); got != want {
				t.Errorf("%T of %v: %s, want %s", a, c.values, got, want)
			}
			if a.Size() < 0 || a.Size() > 64 {
				t.Errorf("%T of %v: %d bytes", a, c.values, a.Size())
			}
		}
	}
	long := &GroupConcat{Separator: " ", MaxLength: len(text)}
	if err := long.Add(String("a")); err != nil {
		t.Fatal(err)
	}
	if err := long.Add(String("b")); err != nil || show(long.Value()) != `"a b"` {
		t.Error(err, show(long.Value()))
	}
	if err := long.Add(String("")); err == nil || !strings.Contains(err.Error(), "3 bytes") {
		t.Error(err)
	}
}
