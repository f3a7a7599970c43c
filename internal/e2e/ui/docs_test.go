package ui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// tries holds a request for each group, which TestTheDocumentationShowsAndTriesEveryGroup
// sends.
var tries = map[string]struct {
	operation  string
	parameters map[string]string
	body       string
	status     string
	answer     string // expected in the answer
}{
	"Health":           {operation: "ready", status: "200", answer: `"ready": true`},
	"Turtle":           {operation: "insert", body: `{"ttl_content":"<http://e/s> <http://e/p> 7 .","user":"ari"}`, status: "201", answer: `"log_id"`},
	"Graph":            {operation: "events", status: "200", answer: "cut off here by this page"},
	"Queries":          {operation: "explainQuery", parameters: map[string]string{"query": "SELECT ?o { <http://e/s> ?p ?o }"}, status: "200", answer: `"plan"`},
	"Server":           {operation: "serverLogs", status: "200", answer: "path=/ttl"},
	"Journal":          {operation: "logs", status: "200", answer: `"ari"`},
	"Shared contexts":  {operation: "contextStats", status: "200", answer: `"pending_reviews"`},
	"Operation":        {operation: "backups", status: "200", answer: `"backups"`},
	"Transparency log": {operation: "checkpoint", status: "200", answer: "segraph/"},
	"Documentation":    {operation: "openapi", status: "200", answer: `"3.1.0"`},
}

// The page /docs shows every operation of openapi.json, and sends requests with the
// entered token: one of each group in the long form, otherwise three. The long form also
// opens it on the web UI's listener, which has the same handlers;
// TestAllPagesWorkBelowABasePathBehindNginx always does that. The tab fails the test for
// violations of the policy and for requests to another host. The test does not run in
// parallel, because drawing the page takes a whole processor.
func TestTheDocumentationShowsAndTriesEveryGroup(t *testing.T) {
	suite.Slow(t, "it tries every route on the page of /docs")
	s := newService(t)
	s.publish(`<http://e/long> <http://e/text> "` + strings.Repeat("long ", 100_000) + `" .`)
	for _, base := range []string{s.api, s.ui}[:suite.Times(2, 1)] {
		prefix := map[string]string{s.api: "", s.ui: "/api"}[base]
		tags, operations := operationsOf(t, base+prefix+"/openapi.json")
		b := open(t, base, look{})
		b.goTo(prefix + "/docs")
		b.see("#mode", "Authentication is on")
		b.see(".opblock", "/")
		shown := value[[]string](b, `[...document.querySelectorAll(".opblock")].map(e => e.querySelector(".opblock-summary-method").innerText + " " + e.querySelector("[data-path]").dataset.path)`)
		slices.Sort(shown)
		if !slices.Equal(shown, operations) {
			t.Errorf("%s shows %d of %d operations: %q, want %q", base, len(shown), len(operations), shown, operations)
		}
		b.expect("status of 401")
		if got := b.tryOperation("pendingReviews", nil, ""); got != "401" {
			t.Errorf("without a token: %s", got)
		}
		b.click(".btn.authorize")
		b.fill("#auth-bearer-value", s.token("admin"))
		b.click(".auth-btn-wrapper .authorize")
		b.click(".auth-btn-wrapper .btn-done")
		if base == s.ui {
			tags = tags[:1]
		}
		for i, tag := range tags {
			try, ok := tries[tag]
			if !ok {
				t.Errorf("nothing of the group %q is tried", tag)
			}
			if !ok || i >= suite.Times(len(tags), 3) {
				continue
			}
			if got := b.tryOperation(try.operation, try.parameters, try.body); got != try.status {
				t.Errorf("%s: %s of %s, want %s", tag, got, try.operation, try.status)
			}
			b.see(fmt.Sprintf(".opblock[id$='-%s'] .live-responses-table tr.response .response-col_description", try.operation), try.answer)
		}
	}
}

// operationsOf returns the tags of an OpenAPI document and its operations, such as "GET
// /events", sorted.
func operationsOf(t *testing.T, url string) (tags, operations []string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var document struct {
		Tags  []struct{ Name string }
		Paths map[string]map[string]any
	}
	if err := json.NewDecoder(response.Body).Decode(&document); err != nil {
		t.Fatal(err)
	}
	for _, tag := range document.Tags {
		tags = append(tags, tag.Name)
	}
	for path, methods := range document.Paths {
		for method := range methods {
			operations = append(operations, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(operations)
	return tags, operations
}

// tryOperation opens an operation of /docs, fills it in and sends it, and returns the
// status of the answer.
func (b *tab) tryOperation(id string, parameters map[string]string, body string) string {
	b.t.Helper()
	block := fmt.Sprintf(".opblock[id$='-%s'] ", id)
	b.click(block + ".opblock-summary-control")
	b.click(block + ".try-out__btn")
	for name, text := range parameters {
		b.fill(block+fmt.Sprintf("tr[data-param-name=%q] input", name), text)
	}
	if body != "" {
		b.fill(block+"textarea.body-param__text", body)
	}
	b.click(block + ".execute")
	return b.see(block+".live-responses-table tr.response .response-col_status", "")[:3]
}
