package sparql_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

// Each of these walked billions of ways.
func TestPathsCostWhatTheirAnswersCost(t *testing.T) {
	suite.OneGoroutine(t)
	suite.NotShort(t)
	s, d, rng := openStore(t), &store.Document{}, rand.New(rand.NewPCG(1, 2))
	edge := func(p string, from, to int) {
		node := func(n int) rdf.Term { return rdf.NewIRI(fmt.Sprintf("http://e/%s%d", p, n)) }
		d.Add(rdf.Quad{S: node(from), P: rdf.NewIRI("http://e/" + p), O: node(to)})
	}
	for i := range 12_000 {
		edge("chain", i, i+1)
		edge("random", rng.IntN(3000), rng.IntN(3000))
	}
	for i := range 3000 {
		edge("ring", i, (i+1)%3000)
	}
	for i := range 300 * 300 {
		edge("dense", i/300, i%300)
	}
	d.Distinct()
	addDocument(t, s, d)
	ds := snapshot(t, s)
	for _, tt := range []struct{ pattern, want string }{
		{":chain0 (:chain*)* ?y", "12001"},
		{":chain0 (:chain+)* ?y", "12001"},
		{":chain0 (:chain*)+ ?y", "12001"},
		{":chain0 (:chain+)+ ?y", "12000"},
		{":chain0 (:chain/:chain*)* ?y", "12001"},
		{":chain0 ((:chain/(:chain/:chain*)*)|(:ring/^:ring+)+)* ?y", "12001"},
		{"{ SELECT DISTINCT ?y { :chain0 :chain*/:chain* ?y } }", "12001"},
		{"{ SELECT DISTINCT ?y { :chain0 :chain* ?a . ?a :chain ?b . ?y ^:chain* ?b } }", "12000"},
		{"?x :ring+ ?y", "9000000"},
		{"?x (:ring/:ring)+ ?x", "3000"},
		{"?x :chain+ ?x", "0"},
		{"{ SELECT (COUNT(*) AS ?all) (COUNT(DISTINCT ?x) AS ?xs) { ?x :random+ ?y } } FILTER(?all > 8000000 && ?xs > 2900)", "1"},
		{"{ SELECT DISTINCT ?x ?y { ?x :dense/:dense/:dense ?y } }", "90000"},
		{"FILTER NOT EXISTS { ?x :dense/:dense/:dense/:dense/:none ?y }", "1"},
	} {
		q, err := sparql.Prepare(context.Background(), "PREFIX : <http://e/> SELECT (COUNT(*) AS ?n) { "+tt.pattern+" }", sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		a, err := run(context.Background(), q, ds, budget.Limits{Time: 30 * time.Second, Memory: 1 << 28})
		if err != nil || a.rows[0][0].Value() != tt.want {
			t.Errorf("%s: %v, %v, want %s", tt.pattern, a, err, tt.want)
		}
		t.Logf("%s: %v", tt.pattern, time.Since(begun))
	}
}
