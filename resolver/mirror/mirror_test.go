package mirror_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// zeros matches the leading zeros of numbers in names.
var zeros = regexp.MustCompile(`_0{32,41}`)

// short returns a term with the prefixes of this test, and its number without zeros.
func short(t rdf.Term) string {
	if t.IsLiteral() {
		if t.Datatype() == rdf.XSDString {
			return fmt.Sprintf("%q", t.Value())
		}
		return fmt.Sprintf("%q^^%s", t.Value(), short(rdf.NewIRI(t.Datatype())))
	}
	for _, p := range []struct{ prefix, namespace string }{
		{"rdf:", strings.TrimSuffix(rdf.RDFType, "type")}, {"rdfs:", vocabulary.RDFS}, {"xsd:", strings.TrimSuffix(rdf.XSDString, "string")},
		{"prov:", vocabulary.Prov}, {"schema:", strings.TrimSuffix(vocabulary.SchemaEvent, "Event")},
		{"sosa:", strings.TrimSuffix(vocabulary.SOSAObservation, "Observation")}, {"sc:", vocabulary.Sc}, {"seg:", "urn:segraph:"},
	} {
		if rest, ok := strings.CutPrefix(t.Value(), p.namespace); ok {
			return p.prefix + zeros.ReplaceAllString(rest, "_")
		}
	}
	return "<" + t.Value() + ">"
}

// lines returns quads as text. Quads of the published graph are marked.
func lines(quads []rdf.Quad) []string {
	out := []string{}
	for _, q := range quads {
		line := fmt.Sprintf("%s %s %s", short(q.S), short(q.P), short(q.O))
		switch q.G.Value() {
		case mirror.Graph:
		case "":
			line += " (published)"
		default:
			line += " in " + q.G.Value()
		}
		out = append(out, line)
	}
	return out
}

// is compares quads with the lines of want, in any order, and reports the differences.
func is(t *testing.T, what string, quads []rdf.Quad, want string) {
	t.Helper()
	got := lines(quads)
	expected := []string{}
	for _, l := range strings.Split(want, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			expected = append(expected, l)
		}
	}
	for _, l := range got {
		if !slices.Contains(expected, l) {
			t.Errorf("%s: the mirror also says\n\t%s", what, l)
		}
	}
	for _, l := range expected {
		if !slices.Contains(got, l) {
			t.Errorf("%s: the mirror does not say\n\t%s", what, l)
		}
	}
	slices.Sort(got)
	if n := len(slices.Compact(got)); n != len(quads) {
		t.Errorf("%s: %d of %d quads are there twice", what, len(quads)-n, len(quads))
	}
}

// names returns names that are simple for contexts and have bits of zeros for other
// records.
func names() mirror.Names {
	return mirror.Names{Hasher: record.NewHasher(record.Secret{}), Series: []record.Series{{}}, Context: func(number uint64) string { return fmt.Sprintf("https://ex/c%d", number) }}
}

const (
	monday = 1_770_627_600_000_000 // 2026-02-09T09:00:00Z in microseconds
	second = 1_000_000
	plan   = "urn:segraph:resolver:2.0.0:0000000000000001"
)

// once returns a Names.Said that leaves out nodes that it was called with before.
func once(said map[string]bool) func(rdf.Term) bool {
	return func(node rdf.Term) bool {
		before := said[node.Value()]
		said[node.Value()] = true
		return before
	}
}

func TestSchema(t *testing.T) {
	is(t, "the schema", mirror.Schema(), `
		sc:SharedContext rdfs:subClassOf prov:Entity
		sc:SharedContext rdfs:subClassOf schema:Event
		sc:Observation rdfs:subClassOf prov:Entity
		sc:Observation rdfs:subClassOf sosa:Observation
		sc:ReviewCase rdfs:subClassOf prov:Entity
		sc:Decision rdfs:subClassOf prov:Activity
		sc:AutoMerge rdfs:subClassOf sc:Decision
		sc:AcceptedMerge rdfs:subClassOf sc:Decision
		sc:Rejection rdfs:subClassOf sc:Decision
		sc:Supersession rdfs:subClassOf sc:Decision
		sc:Undo rdfs:subClassOf sc:Decision
		sc:Creation rdfs:subClassOf sc:Decision
		sc:Match rdfs:subClassOf sc:Decision
		sc:Doubt rdfs:subClassOf sc:Decision
	`)
}

// TestAgentsAndRulesAreMirroredOnce covers the nodes that records share: the first record
// that uses a node has its quads.
func TestAgentsAndRulesAreMirroredOnce(t *testing.T) {
	n := names()
	n.Said = once(map[string]bool{})
	association := func(quads []rdf.Quad) (out []rdf.Quad) {
		for _, q := range quads {
			if strings.HasPrefix(q.S.Value(), "urn:segraph:association_") {
				out = append(out, q)
			}
		}
		return out
	}
	d := record.Decision{Number: 1, Kind: record.Creation, At: monday, Plan: plan, By: "ana", Source: 1}
	first := association(n.OfDecision(&d))
	if len(first) == 0 {
		t.Fatal("it does not say who decided")
	}
	node := short(first[0].S)
	is(t, "the first decision of a person", first, node+" rdf:type prov:Association\n"+
		node+" prov:agent seg:user:ana\n"+node+" prov:hadPlan seg:resolver:2.0.0:0000000000000001")
	d.Number = 2
	is(t, "the second one", association(n.OfDecision(&d)), "")
	d.Plan = plan + "2"
	if other := association(n.OfDecision(&d)); len(other) != 3 || other[0].S == first[0].S {
		t.Errorf("by other rules: %q", lines(other))
	}
	all := names() // leaves out nothing
	is(t, "without Said", association(all.OfDecision(&record.Decision{Number: 3, Kind: record.Creation, Plan: plan, By: "ana", Source: 1})), strings.Join(lines(first), "\n"))
}

// TestPublishedTellsOfMergesThatStand covers the two triples of a merge in the published
// graph.
func TestPublishedTellsOfMergesThatStand(t *testing.T) {
	const merged = `
		<https://ex/c3> sc:mergedInto <https://ex/c1> (published)
		<https://ex/c3> prov:alternateOf <https://ex/c1> (published)
	`
	for _, c := range []struct {
		what        string
		decision    record.Decision
		unpublished uint64
		want        string
	}{
		{"a merge", record.Decision{Number: 5, Kind: record.AutoMerge, Source: 3, Target: 1}, 0, merged},
		{"an accepted one", record.Decision{Number: 5, Kind: record.AcceptedMerge, Source: 3, Target: 1}, 4, merged},
		{"one before the graph was cleared", record.Decision{Number: 5, Kind: record.AutoMerge, Source: 3, Target: 1}, 5, ""},
		{"one that was undone", record.Decision{Number: 5, Kind: record.AutoMerge, Source: 3, Target: 1, Undone: 6}, 0, ""},
		{"a match", record.Decision{Number: 5, Kind: record.Match, Source: 3, Target: 1}, 0, ""},
		{"a rejection", record.Decision{Number: 5, Kind: record.Rejection, Source: 3, Target: 1}, 0, ""},
	} {
		n := names()
		n.Unpublished = c.unpublished
		is(t, c.what, n.Published(&c.decision), c.want)
	}
}

func TestDifference(t *testing.T) {
	quad := func(s string) rdf.Quad {
		return rdf.Quad{S: rdf.NewIRI("https://ex/" + s), P: rdf.NewIRI("https://ex/p"), O: rdf.NewString(s)}
	}
	list := func(s string) (out []rdf.Quad) {
		for _, c := range s {
			out = append(out, quad(string(c)))
		}
		return out
	}
	for _, c := range []struct{ before, after, remove, add string }{
		{"", "", "", ""},
		{"", "ab", "", "ab"},
		{"ab", "", "ab", ""},
		{"abc", "abc", "", ""},
		{"abc", "cba", "", ""},
		{"abc", "bd", "ac", "d"},
		{"aa", "b", "a", "b"},
	} {
		remove, add := mirror.Difference(list(c.before), list(c.after))
		if !slices.Equal(remove, list(c.remove)) || !slices.Equal(add, list(c.add)) {
			t.Errorf("from %q to %q: remove %q, add %q", c.before, c.after, lines(remove), lines(add))
		}
	}
}

// TestEvidenceSaysItsName checks that the name of an evidence node encodes everything in
// its quads.
func TestEvidenceSaysItsName(t *testing.T) {
	for _, p := range []record.Part{
		{Feature: "prior", Weight: -3.5}, {Feature: "text", Weight: 1.0 / 3, Value: "similarity 0.50, expected once in 7"},
		{Feature: "time", Weight: -1e-9, Value: `a/b %2F "c" é`},
	} {
		quads := names().OfCase(&record.Case{Number: 1, Source: 1, Targets: []record.Target{{Context: 2, Parts: []record.Part{p}}}})
		n := 0
		for _, q := range quads {
			if !mirror.IsContribution(q.S) {
				if mirror.SaysItsName(q) {
					t.Errorf("%+v: %s is taken for evidence", p, lines([]rdf.Quad{q}))
				}
				continue
			}
			n++
			if !mirror.SaysItsName(q) {
				t.Errorf("%+v: the name does not say %s", p, lines([]rdf.Quad{q}))
			}
			q.O = rdf.NewString("else")
			if mirror.SaysItsName(q) {
				t.Errorf("%+v: the name says %s", p, lines([]rdf.Quad{q}))
			}
		}
		if want := 3; n != want && (p.Value != "" || n != 2) {
			t.Errorf("%+v: %d quads of evidence", p, n)
		}
	}
}

// TestTheSameRecordGivesTheSameQuads checks that the mirror is a pure function, including
// the order of its quads.
func TestTheSameRecordGivesTheSameQuads(t *testing.T) {
	for _, c := range caseCases {
		before := fmt.Sprintf("%+v", c.record)
		a, b := names().OfCase(&c.record), names().OfCase(&c.record)
		if !slices.Equal(a, b) {
			t.Errorf("%s: %q, then %q", c.what, lines(a), lines(b))
		}
		if fmt.Sprintf("%+v", c.record) != before {
			t.Errorf("%s: the record has changed", c.what)
		}
	}
	for _, c := range decisionCases {
		if a, b := names().OfDecision(&c.record), names().OfDecision(&c.record); !slices.Equal(a, b) {
			t.Errorf("%s: %q, then %q", c.what, lines(a), lines(b))
		}
	}
}
