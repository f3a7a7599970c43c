package webui

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/journal"
)

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
	for _, part := range []string{"The graph is empty", "2 triples", "as <bdi class=\"said\">“operator”", w.Header().Get("X-Request-ID")} {
		wantPage(t, w, 200, part)
	}
	if got := b.graph(); got != "" {
		t.Errorf("left is %s", got)
	}
	wantPage(t, b.post("/logs/delete", url.Values{"confirm": {"DELETE"}}), 200, "The graph was empty already")
	wantPage(t, b.get("/logs/delete"), 200, "Nothing to delete")
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

func TestADeletedGraphIsImportedFromItsBackup(t *testing.T) {
	s := newService(t)
	s.publish("<http://e/a> <http://e/b> 1, [ <http://e/b> 2 ] .")
	cases := s.addCases(2)
	b := s.signedIn("admin")
	want(t, b.get("/logs/delete").Body.String(), `id="contexts">4<`, `id="cases">2<`, "(2 pending)", "backs up everything before it deletes")
	w := b.post("/logs/delete", url.Values{"confirm": {"DELETE"}, "contexts": {"yes"}})
	want(t, w.Body.String(), "The graph is empty, and shared contexts are deleted", "4 shared contexts with cases and decisions")
	name := regexp.MustCompile(`name="name" value="([^"]+)"`).FindStringSubmatch(w.Body.String())
	if name == nil {
		t.Fatalf("no backup is offered: %s", w.Body)
	}
	wantPage(t, b.post("/logs/delete/back", url.Values{"name": {"../segraph.db"}}), 404, "There is no snapshot with this name")
	w = b.post("/logs/delete/back", url.Values{"name": {name[1]}})
	wantPage(t, w, 200, "Backup imported")
	want(t, w.Body.String(), "3 of the backup: 3 imported, 0 already there", "Imported.", `id="cases">2<`)
	want(t, b.get("/shared-context?case="+cases[1]).Body.String(), "2 of 2")
	wantPage(t, b.post("/logs/delete/back", url.Values{"name": {name[1]}}), 200, "Everything is here already")
	page, err := s.store.Logs(t.Context(), journal.Filter{Limit: 1, Look: 10}, nil)
	if err != nil || page.Entries[0].Action != journal.Import || page.Entries[0].Actor != "ari" || page.Entries[0].Detail != "from "+name[1] {
		t.Errorf("the journal ends with %+v, %v", page.Entries, err)
	}
}

// A backup whose file was changed since it was made is not imported.
func TestAChangedBackupIsNotImported(t *testing.T) {
	s := newService(t)
	s.publish("<http://e/a> <http://e/b> 1 .")
	b := s.signedIn("admin")
	b.post("/logs/delete", url.Values{"confirm": {"DELETE"}})
	page := b.get("/logs/delete").Body.String()
	name := regexp.MustCompile(`name="name" value="([^"]+)"`).FindStringSubmatch(page)
	if name == nil {
		t.Fatalf("no backup is offered: %s", page)
	}
	file, err := os.OpenFile(filepath.Join(s.snapshots, name[1]), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Write([]byte{0})
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	wantPage(t, b.post("/logs/delete/back", url.Values{"name": {name[1]}}), 409, "its SHA-256 differs")
	if got := b.graph(); got != "" {
		t.Errorf("imported is %s", got)
	}
}

// Contexts are deleted only if the box is ticked.
func TestContextsStayWhereTheBoxIsNotTicked(t *testing.T) {
	s := newService(t)
	s.publish("<http://e/a> <http://e/b> 1, 2 .")
	s.addCases(2)
	b := s.signedIn("admin")
	page := b.get("/logs/delete").Body.String()
	want(t, page, "Delete shared contexts, cases and decisions too", `name="contexts"`)
	if strings.Contains(page, "checked") {
		t.Error("the box is ticked from the start")
	}
	// The box stays ticked while the confirmation is missing.
	want(t, b.post("/logs/delete", url.Values{"contexts": {"yes"}}).Body.String(), `value="yes" checked`, `id="contexts">4<`)
	w := b.post("/logs/delete", url.Values{"confirm": {"DELETE"}})
	want(t, w.Body.String(), "The graph is empty<", `id="triples">0<`, `id="contexts">4<`, `id="cases">2<`)
	name := regexp.MustCompile(`name="name" value="([^"]+)"`).FindStringSubmatch(w.Body.String())
	if name == nil {
		t.Fatalf("no backup is offered: %s", w.Body)
	}
	w = b.post("/logs/delete/back", url.Values{"name": {name[1]}})
	want(t, w.Body.String(), "2 of the backup: 2 imported", "Nothing has changed", `id="triples">2<`, `id="contexts">4<`)
	b.post("/logs/delete", url.Values{"confirm": {"DELETE"}, "contexts": {"yes"}})
	wantPage(t, b.get("/logs/delete"), 200, "Nothing to delete")
}
