package query

import (
	"sync"

	"github.com/segraph/segraph/docs"
)

// startQuery is the initial text of the editor.
const startQuery = `SELECT ?class (COUNT(*) AS ?things) {
  ?thing a ?class
} GROUP BY ?class ORDER BY DESC(?things)
`

// queryExamples are example queries: some that suit every graph, and those of the
// documentation.
var queryExamples = sync.OnceValue(func() []ExampleGroup {
	groups := []ExampleGroup{{About: "Any graph", List: []Example{
		{Title: "What kinds of things are there?", Query: startQuery},
		{Title: "Which predicates are used, and how often?", Query: `SELECT ?predicate (COUNT(*) AS ?triples) {
  ?subject ?predicate ?object
} GROUP BY ?predicate ORDER BY DESC(?triples)
`},
		{Title: "What happened last?", Query: `PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX segb: <http://www.gsi.upm.es/ontologies/segb/ns#>
SELECT ?time ?robot ?activity {
  ?activity prov:startedAtTime ?time ; segb:wasPerformedBy ?robot
} ORDER BY DESC(?time) LIMIT 50
`},
		{Title: "Is any message without a sender?", Query: `PREFIX schema: <http://schema.org/>
ASK { ?message a schema:Message FILTER NOT EXISTS { ?message schema:sender ?sender } }
`},
		{Title: "Messages as a graph", Query: `PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX schema: <http://schema.org/>
CONSTRUCT { ?message schema:sender ?sender ; prov:wasDerivedFrom ?earlier } {
  ?message schema:sender ?sender
  OPTIONAL { ?message prov:wasDerivedFrom ?earlier }
}
`},
	}}}
	for _, q := range docs.Questions() {
		if last := len(groups) - 1; groups[last].About == q.About {
			groups[last].List = append(groups[last].List, Example{Title: q.Title, Query: q.Query})
			continue
		}
		groups = append(groups, ExampleGroup{About: q.About, List: []Example{{Title: q.Title, Query: q.Query}}})
	}
	for _, g := range groups {
		for i := range g.List {
			g.List[i].Name = docs.Name(g.List[i].Title)
		}
	}
	return groups
})
