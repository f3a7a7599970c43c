package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

// TestAGraphOfContextsOfAnOlderFormIsRewritten checks that a running service rewrites the
// graph, logs that, and answers meanwhile. check does not report the old form as damage.
// A graph store receives the new form too.
func TestAGraphOfContextsOfAnOlderFormIsRewritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	s.resolved(first)
	if doubt := s.resolved(faceless); doubt.CaseID == nil {
		t.Fatalf("no case was opened: %+v", doubt)
	}
	s.stop()
	path := filepath.Join(dir, "segraph.db")
	putInOlderForm(t, path, storeSettings(t) != nil)
	checked := func() string {
		t.Helper()
		r := command(t, dir, nil, "", "check")
		if r.code != 0 {
			t.Fatalf("check: %d %s", r.code, r.stderr)
		}
		return r.stdout
	}
	if got := checked(); !strings.Contains(got, "in an older format") {
		t.Errorf("check says %s", got)
	}
	s = serve(t, dir, nil)
	poll(t, "the log reports it", func() bool { return strings.Contains(s.stderr.String(), "was rewritten records=") })
	if s.ask(`ASK { GRAPH <urn:segraph:contexts> { ?s <urn:older> ?o } }`) {
		t.Error("the older form is left")
	}
	if !s.ask(`ASK { GRAPH <urn:segraph:contexts> { ?case <urn:segraph:ns#candidate>/<urn:segraph:ns#contribution>/<urn:segraph:ns#weight> ?weight } }`) {
		t.Error("the graph has no weight")
	}
	s.stop()
	if got := checked(); strings.Contains(got, "older") {
		t.Errorf("check says %s", got)
	}
}

// putInOlderForm changes the graph of contexts of a file to an older form, with evidence
// and cases that no current version writes, and records that form in the totals.
func putInOlderForm(t *testing.T, path string, outbox bool) {
	t.Helper()
	s, err := persist.Open(path, persist.Options{Follow: outbox})
	if err != nil {
		t.Fatal(err)
	}
	value, err := s.Contexts().Get(record.TotalsKey())
	if err != nil {
		t.Fatal(err)
	}
	totals, err := record.Decode[record.Totals](value)
	if err != nil {
		t.Fatal(err)
	}
	totals.Form = 0
	c := resolver.Change{Records: []resolver.Record{{Key: record.TotalsKey(), Value: record.Encode(totals)}}}
	err = resolver.Quads(s.Contexts(), func(q rdf.Quad) error {
		if mirror.IsContribution(q.S) || mirror.IsContribution(q.O) {
			c.Remove = append(c.Remove, q)
		}
		if mirror.IsContribution(q.O) {
			c.Add = append(c.Add, rdf.Quad{S: rdf.NewIRI(q.S.Value() + "/prior"), P: rdf.NewIRI("urn:older"), O: rdf.NewString("prior"), G: q.G})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Contexts().Apply(t.Context(), []resolver.Change{c}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
