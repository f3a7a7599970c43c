package semcheck_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/store"
)

func TestIssuesSayWhereTheirTripleEnds(t *testing.T) {
	const text = `@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix ex: <http://e/> .
ex:a a prov:Activity ;
    prov:used ex:b,
        "not a resource" ;
    prov:startedAtTime "yesterday" .
[] prov:used "blank" .
ex:untyped prov:used ex:b .
`
	document := store.Text{Content: []byte(text)}
	report, _, err := semcheck.Check(t.Context(), document.Reader, 100)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, i := range report.Issues {
		if i.Line == nil {
			t.Errorf("%s of %s has no place", i.Code, *i.FocusNode)
			continue
		}
		got[fmt.Sprintf("%s %d:%d", i.Code, *i.Line, *i.Column)] = true
	}
	for _, want := range []string{
		"SEM_OBJECT_PROPERTY_LITERAL 5:24", "SEM_DATETIME_WRONG_DATATYPE 6:34", "SEM_OBJECT_PROPERTY_LITERAL 7:20",
		"SEM_SUBJECT_WITHOUT_TYPE 7:20", "SEM_SUBJECT_WITHOUT_TYPE 8:25",
	} {
		if !got[want] {
			t.Errorf("%s is not among %v", want, got)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := semcheck.Check(ended, document.Reader, 5); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("after its context it gives %v", err)
	}
}

func TestRepeatedTriplesAndSubjectsCountOnce(t *testing.T) {
	var b strings.Builder
	b.WriteString("@prefix prov: <http://www.w3.org/ns/prov#> . @prefix onyx: <http://www.gsi.upm.es/ontologies/onyx/ns#> . @prefix : <http://e/> .\n")
	for i := range 300 {
		fmt.Fprintf(&b, ":s%d prov:used \"text %d\" , :r ; prov:startedAtTime \"%d\" .\n", i%90, i%40, i%7)
		fmt.Fprintf(&b, "[] onyx:hasEmotionIntensity %d . _:l%d prov:used ( 1 2 ) .\n", i%3, i%50)
		if i%3 == 0 {
			fmt.Fprintf(&b, ":s%d a prov:Activity , \"x\"@en .\n_:l%d a :T .\n", i%90, i%50)
		}
	}
	text := store.Text{Content: []byte(b.String())}
	var d store.Document
	for r := text.Reader(); ; {
		q, err := r.Read()
		if err != nil {
			break
		}
		d.Add(q)
	}
	want := map[string]int{
		semcheck.ObjectPropertyLiteral: 300, semcheck.DatetimeWrongDatatype: 300, semcheck.IntensityOutOfRange: 100, semcheck.RDFTypeLiteral: 30,
		semcheck.SubjectWithoutType: 60 + 300,
	}
	r, triples, err := semcheck.Check(t.Context(), text.Reader, 10_000)
	got := map[string]int{}
	for i, issue := range r.Issues {
		got[issue.Code]++
		if i > 0 && issue.Severity == r.Issues[i-1].Severity && *issue.Line < *r.Issues[i-1].Line {
			t.Errorf("%s of line %d comes after line %d", issue.Code, *issue.Line, *r.Issues[i-1].Line)
		}
	}
	if err != nil || triples != d.Distinct() || !maps.Equal(got, want) || r.Total != 1090 || r.Errors != 730 {
		t.Errorf("%d triples, %d issues, %d errors: %v, %v", triples, r.Total, r.Errors, got, err)
	}
}
