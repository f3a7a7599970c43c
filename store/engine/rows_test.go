package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

// TestRowsKeepTheirTerms: terms that are read for many rows at once are those of each row,
// also if some are long, and stay so after the query.
func TestRowsKeepTheirTerms(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const rows = 400
	want := func(i int) []rdf.Term {
		row := []rdf.Term{
			rdf.NewIRI(fmt.Sprintf("http://example.org/s%d", i)), rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger), rdf.NewIRI(fmt.Sprintf("http://example.org/k%d", i*i%5)),
			rdf.NewString(fmt.Sprint(i) + strings.Repeat("x", i%9*5000)), rdf.NewLang(fmt.Sprintf("text %d", i/3), "en"), {},
		}
		if i%4 > 0 {
			row[5] = rdf.NewString(fmt.Sprint("rare ", i))
		}
		return row
	}
	d := &store.Document{}
	for i := range rows {
		row := want(rows - 1 - i)
		for c, term := range row[1:] {
			if !term.IsZero() {
				d.Add(rdf.Quad{S: row[0], P: rdf.NewIRI(fmt.Sprintf("http://example.org/p%d", c)), O: term})
			}
		}
	}
	if _, err := s.Add(context.Background(), d, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	q, err := sparql.Prepare(context.Background(), `PREFIX : <http://example.org/>
SELECT ?s ?n ?k ?long ?text ?rare ("here" AS ?new) WHERE { ?s :p0 ?n ; :p1 ?k ; :p2 ?long ; :p3 ?text OPTIONAL { ?s :p4 ?rare } } ORDER BY ?n`, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []sparql.Solution
	for row, err := range q.Select(context.Background(), snap.Dataset(), budget.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if len(all) != rows {
		t.Fatalf("%d rows", len(all))
	}
	for i, row := range all {
		for c, term := range append(want(i), rdf.NewString("here")) {
			name := []string{"s", "n", "k", "long", "text", "rare", "new"}[c]
			if got := row.Get(name); got != term {
				t.Fatalf("row %d: %s is %.60s, not %.60s", i, name, got, term)
			}
		}
	}
}
