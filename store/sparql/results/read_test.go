package results_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
)

// jsonA is an IRI in JSON.
const jsonA = `{"type":"uri","value":"http://e/a"}`

func jsonRow(term string) string {
	return `{"head":{"vars":["x"]},"results":{"bindings":[{"x":` + term + `}]}}`
}

// Text that other services write, but this package does not, is accepted.
func TestReadTakes(t *testing.T) {
	x := func(term rdf.Term) string { return one(term).String() }
	for _, tt := range []struct {
		name string
		text string
		want string
	}{
		{"members in any order, and unknown ones", ` { "version" : "1.2" , "head" : { "link" : [ "a" , { } ] , "vars" : [ "x" ] } , "results" : { "distinct" : false , "ordered" : true , "bindings" : [ { "x" : { "value" : "5" , "datatype" : "http://www.w3.org/2001/XMLSchema#integer" , "more" : [ 1 , -2.5e+3 , null ] , "type" : "literal" } } ] , "n" : 1 } , "z" : [ ] } `, x(rdf.NewLiteral("5", rdf.XSDInteger))},
		{"rows before the head", `{"results":{"bindings":[{"x":{"type":"uri","value":"http://e/"}},{}]},"head":{"vars":["y","x"]}}`, "y x\n|  | <http://e/> |\n|  |  |"},
		{"typed-literal", jsonRow(`{"type":"typed-literal","value":"1","datatype":"http://e/t"}`), x(rdf.NewLiteral("1", "http://e/t"))},
		{"xsd:string said", jsonRow(`{"type":"literal","value":"1","datatype":"http://www.w3.org/2001/XMLSchema#string"}`), x(rdf.NewString("1"))},
		{"rdf:langString said", jsonRow(`{"type":"literal","value":"1","xml:lang":"en","datatype":"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"}`), x(rdf.NewLang("1", "en"))},
		{"base direction", jsonRow(`{"type":"literal","value":"1","xml:lang":"en","its:dir":"ltr"}`), x(rdf.NewLang("1", "en--ltr"))},
		{"escapes", jsonRow(`{"type":"literal","value":"\"\\\/\b\f\n\r\t\u00e9\u2028\uD83D\uDE00\u0000"}`), x(rdf.NewString("\"\\/\b\f\n\r\té\u2028😀\x00"))},
		{"escaped names", `{"h\u0065ad":{"v\u0061rs":["\u0078"]},"results":{"bindings":[{"\u0078":{"t\u0079pe":"\u0075ri","value":"http://e/"}}]}}`, x(rdf.NewIRI("http://e/"))},
		{"no variables", `{"head":{},"results":{"bindings":[{},{}]}}`, "\n|\n|"},
		{"boolean before the head", `{"boolean":false,"head":{"vars":["x"]}}`, "false"},
		{"byte order mark", "\uFEFF{\"boolean\":true,\"head\":{}}", "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := read(iotest.OneByteReader(strings.NewReader(tt.text)), results.JSON)
			if err != nil || a.String() != tt.want {
				t.Errorf("got %s, %v\nwant %s", a, err, tt.want)
			}
		})
	}
}

// Every error in a text has its line and column.
func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string
	}{
		{``, `line 1, column 1: expected "{", found the end of the text`},
		{"\n  []", `line 2, column 3: expected "{", found '['`},
		{`{"head":{}}`, `column 12: the answer has neither "results" nor "boolean"`},
		{`{"boolean":true}`, `the answer has no member "head"`},
		{`{"results":{"bindings":[]}}`, `the answer has no member "head"`},
		{`{"head":{},"results":{}}`, `column 23: the results have no member "bindings"`},
		{`{"results":{"x":1},` + "\n" + `"head":{}}`, `line 1, column 18: the results have no member "bindings"`},
		{`{"head":{},"head":{}}`, `column 19: the member "head" occurs twice`},
		{`{"head":{"vars":[],"vars":[]}}`, `the member "vars" occurs twice`},
		{`{"head":{},"boolean":true,"boolean":true}`, `the member "boolean" occurs twice`},
		{`{"head":{},"results":{"bindings":[],"bindings":[]}}`, `the member "bindings" occurs twice`},
		{`{"head":{},"results":{"bindings":[]},"results":{"bindings":[]}}`, `the member "results" occurs twice`},
		{`{"head":{},"boolean":true,"results":{"bindings":[]}}`, `both "results" and "boolean"`},
		{`{"head":{},"results":{"bindings":[]},"boolean":true}`, `both "results" and "boolean"`},
		{`{"head":{},"boolean":1}`, `column 22: expected true or false, found '1'`},
		{`{"head":{},"boolean":"true"}`, `expected true or false, found '"'`},
		{`{"head":{},"boolean":true} x`, `column 28: expected the end of the text, found 'x'`},
		{`{"head":{},"boolean":true}` + "\x00", `column 27: expected the end of the text`},
		{`{"head":{},"results":{"bindings":[]}}}`, `expected the end of the text, found '}'`},
		{`{"head":{"vars":[1]}}`, `column 18: expected the name of a variable, a string, found '1'`},
		{`{"head":{"vars":["x","x"]}}`, `the variable "x" occurs twice`},
		{`{"head":{"vars":[""]}}`, `a variable without a name`},
		{`{"head":{"vars":["x",]}}`, `column 22: expected the name of a variable, a string, found ']'`},
		{`{"head":[]}`, `expected the head, an object, found '['`},
		{`{"head":{},"results":{"bindings":{}}}`, `expected the rows, a list, found '{'`},
		{`{"head":{},"results":{"bindings":[[]]}}`, `expected a row, an object, found '['`},
		{`{"head":{},"results":{"bindings":[{} {}]}}`, `expected "," or "]", found '{'`},
		{`{"head":{},"results":{"bindings":[{},`, `found the end of the text`},
		{`{"head":{},"results":{"bindings":[{}]}`, `expected "," or "}", found the end of the text`},
		{`{"head":{},"results":{"bindings":[{"y":{}}]}}`, `the variable "y" is not in the head`},
		{`{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"http://e/"},"x":{}}]}}`, `"x" has two values in one row`},
		{jsonRow(`"a"`), `column 52: expected a term, an object, found '"'`},
		{jsonRow(`{}`), `a term without the members "type" and "value"`},
		{jsonRow(`{"type":"uri","type":"uri"}`), `two members of the same name`},
		{jsonRow(`{"type":"uri","value":5}`), `column 74: expected a string, found '5'`},
		{jsonRow(`{"type":"iri","value":"http://e/"}`), `"iri" is not a type of a term`},
		{jsonRow(`{"type":"uri","value":"e"}`), `is not absolute`},
		{jsonRow(`{"type":"uri","value":"http://e/ "}`), `not allowed in an IRI`},
		{jsonRow(`{"type":"uri","value":"http://e/","xml:lang":"en"}`), `of type uri with a language tag`},
		{jsonRow(`{"type":"bnode","value":""}`), `a blank node without a label`},
		{jsonRow(`{"type":"literal","value":"a","xml:lang":"e n"}`), `"e n" is not a language tag`},
		{jsonRow(`{"type":"literal","value":"a","xml:lang":"en","datatype":"http://e/"}`), `a literal with a language tag and the datatype`},
		{jsonRow(`{"type":"literal","value":"a","its:dir":"ltr"}`), `a base direction and no language tag`},
		{jsonRow(`{"type":"literal","value":"a","xml:lang":"en","its:dir":"up"}`), `neither ltr nor rtl`},
		{jsonRow(`{"type":"literal","value":"a","datatype":"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"}`), `rdf:langString and no language tag`},
		{jsonRow(`{"type":"literal","value":"a","datatype":"integer"}`), `is not absolute`},
		{jsonRow(`{"type":"triple","value":{}}`), `a triple term without its subject`},
		{jsonRow(`{"type":"triple","value":"x"}`), `a triple term whose value is not a triple`},
		{jsonRow(`{"value":{"subject":{}}}`), `a term without the members "type" and "value"`},
		{jsonRow(`{"type":"triple","value":{"subject":` + jsonA + `,"predicate":` + jsonA + `}}`), `a triple term without its object`},
		{jsonRow(`{"type":"triple","value":{"subject":` + jsonA + `,"subject":` + jsonA + `}}`), `two members of the same name`},
		{jsonRow(`{"type":"triple","value":{"subject":{"type":"literal","value":"x"},"predicate":` + jsonA + `,"object":` + jsonA + `}}`), `whose subject is neither an IRI nor a blank node`},
		{jsonRow(`{"type":"triple","value":{"subject":` + jsonA + `,"predicate":{"type":"bnode","value":"x"},"object":` + jsonA + `}}`), `whose predicate is not an IRI`},
		{jsonRow(`{"type":"uri","value":{"subject":` + jsonA + `,"predicate":` + jsonA + `,"object":` + jsonA + `}}`), `must have the type triple`},
		{jsonRow(strings.Repeat(`{"type":"triple","value":{"object":`, 1<<16)), `triple terms are nested more than 100 deep`},
		{"{\"é\xff\":1}", `line 1, column 4: the text is not UTF-8`},
		{"{\"a\n\":1}", `column 4: the control character U+000A in a string`},
		{`{"\x":1}`, `column 3: a backslash must begin an escape`},
		{`{"\u12":1}`, `column 3: a backslash must begin an escape`},
		{`{"\uD800":1}`, `half of a surrogate pair`},
		{`{"\uDC00\uD800":1}`, `half of a surrogate pair`},
		{`{"\uD800\u0041":1}`, `half of a surrogate pair`},
		{`{"a`, `column 2: the string that begins here has no end`},
		{`{"a\`, `column 2: the string that begins here has no end`},
		{`{a:1}`, `column 2: expected the name of a member in quotes, found 'a'`},
		{`{"a" 1}`, `expected ":", found '1'`},
		{`{"a":tru}`, `column 6: expected a value, found 't'`},
		{`{"a":01}`, `expected "," or "}", found '1'`},
		{`{"a":1.}`, `expected a digit, found '}'`},
		{`{"a":+1}`, `found '+'`},
		{`{"a":.5}`, `found '.'`},
		{`{"a":-}`, `found '}'`},
		{`{"a":1.e5}`, `expected a digit, found 'e'`},
		{`{"a":'x'}`, `expected a value, found '\''`},

		{`{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"a","xml:lang":""}}]}}`, `line 1, column 95: a literal whose language tag or datatype is empty: "a"`},
		{`{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"a","datatype":""}}]}}`, `datatype is empty: "a"`},
	} {
		for name, in := range map[string]io.Reader{"at once": strings.NewReader(tt.text), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.text))} {
			a, err := read(in, results.JSON)
			var syntax *results.SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 1000 {
				t.Errorf("%s: %q: got %s, %v; want %s", name, tt.text, a, err, tt.want)
			}
		}
	}
}
