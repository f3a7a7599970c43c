package remote

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

// A blank node that a server knows by a name has no text, and comes before IRIs: what is sent to the server gives the
// rows there that the query gives in the file.
func TestBlankNodesWithNamesHaveNoTextAndComeFirst(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := follow(t, s, Dialect{})
	objects := []rdf.Term{rdf.NewIRI("urn:a"), rdf.NewBlank("b"), rdf.NewIRI("urn:z"), rdf.NewString("text")}
	add(t, f, objects...)
	there, err := persist.Open(filepath.Join(t.TempDir(), "server.db"), persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	d := &store.Document{}
	for _, o := range objects {
		if o.IsBlank() {
			o = rdf.NewIRI(blankSpace + "1")
		}
		d.Add(rdf.Quad{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: o})
	}
	if _, err := there.Add(t.Context(), d, journal.Entry{Action: journal.Insert}); err != nil {
		t.Fatal(err)
	}
	rows := func(text string, s *engine.Store) (out []string) {
		t.Helper()
		q, err := sparql.Prepare(t.Context(), text, sparql.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var got collected
		if err := s.Query(t.Context(), q, budget.Limits{}, &got, nil); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, row := range got.rows {
			line := ""
			for _, o := range row {
				if o.IsBlank() || o == rdf.NewIRI(blankSpace+"1") {
					o = rdf.NewBlank("b")
				}
				line += o.String() + " "
			}
			out = append(out, line)
		}
		return out
	}
	for _, query := range []string{
		"SELECT ?o { ?s ?p ?o } ORDER BY ?o",
		"SELECT ?o { ?s ?p ?o } ORDER BY DESC(?o)",
		"SELECT (STR(?o) AS ?n) { ?s ?p ?o } ORDER BY ?n",
		"SELECT ?n { ?s ?p ?o BIND(STR(?o) AS ?n) } ORDER BY ?n",
		`SELECT ?o { ?s ?p ?o FILTER(!STRSTARTS(STR(?o), "urn:z")) } ORDER BY ?o`,
		`SELECT (COALESCE(STR(?o), "none") AS ?n) { ?s ?p ?o } GROUP BY ?o ORDER BY ?n`,
		"SELECT ?o { ?s ?p ?o OPTIONAL { ?o ?x ?y } } ORDER BY ?y ?o",
	} {
		s.do(func() { s.queries = nil })
		_, _ = ask(t, f, query, budget.Limits{}) // the server knows no answer
		var sent string
		s.do(func() {
			if i := slices.IndexFunc(s.queries, func(q string) bool { return len(q) > 40 && q[:3] != "ASK" }); i >= 0 {
				sent = s.queries[i]
			}
		})
		if sent == "" {
			t.Fatalf("%s is not sent", query)
		}
		if got, want := rows(sent, there.Store), rows(query, f.Store); !slices.Equal(got, want) {
			t.Errorf("%s\nsent as %s\ngives %q, and in the file %q", query, sent, got, want)
		}
	}
}
