package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

// pieces are the parts of random texts and patterns.
var pieces = []string{"a", "s", "k", "S", "ſ", "K", "İ", "i", "I", "ı", "ß", "ẞ", "ss", "Σ", "ς", "ﬁ", "中", "文", " ", " ", "help", "Help", "PLEASE", "please", "win", "dow", "e\u0301", "É", "é", "e", "\u0301", "Å", "A\u030a", "각", "가", "ｋ", "ﬀ", "²", "0", "12"}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// randomTexts returns a document of n statements with texts of every kind.
func randomTexts(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		literal := rdf.NewString(randomText(r, 9)).String()
		switch r.IntN(6) {
		case 0, 1:
			literal += "@en"
		case 2:
			literal += "@de-AT"
		case 3:
			literal += "^^<http://ex/kind>"
		case 4:
			literal = []string{`"007"^^<http://www.w3.org/2001/XMLSchema#integer>`, "12.0", "true", "_:b", `"2025-01-12T00:00:00+01:00"^^<http://www.w3.org/2001/XMLSchema#dateTime>`,
				fmt.Sprintf("<http://ex/help/%d>", r.IntN(1000))}[r.IntN(6)]
		}
		fmt.Fprintf(&b, "<http://ex/s%d> <http://ex/p%d> %s .\n", r.IntN(n), r.IntN(3), literal)
	}
	return b.String()
}

// randomCondition returns a condition on the text of ?o.
func randomCondition(r *rand.Rand, depth int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	if depth > 0 && r.IntN(3) == 0 {
		chain := randomCondition(r, depth-1)
		for range 1 + r.IntN(3) {
			chain += pick(" && ", " || ", " || ") + randomCondition(r, depth-1)
		}
		return "(" + chain + ")"
	}
	in := func(e string) string { return fmt.Sprintf(pick("%s", "%s", "LCASE(%s)", "UCASE(%s)"), e) }
	object := in(pick("?o", "STR(?o)", "STR(?o)"))
	part := randomText(r, 4)
	if r.IntN(2) == 0 { // with more than one letter
		part += pick("help", "PLEASE", "win", "ſs", "中文", "Kk", "12", "İs", "é́", "각가", "éé")
	}
	constant := rdf.NewString(part).String()
	switch r.IntN(8) {
	case 0:
		return fmt.Sprintf("STRSTARTS(%s, %s)", object, in(constant))
	case 1:
		return fmt.Sprintf("STRENDS(%s, %s)", object, in(constant))
	case 2:
		return fmt.Sprintf(pick("%s = %s", "REGEX(%s, CONCAT('(', %s))", "CONTAINS(%s, STRLANG(%s, 'en'))"), object, constant)
	case 3, 4, 5:
		pattern := "(" + part + ")" + pick("", ".*", "|", "[ks]", "(win|dow)", "?", "{2}", "^", "$", "[^a]", `\d`) + randomText(r, 4)
		return fmt.Sprintf("REGEX(%s, %s%s)", object, rdf.NewString(pattern), pick("", `, "i"`, `, "i"`, `, "q"`, `, "sx"`))
	}
	return fmt.Sprintf("CONTAINS(%s, %s%s)", object, in(constant), "")
}

// queryForms are queries with a place for such a condition.
var queryForms = []string{
	"SELECT * { ?s <http://ex/p1> ?o FILTER(%s) }",
	"SELECT * { ?s ?p ?o FILTER(%s) }",
	"SELECT * { ?s <http://ex/p1> ?o . ?s <http://ex/p2> ?x FILTER(%s) }",
	"SELECT * { ?s <http://ex/p2> ?o . ?t <http://ex/p1> ?o FILTER(%s) }",
	"SELECT * { ?s <http://ex/p1> ?x OPTIONAL { ?s <http://ex/p2> ?o FILTER(%s) } }",
	"SELECT ?s { ?s <http://ex/p1> ?x FILTER EXISTS { ?s <http://ex/p2> ?o FILTER(%s) } }",
	"SELECT * { VALUES ?p { <http://ex/p1> <http://ex/p0> } ?s ?p ?o FILTER(%s) }",
	"SELECT * { ?s <http://ex/p1> ?o FILTER(%s) } ORDER BY ?o ?s LIMIT 5",
	"SELECT (COUNT(*) AS ?n) { ?s <http://ex/p1> ?o FILTER(%s) }",
	"SELECT * { { ?s <http://ex/p1> ?o } UNION { ?s <http://ex/p2> ?o } FILTER(%s) }",
	"SELECT * { ?s <http://ex/p1> ?x MINUS { ?s <http://ex/p2> ?o FILTER(%s) } }",
	"SELECT * { BIND('help please' AS ?o) OPTIONAL { ?s <http://ex/p1> ?o } FILTER(%s) }",
	"SELECT * { ?s <http://ex/p1> ?o FILTER(!%s) }",
}

// answers returns the rows of a query, sorted, with the index of texts or by a scan, and
// whether the index was used.
func answers(t *testing.T, s *Store, query string, scan bool) (rows []string, used bool) {
	t.Helper()
	q, err := sparql.Prepare(t.Context(), query, sparql.Options{})
	if err != nil {
		t.Fatal(query, err)
	}
	err = s.View(func(snap *Snapshot) error {
		snap.noTexts = snap.noTexts || scan
		for row, err := range q.Select(t.Context(), snap.Dataset(), budget.Limits{}) {
			if err != nil {
				return err
			}
			rows = append(rows, fmt.Sprint(row.Terms()))
		}
		for _, a := range snap.textRanges {
			used = used || a.ok
		}
		return nil
	})
	if err != nil {
		t.Fatal(query, err)
	}
	slices.Sort(rows)
	return rows, used
}

// agreeOnTexts compares random queries with a scan. It returns how many used the index
// and the number of rows.
func agreeOnTexts(t *testing.T, s *Store, r *rand.Rand, queries int, when string) (used, rows int) {
	t.Helper()
	for range queries {
		query := fmt.Sprintf(queryForms[r.IntN(len(queryForms))], randomCondition(r, 2))
		want, _ := answers(t, s, query, true)
		got, by := answers(t, s, query, false)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %s\nhas %d rows by the index and %d by a scan:\n%v\n%v", when, query, len(got), len(want), got, want)
		}
		if rows += len(want); by {
			used++
		}
	}
	return used, rows
}
