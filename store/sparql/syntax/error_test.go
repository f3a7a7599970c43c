package syntax_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/segraph/segraph/store/sparql/syntax"
)

// errorCase is an invalid query and its complete error message.
type errorCase struct{ text, want string }

func runErrors(t *testing.T, tests []errorCase) {
	t.Helper()
	for _, tt := range tests {
		q, err := syntax.ParseQuery(tt.text, syntax.Options{})
		var e *syntax.Error
		if !errors.As(err, &e) {
			t.Errorf("%s\ngives %v, %v; want an *Error", tt.text, q, err)
			continue
		}
		checkPlace(t, tt.text, e)
		if err.Error() != tt.want {
			t.Errorf("%s\ngives  %v\nwant   %s", tt.text, err, tt.want)
		}
	}
}

func TestErrorsSayWhatWasExpectedAndFound(t *testing.T) {
	runErrors(t, []errorCase{
		{"", "line 1, column 1: expected SELECT, CONSTRUCT, ASK or DESCRIBE, found the end of the query"},
		{"SELECT", `line 1, column 7: expected what to select: variables, "*" or (expression AS ?variable), found the end of the query`},
		{"SELECT * FROM", "line 1, column 14: expected NAMED or the IRI of a graph after FROM, found the end of the query"},
		{"SELECT * WHERE", `line 1, column 15: expected "{" after WHERE, found the end of the query`},
		{"SELECT ?x\n{ ?s ?p ?o", `line 2, column 11: the text ends without the "}" that closes the bracket at line 2, column 1`},
		{"SELECT (1 ?x) {}", "line 1, column 11: expected AS and a variable after an expression in SELECT, found the variable ?x"},
		{"SELECT (1 AS x) {}", "line 1, column 14: expected a variable after AS, found x"},
		{"SELECT (1 AS ?x ?y) {}", `line 1, column 17: expected ")", found the variable ?y`},
		{"SELECT COUNT(*) {}", "line 1, column 8: expected (expression AS ?variable), with its brackets, found COUNT"},
		{"SELECT * {} {}", `line 1, column 13: expected the end of the query, found "{"`},
		{"SELECT * {} ; SELECT * {}", `line 1, column 13: expected the end of the query, found ";"`},
		{"SELECT * {} LIMIT -1", "line 1, column 19: expected a number without a sign after LIMIT, found the number -1"},
		{"SELECT * {} LIMIT 1 LIMIT 2", "line 1, column 21: expected the end of the query, found LIMIT"},
		{"SELECT * {} ORDER ?x", "line 1, column 19: expected BY after ORDER, found the variable ?x"},
		{"SELECT * {} ORDER BY", "line 1, column 21: expected what to order by: a variable, ASC(expression), DESC(expression), (expression) or a function, found the end of the query"},
		{"SELECT * {} ORDER BY ASC ?x", `line 1, column 26: expected "(" after ASC or DESC, found the variable ?x`},
		{"SELECT * {} GROUP BY 1", "line 1, column 22: expected what to group by: a variable, (expression), (expression AS ?variable) or a function, found the number 1"},
		{"SELECT * {} GROUP BY (?x ?y)", `line 1, column 26: expected AS or ")", found the variable ?y`},
		{"SELECT * {} HAVING ?x", "line 1, column 20: expected a condition after HAVING: (expression) or a function, found the variable ?x"},
		{"CONSTRUCT {} FROM <x:g>", `line 1, column 24: expected WHERE or "{", found the end of the query`},
		{"CONSTRUCT { ?s <x:p>+ ?o } {}", `line 1, column 21: expected an object: a variable, an IRI, a literal or a blank node, found "+"`},
		{"CONSTRUCT { ?s ^<x:p> ?o } {}", `line 1, column 16: expected a predicate: a variable, an IRI or a, found "^"`},
		{"DESCRIBE", `line 1, column 9: expected what to describe: variables, IRIs or "*", found the end of the query`},
		{`ASK { ?s ?p "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString> }`, `line 1, column 18: <http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString> is the datatype of strings with a language tag, as in "chat"@fr`},
		{"ASK { ?s ?p }", `line 1, column 13: expected an object: a variable, an IRI, a literal or a blank node, found "}"`},
		{"ASK { ?s ?p ?o, }", `line 1, column 17: expected an object: a variable, an IRI, a literal or a blank node, found "}"`},
		{"ASK { ?s ?p ( 1 }", `line 1, column 17: expected something in a list, or ")", found "}"`},
		{"ASK { ?s ?p ( 1", `line 1, column 16: the text ends without the ")" that closes the bracket at line 1, column 13`},
		{"ASK { ?s ?p [ ?q ?r . ] }", `line 1, column 21: expected ";" or "," or "]", found "."`},
		{"ASK { ?s !?p ?o }", `line 1, column 11: expected an IRI, a, "^" or "(" after "!", found the variable ?p`},
		{"ASK { ?s (<x:p>|) ?o }", `line 1, column 17: expected a path: an IRI, a, "^", "!" or "(", found ")"`},
		{"ASK { ?s (<x:p> ?o }", `line 1, column 17: expected "/", "|", "*", "+", "?" or ")", found the variable ?o`},
		{"ASK { ?s ?p ?o OPTIONAL ?x }", `line 1, column 25: expected "{" after OPTIONAL, found the variable ?x`},
		{"ASK { GRAPH _:g {} }", `line 1, column 13: expected a variable or an IRI after GRAPH, found "_:g"`},
		{"ASK { ?s ?p ?o UNION {} }", `line 1, column 16: expected ".", ";" or "," between triples, a keyword such as OPTIONAL or FILTER, "{" or "}", found UNION (it belongs between groups: { … } UNION { … })`},
		{"ASK { {} UNION ?x }", `line 1, column 16: expected "{" after UNION, found the variable ?x`},
		{"ASK { BIND(1) }", `line 1, column 13: expected AS and a variable after the expression of BIND, found ")"`},
		{"ASK { BIND(?x AS 1) }", "line 1, column 18: expected a variable after AS, found the number 1"},
		{"ASK { VALUES x {} }", "line 1, column 14: expected a variable, or variables in brackets, after VALUES, found x"},
		{"ASK { VALUES ?x { ?y } }", `line 1, column 19: expected UNDEF, an IRI, a literal or "}", found the variable ?y`},
		{"ASK { VALUES (?x) { 1 } }", `line 1, column 21: expected "(" before the values of a row, or "}", found the number 1`},
		{"ASK { VALUES (?x ?y) { (1\n) } }", "line 1, column 24: VALUES has 2 variable(s), but this row has 1 value(s)"},
		{"ASK { FILTER ?x }", "line 1, column 14: expected a condition after FILTER: (expression) or a function, found the variable ?x"},
		{"ASK { FILTER <x:f> }", `line 1, column 20: expected "(" and the arguments of the function x:f, found "}"`},
		{"ASK { FILTER(?x = ?y = ?z) }", `line 1, column 22: expected an operator or ")", found "="`},
		{"ASK { FILTER(?x + ) }", `line 1, column 19: expected an expression: a variable, a literal, an IRI, a function or "(", found ")"`},
		{"ASK { FILTER(?x NOT ?y) }", "line 1, column 21: expected IN after NOT, found the variable ?y"},
		{"ASK { FILTER(NOT ?y) }", "line 1, column 18: expected EXISTS after NOT, found the variable ?y"},
		{"ASK { FILTER STRLEN(1, 2) }", "line 1, column 14: STRLEN takes 1 argument, not 2"},
		{"ASK { FILTER SUBSTR(1) }", "line 1, column 14: SUBSTR takes 2 or 3 arguments, not 1"},
		{"ASK { FILTER IF(1) }", "line 1, column 14: IF takes 3 arguments, not 1"},
		{"ASK { FILTER now(1) }", "line 1, column 14: now takes no arguments, not 1"},
		{"ASK { FILTER BOUND(1) }", "line 1, column 20: expected a variable in the brackets of BOUND, found the number 1"},
		{"SELECT (SUM(*) AS ?x) {}", `line 1, column 13: expected an expression: a variable, a literal, an IRI, a function or "(", found "*"`},
		{"SELECT (GROUP_CONCAT(?x; SEP=1) AS ?y) {}", `line 1, column 26: expected SEPARATOR after ";" in GROUP_CONCAT, found SEP`},
		{"SELECT (GROUP_CONCAT(?x; SEPARATOR=1) AS ?y) {}", "line 1, column 36: expected a string after SEPARATOR=, found the number 1"},
		{"BASE x:y ASK {}", `line 1, column 6: expected an IRI in angle brackets after BASE, found "x:y"`},
		{"PREFIX x <x:> ASK {}", "line 1, column 8: expected a prefix with its colon, found x"},
		{"PREFIX x: x: ASK {}", `line 1, column 11: expected an IRI in angle brackets for the prefix x:, found "x:"`},
		{`VERSION "9.9" ASK {}`, `line 1, column 9: SPARQL has no version "9.9"; those known here are "1.1", "1.2-basic" and "1.2"`},
		{"BASE <x:> VERSION '1.2-Basic' ASK {}", `line 1, column 19: SPARQL has no version "1.2-Basic"; those known here are "1.1", "1.2-basic" and "1.2"`},
		{"VERSION 1.2 ASK {}", `line 1, column 9: expected a version such as "1.2", in one quote on each side, found the number 1.2`},
	})
}

func TestErrorsNameTheUndeclaredPrefix(t *testing.T) {
	runErrors(t, []errorCase{
		{"SELECT * {\n  ?s rdf:type ?o }", "line 2, column 6: the prefix rdf: is not declared; add PREFIX rdf: <…> at the start"},
		{"ASK { ?s :p ?o }", "line 1, column 10: the prefix : is not declared; add PREFIX : <…> at the start"},
		{"PREFIX a: <x:> ASK { FILTER(1 = \"1\"^^xsd:int) }", "line 1, column 38: the prefix xsd: is not declared; add PREFIX xsd: <…> at the start"},
	})
}

func TestErrorsGuessMisspeltWords(t *testing.T) {
	runErrors(t, []errorCase{
		{"SELCT * {}", "line 1, column 1: expected SELECT, CONSTRUCT, ASK or DESCRIBE, found SELCT (did you mean SELECT?)"},
		{"PREIFX : <x:> ASK {}", "line 1, column 1: expected SELECT, CONSTRUCT, ASK or DESCRIBE, found PREIFX (did you mean PREFIX?)"},
		{"SELECT ?x WHRE {}", `line 1, column 11: expected WHERE or "{", found WHRE (did you mean WHERE?)`},
		{"SELECT * {} ODRER BY ?x", "line 1, column 13: expected the end of the query, found ODRER (did you mean ORDER?)"},
		{"SELECT * {} LIMT 1", "line 1, column 13: expected the end of the query, found LIMT (did you mean LIMIT?)"},
		{"ASK { OPTINAL {} }", `line 1, column 7: expected a triple pattern, a keyword such as OPTIONAL or FILTER, "{" or "}", found OPTINAL (did you mean OPTIONAL?)`},
		{"ASK { FILTER(strlenn(?x)) }", "line 1, column 14: there is no function strlenn (did you mean STRLEN?)"},
		{"ASK { FILTER frobnicate(?x) }", "line 1, column 14: there is no function frobnicate"},
		{"ASK { FILTER(x) }", "line 1, column 14: expected an expression, found x"},
	})
}

func TestErrorsInTokens(t *testing.T) {
	runErrors(t, []errorCase{
		{"ASK { ?s ?p \"a }", `line 1, column 13: this string has no end: " is missing`},
		{"ASK { ?s ?p \"a\n\" }", `line 1, column 13: this string does not end on its line: " is missing, or write it in three quotes, or its line end as \n`},
		{"ASK { ?s ?p '''a' }", `line 1, column 13: this string has no end: ''' is missing`},
		{`ASK { ?s ?p "a\`, `line 1, column 13: this string has no end: " is missing`},
		{`ASK { ?s ?p "日\x" }`, `line 1, column 15: a bad escape in a string: "x" after "\" (allowed are \t \b \n \r \f \" \' \\ \uXXXX \UXXXXXXXX)`},
		{`ASK { ?s ?p "\ " }`, `line 1, column 14: a bad escape in a string: a space after "\" (allowed are \t \b \n \r \f \" \' \\ \uXXXX \UXXXXXXXX)`},
		{"ASK { ?s ?p '''\\\n''' }", `line 1, column 16: a bad escape in a string: the end of the line after "\" (allowed are \t \b \n \r \f \" \' \\ \uXXXX \UXXXXXXXX)`},
		{`ASK { ?s ?p "\u12" }`, `line 1, column 14: a bad escape: 4 hexadecimal digits must follow \u`},
		{`ASK { ?s ?p "\U00110000" }`, "line 1, column 14: a bad escape: it is beyond the last character, U+10FFFF"},
		{`ASK { ?s ?p "\UFFFFFFFF" }`, "line 1, column 14: a bad escape: it is beyond the last character, U+10FFFF"},
		{`ASK { ?s ?p "\ud800" }`, `line 1, column 14: a bad escape: U+D800 is one half of a surrogate pair, not a character; write the whole character, as in \U0001F600`},
		{`ASK { ?s ?p <x:\u003e> }`, `line 1, column 16: ">" is not allowed in an IRI, not even escaped`},
		{`ASK { ?s ?p\u0041 ?o }`, `line 1, column 12: \u and \U escapes are allowed only in IRIs and strings`},
		{`ASK { ?s x:\u0041 ?o }`, `line 1, column 12: \u and \U escapes are allowed only in IRIs and strings`},
		{`ASK { ?s x:a\: ?o }`, `line 1, column 13: a bad escape: in a name, "\" is allowed only before one of _~.-!$&'()*+,;=/?#@%`},
		{"ASK { ?s x:%4 ?o }", `line 1, column 12: two hexadecimal digits must follow "%" in a name`},
		{"ASK { ?s ?p <x: y> }", `line 1, column 13: expected an object: a variable, an IRI, a literal or a blank node, found "<" (an IRI contains no space and ends with ">")`},
		{"ASK { ?s ?p <y> }", "line 1, column 13: <y>: a relative IRI without a base IRI to resolve it against"},
		{"BASE <y> ASK {}", "line 1, column 6: <y>: a relative IRI without a base IRI to resolve it against"},
		{"ASK { ?s ?p _ }", `line 1, column 13: "_" begins a blank node such as _:a, and a colon must follow it`},
		{"ASK { ?s ?p _:- }", `line 1, column 13: a label must follow "_:"`},
		{"ASK { ?s ?p $ }", `line 1, column 13: the name of a variable must follow "$"`},
		{`ASK { ?s ?p "a"@ }`, `line 1, column 16: a language such as en must follow "@"`},
		{`ASK { ?s ?p "a"@en- }`, `line 1, column 19: expected ".", ";" or "," between triples, a keyword such as OPTIONAL or FILTER, "{" or "}", found "-"`},
		{`ASK { ?s ?p "a"@en--up }`, `line 1, column 21: the base direction of a text is ltr or rtl, not "up"`},
		{"ASK { FILTER(?a & ?b) }", `line 1, column 17: "&" is not an operator (did you mean &&?)`},
		{"ASK { ` }", "line 1, column 7: \"`\" is not allowed here"},
		{"ASK { × }", `line 1, column 7: "×" is not allowed here`},
		{"ASK { \x01 }", "line 1, column 7: the control character U+0001 is not allowed here"},
		{"ASK {\n é\xff }", "line 2, column 3: the text is not UTF-8: this byte is not part of a character"},
		{"\uFEFFASK { \uFEFF }", "line 1, column 7: the character U+FEFF is not allowed here"},
	})
}

func TestErrorsOfTripleTerms(t *testing.T) {
	const part = "expected a variable, an IRI, a literal, a blank node or a triple term, found "
	runErrors(t, []errorCase{
		{"ASK { <<( ?s ?p ?o >> ?q ?r }", `line 1, column 20: expected ")>>", found ">>"`},
		{"ASK { << ?s ?p ?o )>> ?q ?r }", `line 1, column 19: expected "~" and a reifier or ">>", found ")>>"`},
		{"ASK { <<( ?s ?p ?o ", `line 1, column 20: the text ends without the ")>>" that closes the bracket at line 1, column 7`},
		{"ASK { <<( ?s ?p ( 1 ) )>> ?q ?r }", "line 1, column 17: " + part + `"("`},
		{"ASK { << [ ?q 1 ] ?p ?o >> }", `line 1, column 12: expected "]", found the variable ?q`},
		{"ASK { <<( << ?s ?p ?o >> ?p ?o )>> ?q ?r }", "line 1, column 11: " + part + `"<<" (a reified triple << … >> is allowed only in patterns; a triple term is <<( … )>>)`},
		{"ASK { << ?s <x:p>/<x:q> ?o >> }", "line 1, column 18: " + part + `"/"`},
		{"ASK { <<( ?s ?p ?o )>> }", `line 1, column 24: expected a predicate: a variable, an IRI or a, found "}"`},
		{"ASK { ?s <x:p>* ?o ~ ?r }", "line 1, column 20: only a triple can be annotated, not a path"},
		{"ASK { ?s ^<x:p> ?o {| ?a ?b |} }", "line 1, column 20: only a triple can be annotated, not a path"},
		{"ASK { ?s ?p ?o {| |} }", `line 1, column 19: expected a predicate: a variable, an IRI or a, found "|}"`},
		{"ASK { ?s ?p ?o {| ?a ?b } }", `line 1, column 25: expected ";" or "," or "|}", found "}"`},
		{"ASK { ?s ?p ?o ~ 'r' }", `line 1, column 18: expected ".", ";" or "," between triples, a keyword such as OPTIONAL or FILTER, "{" or "}", found the string 'r'`},
		{"ASK { FILTER(<< ?s ?p ?o >> = ?x) }", `line 1, column 14: expected an expression: a variable, a literal, an IRI, a function or "(", found "<<" (a reified triple << … >> is allowed only in patterns; a triple term is <<( … )>>)`},
		{"ASK { BIND(<<( [] ?p ?o )>> AS ?x) }", `line 1, column 16: expected a variable or an IRI as the subject of a triple term, found "["`},
		{"ASK { BIND(<<( ?s ?p _:a )>> AS ?x) }", `line 1, column 22: expected a variable, an IRI, a literal or a triple term as the object of a triple term, found "_:a"`},
		{"ASK { VALUES ?x { <<( ?s <x:p> 1 )>> } }", "line 1, column 23: expected the IRI of a subject, found the variable ?s"},
		{"ASK { VALUES ?x { <<( <x:s> ?p 1 )>> } }", "line 1, column 29: expected the IRI of a predicate, or a, found the variable ?p"},
		{"ASK { VALUES ?x { <<( <x:s> <x:p> UNDEF )>> } }", "line 1, column 35: expected an IRI, a literal or a triple term as the object, found UNDEF"},
		{"ASK { { <<( _:a ?p ?o )>> ?q ?r } { _:a ?p ?o } }", "line 1, column 37: the blank node _:a is also in the basic graph pattern at line 1, column 9; a label may occur in only one of them"},
	})
}

// SPARQL 1.1 reads "<<" between expressions as "<" and an IRI.
func TestLessThanAnIRI(t *testing.T) {
	for text, want := range map[string]string{"ASK { FILTER(?a<<x:b>) }": "?a < <x:b>", "ASK { FILTER(1<<x:f>(2)) }": "1 < <x:f>(2)"} {
		q, err := syntax.ParseQuery(text, syntax.Options{})
		if err != nil || !strings.Contains(q.String(), "FILTER ("+want+")") {
			t.Errorf("%s is read as %v, %v", text, q, err)
		}
	}
}

func TestLongTextIsNotQuotedInWhole(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	for _, format := range []string{"%s", "ASK { ?s %s:a ?o }", "ASK { ?s ?p <%s> }", `ASK { "%s" "%[1]s" }`, "SELECT ?x ?%s", "ASK { FILTER <x:%s> }", "ASK { FILTER %s() }"} {
		_, err := syntax.ParseQuery(fmt.Sprintf(format, long), syntax.Options{})
		if err == nil || len(err.Error()) > 300 {
			t.Errorf("%s: an error of %d bytes", format, len(fmt.Sprint(err)))
		}
	}
}

func TestUpdatesAreRefusedByTheirWord(t *testing.T) {
	for _, tt := range []struct {
		text, word   string
		line, column int
	}{
		{"INSERT DATA { <x:s> <x:p> <x:o> }", "INSERT", 1, 1},
		{"PREFIX a: <x:>\n  delete where { ?s ?p ?o }", "DELETE", 2, 3},
		{"BASE <x:> # c\nLOAD <y>", "LOAD", 2, 1},
		{"CLEAR ALL", "CLEAR", 1, 1}, {"CREATE GRAPH <x:g>", "CREATE", 1, 1}, {"DROP ALL", "DROP", 1, 1},
		{"COPY DEFAULT TO <x:g>", "COPY", 1, 1}, {"MOVE DEFAULT TO <x:g>", "MOVE", 1, 1}, {"ADD DEFAULT TO <x:g>", "ADD", 1, 1},
		{"WITH <x:g> DELETE {} WHERE {}", "WITH", 1, 1},
		{"LOAD and then nonsense \x01", "LOAD", 1, 1},
	} {
		_, err := syntax.ParseQuery(tt.text, syntax.Options{})
		var update *syntax.UpdateError
		if !errors.As(err, &update) || *update != (syntax.UpdateError{Line: tt.line, Column: tt.column, Word: tt.word}) {
			t.Errorf("%s gives %v", tt.text, err)
			continue
		}
		if want := fmt.Sprintf("line %d, column %d: %s is an update", tt.line, tt.column, tt.word); !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s gives %v, want %s…", tt.text, err, want)
		}
	}
}

func TestServiceIsRefusedByItsPlace(t *testing.T) {
	for _, tt := range []struct {
		text         string
		line, column int
	}{
		{"ASK { SERVICE <x:a> {} SERVICE <x:b> {} }", 1, 7},
		{"ASK {\n OPTIONAL { { SELECT * { service ?s {} } } } }", 2, 26},
		{"SELECT (EXISTS { SERVICE SILENT <x:a> {} } AS ?x) {}", 1, 18},
	} {
		q, err := syntax.ParseQuery(tt.text, syntax.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var refused *syntax.ServiceError
		if err := q.RefuseService(); !errors.As(err, &refused) || *refused != (syntax.ServiceError{Line: tt.line, Column: tt.column}) || !strings.Contains(err.Error(), "SERVICE") {
			t.Errorf("%s gives %v", tt.text, err)
		}
	}
	q, err := syntax.ParseQuery("ASK { <x:SERVICE> ?SERVICE 'SERVICE' }", syntax.Options{})
	if err != nil || q.RefuseService() != nil {
		t.Errorf("a query without SERVICE: %v, %v", err, q.RefuseService())
	}
}

func TestBaseOfOptionsMustBeAbsolute(t *testing.T) {
	for _, base := range []string{"a/b", "x: y", "x:\xff", "x:<>"} {
		_, err := syntax.ParseQuery("ASK {}", syntax.Options{Base: base})
		var e *syntax.Error
		if err == nil || errors.As(err, &e) {
			t.Errorf("the base %q gives %v, want an error that is not of the text", base, err)
		}
	}
}

// checkPlace checks that the position of an error is in the text.
func checkPlace(t *testing.T, text string, e *syntax.Error) {
	t.Helper()
	lines := strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n")
	if e.Line < 1 || e.Line > len(lines) {
		t.Fatalf("%v, but there are %d lines", e, len(lines))
	}
	if n := utf8.RuneCountInString(lines[e.Line-1]); e.Column < 1 || e.Column > n+1 {
		t.Fatalf("%v, but the line has %d characters", e, n)
	}
}
