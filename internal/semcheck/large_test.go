package semcheck_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/format"
)

// A large document gets the same issues, at the same places, as a small one.
func TestALargeDocumentGetsTheWarningsOfASmallOne(t *testing.T) {
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
	distinct := d.Distinct()
	want := semcheck.Check(&d, 10_000)
	if err := semcheck.Locate(t.Context(), want.Issues, text.Reader()); err != nil {
		t.Fatal(err)
	}
	got, triples, err := semcheck.CheckText(t.Context(), text.Reader, 10_000)
	if err != nil || triples != distinct || got.Total != want.Total || got.Errors != want.Errors {
		t.Errorf("%d triples, %d issues, %d errors; want %d, %d, %d: %v", triples, got.Total, got.Errors, distinct, want.Total, want.Errors, err)
	}
	lines := func(r semcheck.Report) map[string]int {
		out := map[string]int{}
		for _, i := range r.Issues {
			value := ""
			if i.Value != nil {
				value = *i.Value
			}
			out[fmt.Sprintf("%s %s %s at %d:%d", i.Code, *i.FocusNode, value, *i.Line, *i.Column)]++
		}
		return out
	}
	if !maps.Equal(lines(got), lines(want)) {
		t.Errorf("the issues are\n%v\nwant\n%v", lines(got), lines(want))
	}
	few, _, err := semcheck.CheckText(t.Context(), text.Reader, 5)
	if err != nil || len(few.Issues) != 5 || few.Total != want.Total {
		t.Errorf("%d of %d issues: %v", len(few.Issues), few.Total, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := semcheck.CheckText(ended, func() format.Reader { return text.Reader() }, 5); err == nil {
		t.Error("it goes on after its context")
	}
}
