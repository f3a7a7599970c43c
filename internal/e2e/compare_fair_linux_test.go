package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// long holds queries that keep one processor or more busy: a group, a sort and the terms
// of a large answer.
var long = map[string]string{
	"group": `PREFIX prov: <http://www.w3.org/ns/prov#> SELECT ?q (COUNT(*) AS ?n)
		{ ?e prov:startedAtTime ?start } GROUP BY (FLOOR((HOURS(?start) * 60 + MINUTES(?start)) / 15) AS ?q)`,
	"sort":  `PREFIX schema: <http://schema.org/> SELECT (COUNT(*) AS ?n) { SELECT ?m { ?m schema:text ?text } ORDER BY LCASE(?text) OFFSET 1 }`,
	"terms": `SELECT * { ?s <http://www.w3.org/ns/prov#startedAtTime> ?start ; ?p ?o }`,
}

// besideLong measures short queries, with and without pauses between them, beside a
// client that repeats a long query.
func (c *comparison) besideLong(t *testing.T) {
	n := suite.Times(1000, 200)
	for name, text := range long {
		for _, pause := range []time.Duration{0, 5 * time.Millisecond} {
			t.Run(fmt.Sprintf("%s/%v", name, pause), func(t *testing.T) {
				c.alternate(t, func(tb *table, p program) {
					s := p.serve(t, c.store(t, p, c.stored, sequential))
					defer s.stop()
					line, short := s.dialWith(t, "POST", "/query", "application/sparql-query"), s.dialWith(t, "POST", "/query", "application/sparql-query")
					ask := func(line *wire, text string) time.Duration {
						begin := time.Now()
						if a, err := line.ask([]byte(text)); err != nil || a.status != http.StatusOK {
							t.Errorf("%s: %d %.300s %v", text, a.status, a.body, err)
						}
						return time.Since(begin)
					}
					ask(line, text) // brings the file into memory
					stop, ended := make(chan struct{}), make(chan []time.Duration)
					go func() {
						var took []time.Duration
						for {
							select {
							case <-stop:
								ended <- took
								return
							default:
								took = append(took, ask(line, text))
							}
						}
					}()
					var took []time.Duration
					for i := range n {
						took = append(took, ask(short, fmt.Sprintf("SELECT * { <http://example.org/id/a%d> ?p ?o }", i)))
						time.Sleep(pause) // the pause of a person or a robot between queries
					}
					close(stop)
					tb.latencies(p, "short query", took)
					tb.add(p, "long query, median, ms", percentile(<-ended, 50))
				})
			})
		}
	}
}
