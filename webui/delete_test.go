package webui

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// publish stores a Turtle document by the API.
func (s *service) publish(text string) {
	s.t.Helper()
	r := httptest.NewRequest("POST", "/ttl", strings.NewReader(text))
	r.Header.Set("Content-Type", "text/turtle")
	if s.auth.Enabled() {
		r.Header.Set("Authorization", "Bearer "+s.token("logger"))
	}
	w := httptest.NewRecorder()
	s.api.Handler().ServeHTTP(w, r)
	if w.Code != 201 {
		s.t.Fatalf("%d %s", w.Code, w.Body)
	}
}

func TestNothingIsDeletedWithoutTheWord(t *testing.T) {
	s := newService(t)
	s.publish("<http://e/a> <http://e/b> 1, 2 .")
	b := s.signedIn("admin")
	wantPage(t, b.get("/logs/delete"), 200, `id="triples">2<`)
	for _, form := range []url.Values{{}, {"confirm": {"delete"}}, {"confirm": {" DELETE"}}, {"confirm": {"DELETE"}, "user": {"a\nb"}}} {
		wantPage(t, b.post("/logs/delete", form), 422, "Nothing was deleted")
	}
	if got := b.graph(); strings.Count(got, "\n") != 2 {
		t.Errorf("left is %s", got)
	}
	w := b.post("/logs/delete", url.Values{"confirm": {"DELETE"}, "user": {"operator"}})
	for _, part := range []string{"The graph is empty", "2 triples", "as operator", w.Header().Get("X-Request-ID")} {
		wantPage(t, w, 200, part)
	}
	if got := b.graph(); got != "" {
		t.Errorf("left is %s", got)
	}
	wantPage(t, b.post("/logs/delete", url.Values{"confirm": {"DELETE"}}), 200, "The graph was empty already")
	wantPage(t, b.get("/logs/delete"), 200, "There is nothing to delete")
}

func TestTheGraphIsKeptAsAFileFirst(t *testing.T) {
	s := newService(t)
	s.publish("@prefix ex: <http://e/> . ex:a ex:b 1 .")
	b := s.signedIn("admin")
	for path, want := range map[string]string{"/logs/delete/graph.ttl": "ex:a ex:b 1 .", "/logs/delete/graph.nt": "<http://e/a> <http://e/b>"} {
		w := b.get(path)
		if got := w.Header().Get("Content-Disposition"); w.Code != 200 || !strings.Contains(w.Body.String(), want) || !strings.HasPrefix(got, "attachment; ") {
			t.Errorf("%s: %d %q %s", path, w.Code, got, w.Body)
		}
	}
}
