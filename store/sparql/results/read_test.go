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

const sparqlNS = "http://www.w3.org/2005/sparql-results#"

func xmlOf(inside string) string { return `<sparql xmlns="` + sparqlNS + `">` + inside + `</sparql>` }

func xmlRow(inside string) string {
	return xmlOf(`<head><variable name="x"/></head><results><result><binding name="x">` + inside + `</binding></result></results>`)
}

// jsonA is an IRI in JSON.
const jsonA = `{"type":"uri","value":"http://e/a"}`

func jsonRow(term string) string {
	return `{"head":{"vars":["x"]},"results":{"bindings":[{"x":` + term + `}]}}`
}

// Text that other services write, but this package does not, is accepted.
func TestReadTakes(t *testing.T) {
	x := func(term rdf.Term) string { return one(term).String() }
	for _, tt := range []struct {
		name   string
		format results.Format
		text   string
		want   string
	}{
		{"members in any order, and unknown ones", results.JSON, ` { "version" : "1.2" , "head" : { "link" : [ "a" , { } ] , "vars" : [ "x" ] } , "results" : { "distinct" : false , "ordered" : true , "bindings" : [ { "x" : { "value" : "5" , "datatype" : "http://www.w3.org/2001/XMLSchema#integer" , "more" : [ 1 , -2.5e+3 , null ] , "type" : "literal" } } ] , "n" : 1 } , "z" : [ ] } `, x(rdf.NewLiteral("5", rdf.XSDInteger))},
		{"rows before the head", results.JSON, `{"results":{"bindings":[{"x":{"type":"uri","value":"http://e/"}},{}]},"head":{"vars":["y","x"]}}`, "y x\n|  | <http://e/> |\n|  |  |"},
		{"typed-literal", results.JSON, jsonRow(`{"type":"typed-literal","value":"1","datatype":"http://e/t"}`), x(rdf.NewLiteral("1", "http://e/t"))},
		{"xsd:string said", results.JSON, jsonRow(`{"type":"literal","value":"1","datatype":"http://www.w3.org/2001/XMLSchema#string"}`), x(rdf.NewString("1"))},
		{"rdf:langString said", results.JSON, jsonRow(`{"type":"literal","value":"1","xml:lang":"en","datatype":"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"}`), x(rdf.NewLang("1", "en"))},
		{"base direction", results.JSON, jsonRow(`{"type":"literal","value":"1","xml:lang":"en","its:dir":"ltr"}`), x(rdf.NewLang("1", "en--ltr"))},
		{"escapes", results.JSON, jsonRow(`{"type":"literal","value":"\"\\\/\b\f\n\r\t\u00e9\u2028\uD83D\uDE00\u0000"}`), x(rdf.NewString("\"\\/\b\f\n\r\té\u2028😀\x00"))},
		{"escaped names", results.JSON, `{"h\u0065ad":{"v\u0061rs":["\u0078"]},"results":{"bindings":[{"\u0078":{"t\u0079pe":"\u0075ri","value":"http://e/"}}]}}`, x(rdf.NewIRI("http://e/"))},
		{"no variables", results.JSON, `{"head":{},"results":{"bindings":[{},{}]}}`, "\n|\n|"},
		{"boolean before the head", results.JSON, `{"boolean":false,"head":{"vars":["x"]}}`, "false"},
		{"byte order mark", results.JSON, "\uFEFF{\"boolean\":true,\"head\":{}}", "true"},
		{"a link, comments and white space", results.XML, "\uFEFF<?xml version='1.0'?>\n<!-- c --> " + xmlOf(" <head>\n<link href='a'/><variable name='x'/></head> <!-- c --> <results ordered='true'><result>\n <binding name='x'> <uri>\n http://e/ </uri>\n</binding></result></results> ") + "\n<!-- c -->\n", x(rdf.NewIRI("http://e/"))},
		{"other prefix", results.XML, `<s:sparql xmlns:s="` + sparqlNS + `"><s:head><s:variable name="x"/></s:head><s:results><s:result><s:binding name="x"><s:literal xml:lang="en">a<!-- c -->b<![CDATA[<c>]]></s:literal></s:binding></s:result></s:results></s:sparql>`, x(rdf.NewLang("ab<c>", "en"))},
		{"version beside the head", results.XML, xmlOf(`<head><version>1.2</version><variable name="x"/></head><version>1.2</version><results/>`), "x"},
		{"references", results.XML, xmlRow(`<literal datatype="http://e/a&amp;b">&lt;&#xD;&#10;&#x1F600;</literal>`), x(rdf.NewLiteral("<\r\n😀", "http://e/a&b"))},
		{"line ends", results.XML, xmlRow("<literal> a\r\nb\rc </literal>"), x(rdf.NewString(" a\nb\nc "))},
		{"white space round a boolean", results.XML, xmlOf("<head/><boolean> true\n</boolean>"), "true"},
		{"empty and empty in quotes", results.CSV, "x,y\r\n,\"\"\r\n", "x y\n|  | \"\" |"},
		{"lines that end in LF, none at the end", results.CSV, "x,y\n\"a,\"\"\nb\",_:b\nhttp://e/,", "x y\n| \"a,\\\"\\nb\" | \"_:b\" |\n| \"http://e/\" |  |"},
		{"one column with an empty line", results.CSV, "x\r\n\r\n\"\"\r\n", "x\n|  |\n| \"\" |"},
		{"no columns", results.CSV, "\r\n\r\n", "\n|"},
		{"a variable true with a row", results.CSV, "true\r\n1\r\n", "true\n| \"1\" |"},
		{"no end of the line", results.CSV, "false", "false"},
		{"CRLF, and $", results.TSV, "$x\t?y\r\n\t1\r\n", "x y\n|  | \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> |"},
		{"no columns", results.TSV, "\n\n\n", "\n|\n|"},
		{"a variable true", results.TSV, "?true\n", "true"},
		{"no end of the line", results.TSV, "true", "true"},
		{"single quotes and escapes", results.TSV, "?x\n'a\"\\'\\\"\\t\\n\\r\\b\\f\\\\\\u00e9\\U0001F600'@en-GB\n", x(rdf.NewLang("a\"'\"\t\n\r\b\f\\é😀", "en-GB"))},
		{"escapes in an IRI", results.TSV, "?x\n'\\u00e9'^^<http://e/\\u00e9>\n", x(rdf.NewLiteral("é", "http://e/é"))},
		{"boolean", results.TSV, "?x\nfalse\n", x(rdf.NewLiteral("false", rdf.XSDBoolean))},
		{"decimal", results.TSV, "?x\n-.5\n", x(rdf.NewLiteral("-.5", rdf.XSDDecimal))},
		{"double", results.TSV, "?x\n+1.E-5\n", x(rdf.NewLiteral("+1.E-5", rdf.XSDDouble))},
		{"a label beyond ASCII", results.TSV, "?x\n_:é.1-a", x(rdf.NewBlank("é.1-a"))},
		{"rows as resources", results.Turtle, `@prefix ns: <http://example.org/> . [] ns:y 1 ; a ns:Result . <http://e/r> a ns:Result ; <http://example.org/x%25> "a" .`, "y x%\n| \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> |  |\n|  | \"a\" |"},
		{"nothing", results.Turtle, "", ""},
	} {
		t.Run(tt.format.String()+" "+tt.name, func(t *testing.T) {
			a, err := read(iotest.OneByteReader(strings.NewReader(tt.text)), tt.format)
			if err != nil || a.String() != tt.want {
				t.Errorf("got %s, %v\nwant %s", a, err, tt.want)
			}
		})
	}
}

// Every error in a text has its line and column.
func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct {
		format results.Format
		text   string
		want   string
	}{
		{results.JSON, ``, `line 1, column 1: expected "{", found the end of the text`},
		{results.JSON, "\n  []", `line 2, column 3: expected "{", found '['`},
		{results.JSON, `{"head":{}}`, `column 12: the answer has neither "results" nor "boolean"`},
		{results.JSON, `{"boolean":true}`, `the answer has no member "head"`},
		{results.JSON, `{"results":{"bindings":[]}}`, `the answer has no member "head"`},
		{results.JSON, `{"head":{},"results":{}}`, `column 23: the results have no member "bindings"`},
		{results.JSON, `{"results":{"x":1},` + "\n" + `"head":{}}`, `line 1, column 18: the results have no member "bindings"`},
		{results.JSON, `{"head":{},"head":{}}`, `column 19: the member "head" occurs twice`},
		{results.JSON, `{"head":{"vars":[],"vars":[]}}`, `the member "vars" occurs twice`},
		{results.JSON, `{"head":{},"boolean":true,"boolean":true}`, `the member "boolean" occurs twice`},
		{results.JSON, `{"head":{},"results":{"bindings":[],"bindings":[]}}`, `the member "bindings" occurs twice`},
		{results.JSON, `{"head":{},"results":{"bindings":[]},"results":{"bindings":[]}}`, `the member "results" occurs twice`},
		{results.JSON, `{"head":{},"boolean":true,"results":{"bindings":[]}}`, `both "results" and "boolean"`},
		{results.JSON, `{"head":{},"results":{"bindings":[]},"boolean":true}`, `both "results" and "boolean"`},
		{results.JSON, `{"head":{},"boolean":1}`, `column 22: expected true or false, found "1"`},
		{results.JSON, `{"head":{},"boolean":"true"}`, `expected a value, found '"'`},
		{results.JSON, `{"head":{},"boolean":true} x`, `column 28: expected the end of the text, found 'x'`},
		{results.JSON, `{"head":{},"boolean":true}` + "\x00", `column 27: expected the end of the text`},
		{results.JSON, `{"head":{},"results":{"bindings":[]}}}`, `expected the end of the text, found '}'`},
		{results.JSON, `{"head":{"vars":[1]}}`, `column 18: expected the name of a variable, a string, found '1'`},
		{results.JSON, `{"head":{"vars":["x","x"]}}`, `the variable "x" occurs twice`},
		{results.JSON, `{"head":{"vars":[""]}}`, `a variable without a name`},
		{results.JSON, `{"head":{"vars":["x",]}}`, `column 22: expected something between "," and ']'`},
		{results.JSON, `{"head":[]}`, `expected the head, an object, found '['`},
		{results.JSON, `{"head":{},"results":{"bindings":{}}}`, `expected the rows, a list, found '{'`},
		{results.JSON, `{"head":{},"results":{"bindings":[[]]}}`, `expected a row, an object, found '['`},
		{results.JSON, `{"head":{},"results":{"bindings":[{} {}]}}`, `expected "," or ']', found '{'`},
		{results.JSON, `{"head":{},"results":{"bindings":[{},`, `found the end of the text`},
		{results.JSON, `{"head":{},"results":{"bindings":[{}]}`, `expected "," or '}', found the end of the text`},
		{results.JSON, `{"head":{},"results":{"bindings":[{"y":{}}]}}`, `the variable "y" is not in the head`},
		{results.JSON, `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"http://e/"},"x":{}}]}}`, `"x" has two values in one row`},
		{results.JSON, jsonRow(`"a"`), `column 52: expected a term, an object, found '"'`},
		{results.JSON, jsonRow(`{}`), `a term without the members "type" and "value"`},
		{results.JSON, jsonRow(`{"type":"uri","type":"uri"}`), `two members of the same name`},
		{results.JSON, jsonRow(`{"type":"uri","value":5}`), `column 74: expected a string, found '5'`},
		{results.JSON, jsonRow(`{"type":"iri","value":"http://e/"}`), `"iri" is not a type of a term`},
		{results.JSON, jsonRow(`{"type":"uri","value":"e"}`), `is not absolute`},
		{results.JSON, jsonRow(`{"type":"uri","value":"http://e/ "}`), `not allowed in an IRI`},
		{results.JSON, jsonRow(`{"type":"uri","value":"http://e/","xml:lang":"en"}`), `of type uri with a language tag`},
		{results.JSON, jsonRow(`{"type":"bnode","value":""}`), `a blank node without a label`},
		{results.JSON, jsonRow(`{"type":"literal","value":"a","xml:lang":"e n"}`), `"e n" is not a language tag`},
		{results.JSON, jsonRow(`{"type":"literal","value":"a","xml:lang":"en","datatype":"http://e/"}`), `a literal with a language tag and the datatype`},
		{results.JSON, jsonRow(`{"type":"literal","value":"a","its:dir":"ltr"}`), `a base direction and no language tag`},
		{results.JSON, jsonRow(`{"type":"literal","value":"a","xml:lang":"en","its:dir":"up"}`), `neither ltr nor rtl`},
		{results.JSON, jsonRow(`{"type":"literal","value":"a","datatype":"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"}`), `rdf:langString and no language tag`},
		{results.JSON, jsonRow(`{"type":"literal","value":"a","datatype":"integer"}`), `is not absolute`},
		{results.JSON, jsonRow(`{"type":"triple","value":{}}`), `a triple term without its subject`},
		{results.JSON, jsonRow(`{"type":"triple","value":"x"}`), `a triple term whose value is not a triple`},
		{results.JSON, jsonRow(`{"value":{"subject":{}}}`), `a term without the members "type" and "value"`},
		{results.JSON, jsonRow(`{"type":"triple","value":{"subject":` + jsonA + `,"predicate":` + jsonA + `}}`), `a triple term without its object`},
		{results.JSON, jsonRow(`{"type":"triple","value":{"subject":` + jsonA + `,"subject":` + jsonA + `}}`), `two members of the same name`},
		{results.JSON, jsonRow(`{"type":"triple","value":{"subject":{"type":"literal","value":"x"},"predicate":` + jsonA + `,"object":` + jsonA + `}}`), `whose subject is neither an IRI nor a blank node`},
		{results.JSON, jsonRow(`{"type":"triple","value":{"subject":` + jsonA + `,"predicate":{"type":"bnode","value":"x"},"object":` + jsonA + `}}`), `whose predicate is not an IRI`},
		{results.JSON, jsonRow(`{"type":"uri","value":{"subject":` + jsonA + `,"predicate":` + jsonA + `,"object":` + jsonA + `}}`), `must have the type triple`},
		{results.JSON, jsonRow(strings.Repeat(`{"type":"triple","value":{"object":`, 1<<16)), `nested deeper than`},
		{results.JSON, "{\"é\xff\":1}", `line 1, column 4: the text is not valid UTF-8: byte 0xFF`},
		{results.JSON, "{\"a\n\":1}", `column 4: the control character U+000A in a string`},
		{results.JSON, `{"\x":1}`, `column 3: a bad escape: 'x' can't follow a backslash`},
		{results.JSON, `{"\u12":1}`, `column 3: a bad escape`},
		{results.JSON, `{"\uD800":1}`, `a surrogate pair needs two`},
		{results.JSON, `{"\uDC00\uD800":1}`, `a surrogate pair needs two`},
		{results.JSON, `{"\uD800\u0041":1}`, `a surrogate pair needs two`},
		{results.JSON, `{"a`, `column 2: the string that begins here has no end`},
		{results.JSON, `{"a\`, `column 2: the string that begins here has no end`},
		{results.JSON, `{a:1}`, `column 2: expected the name of a member in quotes, found 'a'`},
		{results.JSON, `{"a" 1}`, `expected ":", found '1'`},
		{results.JSON, `{"a":tru}`, `column 6: expected a value, found "tru"`},
		{results.JSON, `{"a":01}`, `found "01"`},
		{results.JSON, `{"a":1.}`, `found "1."`},
		{results.JSON, `{"a":+1}`, `found "+1"`},
		{results.JSON, `{"a":.5}`, `found ".5"`},
		{results.JSON, `{"a":-}`, `found "-"`},
		{results.JSON, `{"a":1.e5}`, `found "1.e5"`},
		{results.JSON, `{"a":'x'}`, `expected a value, found '\''`},

		{results.XML, ``, `line 1, column 1: expected the element <sparql>, found the end of the text`},
		{results.XML, `text`, `expected an element, found the text "text"`},
		{results.XML, `<sparql/>`, `expected the element <sparql> in the namespace`},
		{results.XML, `<html xmlns="` + sparqlNS + `"/>`, `expected the element <sparql> in the namespace`},
		{results.XML, xmlOf(``), `expected the element <head>`},
		{results.XML, xmlOf(`<results/>`), `expected the element <head>`},
		{results.XML, xmlOf("<head/>\n"), `line 2, column 1: expected the element <results> or <boolean>, found </sparql>`},
		{results.XML, xmlOf("\n<head><variable/></head>"), `line 2, column 7: a variable without a name`},
		{results.XML, xmlOf(`<head><variable name="x"/><variable name="x"/></head>`), `the variable "x" occurs twice`},
		{results.XML, xmlOf(`<head/><boolean>1</boolean>`), `expected true or false, found "1"`},
		{results.XML, xmlOf(`<head/><boolean/>`), `expected true or false, found ""`},
		{results.XML, xmlOf(`<head/><boolean>true</boolean><results/>`), `a second answer: <results>`},
		{results.XML, xmlOf(`<head/><results/><results/>`), `a second answer: <results>`},
		{results.XML, xmlOf(`<head/><results/>`) + "<a/>", `expected the end of the text, found <a>`},
		{results.XML, xmlOf(`<head/><results/>`) + "a", `found the text "a"`},
		{results.XML, xmlOf(`<head/><results>a</results>`), `found the text "a"`},
		{results.XML, xmlOf(`<head/><results><row/></results>`), `expected the element <result>, found <row>`},
		{results.XML, xmlOf(`<head/><results><result><x/></result></results>`), `expected the element <binding>, found <x>`},
		{results.XML, xmlOf(`<head/><results><result><binding name="y"/></result></results>`), `the variable "y" is not in the head`},
		{results.XML, xmlRow(``), `expected a term, found the end of the element around it`},
		{results.XML, xmlRow(`text`), `found the text "text"`},
		{results.XML, xmlRow(`<iri>http://e/</iri>`), `expected <uri>, <literal>, <bnode> or <triple>, found <iri>`},
		{results.XML, xmlRow(`<uri xmlns="x:">http://e/</uri>`), `expected <uri>, <literal>, <bnode> or <triple>, found <uri>`},
		{results.XML, xmlRow(`<typed-literal>a</typed-literal>`), `found <typed-literal>`},
		{results.XML, xmlRow(`<uri>e</uri>`), `is not absolute`},
		{results.XML, xmlRow(`<uri><b/></uri>`), `expected text, found <b>`},
		{results.XML, xmlRow(`<bnode/>`), `a blank node without a label`},
		{results.XML, xmlRow(`<literal/><literal/>`), `expected </binding>, found <literal>`},
		{results.XML, xmlRow(`<literal xml:lang="en" datatype="http://e/"/>`), `with a language tag and the datatype`},
		{results.XML, xmlRow(`<triple/>`), `a triple term without its subject`},
		{results.XML, xmlRow(`<triple><subject><uri>http://e/</uri></subject><subject/></triple>`), `once each, found <subject>`},
		{results.XML, xmlRow(`<triple><graph/></triple>`), `expected <subject>, <predicate> and <object>, once each, found <graph>`},
		{results.XML, xmlRow(`<triple><subject/></triple>`), `expected a term, found the end of the element around it`},
		{results.XML, xmlRow(`<triple><subject><uri>http://e/</uri><uri>http://e/</uri></subject></triple>`), `expected </subject>, found <uri>`},
		{results.XML, xmlRow(strings.Repeat(`<triple><object>`, 1<<16)), `nested deeper than`},
		{results.XML, xmlRow(`<literal>&e;</literal>`), `invalid character entity &e;`},
		{results.XML, xmlRow("<literal>\x01</literal>"), `illegal character code U+0001`},
		{results.XML, xmlRow("<literal>&#0;</literal>"), `illegal character code U+0000`},
		{results.XML, xmlRow("<literal>\xff</literal>"), `invalid UTF-8`},
		{results.XML, xmlRow(`<literal></uri>`), `element <literal> closed by </uri>`},
		{results.XML, xmlRow(`<literal/>`)[:150], `unexpected EOF`},
		{results.XML, `<!DOCTYPE sparql [<!ENTITY a "aa">]>`, `results need no document type`},
		{results.XML, `<?xml version="1.0" encoding="ISO-8859-1"?><sparql/>`, `encoding "ISO-8859-1"`},

		{results.CSV, "", `line 1, column 1: expected a line with the variables' names, found the end of the text`},
		{results.CSV, "x,\r\n", `a variable without a name`},
		{results.JSON, `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"a","xml:lang":""}}]}}`, `line 1, column 95: a literal whose language tag or datatype is empty: "a"`},
		{results.JSON, `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"a","datatype":""}}]}}`, `datatype is empty: "a"`},
		{results.XML, "<-" + strings.Repeat("é", 5000) + "/>", strings.Repeat("é", 100)},
		{results.CSV, "x,x\r\n", `the variable "x" occurs twice`},
		{results.CSV, "x y\r\n", `contains white space`},
		{results.CSV, "x,y\r\n1\r\n", `line 2, column 3: the row does not have as many cells as there are variables: 2`},
		{results.CSV, "x,y\r\n1,2,3\r\n", `line 2, column 4: the row does not have as many cells`},
		{results.CSV, "x\r\n1\r\n\"a", `line 3, column 1: the cell that begins here has no closing quote`},
		{results.CSV, "x\r\né\"b\r\n", `line 2, column 2: a quote inside a cell`},
		{results.CSV, "x\r\n\"a\"b\r\n", `column 4: expected a comma or the end of the line after the cell, found 'b'`},
		{results.CSV, "x\r\na\rb\r\n", `column 2: expected a comma or the end of the line after the cell`},
		{results.CSV, "x\r\na\r", `expected a comma or the end of the line`},
		{results.CSV, "x\r\né\xff\r\n", `line 2, column 2: the text is not valid UTF-8: byte 0xFF`},
		{results.CSV, "\r\na\r\n", `a row with values, but there are no variables`},

		{results.TSV, "", `line 1, column 1: expected a line with the variables' names`},
		{results.TSV, "x\n", `expected "?" and the name of a variable, or true or false, found "x"`},
		{results.TSV, "?x\ty\n", `line 1, column 4: expected "?" and the name of a variable, found "y"`},
		{results.TSV, "?x\t\n", `expected "?" and the name of a variable, found ""`},
		{results.TSV, "\t?x\n", `expected "?" and the name of a variable, found ""`},
		{results.TSV, "?x\t?x\n", `the variable "x" occurs twice`},
		{results.TSV, "true\n\n", `line 2, column 1: expected the end of the text`},
		{results.TSV, "?x\t?y\n1\n", `line 2, column 2: the row does not have as many fields as there are variables: 2`},
		{results.TSV, "?x\n1\t2\n", `the row does not have as many fields`},
		{results.TSV, "\n1\n", `a row with values, but there are no variables`},
		{results.TSV, "?x\t?y\n\"é\"\ta\n", `line 2, column 5: expected a term such as <iri>, "text", 5 or _:b0, found "a"`},
		{results.TSV, "?x\n5 \n", `expected a term such as`},
		{results.TSV, "?x\nxsd:a\n", `expected a term such as`},
		{results.TSV, "?x\n<http://e/\n", `an IRI without its ">"`},
		{results.TSV, "?x\n<e>\n", `is not absolute`},
		{results.TSV, "?x\n<http://e/ >\n", `not allowed in an IRI`},
		{results.TSV, "?x\n<http://e/\\u0020>\n", `not allowed in an IRI`},
		{results.TSV, "?x\n<http://e/\\n>\n", `line 2, column 11: a bad escape`},
		{results.TSV, "?x\n<http://e/> .\n", `column 12: there is text after the term`},
		{results.TSV, "?x\n<< <http://e/> >>\n", `a triple term begins with <<(`},
		{results.TSV, "?x\n<<( <http://e/> <http://e/> )>>\n", `column 29: a triple term without its object`},
		{results.TSV, "?x\n<<( <http://e/> <http://e/> 1\n", `a triple term without its ")>>"`},
		{results.TSV, "?x\n<<( <http://e/> <http://e/> 1 2 )>>\n", `column 31: a triple term without its ")>>"`},
		{results.TSV, "?x\n<<( <http://e/> <http://e/> 1 )>> .\n", `column 34: there is text after the term`},
		{results.TSV, "?x\n<<( <http://e/> <http://e/> a )>>\n", `column 29: expected a term`},
		{results.TSV, "?x\n<<( <http://e/> 1 <http://e/> )>>\n", `whose predicate is not an IRI`},
		{results.TSV, "?x\n" + strings.Repeat("<<( <x:a> <x:b> ", 1<<12) + "\n", `nested deeper than`},
		{results.TSV, "?x\n_:\n", `is not a blank node`},
		{results.TSV, "?x\n_:a b\n", `is not a blank node`},
		{results.TSV, "?x\n_:a.\n", `is not a blank node`},
		{results.TSV, "?x\n\"a\n", `column 1: a string without its closing quote`},
		{results.TSV, "?x\n\"a\\\n", `a bad escape`},
		{results.TSV, "?x\n\"é\\x\"\n", `column 3: a bad escape`},
		{results.TSV, "?x\n\"\\uD800\"\n", `a bad escape`},
		{results.TSV, "?x\n\"\\U00110000\"\n", `a bad escape`},
		{results.TSV, "?x\n\"a\rb\"\n", `a carriage return in a string`},
		{results.TSV, "?x\n\"\"\"a\"\"\"\n", `there is text after the term`},
		{results.TSV, "?x\n\"a\"@\n", `is not a language tag`},
		{results.TSV, "?x\n\"a\"@en--up\n", `is neither ltr nor rtl`},
		{results.TSV, "?x\n\"a\"^^xsd:int\n", `column 4: there is text after the term`},
		{results.TSV, "?x\n\"a\"^^<http://e/> \n", `there is text after the term`},
		{results.TSV, "?x\n\"\xff\"\n", `column 2: the text is not valid UTF-8`},

		{results.Turtle, "@prefix : <x:> .\n:a :b", `line 2, column 6`},
		{results.Turtle, "<x:a> <x:b> 1 .", `is neither an rs:ResultSet nor of the class`},
		{results.Turtle, "[] a <http://example.org/Result> ; <x:b> 1 .", `is not the property of a variable`},
		{results.Turtle, "[] a <http://example.org/Result> ; <http://example.org/b> 1 , 2 .", `has two values in one row`},
		{results.Turtle, "[] a <http://example.org/Result> ; <http://example.org/%2> 1 .", `is not the property of a variable`},
		{results.Turtle, "[] a <http://example.org/Result> ; <http://example.org/> 1 .", `a variable without a name`},
	} {
		for name, in := range map[string]io.Reader{"at once": strings.NewReader(tt.text), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.text))} {
			a, err := read(in, tt.format)
			var syntax *results.SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 1000 {
				t.Errorf("%s, %s: %q: got %s, %v; want %s", tt.format, name, tt.text, a, err, tt.want)
			}
		}
	}
}
