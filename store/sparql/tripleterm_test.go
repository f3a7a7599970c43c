package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Generated queries with triple terms have the same answer with every strategy, over a
// dataset with an index of triple terms and over one without.
func TestStrategiesAgreeOnTripleTerms(t *testing.T) {
	suite.OneGoroutine(t)
	seeds, queries := suite.Times(60, 2), 50
	answers, rows := 0, 0
	for seed := range uint64(seeds) {
		g := &termGenerator{generator{rand.New(rand.NewPCG(seed, 12))}}
		var d documents
		d.read(t, "PREFIX rdf: <"+rdf.RDF+">\n"+scriptPrefixes+g.data(), turtle.TriG, "", rdf.Term{})
		datasets := d.datasets(t)
		for range queries {
			text := "PREFIX rdf: <" + rdf.RDF + "> " + g.query()
			var first *answer
			for name, ds := range datasets {
				got, _ := agree(t, ds, seed, text)
				if first != nil && got != nil && !sameRows(first, got) {
					t.Fatalf("seed %d: %s\n%s gives\n%s\nanother dataset\n%s", seed, text, name, got, first)
				}
				first = got
			}
			if first != nil {
				answers++
				rows += len(first.rows)
			}
		}
	}
	t.Logf("%d answers with %d rows", answers, rows)
	if answers < seeds*queries/2 || rows < answers {
		t.Errorf("%d answers with %d rows: too few to tell anything", answers, rows)
	}
}

// termGenerator makes small graphs with reifiers and triple terms, and queries over them.
type termGenerator struct{ generator }

func (g *termGenerator) data() string {
	var b strings.Builder
	statement := func() string {
		return g.pick(":a", ":b", ":c") + " " + g.property() + " " + g.pick(":a", ":b", ":c", "1", "01", "1.0", `"x"@en`, `"x"@he--rtl`)
	}
	for i := range 30 {
		switch g.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "%s ~ :r%d {| :by %s |} .\n", statement(), i/2, g.pick(":a", ":b"))
		case 1:
			fmt.Fprintf(&b, ":r%d rdf:reifies <<( %s )>> ; :by %s .\n", i/2, statement(), g.pick(":a", ":b"))
		case 2:
			fmt.Fprintf(&b, "%s :v <<( %s :says <<( %s )>> )>> , <<( %s )>> .\n", g.pick(":a", ":b", ":c"), g.pick(":a", ":b"), statement(), statement())
		case 3:
			fmt.Fprintf(&b, "%s .\nGRAPH :g { :r%d rdf:reifies <<( %s )>> }\n", statement(), i/2, statement())
		}
	}
	return b.String()
}

// term returns a triple term of a pattern.
func (g *termGenerator) term(depth int) string {
	object := g.pick("?v", "?w", "?x", "?y", ":a", "1", `"x"@en`)
	if depth > 0 && g.IntN(4) == 0 {
		object = g.term(depth - 1)
	}
	return "<<( " + g.pick("?v", "?w", "?x", ":a", ":b") + " " + g.pick(":p", ":q", ":says", "?p") + " " + object + " )>>"
}

func (g *termGenerator) pattern() string {
	switch g.IntN(7) {
	case 0, 1:
		return g.pick("?r", "?w", ":r1") + " rdf:reifies " + g.term(1) + " . "
	case 2:
		return strings.NewReplacer("<<(", "<<", ")>>", g.pick("", "~ ?r ")+">>").Replace(g.term(0)) + " :by " + g.pick("?v", "?y", ":a") + " . "
	case 3:
		return g.pick("?v", "?x") + " :v " + g.pick("?t", g.term(1), g.term(1)) + " . "
	case 4:
		return "?x " + g.property() + " ?y " + g.pick("~ ?r", "{| :by ?w |}") + " . "
	case 5:
		return "?r rdf:reifies ?t . "
	}
	return g.triple() + " "
}

func (g *termGenerator) element() string {
	switch g.IntN(12) {
	case 0:
		return "OPTIONAL { " + g.pattern() + g.pattern() + "} "
	case 1:
		return "{ " + g.pattern() + "} UNION { " + g.pattern() + "} "
	case 2:
		return "MINUS { " + g.pattern() + "} "
	case 3:
		return "FILTER " + g.pick("EXISTS", "NOT EXISTS") + " { " + g.pattern() + "} "
	case 4:
		return "GRAPH " + g.pick(":g", "?g") + " { " + g.pattern() + "} "
	case 5:
		return "VALUES ?t { <<( :a :p 1 )>> <<( :b :q :a )>> UNDEF } "
	case 6:
		return fmt.Sprintf("BIND(%s AS ?b%d) ", g.pick("TRIPLE(?v, :p, ?w)", "<<( :a :p ?x )>>", "SUBJECT(?t)", "OBJECT(?t)", "?t = <<( :a :p 1.0 )>>"), g.IntN(1_000_000))
	case 7:
		return "FILTER(" + g.pick("isTRIPLE(?t)", "?t = <<( :a :p 1.0 )>>", "OBJECT(?t) = ?x", "sameTerm(?x, ?y)", "?x = ?y", "?t IN (<<( :a :p ?x )>>, ?v)", "?v != <<( :a :p 1 )>>") + ") "
	}
	return g.pattern()
}

func (g *termGenerator) query() string {
	body := "{ " + g.pattern()
	for range 1 + g.IntN(3) {
		body += g.element()
	}
	return g.pick("SELECT * ", "SELECT * ", "SELECT DISTINCT ?t ?v ", "SELECT (COUNT(?t) AS ?n) ", "SELECT (COUNT(DISTINCT ?t) AS ?n) ") + body + "}"
}
