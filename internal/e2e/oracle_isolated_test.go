package e2e

import (
	"regexp"
	"strings"
	"testing"
)

// isolated wraps in subqueries: everything in the query up to an OPTIONAL or MINUS,
// everything that is filtered, and groups with EXISTS. By the standard this does not
// change the meaning. Oxigraph deviates from the standard in three ways. It first joins
// what follows OPTIONAL with what precedes it, even if they share a variable that only
// the optional part binds. It starts a path at the terms that a filter compares with, as
// if no other terms were equal. It passes variables from outside a group to EXISTS. If
// the isolated query returns segraph's answer, Oxigraph contradicts itself.
func isolated(text string) string {
	start := strings.Index(text, "WHERE {") + len("WHERE ")
	if start < len("WHERE ") {
		start = strings.Index(text, "{")
	}
	group, rest, _ := isolatedGroup(text[start:])
	if !strings.Contains(group, "{ SELECT * {") {
		return text // only spaces differ
	}
	return text[:start] + group + rest
}

var (
	token   = regexp.MustCompile(`^(?s:"(?:[^"\\]|\\.)*"|<[hx][^ >]*>|<<\(|\)>>|\{\||\|\}|\w+|.)`)
	keyword = regexp.MustCompile(`^(OPTIONAL|MINUS|VALUES|FILTER(?: (?:NOT )?EXISTS)?) ?`)
)

// isolatedGroup returns the isolated form of the group at the start of the text, and the
// text after it. exists reports whether a filter of the group has EXISTS.
func isolatedGroup(text string) (group, rest string, exists bool) {
	var body, filters string
	optional := false
	for text = text[1:]; text[0] != '}'; {
		word := keyword.FindString(text)
		switch {
		case strings.HasPrefix(word, "FILTER"):
			end := len(word) + balanced(text[len(word):])
			filters += text[:end] + " "
			text = text[end:]
		case word == "VALUES ":
			end := strings.IndexByte(text, '{')
			end += balanced(text[end:])
			body += text[:end]
			text = text[end:]
		case word != "":
			optional = true
			body += word
			text = text[len(word):]
		case text[0] == '(':
			end := balanced(text)
			body += text[:end]
			text = text[end:]
		case text[0] == '{' && text[1] != '|':
			inner, behind, exists := isolatedGroup(text)
			if exists && !optional { // the filter of an OPTIONAL may use variables before it
				inner = "{ { SELECT * " + inner + " } }"
			}
			body, text = body+inner, behind
			if optional {
				body, optional = "{ SELECT * { "+body+" } } ", false
			}
		default:
			next := token.FindString(text)
			body += next
			text = text[len(next):]
		}
	}
	if filters != "" && strings.TrimSpace(body) != "" {
		body = "{ SELECT * { " + body + "} } "
	}
	return "{ " + body + filters + "}", text[1:], strings.Contains(filters, "EXISTS")
}

// balanced returns the length of the parenthesized or braced part at the start of the
// text.
func balanced(text string) int {
	depth := 0
	for i := 0; ; {
		next := token.FindString(text[i:])
		switch i += len(next); next {
		case "(", "{":
			depth++
		case ")", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
}

func TestIsolated(t *testing.T) {
	const text = `SELECT * WHERE { ?s <http://e/p> "}" . FILTER(?s < "\"(") OPTIONAL { ?s ?p ?o OPTIONAL { ?o ?p ?x } BIND((1) AS ?b) } VALUES (?a) { (1) } { ?a ?p ?c } UNION { ?a ?p ?d } FILTER NOT EXISTS { ?a ?b ?c } } LIMIT 1`
	const want = `SELECT * WHERE { { SELECT * { { SELECT * {  ?s <http://e/p> "}" .  OPTIONAL { { SELECT * {  ?s ?p ?o OPTIONAL {  ?o ?p ?x } } }  BIND((1) AS ?b) } } }  VALUES (?a) { (1) } {  ?a ?p ?c } UNION {  ?a ?p ?d }  } } FILTER(?s < "\"(") FILTER NOT EXISTS { ?a ?b ?c } } LIMIT 1`
	if got := isolated(text); got != want {
		t.Errorf("%s", got)
	}
	const terms = `SELECT * { <<( ?a <x:p> ?b )>> ?p ?c {| <x:q> ?d |} . { ?a ?p ?d ~ ?r . FILTER EXISTS { ?a ?q ?c } } UNION { ?a ?p ?e } }`
	const apart = `SELECT * {  <<( ?a <x:p> ?b )>> ?p ?c {| <x:q> ?d |} . { { SELECT * { { SELECT * {  ?a ?p ?d ~ ?r .  } } FILTER EXISTS { ?a ?q ?c } } } } UNION {  ?a ?p ?e } }`
	if got := isolated(terms); got != apart {
		t.Errorf("%s", got)
	}
}
