package semcheck_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

func TestUnknownTermsAndIllTypedTimesAreWarnedOf(t *testing.T) {
	var terms semcheck.Terms
	place := func() (line, column int) { return 3, 4 }
	for range 2 { // a term is named once
		terms.Add(rdf.Quad{S: iri("a"), P: rdf.NewIRI(vocabulary.Segb + "performedBy"), O: iri("b")}, place)
		terms.Add(rdf.Quad{S: iri("a"), P: rdf.NewIRI(rdf.RDFType), O: rdf.NewIRI(vocabulary.Segb + "LoggedActivty")}, place)
	}
	terms.Add(rdf.Quad{S: iri("a"), P: rdf.NewIRI(vocabulary.ProvStartedAtTime), O: rdf.NewString("yesterday")}, place)
	terms.Add(rdf.Quad{S: iri("a"), P: iri("at"), O: rdf.NewLiteral("2026-02-30", rdf.XSDDate)}, place)
	terms.Add(rdf.Quad{S: iri("a"), P: iri("at"), O: rdf.NewLiteral("2026-02-03", rdf.XSDDate)}, place)
	terms.Add(rdf.Quad{S: iri("a"), P: rdf.NewIRI(vocabulary.ProvUsed), O: iri("c")}, place)
	want := []string{`did you mean "segb:wasPerformedBy"?`, `did you mean "segb:LoggedActivity"?`, "must have the datatype xsd:dateTime", "not a valid xsd:date"}
	if terms.Total != len(want) || len(terms.First) != len(want) {
		t.Fatalf("%+v", terms.First)
	}
	for i, issue := range terms.First {
		if issue.Severity != semcheck.Warning || *issue.Line != 3 || *issue.Column != 4 || !strings.Contains(issue.Message, want[i]) {
			t.Errorf("%+v, want %s", issue, want[i])
		}
	}
}

// A document of unknown terms, or of a long one, takes little more time than another one.
func TestUnknownTermsTakeLittleTime(t *testing.T) {
	suite.NotShort(t)
	place := func() (line, column int) { return 1, 1 }
	suite.Within(t, "200,000 unknown terms and one of 1 MB", 5*time.Second, func() time.Duration {
		var terms semcheck.Terms
		begin := time.Now()
		terms.Add(rdf.Quad{S: iri("a"), P: rdf.NewIRI("http://schema.org/" + strings.Repeat("x", 1<<20)), O: iri("b")}, place)
		for i := range 200_000 {
			terms.Add(rdf.Quad{S: iri("a"), P: rdf.NewIRI(fmt.Sprintf("http://schema.org/zq%06d", i)), O: iri("b")}, place)
		}
		if terms.Total != 200_001 || len(terms.First) != semcheck.MaxWarnings {
			t.Errorf("%d warnings, %d kept", terms.Total, len(terms.First))
		}
		return time.Since(begin)
	})
}
