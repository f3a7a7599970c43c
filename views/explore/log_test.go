package explore

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheLogPageTellsWhatTheLogSays(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix schema: <http://schema.org/> . @prefix oro: <http://kb.openrobots.org#> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix ex: <http://e/> .
		ex:ari a oro:Robot ; schema:name "ARI" . ex:maria a oro:Human ; <http://xmlns.com/foaf/0.1/firstName> "Maria" .
		ex:hears a segb:LoggedActivity, oro:ListeningEvent ; segb:wasPerformedBy ex:ari ; prov:startedAtTime "2026-02-11T09:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
		ex:m a schema:Message ; schema:text "Hello"@en ; schema:sender ex:maria ; prov:wasGeneratedBy ex:hears .`)
	viewstest.WantPage(t, s.NewVisitor().Get("/log?id="+s.LastLog()), 200, `ARI heard Maria say <bdi class="said">“Hello”</bdi>`)
}

func TestTheLogPageSaysEveryFact(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix schema: <http://schema.org/> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix ex: <http://e/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
		ex:pose ex:x 0.0 ; ex:y 0.0 ; ex:on true ; ex:charging true .
		ex:moment prov:startedAtTime "2026-02-11T09:00:00Z"^^xsd:dateTime ; prov:endedAtTime "2026-02-11T09:00:00Z"^^xsd:dateTime .
		ex:m schema:sender ex:maria ; schema:recipient ex:maria .
		ex:odd ex:says "" .
		ex:hears segb:wasPerformedBy ex:TIAGo ; prov:wasAssociatedWith ex:TIAGo .`)
	page := s.NewVisitor().Get("/log?id=" + s.LastLog()).Body.String()
	_, page, _ = strings.Cut(page, `<div class="things">`)
	page, _, _ = strings.Cut(page, "</section>")
	for _, name := range []string{"x", "y", "on", "charging", "started at time", "ended at time", "sender", "recipient", "says", "was performed by"} {
		if !strings.Contains(page, ">"+name+"</dt>") {
			t.Errorf("the page lacks %q: %s", name, page)
		}
	}
	if strings.Contains(page, "associated") || !strings.Contains(page, ">TIAGo<") {
		t.Errorf("the performer: %s", page)
	}
}

// TestTheLogPageSaysWhatItLeavesOut has a log of more triples than are read, and with more people than are named.
func TestTheLogPageSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	for i := range views.MaxNames + 2 {
		fmt.Fprintf(&text, "<http://a/%d> a <http://kb.openrobots.org#Human> ; <http://schema.org/name> \"Person %d\" .\n", i, i)
	}
	for i := range views.LogRead {
		fmt.Fprintf(&text, "<http://b/%d> <http://e/p> 1 .\n", i)
	}
	s.Publish(text.String())
	b := s.NewVisitor()
	page := viewstest.WordsOf(b.Get("/log?id=" + s.LastLog()).Body.String())
	viewstest.Want(t, page, "here are those of its first 2,000 triples", "and 2 more")
	viewstest.Want(t, viewstest.WordsOf(b.Get("/logs").Body.String()), "and 2 more")
	for want, m := range map[string]Log{"They went when somebody was erased.": {Action: "insert", Kept: true, Triples: 2}, "too large to be forwarded": {Action: "insert", Kept: true, Box: true}, "The log was withdrawn": {Action: "insert", Triples: 2}} {
		viewstest.Show(t, LogPage(viewstest.Frame("Log", "/log"), m)).Holds(want)
	}
}

func TestTheLogPageShowsWhoSentALogAndLinksToWhatItSays(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish(`@prefix ex: <http://e/> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix oro: <http://kb.openrobots.org#> .
		ex:ari a oro:Robot ; <http://schema.org/name> "ARI <3" .
		ex:b prov:startedAtTime "2026-02-11T09:00:05.150Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
		ex:a prov:startedAtTime "2026-02-11T10:00:00.250+01:00"^^<http://www.w3.org/2001/XMLSchema#dateTime> ; ex:by ex:ari .`)
	id := s.LastLog()
	w := s.SignedIn("auditor").Get("/log?id=" + id)
	for _, part := range []string{id, `<bdi class="said">ari</bdi>`, "5: 5 new, 0 already stored", "ARI &lt;3", "/replay?at=2026-02-11T09%3A00%3A00.25Z", "/kg-graph?", "/query?query=CONSTRUCT", "a oro:Robot", "<dt>Published</dt>", "11 Feb 2026, 09:00:00 to 09:00:05 UTC", "/log/text.ttl?id=" + id} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("the page lacks %q: %s", part, w.Body)
		}
	}
	for _, part := range []string{"/system/logs?request=", "withdraw="} {
		if strings.Contains(w.Body.String(), part) {
			t.Errorf("an auditor is offered %q", part)
		}
	}
	admin := s.SignedIn("admin")
	w = admin.Get("/log?id=" + id)
	for _, part := range []string{"/system/logs?request=", "/logs/insert?withdraw=" + id} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("an admin is not offered %q: %s", part, w.Body)
		}
	}
	text := admin.Get("/log/text.ttl?id=" + id)
	if text.Code != 200 || strings.Count(text.Body.String(), "startedAtTime") != 2 || !strings.Contains(text.Header().Get("Content-Disposition"), "log-"+id+".ttl") {
		t.Errorf("its text: %d %v %s", text.Code, text.Header(), text.Body)
	}
	if w := admin.Do("HEAD", "/log/text.ttl?id="+id, "", nil); w.Code != 200 || w.Body.Len() > 0 {
		t.Errorf("HEAD: %d %s", w.Code, w.Body)
	}

	viewstest.WantPage(t, admin.Post("/logs/insert", url.Values{"action": {"withdraw"}, "log": {id}}), 200, "The log is withdrawn")
	viewstest.WantPage(t, admin.Get("/log?id="+id), 200, "Its triples are no longer known")
	viewstest.WantPage(t, admin.Get("/log?id="+s.LastLog()), 200, "/log?id="+id) // the entry of the withdrawal
	viewstest.WantPage(t, admin.Get("/log?id=nobody"), 404, "no log with this id")
	viewstest.WantPage(t, admin.Get("/log/text.ttl?id="+id), 404, "deleted")
}

// TestALongLogIsCut publishes a log that is larger than the page may be.
func TestALongLogIsCut(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "<http://e/a> <http://e/b> \"%d %s\" .\n", i, strings.Repeat("x", 500))
	}
	s.Publish(text.String())
	w := s.NewVisitor().Get("/log?id=" + s.LastLog())
	things, rest, _ := strings.Cut(w.Body.String(), `aria-labelledby="text-title"`)
	if note := "And 2,900 more triples"; w.Body.Len() > 40<<10 || !strings.Contains(things, note) || !strings.Contains(rest, note) {
		t.Errorf("%d bytes: %s", w.Body.Len(), w.Body)
	}
}
