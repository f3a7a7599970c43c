package turtle_test

import (
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Every error has its position, in lines and characters from 1, and what was expected.
func TestReadErrors(t *testing.T) {
	const s = "<x:s> <x:p> " // 12 characters
	long := strings.Repeat("é", 100_000)
	tests := []struct {
		name         string
		format       turtle.Format
		text         string
		line, column int
		message      string
	}{
		{"undeclared prefix", turtle.Turtle, "<x:s> foo:p 1 .", 1, 7, "undeclared prefix 'foo:'; declare it before its first use: @prefix foo: <...> ."},
		{"undeclared empty prefix", turtle.Turtle, "\n  :s <x:p> 1 .", 2, 3, "undeclared prefix ':'"},
		{"missing dot", turtle.Turtle, s + "1\n<x:s> <x:p> 2 .", 2, 1, `expected ".", ";" or "," after an object, found an IRI; is a "." missing before it?`},
		{"missing dot at the end", turtle.Turtle, s + "1\n", 2, 1, "found the end of the text"},
		{"missing dot in a graph", turtle.TriG, "{" + s + "1 <x:s>", 1, 16, `expected ".", ";", "," or "}" after an object`},
		{"missing closing brace", turtle.TriG, "{" + s + "1 . ", 1, 18, "found the end of the text"},
		{"two dots", turtle.Turtle, s + "1 . .", 1, 17, `expected a subject (an IRI, a prefixed name, "_:", "[" or "("), found "."`},
		{"missing object", turtle.Turtle, s + ".", 1, 13, `expected an object`},
		{"missing predicate", turtle.Turtle, "<x:s> .", 1, 7, "expected a predicate"},
		{"literal as a subject", turtle.Turtle, "'x' <x:p> 1 .", 1, 1, "found a string"},
		{"number as a subject", turtle.Turtle, "1 <x:p> 1 .", 1, 1, `found "1"`},
		{"literal as a predicate", turtle.Turtle, "<x:s> 'x' 1 .", 1, 7, "expected a predicate"},
		{"blank node as a predicate", turtle.Turtle, "<x:s> _:b 1 .", 1, 7, `found "_:b"`},
		{"keyword in the wrong case", turtle.Turtle, s + "True .", 1, 13, `found "True" (a prefixed name has a colon)`},
		{"a word without a prefix", turtle.Turtle, "robot a <x:R> .", 1, 1, `found "robot" (a prefixed name has a colon)`},
		{"a as an object", turtle.Turtle, s + "a .", 1, 13, `found "a"`},
		{"not ended properties", turtle.Turtle, s + "[ <x:q> 1 .", 1, 23, `expected "]", ";" or "," after an object inside "["`},
		{"a lone bracket", turtle.Turtle, s + "] .", 1, 13, `expected an object`},
		{"crossed brackets", turtle.Turtle, s + "( [ <x:q> 1 ) ] .", 1, 25, `found ")"`},
		{"an empty node alone", turtle.Turtle, "[] .", 1, 4, "expected a predicate"},
		{"a semicolon after properties", turtle.Turtle, "[ <x:p> 1 ] ; <x:p> 1 .", 1, 13, "expected a predicate"},
		{"a comma after a semicolon", turtle.Turtle, s + "1 ; , 2 .", 1, 17, "expected a predicate"},
		{"a collection alone", turtle.Turtle, "( 1 ) .", 1, 7, "expected a predicate"},
		{"a collection not ended", turtle.Turtle, s + "( 1 ", 1, 17, "found the end of the text"},
		{"a graph in Turtle", turtle.Turtle, "{ }", 1, 1, "TriG and not Turtle"},
		{"a named graph in Turtle", turtle.Turtle, "<x:g> { }", 1, 7, `found "{"`},
		{"a collection names a graph", turtle.TriG, "() { }", 1, 4, `found "{"`},
		{"properties name a graph", turtle.TriG, "[ <x:p> 1 ] { }", 1, 13, `found "{"`},
		{"a literal names a graph", turtle.TriG, "GRAPH 1 { }", 1, 7, "expected the name of a graph"},
		{"a prefix in a graph", turtle.TriG, "{ PREFIX a: <x:a> }", 1, 3, `"PREFIX" can't stand inside a graph`},
		{"a base in a graph", turtle.TriG, "{ @base <x:a> . }", 1, 3, `"@base" can't stand inside a graph`},
		{"a graph in a graph", turtle.TriG, "{ <x:g> { } }", 1, 9, `found "{"`},
		{"unknown directive", turtle.Turtle, "@Prefix a: <x:> .", 1, 1, `found "@Prefix"`},
		{"directive without a dot", turtle.Turtle, "@prefix a: <x:>\n<x:s>", 2, 1, `expected "." after @prefix, @base or @version`},
		{"dot after SPARQL's directive", turtle.Turtle, "PREFIX a: <x:> .", 1, 16, "expected a subject"},
		{"prefix without colon", turtle.Turtle, "@prefix a <x:> .", 1, 9, "a prefix and its colon"},
		{"prefix with a local name", turtle.Turtle, "@prefix a:b <x:> .", 1, 11, "expected an IRI in angle brackets"},
		{"prefix that ends with a dot", turtle.Turtle, "@prefix a.: <x:> .", 1, 9, "a prefix and its colon"},

		{"space in an IRI", turtle.Turtle, "<x:s> <x:p q> 1 .", 1, 11, `a space in the IRI that begins at line 1, column 7`},
		{"line end in an IRI", turtle.Turtle, "<x:s> <x:p\n> 1 .", 1, 11, "the end of the line in the IRI"},
		{"forbidden character in an IRI", turtle.Turtle, "<x:{s}> <x:p> 1 .", 1, 4, `"{" is not allowed in an IRI`},
		{"unterminated IRI", turtle.Turtle, "<x:s> <x:p", 1, 11, `the IRI that begins at line 1, column 7 has no closing ">"`},
		{"escape in an IRI that hides a space", turtle.Turtle, `<x:\u0020> <x:p> 1 .`, 1, 4, "a space is not allowed in an IRI, not even escaped"},
		{"string escape in an IRI", turtle.Turtle, `<x:é\n> <x:p> 1 .`, 1, 5, "bad escape in an IRI"},
		{"backslash at the end of an IRI", turtle.Turtle, `<x:\> <x:p> 1 .`, 1, 4, "bad escape in an IRI"},
		{"surrogate in an IRI", turtle.Turtle, `<x:\uD800> <x:p> 1 .`, 1, 4, "surrogate"},
		{"relative IRI without a base", turtle.Turtle, "<s> <x:p> 1 .", 1, 1, "<s> is a relative IRI without a base IRI"},
		{"relative IRI behind an escape", turtle.Turtle, `<x:s> <\u0061> 1 .`, 1, 7, "<a> is a relative IRI"},
		{"relative IRI that would name a host", turtle.Turtle, "@base <f:/a> . <..//h> <x:p> 1 .", 1, 16, "host name"},
		{"base that is relative", turtle.Turtle, "@base <a> .", 1, 7, "<a> is a relative IRI"},
		{"relative IRI in N-Triples", turtle.NTriples, "<x:s> <p> <x:o> .", 1, 7, "this format has absolute ones only"},
		{"triple term as a subject", turtle.Turtle, "<<( <x:s> <x:p> 1 )>> <x:p> 1 .", 1, 1, "can only be an object"},
		{"triple term as a predicate", turtle.Turtle, "<x:s> <<( <x:s> <x:p> 1 )>> 1 .", 1, 7, "is not allowed here"},
		{"reified triple in a triple term", turtle.Turtle, s + "<<( <x:s> <x:p> << <x:s> <x:p> 1 >> )>> .", 1, 29, "can't be a part of a triple term"},
		{"reified triple in N-Triples", turtle.NTriples, "<x:s> <x:p> << <x:s> <x:p> <x:o> >> .", 1, 13, "has no reified triples"},
		{"triple term as a subject in N-Quads", turtle.NQuads, "<<( <x:s> <x:p> <x:o> )>> <x:p> <x:o> .", 1, 1, "is not allowed here"},
		{"triple term without an end", turtle.Turtle, s + "<<( <x:s> <x:p> 1 >> .", 1, 31, `expected ")>>" at the end of a triple term, found ">"`},
		{"half an end", turtle.NTriples, s + "<<( <x:s> <x:p> <x:o> )> .", 1, 35, `expected ")>>" at the end of a triple term`},
		{"reified triple without an end", turtle.Turtle, "<< <x:s> <x:p> 1 . ", 1, 18, `expected ">>" at the end of a reified triple, found "."`},
		{"literal in a triple term", turtle.Turtle, s + "<<( 1 <x:p> 1 )>> .", 1, 17, `expected the subject of a triple term`},
		{"properties in a triple term", turtle.Turtle, s + "<< [ <x:p> 1 ] <x:p> 1 >> .", 1, 18, `has no properties`},
		{"a list in a triple term", turtle.Turtle, s + "<< <x:s> <x:p> (1) >> .", 1, 28, `expected the object of a reified triple`},
		{"a word in a triple term", turtle.Turtle, s + "<< <x:s> <x:p> yes >> .", 1, 28, `found "yes"`},
		{"a word as a reifier", turtle.Turtle, s + "1 ~ yes .", 1, 17, `expected a reifier`},
		{"a list as a reifier", turtle.Turtle, s + "1 ~ [ <x:p> 1 ] .", 1, 19, `a reifier's properties stand in "{| … |}"`},
		{"an annotation without properties", turtle.Turtle, s + "1 {| |} .", 1, 18, `expected a predicate`},
		{"an annotation without an end", turtle.Turtle, s + "1 {| <x:p> 1 .", 1, 26, `expected "|}", ";" or "," after an object inside "{|"`},
		{"an annotation with half an end", turtle.Turtle, s + "1 {| <x:p> 1 | .", 1, 26, `expected "|}" at the end of an annotation`},
		{"a bracket closes an annotation", turtle.Turtle, s + "1 {| <x:p> 1 ] .", 1, 26, `expected "|}"`},
		{"an annotation in a list", turtle.Turtle, s + "( 1 ~ <x:r> ) .", 1, 17, `expected an item or ")"`},
		{"an annotation closes a bracket", turtle.Turtle, s + "[ <x:p> 1 |} .", 1, 23, `expected "]"`},
		{"a version without quotes", turtle.Turtle, "VERSION 1.2", 1, 9, `expected a version in quotes`},
		{"a version in N-Quads in lower case", turtle.NQuads, `version "1.2"`, 1, 1, `found "version"`},
		{"an unknown version", turtle.Turtle, `VERSION "9.9"`, 1, 9, `RDF has no version "9.9"; those known here are "1.1", "1.2-basic" and "1.2"`},
		{"an unknown version with @", turtle.TriG, `@version '1.2-Basic' .`, 1, 10, `RDF has no version "1.2-Basic"`},
		{"an unknown version, escaped", turtle.Turtle, s + `1 . version "2\u002E0"`, 1, 25, `RDF has no version "2.0"`},
		{"an unknown version in N-Triples", turtle.NTriples, `VERSION "2.0"`, 1, 9, `RDF has no version "2.0"`},
		{"an unknown version in N-Quads", turtle.NQuads, `VERSION ""`, 1, 9, `RDF has no version ""`},
		{"a version in a graph", turtle.TriG, `{ VERSION "1.2" }`, 1, 3, `can't stand inside a graph`},
		{"langString without a tag", turtle.Turtle, s + `"a"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .`, 1, 18, "is the datatype of strings with a language tag"},

		{"unterminated string", turtle.Turtle, s + "\"abc\n\" .", 1, 17, `the string that begins at line 1, column 13 has no closing " on its line`},
		{"unterminated string before Windows' line end", turtle.Turtle, s + "'é\r\n", 1, 15, "no closing '"},
		{"unterminated long string", turtle.Turtle, s + "'''a\nb''c", 2, 5, "the string that begins at line 1, column 13 has no closing '''"},
		{"string that ends in a backslash", turtle.Turtle, s + `"a\`, 1, 16, "no closing"},
		{"unknown escape", turtle.Turtle, s + `"é\x" .`, 1, 15, `bad escape in a string: "x" after "\"`},
		{"escape cut short", turtle.Turtle, s + `"\u12" .`, 1, 14, `4 hexadecimal digits must follow \u`},
		{"long escape cut short", turtle.Turtle, s + `"\U0001F60" .`, 1, 14, `8 hexadecimal digits must follow \U`},
		{"escape beyond Unicode", turtle.Turtle, s + `"\U00110000" .`, 1, 14, "U+10FFFF"},
		{"escape far beyond Unicode", turtle.Turtle, s + `"\UFFFFFFFF" .`, 1, 14, "U+10FFFF"},
		{"lone surrogate", turtle.Turtle, s + `"\uDFFF" .`, 1, 14, "U+DFFF is one half of a surrogate pair"},
		{"surrogate pair", turtle.Turtle, s + `"\uD83D\uDE00" .`, 1, 14, "surrogate"},
		{"one caret", turtle.Turtle, s + `"a"^<x:t> .`, 1, 16, `a single "^"`},
		{"no datatype", turtle.Turtle, s + `"a"^^"b" .`, 1, 18, "expected a datatype"},
		{"datatype without colon", turtle.Turtle, s + `"a"^^int .`, 1, 18, `found "int"`},
		{"bad language tag", turtle.Turtle, s + `"a"@1 .`, 1, 17, "bad language tag"},
		{"language tag with an end missing", turtle.Turtle, s + `"a"@en- .`, 1, 20, "bad language tag"},
		{"base direction", turtle.Turtle, s + `"a"@en--LTR .`, 1, 21, `expected the base direction "ltr" or "rtl"`},
		{"number with two signs", turtle.Turtle, s + "+-1 .", 1, 13, `expected a digit after '+'`},
		{"number without digits", turtle.Turtle, s + "-.e1 .", 1, 13, "expected a digit"},
		{"number with letters", turtle.Turtle, s + "0x12 .", 1, 14, `found "x12"`},
		{"exponent without digits", turtle.Turtle, s + "1e+ .", 1, 14, `found "e+"`},
		{"blank node without a label", turtle.Turtle, s + "_: .", 1, 15, `expected a letter, a digit or "_" after "_:"`},
		{"underscore alone", turtle.Turtle, s + "_x .", 1, 14, `expected ":" after "_"`},
		{"bad percent in a name", turtle.Turtle, "@prefix : <x:> . :a%g0 :p 1 .", 1, 20, "two hexadecimal digits"},
		{"bad percent at the end", turtle.Turtle, "@prefix : <x:> . :a%0", 1, 20, "two hexadecimal digits"},
		{"bad escape in a name", turtle.Turtle, `@prefix : <x:> . :a\u0061 :p 1 .`, 1, 20, "bad escape in a name"},
		{"a name may not begin so", turtle.Turtle, "\u0301:a <x:p> 1 .", 1, 1, "expected a subject"},

		{"two triples on a line", turtle.NTriples, s + "<x:o> . " + s + "<x:o> .", 1, 21, `the end of the line after "."`},
		{"a triple on two lines", turtle.NTriples, s + "\n<x:o> .", 1, 13, "found the end of the line"},
		{"a comment in a triple", turtle.NTriples, s + "# c", 1, 13, `found "#"`},
		{"a number in N-Triples", turtle.NTriples, s + "1 .", 1, 13, `found "1"`},
		{"a single quote in N-Triples", turtle.NTriples, s + "'a' .", 1, 13, "found a string"},
		{"a long string in N-Triples", turtle.NTriples, s + `"""a""" .`, 1, 15, "found a string"},
		{"a prefixed datatype in N-Triples", turtle.NTriples, s + `"a"^^xsd:int .`, 1, 18, "expected a datatype"},
		{"a graph in N-Triples", turtle.NTriples, s + "<x:o> <x:g> .", 1, 19, `expected "." after the object, found an IRI`},
		{"a literal for a graph", turtle.NQuads, s + "<x:o> \"g\" .", 1, 19, `expected "." or the name of a graph`},
		{"five terms", turtle.NQuads, s + "<x:o> <x:g> <x:h> .", 1, 25, `expected "." after the name of the graph`},
		{"a directive in N-Quads", turtle.NQuads, "@prefix a: <x:> .", 1, 1, `found "@prefix"`},

		{"invalid UTF-8", turtle.Turtle, s + "\"é\xff\" .", 1, 15, "not valid UTF-8: byte 0xFF"},
		{"invalid UTF-8 in a comment", turtle.NTriples, "# é\n#\xc0\xaf", 2, 2, "not valid UTF-8: byte 0xC0"},
		{"half a character at the end", turtle.Turtle, "# \xf0\x9f\x98", 1, 3, "not valid UTF-8: byte 0xF0"},
		{"a surrogate in UTF-8", turtle.Turtle, "# \xed\xa0\x80", 1, 3, "not valid UTF-8: byte 0xED"},
		{"UTF-16", turtle.Turtle, "\xff\xfe<\x00", 1, 1, "not valid UTF-8: byte 0xFF"},
		{"a second byte order mark", turtle.Turtle, "\uFEFF\uFEFF!", 1, 1, `found "\ufeff"`},
		{"a NUL", turtle.Turtle, s + "1 . \x00", 1, 17, "the control character U+0000"},
		{"a column in characters", turtle.Turtle, "\n# 日本\n<x:😀é> é", 3, 8, `found "é"`},
		{"the end of a long line", turtle.Turtle, "# " + long + "\n" + s + "\"" + long + "\" !", 2, 100_016, `found "!"`},
		{"after many lines", turtle.Turtle, strings.Repeat("# é\r\n"+s+"1 .\n", 30_000) + " !", 60_001, 2, `found "!"`},
		{"a long word is cut in what is found", turtle.Turtle, "x" + long, 1, 1, `"x` + strings.Repeat("é", 18) + `..."`},
	}
	for what, c := range map[string]struct {
		format turtle.Format
		text   string
		column int
	}{
		"a triple term":      {turtle.NQuads, s + "<<( <x:s> <x:p> <x:o> )>> .", 13},
		"a reified triple":   {turtle.Turtle, "<< <x:s> <x:p> 1 >> .", 1},
		"a reifier":          {turtle.Turtle, s + "1 ~ <x:r> .", 15},
		"an annotation":      {turtle.TriG, s + "1 {| <x:p> 1 |} .", 15},
		"a base direction":   {turtle.NTriples, s + `"a"@en--ltr .`, 19},
		"a version":          {turtle.Turtle, `@version "1.2" .`, 10},
		"a version in lines": {turtle.NTriples, `VERSION "1.2"`, 9},
	} {
		_, err := turtle.Parse([]byte(c.text), c.format, turtle.Options{Version: rdf.RDF11})
		var syntax *turtle.SyntaxError
		if !errors.As(err, &syntax) || syntax.Line != 1 || syntax.Column != c.column {
			t.Errorf("as RDF 1.1, %s: %v", what, err)
		}
		_, err = turtle.Parse([]byte(c.text), c.format, turtle.Options{Version: rdf.RDF12Basic})
		if read := what == "a base direction"; (err == nil) != read || !read && err.(*turtle.SyntaxError).Column != c.column {
			t.Errorf("as RDF 1.2 Basic, %s: %v", what, err)
		}
		if _, err := turtle.Parse([]byte(c.text), c.format, turtle.Options{}); err != nil {
			t.Errorf("as RDF 1.2, %s: %v", what, err)
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := turtle.Parse([]byte(tt.text), tt.format, turtle.Options{})
			var syntax *turtle.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("error %v, want a *SyntaxError", err)
			}
			if syntax.Line != tt.line || syntax.Column != tt.column || !strings.Contains(syntax.Msg, tt.message) {
				t.Errorf("got  %v\nwant line %d, column %d: … %s …", err, tt.line, tt.column, tt.message)
			}
			if len(tt.text) > 1000 {
				return
			}
			r := turtle.NewReader(iotest.OneByteReader(strings.NewReader(tt.text)), tt.format, turtle.Options{})
			for err = nil; err == nil; {
				_, err = r.Read()
			}
			if err.Error() != syntax.Error() {
				t.Errorf("byte by byte the error is %v, at once %v", err, syntax)
			}
		})
	}
}

func TestReadLimitsNesting(t *testing.T) {
	nested := func(open, closing string, depth int) string {
		return "<x:s> <x:p> " + strings.Repeat(open, depth) + " 1 " + strings.Repeat(closing, depth) + " ."
	}
	for _, pair := range [][2]string{{"(", ")"}, {"[ <x:p> ", "]"}, {"([ <x:p> ", "])"}} {
		brackets := strings.Count(pair[0], "(") + strings.Count(pair[0], "[")
		if _, err := turtle.Parse([]byte(nested(pair[0], pair[1], 1000/brackets)), turtle.Turtle, turtle.Options{}); err != nil {
			t.Errorf("1,000 deep with %q: %v", pair[0], err)
		}
		_, err := turtle.Parse([]byte(nested(pair[0], pair[1], 1000/brackets+1)), turtle.Turtle, turtle.Options{})
		if err == nil || !strings.Contains(err.Error(), "nested deeper than 1000") {
			t.Errorf("more than 1,000 deep with %q: %v", pair[0], err)
		}
		_, err = turtle.Parse([]byte(nested(pair[0], pair[1], 4)), turtle.Turtle, turtle.Options{MaxDepth: 3})
		if err == nil || !strings.Contains(err.Error(), "nested deeper than 3") {
			t.Errorf("4 deep with %q where 3 are allowed: %v", pair[0], err)
		}
	}
	if _, err := turtle.Parse([]byte("<x:s> <x:p> [] , () , [] , (1) , (2) ."), turtle.Turtle, turtle.Options{MaxDepth: 1}); err != nil {
		t.Errorf("side by side is not nested: %v", err)
	}
}

// Four megabytes of brackets are refused at the first one that is too deep, with a small
// stack, whether read at once or as a stream.
func TestFourMegabytesOfBracketsAreRefusedInASmallStack(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	const size = 4 << 20
	for _, c := range []struct {
		start, open string
		format      turtle.Format
		column      int // of the first bracket that is refused
	}{
		{"<x:s> <x:p> ", "(", turtle.Turtle, 13 + 1000}, {"<x:s> <x:p> ", "[", turtle.Turtle, 0}, {"<x:s> <x:p> ", "[<x:p>", turtle.Turtle, 13 + 6000},
		{"", "(", turtle.Turtle, 1 + 1000}, {"", "[", turtle.Turtle, 0}, {"", "{", turtle.Turtle, 1}, {"", "{", turtle.TriG, 2},
		{"<x:g> {<x:s> <x:p> ", "(", turtle.TriG, 20 + 1000}, {"<x:s> <x:p> ", "<<", turtle.Turtle, 0}, {"", "(", turtle.NTriples, 1}, {"<x:s> <x:p> ", "{", turtle.Turtle, 13},
	} {
		text := "\n" + c.start + strings.Repeat(c.open, size/len(c.open))
		r := turtle.NewReader(strings.NewReader(text), c.format, turtle.Options{})
		var streamed error
		for streamed == nil {
			_, streamed = r.Read()
		}
		_, whole := turtle.Parse([]byte(text), c.format, turtle.Options{})
		for _, err := range []error{streamed, whole} {
			var syntax *turtle.SyntaxError
			if !errors.As(err, &syntax) || syntax.Line != 2 || syntax.Column < 1 || c.column > 0 && syntax.Column != c.column {
				t.Errorf("%v: %s and 4 MB of %q give %v, want line 2, column %d", c.format, c.start, c.open, err, c.column)
			}
		}
	}
}

func TestReadLimitsTokens(t *testing.T) {
	const limit = 30
	long, short := strings.Repeat("a", limit+1), strings.Repeat("a", limit-10)
	digits := strings.Repeat("1", limit+1)
	for _, pattern := range []string{
		"<x:s> <x:p> \"*\" .", "<x:s> <x:p> '''*''' .", "<x:s> <x:p> \"\\n*\" .", "<x:s> <x:*> 1 .",
		"_:* <x:p> 1 .", "@prefix *: <x:> . ", "@prefix : <x:> . :* <x:p> 1 .", "<x:s> <x:p> 1.# .",
		"<x:s> <x:p> 'x'@* .",
	} {
		fill := func(s, d string) string { return strings.NewReplacer("*", s, "#", d).Replace(pattern) }
		for _, one := range []bool{false, true} {
			parse := func(text string) (err error) {
				in := strings.NewReader(text)
				r := turtle.NewReader(in, turtle.Turtle, turtle.Options{MaxToken: limit})
				if one {
					r = turtle.NewReader(iotest.OneByteReader(in), turtle.Turtle, turtle.Options{MaxToken: limit})
				}
				for err == nil {
					_, err = r.Read()
				}
				return err
			}
			if err := parse(fill(short, digits[:10])); err != io.EOF {
				t.Errorf("%s within the limit: %v", pattern, err)
			}
			if err := parse(fill(long, digits)); !strings.Contains(err.Error(), "longer than the 30 bytes") {
				t.Errorf("%s beyond the limit: %v", pattern, err)
			}
		}
	}
	comment := "#" + strings.Repeat(" c", limit) + "\n" + strings.Repeat(" ", 3*limit)
	if _, err := turtle.Parse([]byte(comment+"<x:s> <x:p> 1 ."), turtle.Turtle, turtle.Options{MaxToken: limit}); err != nil {
		t.Errorf("comments and white space have no limit: %v", err)
	}
}

// A version that a text announces is a hint, if it is one of RDF (RDF 1.2 Turtle, section
// 2.1).
func TestAKnownVersionIsAHint(t *testing.T) {
	for _, f := range []turtle.Format{turtle.Turtle, turtle.TriG, turtle.NTriples, turtle.NQuads} {
		for _, label := range []string{"1.1", "1.2-basic", "1.2", `1\u002E2`} {
			text := `VERSION "` + label + "\"\n<x:s> <x:p> <<( <x:s> <x:p> \"a\"@en--ltr )>> ."
			if _, err := turtle.Parse([]byte(text), f, turtle.Options{}); err != nil {
				t.Errorf("%v: %s: %v", f, text, err)
			}
			own, _ := rdf.VersionOf(label)
			plain := `VERSION "` + label + "\"\n<x:s> <x:p> <x:o> ."
			if _, err := turtle.Parse([]byte(plain), f, turtle.Options{Version: own}); err != nil {
				t.Errorf("%v as RDF %v: %v", f, own, err)
			}
		}
	}
}

// Formats of other packages are not read or written as Turtle.
func TestOtherFormatsAreRefused(t *testing.T) {
	for _, f := range []turtle.Format{turtle.RDFXML, turtle.JSONLD} {
		if quads, err := turtle.Parse([]byte("<x:s> <x:p> 1 ."), f, turtle.Options{Base: "x:b"}); err == nil || !strings.Contains(err.Error(), "use package format") {
			t.Errorf("format %d is read as %v, %v", f, quads, err)
		}
		w := turtle.NewWriter(io.Discard, f, nil)
		if err := w.Write(rdf.Quad{S: rdf.NewIRI("x:s"), P: rdf.NewIRI("x:p"), O: rdf.NewIRI("x:o")}); err == nil || w.Close() == nil {
			t.Errorf("format %d is written", f)
		}
	}
}
