package reports

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// observations returns four observations of two sensors, in a vocabulary that reports do not
// know.
func observations(class, at, by string) string {
	var text strings.Builder
	for i := range 4 {
		fmt.Fprintf(&text, "<urn:o%d> a <%s> ; <%s> \"2026-03-01T08:00:%02dZ\"^^<http://www.w3.org/2001/XMLSchema#dateTime> ; <%s> <urn:sensor%d> .\n", i, class, at, 10*i, by, i%2)
	}
	return text.String()
}

// TestAClassOfAnotherVocabularyCountsAsActivity counts a class, sees it in sessions, the
// replay and reports, and stops counting it.
func TestAClassOfAnotherVocabularyCountsAsActivity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ class, at, by string }{
		{"http://www.w3.org/ns/sosa/Observation", "http://www.w3.org/ns/sosa/resultTime", "http://www.w3.org/ns/sosa/madeBySensor"},
		{"urn:made-up#Deed", "urn:made-up#when", "urn:made-up#doer"},
	} {
		s := openService(t)
		s.Publish(observations(c.class, c.at, c.by))
		b := s.NewVisitor()
		activities := func() string {
			for _, f := range s.section("overview-totals").Card.Tiles {
				if strings.HasPrefix(f.What, "activit") {
					return f.Number
				}
			}
			return ""
		}
		viewstest.WantPage(t, b.Get("/reports"), http.StatusOK, "Reports find no activity in this graph")
		viewstest.WantPage(t, b.Get("/reports?section=classes"), http.StatusOK, "/classes?class=")
		viewstest.WantPage(t, b.Get("/classes?class="+url.QueryEscape(c.class)), http.StatusOK, `<option value="`+c.at+`" selected>`)
		viewstest.WantPage(t, b.Get("/classes?class="+url.QueryEscape(c.class)), http.StatusOK, `<option value="`+c.by+`" selected>`)
		form := url.Values{"class": {c.class}, "time": {c.at}, "robot": {c.by}, "do": {"count"}}
		if w := b.Post("/classes", form); w.Code != http.StatusSeeOther {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		viewstest.WantPage(t, b.Get("/classes"), http.StatusOK, "Stop counting")
		if page := b.Get("/reports").Body.String(); !strings.Contains(page, "sensor0, ") && !strings.Contains(page, "sensor0") || strings.Contains(page, "Reports find no activity") {
			t.Errorf("there is no session of the sensors:\n%s", page)
		}
		if n := activities(); n != "4" {
			t.Errorf("%s activities, want 4", n)
		}
		replay := b.Get("/replay?from=2026-03-01T08:00:00Z&to=2026-03-01T08:01:00Z").Body.String()
		for _, lane := range []string{"sensor0", "sensor1"} {
			if !strings.Contains(replay, `>`+views.Short("urn:"+lane)+`</b>`) {
				t.Errorf("%s has no lane", lane)
			}
		}
		if kinds := columnOf(t, tableOf(t, s.section("activity"), "by-kind"), 0, 1); kinds[c.class] != 4 {
			t.Errorf("by kind: %v", kinds)
		}
		form.Set("do", "stop")
		if w := b.Post("/classes", form); w.Code != http.StatusSeeOther || activities() != "0" {
			t.Errorf("%d, and %s activities", w.Code, activities())
		}
		viewstest.WantPage(t, b.Post("/classes", form), http.StatusNotFound, "do not count")
		viewstest.WantPage(t, b.Get("/reports"), http.StatusOK, "Reports find no activity")
	}
}

func TestAClassThatCannotCountIsRefused(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(`<urn:a> a <urn:NoTime> ; <urn:p> 1 .`)
	b := s.NewVisitor()
	viewstest.WantPage(t, b.Get("/classes?class=urn:NoTime"), http.StatusOK, "No property has a time")
	viewstest.WantPage(t, b.Get("/classes?class=none"), http.StatusUnprocessableEntity, "is not the IRI of a class")
	for want, form := range map[string]url.Values{
		"needs an IRI":             {"class": {"urn:NoTime"}, "time": {"> ; DROP"}},
		"at most 200":              {"class": {"urn:" + strings.Repeat("x", 300)}, "time": {"urn:t"}},
		"count this class already": {"class": {"http://www.gsi.upm.es/ontologies/segb/ns#LoggedActivity"}, "time": {"urn:t"}},
	} {
		if w := b.Post("/classes", form); w.Code < 400 || w.Code >= 500 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d, want %q: %s", w.Code, want, w.Body)
		}
	}
	viewstest.WantPage(t, openService(t).NewVisitor().Get("/classes"), http.StatusOK, "Nothing to choose")
}

func TestOnlyAdminsChooseClasses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish(observations("urn:Deed", "urn:at", "urn:by"))
	auditor := s.SignedIn("auditor")
	if w := auditor.Get("/reports?section=classes"); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "/classes?class") {
		t.Errorf("an auditor gets %d", w.Code)
	}
	viewstest.WantPage(t, auditor.Get("/classes"), http.StatusForbidden, "requires the role admin")
	if w := auditor.Post("/classes", url.Values{"class": {"urn:Deed"}, "time": {"urn:at"}}); w.Code != http.StatusForbidden {
		t.Errorf("an auditor counts a class: %d", w.Code)
	}
}

// section returns a section as the service computes it, with counted classes.
func (s *fixture) section(name string) ReportSection {
	s.T.Helper()
	w, _ := http.NewRequestWithContext(s.T.Context(), http.MethodGet, "/reports", nil)
	r, err := s.ui.newReport(w, &views.Visit{Now: time.Now()}, mostRows)
	if err != nil {
		s.T.Fatal(err)
	}
	out, err := r.Section(s.T.Context(), name)
	if err != nil {
		s.T.Fatal(err)
	}
	return out
}
