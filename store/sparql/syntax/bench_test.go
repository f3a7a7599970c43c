package syntax_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// megabytes returns texts of about 1 MiB that are designed to be slow to parse.
func megabytes() map[string]string {
	fill := func(start, part, end string) string {
		return start + strings.Repeat(part, 1<<20/len(part)) + end
	}
	numbered := func(start, format, end string) string {
		var b strings.Builder
		b.WriteString(start)
		for n := 0; b.Len() < 1<<20; n++ {
			fmt.Fprintf(&b, format, n)
		}
		return b.String() + end
	}
	deep := func(open, close string) string { // a large number of variables inside a large number of levels
		return "SELECT * " + strings.Repeat(open, 240) + numbered("", "?v%d <x:p> 1 .", "") + strings.Repeat(close, 240)
	}
	return map[string]string{
		"triples":           numbered("SELECT * {", "?s%d <http://example.org/p> \"a\\\"text\"@en ; a <http://example.org/C> .\n", "}"),
		"values":            numbered("SELECT * { VALUES (?a ?b) {", "(<http://example.org/%d> 1.5)\n", "}}"),
		"prefixes":          numbered("", "PREFIX p%d: <http://example.org/>\n", "ASK {}"),
		"one prefix again":  fill("", "PREFIX p: <x:>", "ASK {}"),
		"filters":           fill("ASK {", "FILTER(?a + 1 < 2 && STRLEN(?b) = 3)", "}"),
		"one line":          fill("ASK { ?s ?p \"", "é", "\" }"),
		"lists":             fill("ASK { ?s ?p (", "() ", ") }"),
		"blank nodes":       fill("ASK { ?s ?p ", "[], ", "1 }"),
		"labels like ours":  numbered("ASK { ?s ?p [], ", "_:b%d, ", "1 }"),
		"groups in groups":  deep("{ ?a ?b ?c . ", "}"),
		"stars in stars":    deep("{ SELECT * { ", "} }"),
		"words and dashes":  fill("ASK { FILTER(true", "-true||true", ") }"),
		"words":             fill("ASK { ", "a.a-", "}"),
		"less than":         fill("ASK { FILTER(?a", "<?a||?a", ") }"),
		"less than letters": fill("ASK { FILTER(?a <", "a", ") }"),
		"escapes":           fill("ASK { ?s ?p '", `\u00e9`, "' }"),
		"quotes":            fill("ASK { ?s ?p '''", "''a", "''' }"),
		"unclosed":          fill("ASK { ?s ?p '''", "'' ", ""),
		"comments":          fill("ASK {", "#\n", "}"),
		"dots":              fill("PREFIX x: <x:> ASK { ?s ?p x:a", ".", "b }"),
		"selected":          numbered("SELECT ", "(1 AS ?v%d)", "{}"),
		"grouped":           numbered("SELECT ?v1 {} GROUP BY ", "?v%d ", ""),
		"unions":            numbered("SELECT * { {}", "UNION { ?v%d ?p ?o }", "}"),
		"binds":             numbered("SELECT * {", "BIND(1 AS ?v%d)", "}"),
		"aggregates":        numbered("SELECT ", "(SUM(?x) AS ?v%d)", "{}"),
		"exists":            fill("ASK {", "FILTER EXISTS { ?s ?p [] }", "}"),
	}
}

// TestAMegabyteIsReadQuickly parses every such text within a limit that only superlinear
// time can exceed: 10 s on a busy machine, where 0.1 s is normal.
func TestAMegabyteIsReadQuickly(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	for name, text := range megabytes() {
		start := time.Now()
		_, err := syntax.ParseQuery(text, syntax.Options{})
		took := time.Since(start)
		t.Logf("%-18s %7.1f ms, %d bytes, %.80v", name, float64(took.Microseconds())/1000, len(text), err)
		if took > 10*time.Second {
			t.Errorf("%s: %d bytes took %v", name, len(text), took)
		}
	}
}

// BenchmarkParse parses a typical query, and a megabyte of triples.
func BenchmarkParse(b *testing.B) {
	small := `PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?activity ?time (COUNT(?entity) AS ?n) WHERE {
  ?activity a prov:Activity ; prov:startedAtTime ?time ; prov:wasAssociatedWith/rdfs:label "Robot"@en .
  OPTIONAL { ?entity prov:wasGeneratedBy ?activity FILTER(?time > "2026-01-01T00:00:00Z") }
  FILTER NOT EXISTS { ?activity prov:wasInvalidatedBy [] }
} GROUP BY ?activity ?time ORDER BY DESC(?time) LIMIT 20`
	for name, text := range map[string]string{"small": small, "megabyte": megabytes()["triples"]} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := syntax.ParseQuery(text, syntax.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
