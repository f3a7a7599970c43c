package views_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/views/viewstest"
	"github.com/segraph/segraph/vocabulary"
)

func TestTheSearchFindsWhatTheVisitorMayOpen(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish(`@prefix ex: <http://e/> . @prefix oro: <http://kb.openrobots.org#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
		ex:r7 a oro:Robot ; rdfs:label "Tiago" . ex:m1 a oro:Human ; rdfs:label "Maria" . ex:kettle rdfs:label "Kettle" .
		ex:m2 a oro:Human ; rdfs:label "Anna Maria" . ex:m3 a oro:Human ; rdfs:label "Mariana" .`)
	s.Publish(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix ex: <http://e/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix segb: <` + vocabulary.Segb + `> .
		ex:act a segb:LoggedActivity ; <http://www.w3.org/2000/01/rdf-schema#label> "boils water" ; segb:wasPerformedBy ex:r7 ; prov:startedAtTime "2026-05-31T10:30:00Z"^^xsd:dateTime .`)
	auditor := s.SignedIn("auditor")
	if w := auditor.Post("/query/save", url.Values{"name": {"What Maria said"}, "query": {"ASK {}"}}); w.Code != 303 {
		t.Fatal(w.Body)
	}
	page, err := s.Service.Logs(t.Context(), journal.Filter{Limit: 1}, nil)
	if err != nil || len(page.Entries) != 1 {
		t.Fatal(page, err)
	}
	id := page.Entries[0].LogID
	find := func(b *viewstest.Visitor, text string) string {
		b.Header.Set("HX-Request", "true")
		defer b.Header.Del("HX-Request")
		return b.Get("/search?q=" + url.QueryEscape(text)).Body.String()
	}
	for text, want := range map[string]string{
		"GRAPH": `href="/kg-graph"`, "tia": `href="/why?iri=http://e/r7"`, "maria": `href="/query?of=ari&amp;saved=What+Maria+said"`,
		"kettle": `href="/kg-graph?node=http%3A%2F%2Fe%2Fkettle"`, id: `href="/log?id=` + id + `"`, "2026-05-31 10:30": `href="/replay?at=2026-05-31T10%3A30%3A00Z"`,
		"2026-05-31": `href="/replay?from=2026-05-31T10:30:00Z`, "tiago": "Session of 31 May 2026, 10:30 UTC",
		"tiago 2026-05-31": "Session of 31 May 2026, 10:30 UTC", "31 may tiago": "Session of 31 May 2026, 10:30 UTC", id[:8]: `href="/log?id=` + id + `"`, strings.ToUpper(id[:13]): `href="/log?id=` + id + `"`,
		"nothing like it": `href="/search?q=nothing+like+it"`,
	} {
		if got := find(auditor, text); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
	if err := viewstest.InOrder(find(auditor, "maria"), "<bdi>Maria</bdi>", "<bdi>Mariana</bdi>", "<bdi>Anna Maria</bdi>"); err != nil {
		t.Error(err)
	}
	for text, kind := range map[string]string{"maria": "human", "tiago": "robot"} {
		if err := viewstest.InOrder(find(auditor, text), "Robots and people", ">"+kind+"</bdi>"); err != nil {
			t.Error(err)
		}
	}
	if err := viewstest.InOrder(find(auditor, "boils"), `href="/kg-graph?node=http%3A%2F%2Fe%2Fact"`, "<bdi>boils water</bdi>", "31 May 2026, 10:30:00 UTC, activity"); err != nil {
		t.Error(err)
	}
	if got := find(auditor, "tiago 2026-06-01"); strings.Contains(got, "Session of") {
		t.Errorf("a session of another day is found: %s", got)
	}
	for _, b := range []*viewstest.Visitor{s.NewVisitor(), s.SignedIn("logger")} {
		for _, text := range []string{"maria", "tia", id, "insert"} {
			if got := find(b, text); strings.Contains(got, "href") {
				t.Errorf("a visitor without the role finds %s: %s", text, got)
			}
		}
	}
	if got := find(auditor, "delete"); strings.Contains(got, "/logs/delete") {
		t.Errorf("an auditor finds the page of an admin: %s", got)
	}
	viewstest.WantPage(t, auditor.Get("/search?q="+strings.Repeat("é", 300)), 200, "Nobody said this")
}

// TestSearchesIgnoreCaseAccentsAndForms searches, in all places, for each way to write each
// of some names.
func TestSearchesIgnoreCaseAccentsAndForms(t *testing.T) {
	t.Parallel()
	s := openService(t)
	names := [][]string{{"Ra\u00fal Peña", "Rau\u0301l Pen\u0303a", "raul pena", "RAUL PEÑA"}, {"María Gómez", "maria gomez"}, {"한국어 로봇", norm.NFD.String("한국어 로봇")}, {"Ελλάδα", "ΕΛΛΑΔΑ", "ελλαδα"}, {"ﬁnal step", "FINAL STEP"}}
	var text strings.Builder
	text.WriteString("@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix oro: <http://kb.openrobots.org#> .\n")
	for i, forms := range names {
		for j, form := range forms {
			fmt.Fprintf(&text, "<http://e/thing%d-%d> rdfs:label \"the %s\" . <http://e/robot%[1]d-%[2]d> a oro:Robot ; rdfs:label \"%[3]s\"@es .\n", i, j, form)
			s.Log.Logger("segraph.test").Info("saw " + form)
		}
	}
	s.Publish(text.String())
	b := s.NewVisitor()
	for i, forms := range names {
		for _, form := range forms {
			for path, things := range map[string]string{"/search?full=1&q=": "robot", "/kg-graph?q=": "thing", "/why?iri=": "thing"} {
				page := b.Get(path + url.QueryEscape(form)).Body.String()
				for j := range forms {
					if iri := fmt.Sprintf("%s%d-%d", things, i, j); !strings.Contains(page, iri) {
						t.Errorf("%s%s does not find %s", path, form, iri)
					}
				}
			}
			if n := strings.Count(b.Get("/system/logs/new?contains="+url.QueryEscape(form)).Body.String(), "saw "); n < len(forms) {
				t.Errorf("%d lines of the log contain %s, want %d", n, form, len(forms))
			}
		}
	}
}

// TestSearchesSayHowManyTheyFind has more things than a search lists.
func TestSearchesSayHowManyTheyFind(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	text.WriteString("@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix oro: <http://kb.openrobots.org#> .\n")
	for i := range 40 {
		fmt.Fprintf(&text, "<http://e/t%d> rdfs:label \"a kettle %d\" . <http://e/r%[1]d> a oro:Robot ; rdfs:label \"Pepper %[1]d\" .\n", i, i)
	}
	for i := range 12 {
		fmt.Fprintf(&text, "<http://e/c%d> rdfs:label \"Cup %d\" .\n", i, i)
	}
	s.Publish(text.String())
	b := s.NewVisitor()
	viewstest.Want(t, b.Get("/search?full=1&q=kettle").Body.String(), "(8 of more than 30)")
	viewstest.Want(t, b.Get("/search?full=1&q=pepper").Body.String(), "(8 of 40)")
	viewstest.Want(t, b.Get("/search?full=1&q=cup").Body.String(), "(8 of 12)")
	viewstest.Want(t, b.Get("/kg-graph?q=kettle").Body.String(), "More than 30 things found")
	viewstest.Want(t, b.Get("/kg-graph?q=cup").Body.String(), "12 things found")
	viewstest.Want(t, b.Get("/why?iri=kettle").Body.String(), "More than 30 things found")
}
