package syntax_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// TestGeneratedQueriesPrintAndRead generates random queries from the grammar, the same
// ones in every run. Nearly all are valid, and print as text that parses to the same
// query.
func TestGeneratedQueriesPrintAndRead(t *testing.T) {
	suite.NotShort(t)
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2))}
	n := suite.Size(1500, 300)
	read := 0
	for range n {
		text := g.query()
		q, err := syntax.ParseQuery(text, syntax.Options{Base: "http://e/"})
		if err != nil {
			if !strings.Contains(err.Error(), "?") && !strings.Contains(err.Error(), "is also in the basic graph pattern") {
				t.Errorf("%s\n%v", text, err) // only scope rules may be violated
			}
			continue
		}
		read++
		checkPrint(t, q)
		if t.Failed() {
			t.Fatal(text)
		}
	}
	t.Logf("%d of %d queries read", read, n)
	if read < n/2 {
		t.Errorf("only %d of %d queries read", read, n)
	}
}

// generator generates texts by the rules of the grammar. depth limits their length.
type generator struct {
	*rand.Rand
	depth int
}

// pick returns one of some texts. The first flat texts do not nest; the others are
// excluded at some depth.
func (g *generator) pick(flat int, texts ...func() string) string {
	if g.depth > 4 {
		return texts[g.IntN(flat)]()
	}
	g.depth++
	defer func() { g.depth-- }()
	return texts[g.IntN(len(texts))]()
}

func (g *generator) one(texts ...string) string { return texts[g.IntN(len(texts))] }

// some returns one to three results of makes, separated by sep.
func (g *generator) some(sep string, makes func() string) string {
	parts := []string{makes()}
	for range g.IntN(3) {
		parts = append(parts, makes())
	}
	return strings.Join(parts, sep)
}

func (g *generator) maybe(text func() string) string {
	if g.IntN(2) == 0 {
		return ""
	}
	return text()
}

func (g *generator) query() string {
	where := g.one("", "WHERE ") + g.group()
	tail := g.modifiers() + g.maybe(func() string { return g.values() })
	head := g.one("", "BASE <http://b/c>", "VERSION '1.2' ") + " PREFIX : <http://e/> PREFIX x: <http://x/#> "
	from := g.maybe(func() string { return g.one("FROM <g>", "FROM NAMED :g") + " " })
	switch g.IntN(6) {
	case 0:
		return head + "ASK " + from + where + tail
	case 1:
		return head + "DESCRIBE " + g.some(" ", func() string { return g.one(g.variable(), g.iri()) }) + " " + from + where + tail
	case 2:
		return head + "CONSTRUCT {" + g.triples(false) + "} " + from + where + tail
	case 3:
		return head + "CONSTRUCT " + from + "WHERE {" + g.triples(false) + "}" + tail
	}
	return head + "SELECT " + g.selected() + " " + from + where + tail
}

func (g *generator) selected() string {
	return g.one("", "DISTINCT ", "REDUCED ") + g.one("*", "*", g.some(" ", g.variable), fmt.Sprintf("(%s AS ?new%d)", g.expression(), g.IntN(9)))
}

func (g *generator) modifiers() string {
	constraint := func() string { return g.one("("+g.expression()+")", g.call()) }
	return g.maybe(func() string { return " HAVING " + g.some(" ", constraint) }) +
		g.maybe(func() string {
			return " ORDER BY " + g.some(" ", func() string { return g.one(g.variable(), constraint(), "DESC("+g.expression()+")") })
		}) + g.one("", " LIMIT 5", " OFFSET 2 LIMIT 07")
}

func (g *generator) group() string {
	return g.pick(2,
		func() string { return "{}" },
		func() string { return "{ " + g.triples(true) + " }" },
		func() string { return "{ " + g.some(" ", g.pattern) + " }" },
		func() string { return "{ SELECT " + g.selected() + g.group() + g.modifiers() + " }" })
}

func (g *generator) pattern() string {
	filter := func() string { return " FILTER " + g.one("("+g.expression()+")", g.call()) + g.one("", ".") }
	return g.pick(2,
		func() string { return "BIND(" + g.expression() + " AS " + g.variable() + ")" },
		g.values,
		filter, filter,
		g.group,
		func() string { return g.one("OPTIONAL ", "MINUS ", "GRAPH ?g ", "SERVICE SILENT <s> ") + g.group() },
		func() string {
			return g.group() + " UNION " + g.group() + g.maybe(func() string { return "UNION" + g.group() })
		},
		func() string { return "{" + g.triples(true) + " } . " + g.triples(true) + filter() })
}

func (g *generator) values() string {
	value := func() string {
		return g.one("UNDEF", g.iri(), g.literal(), "<<( :s a <<( :s :p "+g.literal()+" )>> )>>")
	}
	return " " + g.one("VALUES ?x {"+value()+" "+value()+"}", "VALUES (?x ?y) { ("+value()+" "+value()+") }", "VALUES () {}") + " "
}

func (g *generator) triples(paths bool) string {
	verb := func() string { return g.one("a", g.iri(), g.variable()) }
	if paths {
		verb = func() string { return g.one(g.variable(), g.path(), g.path()) }
	}
	list := func() string {
		return g.some(" ; ", func() string {
			if g.IntN(4) == 0 {
				return g.simpleVerb() + " " + g.some(", ", func() string { return g.node(verb) + g.annotations(verb) })
			}
			return verb() + " " + g.some(", ", func() string { return g.node(verb) })
		})
	}
	return g.some(" . ", func() string {
		if g.IntN(8) == 0 {
			return g.reified() + g.maybe(func() string { return list() })
		}
		return g.node(verb) + " " + list()
	}) + g.one("", ".")
}

func (g *generator) simpleVerb() string { return g.one("a", g.iri(), g.variable()) }

// annotations returns reifiers and annotation blocks, or nothing.
func (g *generator) annotations(verb func() string) string {
	return g.maybe(func() string {
		return g.some(" ", func() string {
			return g.pick(1, func() string { return g.one("~", "~ :r", "~?r ", "~ _:b7", "~ []") },
				func() string { return "{| " + verb() + " " + g.node(verb) + " |}" },
				func() string { return "{| " + g.simpleVerb() + " " + g.node(verb) + g.annotations(verb) + " |}" })
		})
	})
}

// part returns the subject or object of a triple term or, if reified is set, of a reified
// triple.
func (g *generator) part(reified bool) string {
	if reified && g.IntN(3) == 0 {
		return g.pick(1, g.variable, g.reified)
	}
	return g.pick(4, g.variable, g.iri, g.literal, func() string { return g.one("[]", "_:b7") }, g.term)
}

func (g *generator) term() string {
	return "<<( " + g.part(false) + " " + g.simpleVerb() + " " + g.part(false) + " )>>"
}

func (g *generator) reified() string {
	return "<< " + g.part(true) + " " + g.simpleVerb() + " " + g.part(true) + " " + g.one("", "~", "~ :r", "~?r ", "~ _:b7") + ">>"
}

func (g *generator) node(verb func() string) string {
	return g.pick(3, g.variable, g.iri, g.literal, g.term, g.reified,
		func() string { return g.one("[]", "()", fmt.Sprintf("_:b%d", g.IntN(5))) },
		func() string { return "[ " + verb() + " " + g.node(verb) + " ]" },
		func() string { return "( " + g.some(" ", func() string { return g.node(verb) }) + " )" })
}

func (g *generator) path() string {
	return g.pick(2, g.iri, func() string { return g.one("a", "!a", "!()", "!(^a|:p)", "^:p", ":p*") },
		func() string { return "(" + g.some("|", g.path) + ")" + g.one("", "*", "+", "? ") },
		func() string { return "(" + g.some("/", g.path) + ")" },
		func() string { return "^(" + g.path() + ")" })
}

func (g *generator) expression() string {
	return g.pick(3, g.variable, g.iri, g.literal, g.call,
		func() string { return g.chain("+", " -", "*", "/", " - ", "&&", "||") },
		func() string { return g.chain("+", " -", "*", "/", " - ") },
		func() string { return g.primary() + g.one("=", "!=", " < ", ">", "<= ", ">=") + g.primary() },
		func() string { return g.one("!", "-", "+", "! !") + g.primary() },
		func() string { return g.primary() + g.one(" IN ", " NOT IN ") + "(" + g.some(",", g.expression) + ")" })
}

// chain returns two to four operands, separated by operators.
func (g *generator) chain(signs ...string) string {
	text := g.primary()
	for range 1 + g.IntN(3) {
		text += g.one(signs...) + g.one("", " ") + g.primary()
	}
	return text
}

func (g *generator) primary() string {
	return g.pick(3, g.variable, g.iri, g.literal, g.call, func() string { return "(" + g.expression() + ")" })
}

func (g *generator) call() string {
	return g.pick(1, func() string {
		return "isTRIPLE(<<( " + g.one(":s", "?x") + " a " + g.one("1", "?y", "<<( ?x ?y :o )>>") + " )>>)"
	}, func() string { return g.one("NOW()", "BOUND(?x)", ":f()") },
		func() string { return g.one("STR", "isIRI", "x:f", "datatype") + "(" + g.expression() + ")" },
		func() string { return g.one("COALESCE", "concat", "<f>") + "(" + g.some(", ", g.expression) + ")" },
		func() string { return g.one("EXISTS ", "NOT EXISTS") + g.group() })
}

func (g *generator) variable() string { return g.one("?x", "?y", "$z", "?é1", "?b0") }

func (g *generator) iri() string {
	return g.one(":a", "x:", ":é", `:a\-b`, "x:b.c", ":%20", "<>", "<#f>", "<http://x/#>", `<http://x/\u00e9>`)
}

func (g *generator) literal() string {
	return g.one("1", "-2", "+3", "4.5", "-.5", "1e6", "true", "FALSE", `"a\n\"\\"`, "'''b'\n'''", `"c"@en-GB`, `"d"@ar--rtl`,
		`"5"^^<http://www.w3.org/2001/XMLSchema#integer>`, `"five"^^<http://www.w3.org/2001/XMLSchema#integer>`, `"e"^^:t`)
}
