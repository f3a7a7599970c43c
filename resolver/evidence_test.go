package resolver_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// TestEvidenceIsMirroredOnce creates forty doubts at one moment. Every candidate has
// eight pieces of evidence that add up to its log odds. Equal evidence is a single node.
func TestEvidenceIsMirroredOnce(t *testing.T) {
	store := &memory.Store{}
	r := open(t, store)
	for i := range 41 {
		resolve(t, r, said("2026-02-11T09:12:13.150Z", "", fmt.Sprintf("https://ex/robot/%d", i%7), fmt.Sprintf("Could you show me %d of the news?", i/2)))
	}
	evidence, logOdds := map[rdf.Term][]rdf.Term{}, map[rdf.Term]float64{}
	weights, named := map[rdf.Term]float64{}, map[string]int{}
	number := func(x rdf.Term) float64 {
		f, err := strconv.ParseFloat(x.Value(), 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, q := range store.Quads() {
		if mirror.IsContribution(q.S) && !mirror.SaysItsName(q) {
			t.Errorf("%v is not what the name says", q)
		}
		switch q.P.Value() {
		case vocabulary.ScContribution:
			evidence[q.S] = append(evidence[q.S], q.O)
		case vocabulary.ScLogOdds:
			logOdds[q.S] = number(q.O)
		case vocabulary.ScWeight:
			weights[q.S] = number(q.O)
		case vocabulary.ScFeature:
			named[q.O.Value()]++
		}
	}
	if len(logOdds) < 40 {
		t.Fatalf("only %d candidates", len(logOdds))
	}
	for c, sum := range logOdds {
		for _, node := range evidence[c] {
			sum -= weights[node]
		}
		if len(evidence[c]) != 8 || math.Abs(sum) > 1e-9 {
			t.Errorf("%v has %v, which adds up to %g less", c, evidence[c], sum)
		}
	}
	for _, feature := range []string{"prior", "time", "subject", "modality", "source"} {
		if named[feature] != 1 {
			t.Errorf("%d nodes say what %s weighs, want 1", named[feature], feature)
		}
	}
}
