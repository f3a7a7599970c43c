package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/segraph/segraph/store"
)

const prefixes = "@prefix ex: <http://example.org/> .\n@prefix prov: <http://www.w3.org/ns/prov#> .\n" +
	"@prefix onyx: <http://www.gsi.upm.es/ontologies/onyx/ns#> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"

func TestValidateTellsEveryCodeAndStoresNothing(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.graph.err = store.ErrUnavailable // it must not use the store
	for _, c := range []struct {
		content          string
		valid, syntax    bool
		triples          int
		codes            string
		focus, pred, val any // of the first issue
	}{
		{prefixes + `ex:a a prov:Activity ; prov:startedAtTime "2026-06-04T11:53:18+00:00"^^xsd:dateTime, "2026-06-04T11:53:18+00:00"^^xsd:dateTime .`,
			true, true, 2, "", nil, nil, nil},
		{prefixes + "ex:a prov:used ex:b, .", false, false, 0, "TTL_SYNTAX_ERROR", nil, nil, nil},
		{"# nothing", false, true, 0, "SEM_EMPTY_GRAPH", nil, nil, nil},
		{prefixes + `ex:a a "Robot" .`, false, true, 1, "SEM_RDF_TYPE_LITERAL",
			"http://example.org/a", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "Robot"},
		{prefixes + `ex:a a ex:K ; prov:used "b" .`, false, true, 2, "SEM_OBJECT_PROPERTY_LITERAL",
			"http://example.org/a", "http://www.w3.org/ns/prov#used", "b"},
		{prefixes + `ex:a a ex:K ; prov:endedAtTime ex:b .`, false, true, 2, "SEM_DATETIME_NOT_LITERAL",
			"http://example.org/a", "http://www.w3.org/ns/prov#endedAtTime", "http://example.org/b"},
		{prefixes + `ex:a a ex:K ; prov:endedAtTime "2026-06-04T11:53:18" .`, false, true, 2, "SEM_DATETIME_WRONG_DATATYPE",
			"http://example.org/a", "http://www.w3.org/ns/prov#endedAtTime", "2026-06-04T11:53:18"},
		{prefixes + `ex:a a ex:K ; prov:endedAtTime "today"^^xsd:dateTime .`, false, true, 2, "SEM_DATETIME_INVALID_LEXICAL",
			"http://example.org/a", "http://www.w3.org/ns/prov#endedAtTime", "today"},
		{prefixes + `ex:a a ex:K ; onyx:hasEmotionIntensity ex:b .`, false, true, 2, "SEM_INTENSITY_NOT_LITERAL",
			"http://example.org/a", "http://www.gsi.upm.es/ontologies/onyx/ns#hasEmotionIntensity", "http://example.org/b"},
		{prefixes + `ex:a a ex:K ; onyx:hasEmotionIntensity "much" .`, false, true, 2, "SEM_INTENSITY_NOT_NUMERIC",
			"http://example.org/a", "http://www.gsi.upm.es/ontologies/onyx/ns#hasEmotionIntensity", "much"},
		{prefixes + `ex:a a ex:K ; onyx:hasEmotionIntensity 1.5 .`, false, true, 2, "SEM_INTENSITY_OUT_OF_RANGE",
			"http://example.org/a", "http://www.gsi.upm.es/ontologies/onyx/ns#hasEmotionIntensity", "1.5"},
		{prefixes + `ex:a a ex:K ; onyx:hasEmotionCategory "joy" .`, false, true, 2, "SEM_EMOTION_CATEGORY_LITERAL",
			"http://example.org/a", "http://www.gsi.upm.es/ontologies/onyx/ns#hasEmotionCategory", "joy"},
		{prefixes + `ex:a prov:used ex:b .`, true, true, 1, "SEM_SUBJECT_WITHOUT_TYPE", "http://example.org/a", nil, nil},
		{prefixes + `ex:a prov:used "b" ; onyx:hasEmotionCategory "joy" .`, false, true, 2,
			"SEM_OBJECT_PROPERTY_LITERAL SEM_EMOTION_CATEGORY_LITERAL SEM_SUBJECT_WITHOUT_TYPE",
			"http://example.org/a", "http://www.w3.org/ns/prov#used", "b"},
	} {
		w := s.do(t, call{method: "POST", path: "/ttl/validate", body: ttl(c.content, nil)})
		if w.Code != 200 {
			t.Fatalf("%q: %d %s", c.content, w.Code, w.Body)
		}
		got := asJSON[map[string]any](t, w)
		issues := got["issues"].([]any)
		codes := make([]string, len(issues))
		for i, issue := range issues {
			codes[i] = issue.(map[string]any)["code"].(string)
		}
		if strings.Join(codes, " ") != c.codes || got["issue_count"] != float64(len(issues)) {
			t.Errorf("%q: codes %v of %v", c.content, codes, got["issue_count"])
		}
		if got["valid"] != c.valid || got["syntax_ok"] != c.syntax || got["semantic_ok"] != (c.valid && c.syntax) || got["triple_count"] != float64(c.triples) {
			t.Errorf("%q: %s", c.content, w.Body)
		}
		if len(issues) > 0 {
			first := issues[0].(map[string]any)
			if first["focus_node"] != c.focus || first["predicate"] != c.pred || first["value"] != c.val {
				t.Errorf("%q: %v", c.content, first)
			}
		}
	}
	if len(s.graph.entries()) > 0 {
		t.Error("something was stored")
	}
}

func TestASyntaxErrorHasLineAndColumnInTheTurtleNotInTheJSON(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	w := s.do(t, call{method: "POST", path: "/ttl/validate", body: ttl("\n\n<a:é> <b:c> ?", nil)})
	issue := asJSON[map[string]any](t, w)["issues"].([]any)[0].(map[string]any)
	if issue["line"] != 3.0 || issue["column"] != 13.0 || issue["severity"] != "error" {
		t.Errorf("got %v", issue)
	}
	for _, member := range []string{"focus_node", "predicate", "value"} {
		if value, there := issue[member]; !there || value != nil {
			t.Errorf("%s is %v, and there: %v", member, value, there)
		}
	}
}

func TestIssuesBeyondAThousandAreCounted(t *testing.T) {
	t.Parallel()
	var content strings.Builder
	content.WriteString(prefixes)
	for i := range 1200 {
		fmt.Fprintf(&content, "ex:s%d prov:used \"x\" .\n", i)
	}
	w := newOpenService(t).do(t, call{method: "POST", path: "/ttl/validate", body: ttl(content.String(), nil)})
	got := asJSON[map[string]any](t, w)
	if n := len(got["issues"].([]any)); n != 1000 || got["issue_count"] != 2400.0 || got["valid"] != false {
		t.Errorf("%d issues of %v", n, got["issue_count"])
	}
}
