package reports

import (
	"net/url"
	"strings"
	"testing"
)

// TestProveThisLeadsToABundle follows the link of a page to the form and its answer. The
// service of these tests keeps no log, and says so in the form.
func TestProveThisLeadsToABundle(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("auditor")
	for _, x := range []struct{ name, value, words string }{
		{"log", "3f1e", "who sent it, when, and what it said"},
		{"iri", "http://example.org/<a>", "each with a log that contains it"},
		{"query", "ASK { ?s ?p ?o }", "The triples that the patterns of this query match"},
		{"case", "review_1", "what was decided and by whom"},
	} {
		form := url.Values{x.name: {x.value}}
		w := b.Get("/evidence?" + form.Encode())
		if text := w.Body.String(); w.Code != 200 || !strings.Contains(text, x.words) || strings.Contains(text, "<a>") {
			t.Errorf("%s: %d %s", x.name, w.Code, text)
		}
	}
	for _, x := range []struct {
		form   url.Values
		status int
		words  string
	}{
		{url.Values{"log": {"3f1e"}}, 404, "This service keeps no transparency log."},
		{url.Values{"from": {"noon"}, "to": {"2026-02-24T12:20"}}, 422, "is not a time"},
	} {
		if w := b.Post("/evidence", x.form); w.Code != x.status || !strings.Contains(w.Body.String(), x.words) || !strings.Contains(w.Body.String(), "No bundle was made") {
			t.Errorf("%v: %d %s", x.form, w.Code, w.Body)
		}
	}
}
