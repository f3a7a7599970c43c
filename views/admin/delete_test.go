package admin

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/log/journal"
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
	viewstest.Want(t, b.Follow(w), "The graph was emptied", "2 triples", "as operator", w.Header().Get("X-Request-ID"), "Import the backup")
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

func TestADeletedGraphIsImportedFromItsBackup(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish("<http://e/a> <http://e/b> 1, [ <http://e/b> 2 ] .")
	cases := s.AddCases(2)
	b := s.SignedIn("admin")
	viewstest.Want(t, b.Get("/logs/delete").Body.String(), `id="contexts">4<`, `id="cases">2<`, "2 undecided", "backs up everything before it deletes")
	result := b.Follow(b.Post("/logs/delete", url.Values{"confirm": {"DELETE"}, "contexts": {"yes"}}))
	viewstest.Want(t, result, "The graph was emptied, and shared events deleted", "all shared events with cases and decisions")
	name := regexp.MustCompile(`name="name" value="([^"]+)"`).FindStringSubmatch(result)
	if name == nil {
		t.Fatalf("no backup is offered: %s", result)
	}
	viewstest.WantPage(t, b.Post("/logs/delete/back", url.Values{"name": {"../segraph.db"}}), 404, "There is no snapshot with this name")
	w := b.Post("/logs/delete/back", url.Values{"name": {name[1]}})
	viewstest.WantPage(t, w, 200, "The backup is imported")
	viewstest.Want(t, w.Body.String(), "3 imported, 0 were here already", "Imported.", `id="cases">2<`)
	viewstest.Want(t, b.Get("/shared-context?case="+cases[1]).Body.String(), "2 of 2")
	viewstest.WantPage(t, b.Post("/logs/delete/back", url.Values{"name": {name[1]}}), 200, "Everything is here already")
	page, err := s.Store.Logs(t.Context(), journal.Filter{Limit: 1, Look: 10}, nil)
	if err != nil || page.Entries[0].Action != journal.Import || page.Entries[0].Actor != "ari" || page.Entries[0].Detail != "from "+name[1] {
		t.Errorf("the journal ends with %+v, %v", page.Entries, err)
	}
}

// A backup whose file was changed since it was made is not imported.
func TestAChangedBackupIsNotImported(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish("<http://e/a> <http://e/b> 1 .")
	b := s.SignedIn("admin")
	b.Post("/logs/delete", url.Values{"confirm": {"DELETE"}})
	page := b.Get("/logs/delete").Body.String()
	name := regexp.MustCompile(`name="name" value="([^"]+)"`).FindStringSubmatch(page)
	if name == nil {
		t.Fatalf("no backup is offered: %s", page)
	}
	file, err := os.OpenFile(filepath.Join(s.Snapshots, name[1]), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Write([]byte{0})
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	viewstest.WantPage(t, b.Post("/logs/delete/back", url.Values{"name": {name[1]}}), 409, "its SHA-256 differs")
	if got := b.Graph(); got != "" {
		t.Errorf("imported is %s", got)
	}
}

// Contexts are deleted only if the box is ticked.
func TestContextsStayWhereTheBoxIsNotTicked(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish("<http://e/a> <http://e/b> 1, 2 .")
	s.AddCases(2)
	b := s.SignedIn("admin")
	page := b.Get("/logs/delete").Body.String()
	viewstest.Want(t, page, "Also delete 4 shared events, 2 review cases", `name="contexts"`)
	if strings.Contains(page, "checked") {
		t.Error("the box is ticked from the start")
	}
	// The box stays ticked while the confirmation is missing.
	viewstest.Want(t, b.Post("/logs/delete", url.Values{"contexts": {"yes"}}).Body.String(), `value="yes" checked`, `id="contexts">4<`)
	result := b.Follow(b.Post("/logs/delete", url.Values{"confirm": {"DELETE"}}))
	viewstest.Want(t, result, "The graph was emptied<", "Delete them too…")
	if strings.Contains(result, `id="confirm"`) {
		t.Error("the form stands below its result")
	}
	viewstest.Want(t, b.Get("/logs/delete").Body.String(), `id="triples">0<`, `id="contexts">4<`, `id="cases">2<`)
	name := regexp.MustCompile(`name="name" value="([^"]+)"`).FindStringSubmatch(result)
	if name == nil {
		t.Fatalf("no backup is offered: %s", result)
	}
	w := b.Post("/logs/delete/back", url.Values{"name": {name[1]}})
	viewstest.Want(t, w.Body.String(), "2 imported", "Were here already", `id="triples">2<`, `id="contexts">4<`)
	b.Post("/logs/delete", url.Values{"confirm": {"DELETE"}, "contexts": {"yes"}})
	viewstest.WantPage(t, b.Get("/logs/delete"), 200, "Nothing to delete")
}
