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
		{"a backslash before u", jsonRow(`{"type":"literal","value":"\\ud800"}`), x(rdf.NewString(`\ud800`))},
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

// Every error in a text has its place.
func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string
	}{
		{``, `after 0 bytes: found the end of the text`},
		{"\n  []", `after 4 bytes: expected "{", found "["`},
		{`{"head":{}}`, `after 11 bytes: the answer has neither "results" nor "boolean"`},
		{`{"boolean":true}`, `the answer has no member "head"`},
		{`{"results":{"bindings":[]}}`, `the answer has no member "head"`},
		{`{"head":{},"results":{}}`, `after 23 bytes: the results have no member "bindings"`},
		{`{"results":{"x":1},` + "\n" + `"head":{}}`, `after 18 bytes: the results have no member "bindings"`},
		{`{"head":{},"head":{}}`, `after 17 bytes: the member "head" occurs twice`},
		{`{"head":{},"boolean":true,"boolean":true}`, `the member "boolean" occurs twice`},
		{`{"head":{},"results":{"bindings":[],"bindings":[]}}`, `after 46 bytes: the member "bindings" comes twice, or too late`},
		{`{"head":{},"results":{"bindings":[]},"results":{"bindings":[]}}`, `after 46 bytes: the member "results" comes twice, or too late`},
		{`{"head":{},"boolean":true,"results":{"bindings":[]}}`, `both "results" and "boolean"`},
		{`{"head":{},"results":{"bindings":[]},"boolean":true}`, `after 46 bytes: the member "boolean" comes twice, or too late`},
		{`{"head":{},"boolean":1}`, `after 22 bytes: a value of another kind than expected: number`},
		{`{"head":{},"boolean":"true"}`, `after 27 bytes: a value of another kind than expected: string`},
		{`{"head":{},"boolean":true} x`, `after 27 bytes: invalid character 'x' looking for beginning of value`},
		{`{"head":{},"boolean":true}` + "\x00", `after 26 bytes: invalid character '\x00' looking for beginning of value`},
		{`{"head":{},"results":{"bindings":[]}}}`, `after 37 bytes: invalid character '}' looking for beginning of value`},
		{`{"head":{"vars":[1]}}`, `after 20 bytes: a value of another kind than expected: number`},
		{`{"head":{"vars":["x","x"]},"boolean":true}`, `the variable "x" occurs twice`},
		{`{"head":{"vars":[""]},"boolean":true}`, `a variable without a name`},
		{`{"head":{"vars":["x",]}}`, `after 8 bytes: invalid character ']' looking for beginning of value`},
		{`{"head":[]}`, `after 10 bytes: a value of another kind than expected: array`},
		{`{"head":{},"results":{"bindings":{}}}`, `after 34 bytes: expected "[", found "{"`},
		{`{"head":{},"results":{"bindings":[[]]}}`, `after 35 bytes: expected "{", found "["`},
		{`{"head":{},"results":{"bindings":[{} {}]}}`, `after 37 bytes: invalid character '{' after array element`},
		{`{"head":{},"results":{"bindings":[{},`, `found the end of the text`},
		{`{"head":{},"results":{"bindings":[{}]}`, `after 38 bytes: found the end of the text`},
		{`{"head":{},"results":{"bindings":[{"y":{}}]}}`, `the variable "y" is not in the head`},
		{`{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"http://e/"},"x":{}}]}}`, `"x" has two values in one row`},
		{jsonRow(`"a"`), `after 54 bytes: a value of another kind than expected: string`},
		{jsonRow(`{}`), `a term without the members "type" and "value"`},
		{jsonRow(`{"type":"uri","value":5}`), `after 75 bytes: a value of another kind than expected: number`},
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
		{jsonRow(`{"type":"triple","value":{"subject":{"type":"literal","value":"x"},"predicate":` + jsonA + `,"object":` + jsonA + `}}`), `whose subject is neither an IRI nor a blank node`},
		{jsonRow(`{"type":"triple","value":{"subject":` + jsonA + `,"predicate":{"type":"bnode","value":"x"},"object":` + jsonA + `}}`), `whose predicate is not an IRI`},
		{jsonRow(`{"type":"uri","value":{"subject":` + jsonA + `,"predicate":` + jsonA + `,"object":` + jsonA + `}}`), `must have the type triple`},
		{jsonRow(strings.Repeat(`{"type":"triple","value":{"object":`, 51) + jsonA + strings.Repeat("}}", 51)), `triple terms are nested more than 50 deep`},
		{"{\"é\xff\":1}", `after 1 bytes: the text is not UTF-8`},
		{"{\"a\n\":1}", `after 1 bytes: invalid character '\n' in string literal`},
		{`{"\x":1}`, `after 1 bytes: invalid character 'x' in string escape code`},
		{`{"\u12":1}`, `after 1 bytes: invalid character '"' in \u hexadecimal character escape`},
		{`{"a":"\uD800"}`, `half of a surrogate pair`},
		{`{"a":"\uDC00\uD800"}`, `half of a surrogate pair`},
		{`{"a":"\\\uD800\u0041"}`, `half of a surrogate pair`},
		{`{"a`, `after 1 bytes: found the end of the text`},
		{`{"a\`, `after 1 bytes: found the end of the text`},
		{`{a:1}`, `after 1 bytes: invalid character 'a'`},
		{`{"a" 1}`, `after 5 bytes: expected colon after object key`},
		{`{"a":tru}`, `after 5 bytes: invalid character '}' in literal true (expecting 'e')`},
		{`{"a":01}`, `after 6 bytes: invalid character '1' after object key:value pair`},
		{`{"a":1.}`, `after 5 bytes: invalid character '}' after decimal point in numeric literal`},
		{`{"a":+1}`, `after 5 bytes: invalid character '+' looking for beginning of value`},
		{`{"a":.5}`, `after 5 bytes: invalid character '.' looking for beginning of value`},
		{`{"a":-}`, `after 5 bytes: invalid character '}' in numeric literal`},
		{`{"a":1.e5}`, `after 5 bytes: invalid character 'e' after decimal point in numeric literal`},
		{`{"a":'x'}`, `after 5 bytes: invalid character '\'' looking for beginning of value`},

		{`{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"a","xml:lang":""}}]}}`, `after 95 bytes: a literal whose language tag or datatype is empty: "a"`},
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
