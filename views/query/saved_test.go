package query

import (
	"net/url"
	"strings"
	"testing"

	"github.com/segraph/segraph/views/viewstest"
)

func TestSavedQueriesAreOfTheirUserAndReadByOthers(t *testing.T) {
	s := newService(t)
	s.Publish(`<http://e/a> <http://e/b> "<i>" .`)
	ari, tiago := s.SignedInAs("ari", "auditor"), s.SignedInAs("tiago", "auditor")
	save := func(b *viewstest.Visitor, name, query string) string {
		w := b.Post("/query/save", url.Values{"name": {name}, "query": {query}})
		if w.Code != 303 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return w.Header().Get("Location")
	}
	shared := save(ari, " <b>all</b> ", "SELECT * { ?s ?p ?o }")
	if page := tiago.Get(shared).Body.String(); !strings.Contains(page, "1 row in") || !strings.Contains(page, "Saved by others") || !strings.Contains(page, "&lt;b&gt;all&lt;/b&gt;") {
		t.Errorf("another reader sees %s", page)
	}
	viewstest.WantPage(t, tiago.Post("/query/forget", url.Values{"name": {"<b>all</b>"}}), 404, "You have no saved query")
	viewstest.WantPage(t, tiago.Get("/query?saved=none"), 404, "The user &#34;tiago&#34; has no saved query")
	viewstest.WantPage(t, ari.Post("/query/save", url.Values{"name": {"a\nb"}, "query": {"ASK {}"}}), 422, "without control characters")
	viewstest.WantPage(t, ari.Post("/query/save", url.Values{"name": {"empty"}, "query": {" "}}), 422, "There is no query to save")
	save(ari, "<b>all</b>", "SELECT ?s { ?s ?p ?o }")
	if list, err := s.Service.SavedQueries("ari"); err != nil || len(list) != 1 || list[0].Text != "SELECT ?s { ?s ?p ?o }" {
		t.Errorf("after saving again: %v, %v", list, err)
	}
	if w := ari.Post("/query/forget", url.Values{"name": {"<b>all</b>"}}); w.Code != 303 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	viewstest.WantPage(t, ari.Get(shared), 404, "has no saved query")
}
