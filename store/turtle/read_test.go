package turtle_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// header holds the declarations for most texts of these tests.
const header = "@prefix : <http://e/> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"

// read returns the quads of a text as lines of N-Quads.
func read(t *testing.T, text string, f turtle.Format, o turtle.Options) []string {
	t.Helper()
	quads, err := turtle.Parse([]byte(text), f, o)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var lines []string
	for _, q := range quads {
		lines = append(lines, strings.NewReplacer("<http://e/", "<", rdf.RDF, "rdf:", rdf.XSD, "xsd:").Replace(q.String()))
	}
	return lines
}

func TestReadTurtle(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"white space and comments", " \t\r\n# :s :p :o .\n#", ""},
		{"a byte order mark", "\uFEFF:s :p :o .", "<s> <p> <o> ."},
		{"line ends of Windows", ":s\r\n:p\r\n:o .\r\n# x\r\n:s :p :q .", "<s> <p> <o> .\n<s> <p> <q> ."},
		{"a comment ends at a lone carriage return", "# x\r:s :p :o .", "<s> <p> <o> ."},
		{"lists of predicates and objects", ":s :p 1 , 2 ; :q 3 ;; .", `<s> <p> "1"^^<xsd:integer> .
<s> <p> "2"^^<xsd:integer> .
<s> <q> "3"^^<xsd:integer> .`},
		{"a is rdf:type", ":s a :o .:s a<http://e/o>.", "<s> <rdf:type> <o> .\n<s> <rdf:type> <o> ."},
		{"an anonymous node", "[] :p [] .", "_:a0 <p> _:a1 ."},
		{"properties in brackets", ":s :p [ :q :o ; :r [ :t 1 ] ] , :u .", `<s> <p> _:a0 .
_:a0 <q> <o> .
_:a0 <r> _:a1 .
_:a1 <t> "1"^^<xsd:integer> .
<s> <p> <u> .`},
		{"properties as a subject", "[ :p :o ] . [ :p :o ] :q :o .", "_:a0 <p> <o> .\n_:a1 <p> <o> .\n_:a1 <q> <o> ."},
		{"an empty collection", "() :p () .", "<rdf:nil> <p> <rdf:nil> ."},
		{"a collection", ":s :p ( :x ( :y ) [] ) .", `<s> <p> _:a0 .
_:a0 <rdf:first> <x> .
_:a0 <rdf:rest> _:a1 .
_:a1 <rdf:first> _:a2 .
_:a2 <rdf:first> <y> .
_:a2 <rdf:rest> <rdf:nil> .
_:a1 <rdf:rest> _:a3 .
_:a3 <rdf:first> _:a4 .
_:a3 <rdf:rest> <rdf:nil> .`},
		{"a collection as a subject", "( :x ) :p :o .", "_:a0 <rdf:first> <x> .\n_:a0 <rdf:rest> <rdf:nil> .\n_:a0 <p> <o> ."},
		{"a collection in a collection's properties", "( [ :p ( 1 ) ] ) :q :o .", `_:a0 <rdf:first> _:a1 .
_:a1 <p> _:a2 .
_:a2 <rdf:first> "1"^^<xsd:integer> .
_:a2 <rdf:rest> <rdf:nil> .
_:a0 <rdf:rest> <rdf:nil> .
_:a0 <q> <o> .`},
		{"directives of SPARQL", "prefix x: <http://e/x#> BaSe <http://e/b/> x:a x:b <c> .", "<x#a> <x#b> <b/c> ."},
		{"a base on a base", "@base <http://e/b/> . @base <c/> . <d> :p <#f> .", "<b/c/d> <p> <b/c/#f> ."},
		{"a namespace that is relative", "@base <http://e/b/c> . @prefix x: <#> . x:y :p x: .", "<b/c#y> <p> <b/c#> ."},
		{"a prefix declared again", ":s :p :o . @prefix : <http://e/2/> . :s :p :o .", "<s> <p> <o> .\n<2/s> <2/p> <2/o> ."},
		{"prefixes with dots", "@prefix a.b: <http://e/x/> . a.b:c :p :o .", "<x/c> <p> <o> ."},
		{"a local name that is a keyword", ":a :true :prefix .", "<a> <true> <prefix> ."},
		{"local names and their escapes", `:1 :a.b\~c%4a :x\.y\-z. :é·:9 :p :x..y .`, "<1> <a.b~c%4a> <x.y-z> .\n<é·:9> <p> <x..y> ."},
		{"a local name does not begin with a hyphen", ":s : -5 . :s :-5 .", "<s> <> \"-5\"^^<xsd:integer> .\n<s> <> \"-5\"^^<xsd:integer> ."},
		{"no space where none is needed", ":s :p true.:s :p 1.:s :p _:a.", `<s> <p> "true"^^<xsd:boolean> .
<s> <p> "1"^^<xsd:integer> .
<s> <p> _:a .`},
		{"numbers side by side", ":s :p (1.2.3) .", `<s> <p> _:a0 .
_:a0 <rdf:first> "1.2"^^<xsd:decimal> .
_:a0 <rdf:rest> _:a1 .
_:a1 <rdf:first> ".3"^^<xsd:decimal> .
_:a1 <rdf:rest> <rdf:nil> .`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bom := ""
			if strings.HasPrefix(tt.text, "\uFEFF") {
				bom = "\uFEFF"
			}
			text := bom + header + strings.TrimPrefix(tt.text, bom)
			if got := strings.Join(read(t, text, turtle.Turtle, turtle.Options{}), "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestReadKeepsLiteralsAsWritten(t *testing.T) {
	integer, decimal, double := rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble
	tests := []struct {
		text string
		want rdf.Term
	}{
		{"1", rdf.NewLiteral("1", integer)},
		{"-007", rdf.NewLiteral("-007", integer)},
		{"+0", rdf.NewLiteral("+0", integer)},
		{"1.50", rdf.NewLiteral("1.50", decimal)},
		{".5", rdf.NewLiteral(".5", decimal)},
		{"-.5", rdf.NewLiteral("-.5", decimal)},
		{"1E0", rdf.NewLiteral("1E0", double)},
		{"1.e-3", rdf.NewLiteral("1.e-3", double)},
		{"+1.5e+10", rdf.NewLiteral("+1.5e+10", double)},
		{".5E5", rdf.NewLiteral(".5E5", double)},
		{"true", rdf.NewLiteral("true", rdf.XSDBoolean)},
		{"false", rdf.NewLiteral("false", rdf.XSDBoolean)},
		{`""`, rdf.NewString("")},
		{`''`, rdf.NewString("")},
		{`""""""`, rdf.NewString("")},
		{`"it's"`, rdf.NewString("it's")},
		{`'"'`, rdf.NewString(`"`)},
		{`"""a"b""c` + "\r\n" + `d"""`, rdf.NewString("a\"b\"\"c\r\nd")},
		{`'''a'b''c\''''`, rdf.NewString("a'b''c'")},
		{`"\t\b\n\r\f\"\'\\"`, rdf.NewString("\t\b\n\r\f\"'\\")},
		{`"\u00e9\U0001F600x"`, rdf.NewString("é😀x")},
		{`"\\u00e9"`, rdf.NewString(`\u00e9`)},
		{`"é😀` + "\x00\x01\x7f" + `"`, rdf.NewString("é😀\x00\x01\x7f")},
		{`"\u0000"`, rdf.NewString("\x00")},
		{`"abc"^^xsd:integer`, rdf.NewLiteral("abc", integer)}, // ill-typed is well-formed
		{`"a" ^^ <http://e/t>`, rdf.NewLiteral("a", "http://e/t")},
		{`"a"^^xsd:string`, rdf.NewString("a")},
		{`"a"@en-GB`, rdf.NewLang("a", "en-GB")},
		{`"a" @EN-gb-x-1`, rdf.NewLang("a", "EN-gb-x-1")},
		{`"a"@abcdefghijk`, rdf.NewLang("a", "abcdefghijk")}, // allowed by Turtle's grammar, but not by BCP 47
	}
	for _, tt := range tests {
		quads, err := turtle.Parse([]byte(header+":s :p "+tt.text+"."), turtle.Turtle, turtle.Options{})
		if err != nil || len(quads) != 1 || quads[0].O != tt.want {
			t.Errorf("%s gives %v, %v; want %v", tt.text, quads, err, tt.want)
		}
	}
}

func TestReadTriG(t *testing.T) {
	got := read(t, header+`
		:s :p 1 . { :s :p 2 . :s :p 3 }
		:g { :s :p [ :q 4 ] ; } _:g { } graph _:g { [ :p 5 ] } GRAPH [] { () :p 6 }
		[] { :s :p 7 . } { [] :p 8 } [ :p 9 ] . ( 10 ) :p :o .`, turtle.TriG, turtle.Options{})
	want := []string{
		`<s> <p> "1"^^<xsd:integer> .`, `<s> <p> "2"^^<xsd:integer> .`, `<s> <p> "3"^^<xsd:integer> .`,
		`<s> <p> _:a0 <g> .`, `_:a0 <q> "4"^^<xsd:integer> <g> .`, `_:a1 <p> "5"^^<xsd:integer> _:g .`,
		`<rdf:nil> <p> "6"^^<xsd:integer> _:a2 .`, `<s> <p> "7"^^<xsd:integer> _:a3 .`,
		`_:a4 <p> "8"^^<xsd:integer> .`, `_:a5 <p> "9"^^<xsd:integer> .`,
		`_:a6 <rdf:first> "10"^^<xsd:integer> .`, `_:a6 <rdf:rest> <rdf:nil> .`, `_:a6 <p> <o> .`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestReadNQuads(t *testing.T) {
	got := read(t, "# c\n\n \t<http://e/s>\t<http://e/p>\"x\"@en<http://e/g>. # c\r\n_:b <http://e/p> _:c _:g .\r<http://e/s> <http://e/p> \"1\"^^<http://e/t>.", turtle.NQuads, turtle.Options{})
	want := []string{`<s> <p> "x"@en <g> .`, `_:b <p> _:c _:g .`, `<s> <p> "1"^^<t> .`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Labels are kept. Those that look like labels of anonymous nodes are renamed, one to
// one.
func TestReadBlankNodeLabelsNeverClash(t *testing.T) {
	got := read(t, header+"_:x :p [] , _:a0 , [] , _:_a0 , _:__a12 , _:a , _:a1b , _:_ , _:A0 , _:a0.1 .", turtle.Turtle, turtle.Options{})
	var labels []string
	for _, line := range got {
		labels = append(labels, strings.TrimSuffix(strings.TrimPrefix(line, "_:x <p> _:"), " ."))
	}
	want := []string{"a0", "_a0", "a1", "__a0", "___a12", "a", "a1b", "_", "A0", "a0.1"}
	if !slices.Equal(labels, want) {
		t.Errorf("got %q, want %q", labels, want)
	}
}

func TestReadScopeKeepsDocumentsApart(t *testing.T) {
	got := read(t, header+"_:x :p [] , _:a0 , <http://e/a0> .", turtle.Turtle, turtle.Options{Scope: "d7."})
	want := []string{"_:d7.x <p> _:d7.a0 .", "_:d7.x <p> _:d7._a0 .", "_:d7.x <p> <a0> ."}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadResolvesAgainstTheBaseGiven(t *testing.T) {
	got := read(t, "<s> <../p> <?o> .", turtle.TriG, turtle.Options{Base: "http://e/a/b/c"})
	if want := "<a/b/s> <a/p> <a/b/c?o> ."; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r := turtle.NewReader(strings.NewReader("<s> <p> <o> ."), turtle.Turtle, turtle.Options{Base: "a/b"})
	if _, err := r.Read(); err == nil || !strings.Contains(err.Error(), "not absolute") {
		t.Errorf("a relative base gives %v", err)
	}
}

// Dot segments and unusual characters of an absolute IRI are part of its name.
func TestReadKeepsAbsoluteIRIsUnchanged(t *testing.T) {
	for _, iri := range []string{"http://e/a/../b/./c", "HTTP://E/%7e%7E", "urn:x", "x:", "http://é/\u00a0?#", "a:[]@"} {
		for _, f := range []turtle.Format{turtle.Turtle, turtle.NTriples} {
			quads, err := turtle.Parse([]byte("<"+iri+"> <"+iri+"> <"+iri+"> ."), f, turtle.Options{Base: "http://b/"})
			if want := rdf.NewIRI(iri); err != nil || quads[0] != (rdf.Quad{S: want, P: want, O: want}) {
				t.Errorf("<%s> gives %v, %v", iri, quads, err)
			}
		}
	}
}

func TestReaderTellsPrefixesAndBase(t *testing.T) {
	r := turtle.NewReader(strings.NewReader(`@prefix b: <http://b/> . PREFIX a: <http://a/> @base <http://c/d> .
		b:s a:p 1 . @prefix b: <e> . b:s a:p 2 .`), turtle.Turtle, turtle.Options{Base: "http://0/"})
	if r.Base() != "http://0/" || len(r.Prefixes()) != 0 {
		t.Errorf("at first base %s, prefixes %v", r.Base(), r.Prefixes())
	}
	for i, want := range [][]turtle.Prefix{
		{{Label: "b", Namespace: "http://b/"}, {Label: "a", Namespace: "http://a/"}},
		{{Label: "b", Namespace: "http://c/e"}, {Label: "a", Namespace: "http://a/"}},
	} {
		if _, err := r.Read(); err != nil {
			t.Fatal(err)
		}
		if got := r.Prefixes(); !slices.Equal(got, want) || r.Base() != "http://c/d" {
			t.Errorf("after triple %d prefixes %v, base %s; want %v", i+1, got, r.Base(), want)
		}
	}
}

// Two texts that use every construct. Each prefix of them may be continued.
const (
	richTriG = header + `@base <http://e/\u00e9/> . Prefix a.b: <#> # é
		a.b:c\~d%4a a <p> , -1.5e+3, .5 , 1. _:é.b·c :p """x\n"y"\U0001F600""" , ''@en-GB , 'z' ^^xsd:string ;; .
		[ :p () , ( 1 [ :q true ] ) ] . { _:_a0 :p 'é' } graph [ ] { ( 2 ) :p false ; } GRAPH :g { } :h { [ ] :p [ ] }` + "\n"
	richNQuads = "# é\n<http://e/s> <http://e/\\u00e9>\t\"x\\n\"@en-GB <http://e/g> . # c\r\n_:b <http://e/p> \"é\" ^^ <http://e/t> _:g.1 .\n"
)

// TestBaseDirectionsAreRead reads base directions, which RDF 1.1 does not have.
func TestBaseDirectionsAreRead(t *testing.T) {
	for text, want := range map[string]string{
		`"x"@ar--rtl`:    "ar--rtl",
		`"x"@en-GB--ltr`: "en-GB--ltr",
		`"x"@en--ltrx`:   "",
		`"x"@en--up`:     "",
		`"x"@en--`:       "",
		`"x"@en---ltr`:   "",
		`"x"@--ltr`:      "",
	} {
		text := "<http://ex/s> <http://ex/p> " + text + " .\n"
		for _, f := range []turtle.Format{turtle.Turtle, turtle.NTriples} {
			quads, err := turtle.Parse([]byte(text), f, turtle.Options{})
			switch {
			case want == "" && err == nil:
				t.Errorf("%s is read", text)
			case want != "" && (err != nil || quads[0].O.Tag() != want):
				t.Errorf("%s: %v, %v", text, quads, err)
			}
			if _, err := turtle.Parse([]byte(text), f, turtle.Options{Version: rdf.RDF11}); err == nil {
				t.Errorf("%s is read as RDF 1.1", text)
			}
		}
	}
}
