package results_test

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
)

// nested is a triple term in another, with texts that look like the ends of terms.
var nested = rdf.NewTripleTerm(rdf.Triple{
	S: rdf.NewBlank("b"), P: rdf.NewIRI("http://e/p"), O: rdf.NewTripleTerm(rdf.Triple{
		S: rdf.NewIRI("http://e/s"), P: rdf.NewIRI("http://e/p"), O: rdf.NewDirLang("a \" )>> <", "he", "rtl"),
	}),
})

func TestTripleTermsInEachFormat(t *testing.T) {
	number := rdf.NewTripleTerm(rdf.Triple{S: rdf.NewIRI("http://e/s"), P: rdf.NewIRI("http://e/p"), O: rdf.NewLiteral("5", rdf.XSDInteger)})
	a := answer{vars: []string{"x"}, rows: [][]rdf.Term{{nested}, {number}}}
	for f, want := range map[results.Format]string{
		results.JSON: `{"head":{"vars":["x"]},"results":{"bindings":[
{"x":{"type":"triple","value":{"subject":{"type":"bnode","value":"b"},"predicate":{"type":"uri","value":"http://e/p"},"object":{"type":"triple","value":{"subject":{"type":"uri","value":"http://e/s"},"predicate":{"type":"uri","value":"http://e/p"},"object":{"type":"literal","value":"a \" )>> <","xml:lang":"he","its:dir":"rtl"}}}}}},
{"x":{"type":"triple","value":{"subject":{"type":"uri","value":"http://e/s"},"predicate":{"type":"uri","value":"http://e/p"},"object":{"type":"literal","value":"5","datatype":"http://www.w3.org/2001/XMLSchema#integer"}}}}
]}}
`,
		results.XML: `<?xml version="1.0" encoding="UTF-8"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
<head>
<variable name="x"/>
</head>
<results>
<result><binding name="x"><triple><subject><bnode>b</bnode></subject><predicate><uri>http://e/p</uri></predicate><object><triple><subject><uri>http://e/s</uri></subject><predicate><uri>http://e/p</uri></predicate><object><literal xmlns:its="http://www.w3.org/2005/11/its" its:version="2.0" its:dir="rtl" xml:lang="he">a &quot; )&gt;&gt; &lt;</literal></object></triple></object></triple></binding></result>
<result><binding name="x"><triple><subject><uri>http://e/s</uri></subject><predicate><uri>http://e/p</uri></predicate><object><literal datatype="http://www.w3.org/2001/XMLSchema#integer">5</literal></object></triple></binding></result>
</results>
</sparql>
`,
		results.TSV: `?x
<<( _:b <http://e/p> <<( <http://e/s> <http://e/p> "a \" )>> <"@he--rtl )>> )>>
<<( <http://e/s> <http://e/p> 5 )>>
`,
		results.Turtle: `@prefix ns: <http://example.org/> .

[] a ns:Result ;
    ns:x <<( _:b <http://e/p> <<( <http://e/s> <http://e/p> "a \" )>> <"@he--rtl )>> )>> .
[] a ns:Result ;
    ns:x <<( <http://e/s> <http://e/p> 5 )>> .
`,
		results.CSV: "x\r\n" + `"<<( _:b <http://e/p> <<( <http://e/s> <http://e/p> ""a \"" )>> <""@he--rtl )>> )>>"` + "\r\n" +
			`"<<( <http://e/s> <http://e/p> ""5""^^<http://www.w3.org/2001/XMLSchema#integer> )>>"` + "\r\n",
	} {
		got, err := write(a, f)
		if err != nil || got != want {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", f, err, got, want)
		}
	}
	comesBack(t, "triple terms", a)
	if got, err := read(strings.NewReader(mustWrite(t, a, results.Turtle)), results.Turtle); err != nil || !got.equal(a) {
		t.Errorf("Turtle comes back as %s, %v", got, err)
	}
}

func TestTripleTermsWithoutSpaces(t *testing.T) {
	want := answer{vars: []string{"x"}, rows: [][]rdf.Term{{nested}}}
	got, err := read(strings.NewReader("?x\n<<(_:b <http://e/p><<(<http://e/s><http://e/p>\"a \\\" )>> <\"@he--rtl)>>)>>\n"), results.TSV)
	if err != nil || !got.equal(want) {
		t.Errorf("%v, %v", got, err)
	}
}
