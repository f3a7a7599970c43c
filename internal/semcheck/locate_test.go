package semcheck_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/turtle"
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
	read := func() *turtle.Reader {
		return turtle.NewReader(bytes.NewReader([]byte(text)), turtle.Turtle, turtle.Options{})
	}
	var d store.Document
	for r := read(); ; {
		q, err := r.Read()
		if err != nil {
			break
		}
		d.Add(q)
	}
	d.Distinct()
	report := semcheck.Check(&d, 100)
	if err := semcheck.Locate(t.Context(), report.Issues, read()); err != nil {
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
	report.Issues[0].Line = nil
	if err := semcheck.Locate(ended, report.Issues, read()); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("after its context it gives %v", err)
	}
}
