package admin

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/views/viewstest"
)

func TestNothingIsDeletedWithoutTheWord(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish("<http://e/a> <http://e/b> 1, 2 .")
	b := s.SignedIn("admin")
	viewstest.WantPage(t, b.Get("/logs/delete"), 200, `id="triples">2<`)
	for _, form := range []url.Values{{}, {"confirm": {"delete"}}, {"confirm": {" DELETE"}}, {"confirm": {"DELETE"}, "user": {"a\nb"}}} {
		viewstest.WantPage(t, b.Post("/logs/delete", form), 422, "Nothing was deleted")
	}
	if got := b.Graph(); strings.Count(got, "\n") != 2 {
		t.Errorf("left is %s", got)
	}
	w := b.Post("/logs/delete", url.Values{"confirm": {"DELETE"}, "user": {"operator"}})
	viewstest.Want(t, b.Follow(w), "The graph was emptied", "2 triples", "as operator", w.Header().Get("X-Request-ID"), "Restore…")
	if got := b.Graph(); got != "" {
		t.Errorf("left is %s", got)
	}
	viewstest.Want(t, b.Follow(b.Post("/logs/delete", url.Values{"confirm": {"DELETE"}})), "The graph was empty already")
	s.Publish("<http://e/a> <http://e/b> 3 .")
	viewstest.Want(t, b.Follow(w), "The graph was emptied", "2 triples") // robots go on logging
	b.Post("/logs/delete", url.Values{"confirm": {"DELETE"}})
	viewstest.WantPage(t, b.Get("/logs/delete"), 200, "Nothing to delete")
}

func TestTheGraphIsKeptAsAFileFirst(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish("@prefix ex: <http://e/> . ex:a ex:b 1 .")
	b := s.SignedIn("admin")
	for path, want := range map[string]string{"/logs/delete/graph.ttl": "ex:a ex:b 1 .", "/logs/delete/graph.nt": "<http://e/a> <http://e/b>"} {
		w := b.Get(path)
		if got := w.Header().Get("Content-Disposition"); w.Code != 200 || !strings.Contains(w.Body.String(), want) || !strings.HasPrefix(got, "attachment; ") {
			t.Errorf("%s: %d %q %s", path, w.Code, got, w.Body)
		}
	}
}

func TestADeletedGraphOffersItsBackup(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish("<http://e/a> <http://e/b> 1, [ <http://e/b> 2 ] .")
	s.AddCases(2)
	b := s.SignedIn("admin")
	viewstest.Want(t, b.Get("/logs/delete").Body.String(), `id="contexts">4<`, `id="cases">2<`, "2 undecided", "backs up everything before it deletes")
	result := b.Follow(b.Post("/logs/delete", url.Values{"confirm": {"DELETE"}, "contexts": {"yes"}}))
	viewstest.Want(t, result, "The graph was emptied, and shared events deleted", "all shared events with cases and decisions")
	link := regexp.MustCompile(`href="(/backups/restore[^"]+)"`).FindStringSubmatch(result)
	if link == nil {
		t.Fatalf("no backup is offered: %s", result)
	}
	viewstest.WantPage(t, b.Get(html.UnescapeString(link[1])), 200, "Restore")
}

// Contexts are deleted only if the box is ticked.
func TestContextsStayWhereTheBoxIsNotTicked(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish("<http://e/a> <http://e/b> 1, 2 .")
	s.AddCases(2)
	b := s.SignedIn("admin")
	page := b.Get("/logs/delete").Body.String()
	viewstest.Want(t, page, `id="contexts">4<`, `id="cases">2<`, `name="contexts"`)
	if strings.Contains(page, "checked") {
		t.Error("the box is ticked from the start")
	}
	// The box stays ticked while the confirmation is missing.
	viewstest.Want(t, b.Post("/logs/delete", url.Values{"contexts": {"yes"}}).Body.String(), `form="delete" checked`, `id="contexts">4<`)
	result := b.Follow(b.Post("/logs/delete", url.Values{"confirm": {"DELETE"}}))
	viewstest.Want(t, result, "The graph was emptied<", "Delete them too…")
	if strings.Contains(result, `id="confirm"`) {
		t.Error("the form stands below its result")
	}
	viewstest.Want(t, b.Get("/logs/delete").Body.String(), `id="triples">0<`, `id="contexts">4<`, `id="cases">2<`)
	b.Post("/logs/delete", url.Values{"confirm": {"DELETE"}, "contexts": {"yes"}})
	viewstest.WantPage(t, b.Get("/logs/delete"), 200, "Nothing to delete")
}
