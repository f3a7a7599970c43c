package cayley

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// BenchmarkWalk compares walks with SPARQL property paths that find the same nodes, from
// 20 nodes of robots' logs: over 50,000 triples, or as many as SEGRAPH_WALK_TRIPLES says,
// such as 1000000.
func BenchmarkWalk(b *testing.B) {
	triples := 50_000
	if n, err := strconv.Atoi(os.Getenv("SEGRAPH_WALK_TRIPLES")); err == nil {
		triples = n
	}
	s := openStore(b)
	load(b, s, turtle.Turtle, string(suite.RobotLogs(b, triples/14)))
	count := ask(b, s, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
	b.Logf("%s triples", count[0].Value())
	nodes := ask(b, s, "SELECT DISTINCT ?s { ?s a <http://www.w3.org/ns/prov#Activity> FILTER(isIRI(?s)) } LIMIT 20")
	if len(nodes) < 20 {
		b.Fatalf("%d nodes to begin at", len(nodes))
	}
	var links []string
	for _, p := range ask(b, s, "SELECT DISTINCT ?p { ?s ?p ?o FILTER(isIRI(?o) && ?p != <"+rdf.RDFType+">) }") {
		links = append(links, p.Value())
	}
	walker := NewWalker(s, nil)
	all := links
	for run := range 6 { // along all links, then along one
		steps, name := 2+run%3, "all"
		if links = all; run >= 3 {
			links, name = []string{"http://www.w3.org/ns/prov#wasAssociatedWith"}, "one"
		}
		w := store.Walk{By: links, Out: true, In: true, Steps: steps, Most: 1 << 30}
		step := fmt.Sprintf("(<%s>|^<%s>)", strings.Join(links, ">|<"), strings.Join(links, ">|^<"))
		way := step + strings.Repeat("/"+step+"?", steps-1)
		b.Run(fmt.Sprintf("%s/%d/cayley", name, steps), func(b *testing.B) {
			found := 0
			for b.Loop() {
				found = 0
				for _, n := range nodes {
					w.From = n.Value()
					all, _, err := walker.Walk(b.Context(), w)
					if err != nil {
						b.Fatal(err)
					}
					found += len(all)
				}
			}
			b.ReportMetric(float64(found), "nodes")
		})
		b.Run(fmt.Sprintf("%s/%d/sparql", name, steps), func(b *testing.B) {
			found := 0
			for b.Loop() {
				found = 0
				for _, n := range nodes {
					found += len(ask(b, s, fmt.Sprintf("SELECT DISTINCT ?n { <%[1]s> %[2]s ?n FILTER(isIRI(?n) && ?n != <%[1]s>) }", n.Value(), way)))
				}
			}
			b.ReportMetric(float64(found), "nodes")
		})
	}
}
