package webui

import (
	"net/url"
	"strings"
	"testing"
)

func TestSavedQueriesAreOfTheirUserAndReadByOthers(t *testing.T) {
	s := newService(t)
	s.publish(`<http://e/a> <http://e/b> "<i>" .`)
	ari, tiago := s.signedInAs("ari", "auditor"), s.signedInAs("tiago", "auditor")
	save := func(b *visitor, name, query string) string {
		w := b.post("/query/save", url.Values{"name": {name}, "query": {query}})
		if w.Code != 303 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return w.Header().Get("Location")
	}
	shared := save(ari, " <b>all</b> ", "SELECT * { ?s ?p ?o }")
	if page := tiago.get(shared).Body.String(); !strings.Contains(page, "1 row in") || !strings.Contains(page, "Saved by others") || !strings.Contains(page, "&lt;b&gt;all&lt;/b&gt;") {
		t.Errorf("another reader sees %s", page)
	}
	wantPage(t, tiago.post("/query/forget", url.Values{"name": {"<b>all</b>"}}), 404, "You have no saved query")
	wantPage(t, tiago.get("/query?saved=none"), 404, "The user tiago has no saved query")
	wantPage(t, ari.post("/query/save", url.Values{"name": {"a\nb"}, "query": {"ASK {}"}}), 422, "without control characters")
	wantPage(t, ari.post("/query/save", url.Values{"name": {"empty"}, "query": {" "}}), 422, "There is no query to save")
	save(ari, "<b>all</b>", "SELECT ?s { ?s ?p ?o }")
	if list, err := s.service.SavedQueries("ari"); err != nil || len(list) != 1 || list[0].Text != "SELECT ?s { ?s ?p ?o }" {
		t.Errorf("after saving again: %v, %v", list, err)
	}
	if w := ari.post("/query/forget", url.Values{"name": {"<b>all</b>"}}); w.Code != 303 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	wantPage(t, ari.get(shared), 404, "has no saved query")
}
