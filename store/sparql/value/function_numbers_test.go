package value

import "testing"

func TestFunctionsOnNumbers(t *testing.T) {
	checkCalls(t, &Context{}, []callRow{
		{"abs", list("1"), "1"},
		{"abs", list("-1.5"), "1.5"},
		{"abs", list("-1e0"), "1.0E0"},
		{"abs", list("-9223372036854775808"), "9223372036854775808"},
		{"abs", list("-99999999999999999999"), "99999999999999999999"},
		{"abs", list(`"-5"^^xsd:byte`), "5"},
		{"abs", list(`"-0.5"^^xsd:float`), `"5.0E-1"^^xsd:float`},
		{"abs", list(`"1"`), "err"},
		{"round", list("2.4999"), `"2"^^xsd:decimal`},
		{"round", list("2.5"), `"3"^^xsd:decimal`},
		{"round", list("-2.5"), `"-2"^^xsd:decimal`},
		{"round", list("-2.51"), `"-3"^^xsd:decimal`},
		{"round", list("-2.5e0"), "-2.0E0"},
		{"round", list("-0.4e0"), "-0.0E0"},
		{"round", list("0.49999999999999994e0"), "0.0E0"},
		{"round", list("4503599627370497e0"), "4.503599627370497E15"},
		{"round", list("NaN"), "NaN"},
		{"round", list("-INF"), "-INF"},
		{"round", list("7"), "7"},
		{"round", list("99999999999999999999.5"), `"100000000000000000000"^^xsd:decimal`},
		{"round", list("<a>"), "err"},
		{"ceil", list("10.5"), `"11"^^xsd:decimal`},
		{"ceil", list("-10.5"), `"-10"^^xsd:decimal`},
		{"ceil", list("-0.5e0"), "-0.0E0"},
		{"ceil", list("3"), "3"},
		{"ceil", list("99999999999999999999.1"), `"100000000000000000000"^^xsd:decimal`},
		{"ceil", list("true"), "err"},
		{"floor", list("10.5"), `"10"^^xsd:decimal`},
		{"floor", list("-10.5"), `"-11"^^xsd:decimal`},
		{"floor", list("2.9e0"), "2.0E0"},
		{"floor", list("-99999999999999999999.1"), `"-100000000000000000000"^^xsd:decimal`},
		{"floor", list(`"1.5"^^xsd:float`), `"1.0E0"^^xsd:float`},
		{"floor", list(`""`), "err"},
	})
	for range 1000 {
		v, err := call(t, &Context{}, "RAND")
		if f, ok := v.Float64(); err != nil || !ok || v.Kind() != KindDouble || f < 0 || f >= 1 {
			t.Fatalf("RAND() = %s, %v", show(v), err)
		}
	}
}

func TestFunctionsOnDatesAndTimes(t *testing.T) {
	const d = `"2011-01-10T14:45:13.815-05:00"^^xsd:dateTime`
	checkCalls(t, &Context{Now: DateTime(0, 0, 0, true)}, []callRow{
		{"now", nil, `"1970-01-01T00:00:00Z"^^xsd:dateTime`},
		{"year", list(d), "2011"},
		{"month", list(d), "1"},
		{"day", list(d), "10"},
		{"hours", list(d), "14"},
		{"minutes", list(d), "45"},
		{"seconds", list(d), "13.815"},
		{"timezone", list(d), `"-PT5H"^^xsd:dayTimeDuration`},
		{"timezone", list(`"2011-01-10T14:45:13.815Z"^^xsd:dateTime`), `"PT0S"^^xsd:dayTimeDuration`},
		{"timezone", list(`"2011-01-10T14:45:13.815"^^xsd:dateTime`), "err"},
		{"tz", list(d), `"-05:00"`},
		{"tz", list(`"2011-01-10T14:45:13.815Z"^^xsd:dateTime`), `"Z"`},
		{"tz", list(`"2011-01-10T14:45:13.815"^^xsd:dateTime`), `""`},
		{"tz", list(`"2011-01-10T14:45:13+00:00"^^xsd:dateTime`), `"+00:00"`},
		{"tz", list("1"), "err"},
		{"year", list(`"-0044-03-15"^^xsd:date`), "-44"},
		{"day", list(`"2024-02-29"^^xsd:date`), "29"},
		{"hours", list(`"2024-02-29"^^xsd:date`), "err"},
		{"hours", list(`"10:20:30"^^xsd:time`), "10"},
		{"year", list(`"10:20:30"^^xsd:time`), "err"},
		{"month", list(`"x"^^xsd:dateTime`), "err"},
		{"minutes", list(`"2011"`), "err"},
		{"seconds", list(`"2011-01-10T24:00:00"^^xsd:dateTime`), `"0"^^xsd:decimal`},
		{"day", list(`"2011-01-10T24:00:00"^^xsd:dateTime`), "11"},
		{"month", list("1"), "err"},
		{"day", list("1"), "err"},
		{"seconds", list("1"), "err"},
		{"timezone", list("1"), "err"},
	})
	computed := []Value{DateTime(1709188200, 5e8, 330, true)} // 2024-02-29T12:00:00.5+05:30
	for name, want := range map[string]string{"HOURS": "12", "DAY": "29", "SECONDS": "0.5", "TZ": `"+05:30"`} {
		f, _ := Lookup(name)
		if got, err := f.Call(&Context{}, computed); err != nil || show(got) != want {
			t.Errorf("%s of a computed dateTime: %s, %v", name, show(got), err)
		}
	}
}
