package strictjson

import (
	"errors"
	"strings"
	"testing"
)

// The table has a body, a member to read, its value, and the error, if any.
func TestMembersAreReadAsTheirTypesSay(t *testing.T) {
	text := func(o *Object) any { return o.Text("a") }
	textOrNull := func(o *Object) any { return o.TextOrNull("a") }
	optionalText := func(o *Object) any { return o.OptionalText("a") }
	number := func(o *Object) any {
		if n := o.OptionalNumber("a"); n != nil {
			return *n
		}
		return nil
	}
	optionalBool := func(o *Object) any { return o.OptionalBool("a") }
	truth := func(o *Object) any { return o.Bool("a") }
	raw := func(o *Object) any { return string(o.Raw("a")) }
	for _, x := range []struct {
		body  string
		read  func(*Object) any
		want  any
		fault string
	}{
		{`{"a":"x"}`, text, "x", ""},
		{`{"a":""}`, text, "", ""},
		{`{"\u0061":"\u0062\n\"\\"}`, text, "b\n\"\\", ""},
		{`{"a":"\ud83d\ude00"}`, text, "😀", ""},
		{`{"a":"\ud83d"}`, text, nil, `"a" holds half of a surrogate pair`},
		{`{"a":"\ude00\ud83d"}`, text, nil, "half of a surrogate pair"},
		{`{"a":"\\ud83d"}`, text, `\ud83d`, ""}, // an escaped backslash, not an escape
		{`{}`, text, "", `"a" is missing`},
		{`{"A":"x"}`, text, "", `"a" is missing`}, // encoding/json would take it
		{`{"a":null}`, text, "", `"a" must be text`},
		{`{"a":1}`, text, "", `"a" must be text`},
		{`{"a":["x"]}`, text, "", `"a" must be text`},
		{`{"a":"x","a":"x"}`, text, "", `"a" is repeated`},
		{`{"a":"x","\u0061":"y"}`, text, "", `"a" is repeated`},
		{`{"b":{"a":"x"},"c":["a","a"]}`, text, "", `"a" is missing`}, // only members of the object itself

		{`{"a":null}`, textOrNull, "", ""},
		{`{"a":"null"}`, textOrNull, "null", ""},
		{`{}`, textOrNull, "", `"a" is missing; it may be null`},
		{`{"a":false}`, textOrNull, "", `"a" must be text or null`},
		{`{"a":null,"a":null}`, textOrNull, "", "repeated"},

		{`{}`, optionalText, "", ""},
		{`{"a":null}`, optionalText, "", ""},
		{`{"a":"x"}`, optionalText, "x", ""},
		{`{"a":{}}`, optionalText, "", `"a" must be text or null`},
		{`{"a":null,"a":"x"}`, optionalText, "", "repeated"},

		{`{}`, number, nil, ""},
		{`{"a":null}`, number, nil, ""},
		{`{"a":-1.5e3}`, number, -1500.0, ""},
		{`{"a":0}`, number, 0.0, ""},
		{`{"a":1e999}`, number, nil, `"a" must be a number or null`},
		{`{"a":"1"}`, number, nil, `"a" must be a number or null`},
		{`{"a":true}`, number, nil, `"a" must be a number or null`},

		{`{}`, optionalBool, false, ""},
		{`{"a":null}`, optionalBool, false, ""},
		{`{"a":true}`, optionalBool, true, ""},
		{`{"a":false}`, optionalBool, false, ""},
		{`{"a":1}`, optionalBool, false, `"a" must be true, false or null`},
		{`{"a":"true"}`, optionalBool, false, `"a" must be true, false or null`},
		{`{"a":true,"a":true}`, optionalBool, false, "repeated"},

		{`{"a":true}`, truth, true, ""},
		{`{"a":false}`, truth, false, ""},
		{`{}`, truth, false, `"a" is missing`},
		{`{"a":null}`, truth, false, `"a" must be true or false`},
		{`{"a":true,"a":false}`, truth, nil, "repeated"},

		{`{ "b" : [ 1 , { "a" : "}" } ] , "a" : { "x" : [ "]" , -1e-2 ] } }`, raw, `{ "x" : [ "]" , -1e-2 ] }`, ""},
		{"{\"a\"\t:\r\n-12 }", raw, "-12", ""},
		{`{"a":null}`, raw, "", ""},
		{`{"a":1,"a":1}`, raw, "", "repeated"},
		{`{"":"x","a\u0000":1,"a":2}`, raw, "2", ""},
	} {
		o, err := Parse([]byte(x.body))
		if err != nil {
			t.Fatalf("%s: %v", x.body, err)
		}
		if got := x.read(o); x.want != nil && got != x.want || x.fault == "" && got != x.want {
			t.Errorf("%s: %v, want %v", x.body, got, x.want)
		}
		err = o.Err()
		if (err == nil) != (x.fault == "") || err != nil && !strings.Contains(err.Error(), x.fault) {
			t.Errorf("%s: the fault is %v, want %q", x.body, err, x.fault)
		}
		var e *Error
		if errors.As(err, &e) && (len(e.Faults) != 1 || e.Faults[0].Member != "a") {
			t.Errorf("%s: the faults are %v", x.body, e.Faults)
		}
	}
}

// TestAByteOrderMarkIsSkipped, as RFC 8259 allows: editors and shells of Windows write one.
func TestAByteOrderMarkIsSkipped(t *testing.T) {
	o, err := Parse([]byte("\ufeff {\"a\":\"x\"}"))
	if err != nil {
		t.Fatal(err)
	}
	if a := o.Text("a"); a != "x" || o.Err() != nil {
		t.Errorf("%q, %v", a, o.Err())
	}
}

func TestAllFaultsAreReportedTogether(t *testing.T) {
	o, err := Parse([]byte(`{"a":1,"b":"x","c":true}`))
	if err != nil {
		t.Fatal(err)
	}
	o.Text("a")
	o.OptionalNumber("b")
	o.Text("d")
	if err := o.Err(); err == nil || err.Error() != `the member "a" must be text (and 2 more)` {
		t.Errorf("%v", err)
	}
}

func TestUnknownMembersAreRefused(t *testing.T) {
	long := strings.Repeat("x", maxUnknown+1)
	for _, x := range []struct{ body, fault string }{
		{`{}`, ""},
		{`{"iri":1}`, ""},
		{`{"\u0069ri":1,"case":{"other":1}}`, ""},
		{`{"iri":1,"IRI":1}`, `the member "IRI" is unknown; it must be one of iri, case`},
		{`{"x\ny":1}`, `the member "x\ny" is unknown`},
		{`{"` + long + `":1}`, "a member is unknown; it must be one of iri, case"},
		{`{"\ud800":1}`, "a member is unknown"},
		{`{"a":1,"b":1}`, `the member "a" is unknown`}, // the first one
	} {
		o, err := Parse([]byte(x.body))
		if err != nil {
			t.Fatalf("%s: %v", x.body, err)
		}
		o.Only("iri", "case")
		if err := o.Err(); (err == nil) != (x.fault == "") || err != nil && !strings.Contains(err.Error(), x.fault) {
			t.Errorf("%.80s: %v, want %q", x.body, err, x.fault)
		}
	}
}

func TestTextThatIsNoObjectIsRefused(t *testing.T) {
	for body, why := range map[string]string{
		``: "not JSON", `{`: "not JSON", `{"a":}`: "not JSON", `{} {}`: "not JSON", `{"a":01}`: "not JSON", `{'a':1}`: "not JSON",
		"\xff": "the text is not UTF-8", "{\"a\":\"\xc0\x80\"}": "line 1, column 7: the text is not UTF-8", "\ufeff\ufeff{}": "not JSON",
		`[]`: "not a JSON object", ` null `: "not a JSON object", `"a"`: "not a JSON object", `1`: "not a JSON object",
		strings.Repeat("[", 100_000): "not JSON", // deep nesting must not exhaust the stack
	} {
		var e *Error
		if _, err := Parse([]byte(body)); !errors.As(err, &e) || !strings.Contains(err.Error(), why) || len(e.Faults) > 0 {
			t.Errorf("%.20q: %v, want %q", body, err, why)
		}
	}
}
