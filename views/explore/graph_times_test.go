package explore

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
	v "github.com/segraph/segraph/vocabulary"
)

// TestTheGraphFiltersTimesOfEveryForm has a message for each form of a time.
func TestTheGraphFiltersTimesOfEveryForm(t *testing.T) {
	t.Parallel()
	s := openService(t)
	for i, form := range viewstest.TimeForms {
		s.Publish(fmt.Sprintf(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix segb: <%s> . @prefix schema: <http://schema.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
			<http://e/a%[2]d> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/r%[2]d> ; prov:startedAtTime "%[3]s"^^xsd:dateTime .
			<http://e/m%[2]d> a schema:Message ; schema:text "word %[2]d" ; schema:sender <http://e/p%[2]d> ; prov:wasGeneratedBy <http://e/a%[2]d> .`, v.Segb, i, form.Written))
		at, ok := views.ParseTime(form.At)
		if !ok {
			t.Fatal(form.At)
		}
		until := url.QueryEscape(at.Add(time.Second).Format(time.RFC3339Nano))
		for _, end := range []string{"since=" + url.QueryEscape(form.At), "until=" + until} {
			if p := s.picture(fmt.Sprintf("/kg-graph?node=http://e/m%d&%s", i, end)); !slices.ContainsFunc(p.nodes, func(n *graphNode) bool { return n.at.Equal(at) }) {
				t.Errorf("%s: the graph with %s lacks it", form.Written, end)
			}
		}
	}
}
