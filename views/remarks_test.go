package views_test

import (
	"net/url"
	"regexp"
	"testing"

	"github.com/segraph/segraph/views/viewstest"
)

// The most that a user may have is no end: who made a note removes it, and nobody else.
func TestANoteIsRemovedByItsAuthor(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ari, eve := s.SignedInAs("ari", "admin"), s.SignedInAs("eve", "admin")
	page := "/personal-data?iri=" + url.QueryEscape("http://e/maria")
	for _, text := range []string{"first", "second"} {
		if w := ari.Post("/case-file/note", url.Values{"about": {"http://e/maria"}, "text": {text}, "back": {page}}); w.Code != 303 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	remove := regexp.MustCompile(`name="remove" value="([^"]+)" aria-label="Remove first"`)
	found := remove.FindStringSubmatch(ari.Get(page).Body.String())
	if found == nil {
		t.Fatal("the page does not offer to remove the note")
	}
	if remove.MatchString(eve.Get(page).Body.String()) {
		t.Error("the page offers to remove somebody else's note")
	}
	form := url.Values{"remove": {found[1]}, "back": {page}}
	viewstest.WantPage(t, eve.Post("/case-file/note", form), 404, "no such note")
	if w := ari.Post("/case-file/note", form); w.Code != 303 || w.Header().Get("Location") != page+"#notes" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	viewstest.WantPage(t, ari.Post("/case-file/note", form), 404, "no such note")
	list, err := s.UI.RemarksOn("http://e/maria", page)
	if err != nil || len(list.List) != 1 || list.List[0].Text != "second" {
		t.Errorf("left are %+v, %v", list.List, err)
	}
}
