package explore

import (
	"net/url"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/views/viewstest"
	"github.com/segraph/segraph/vocabulary"
)

// graphSteps returns the addresses of typical steps on the graph page, for the data of
// suite.Life. There, a model has a fiftieth of all triples as edges, and a robot almost
// as many.
func graphSteps() (names []string, paths map[string]string) {
	const life = "https://example.org/life/"
	robot, model := life+"robot1", life+"model0"
	paths = map[string]string{}
	add := func(name, path string) { names, paths[name] = append(names, name), path }
	path := func(from, to string) string {
		return "/kg-graph/path?" + url.Values{"from": {life + from}, "to": {life + to}}.Encode()
	}
	add("begin", "/kg-graph")
	add("search an IRI", graphAt("q", life+"listening50"))
	add("search how a label begins", graphAt("q", "No. 51"))
	add("search a part of a label", graphAt("q", "eech to Te"))
	add("search nothing", graphAt("q", "zzzzqq"))
	add("open a node", graphAt("node", life+"listening500"))
	add("open a hub", graphAt("node", model))
	add("expand a hub", graphAt("v", "+ "+model, "v", "< 25 "+vocabulary.ProvUsed+" "+model, "node", model))
	add("next 25", graphAt("v", "+ "+model, "v", "< 50 "+vocabulary.ProvUsed+" "+model, "node", model))
	add("expand by one participant", graphAt("v", "+ "+model, "v", "< 25 "+vocabulary.ProvUsed+" "+model, "robot", robot))
	add("300 nodes", graphAt("v", "+ "+model, "v", "< 200 "+vocabulary.ProvUsed+" "+model, "v", "+ "+robot, "v", "< 200 "+vocabulary.SegbWasPerformedBy+" "+robot, "node", robot))
	add("within 4 steps", graphAt("v", "* 4 "+life+"listening500", "node", life+"listening500"))
	add("within 2 steps of a hub", graphAt("v", "* 2 "+model, "node", model))
	add("a line and its logs", graphAt("v", "+ "+life+"listening500", "v", "> 25 "+vocabulary.ProvUsed+" "+life+"listening500", "edge", life+"listening500 "+model))
	add("path of 1", path("listening500", "model0"))
	add("path over a hub", path("listening500", "decision900"))
	add("path far away", path("message100", "human39"))
	add("path to nothing", path("message100", "nothing"))
	return names, paths
}

// The test checks the median; the benchmark below reports the 95th percentile.
func TestEveryStepInTheGraphTakesThreeHundredMillisecondsOn100000Triples(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	if testing.Short() {
		t.Skip("-short: it stores 100,000 triples")
	}
	s := openService(t)
	s.PublishLife(suite.Size(100_000, 5_000))
	b := s.NewVisitor()
	names, paths := graphSteps()
	for _, name := range names {
		b.AnswersWithin(300*time.Millisecond, paths[name], 4, 9)
	}
	if page := b.Get(paths["300 nodes"]).Body.String(); !suite.Race && len(nodesOf(page)) != maxGraphNodes {
		t.Errorf("%d nodes are no full picture", len(nodesOf(page)))
	}
}

// BenchmarkGraph measures every step with two sizes of a graph.
func BenchmarkGraph(b *testing.B) {
	names, paths := graphSteps()
	viewstest.BenchmarkPages(b, func(t testing.TB) *viewstest.Fixture { return openService(t).Fixture }, names, paths)
}
