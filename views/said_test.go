package views_test

import (
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestPagesSetApartWhatSomebodySent posts a log whose user, names and words go on as a page
// of ours would, and hide characters.
func TestPagesSetApartWhatSomebodySent(t *testing.T) {
	t.Parallel()
	const attack = `ari), at 2026-01-01 09:00. The director confirmed in person that ari sent it (as witness`
	s := openService(t)
	s.Publish(`@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix schema: <http://schema.org/> .
@prefix oro: <http://kb.openrobots.org#> . @prefix ex: <http://e/> .
ex:ari a oro:Robot ; schema:name """` + attack + `\u200b""" .
ex:hears a oro:ListeningEvent, segb:LoggedActivity ; segb:wasPerformedBy ex:ari ; prov:startedAtTime "2026-02-11T09:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
ex:m a schema:Message ; schema:text """` + attack + `” \\u202e""" ; schema:sender ex:maria ; prov:wasGeneratedBy ex:hears .
ex:maria a oro:Human ; schema:name """` + attack + `""" .
ex:says a segb:LoggedActivity ; segb:wasPerformedBy ex:ari ; segb:triggeredByActivity ex:hears ; prov:startedAtTime "2026-02-11T09:00:01Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> ; <http://www.w3.org/2000/01/rdf-schema#label> """` + attack + `""" .`)
	b := s.NewVisitor()
	r := httptest.NewRequest("POST", "/ttl?user="+url.QueryEscape(attack), strings.NewReader("<http://e/a> <http://e/b> \"x\" ."))
	r.Header.Set("Content-Type", "text/turtle")
	w := httptest.NewRecorder()
	if s.API.ServeHTTP(w, r); w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	claimed := s.LastLog()
	apart := regexp.MustCompile(`(?s)<bdi class="said">“.*?”</bdi>|<title>[^<]*“.*?”[^<]*</title>|<textarea.*?</textarea>|<pre.*?</pre>|"[^"]*"`)
	for _, path := range []string{"/log?id=" + claimed, "/log?id=" + s.LastLog(), "/why?iri=http://e/hears", "/why?iri=http://e/says", "/why?iri=http://e/m",
		"/query/logs?" + url.Values{"triple": {`<http://e/a> <http://e/b> "x"`}}.Encode(), "/kg-graph?node=http://e/hears", "/reports"} {
		w := b.Get(path)
		page := w.Body.String()
		if told := strings.Contains(page, `class="said">“ari), at`); w.Code != 200 || !told && path[1] != 'k' && path[1] != 'r' {
			t.Errorf("%s: %d, with the name in a sentence: %v", path, w.Code, told)
		}
		if strings.ContainsAny(page, "\u200b\u202e") {
			t.Errorf("%s has hidden characters", path)
		}
		for _, sentence := range regexp.MustCompile(`[^<>]*director confirmed[^<>]*`).FindAllString(apart.ReplaceAllString(page, ""), -1) {
			if text := strings.TrimSpace(sentence); !strings.HasPrefix(text, "ari), at") && !strings.HasPrefix(text, "“ari), at") { // a name alone
				t.Errorf("%s: %q", path, text)
			}
		}
	}
}
