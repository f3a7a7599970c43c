package admin

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
	"github.com/segraph/segraph/vocabulary"
)

func wantAll(t *testing.T, w *httptest.ResponseRecorder, status int, parts ...string) {
	t.Helper()
	for _, part := range parts {
		viewstest.WantPage(t, w, status, part)
	}
}

// TestAPersonIsLookedUpAndHeld shows what is kept of a person, and puts them under a legal hold.
func TestAPersonIsLookedUpAndHeld(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish(`@prefix schema: <http://schema.org/> . @prefix oro: <` + vocabulary.Oro + `> . <urn:r:ari> a oro:Robot ; schema:name "ARI" . <urn:x:maria> a oro:Human ; schema:name "Maria <b>" . <urn:m:1> schema:sender <urn:x:maria> ; schema:text "Will it hang here?" .`)
	b := s.SignedIn("admin")
	const path = "/personal-data"
	wantAll(t, b.Get(path), 200, "kept for ever", `<td class="num" data-of="Sentences">1</td>`, `<option value="Maria &lt;b&gt;">`)
	if strings.Contains(b.Get(path).Body.String(), `<option value="ARI">`) {
		t.Error("a robot is offered as a person")
	}
	b.Header = http.Header{"Sec-Fetch-Site": {"same-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}} // back from a single sign-on
	wantAll(t, b.Get(path), 200, "kept for ever")
	wantAll(t, b.Get(path+"?iri=urn:x:maria"), 403, "open the address yourself") // the journal would get an entry
	b.Header = nil
	wantAll(t, b.Get(path+"?iri=marta"), 422, "No person among the names that could be read is called", `value="marta"`)
	wantAll(t, b.Get(path+"?iri=mari"), 200, `value="mari"`, `href="/personal-data?iri=urn%3Ax%3Amaria"`)
	wantAll(t, b.Get(path+"?iri=maria+%3Cb%3E"), 200, "Will it hang here?")
	wantAll(t, b.Post(path, url.Values{"do": {"hold"}, "what": {"urn:x:maria"}}), 422, "needs a reason")
	wantAll(t, b.Post(path, url.Values{"do": {"hold"}, "what": {"urn:x:maria"}, "reason": {"r"}, "until": {"x"}}), 422, "ends on a day")
	wantAll(t, b.Post(path, url.Values{"do": {"hold"}, "from": {"2026-01-02T00:00"}, "to": {"2026-01-01T00:00"}, "reason": {"r"}}), 422, "from is earlier")
	if w := b.Post(path, url.Values{"do": {"hold"}, "what": {"Maria <b>"}, "reason": {"case 7"}, "until": {"2999-01-01"}}); w.Code != 303 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	person := b.Get(path + "?iri=urn:x:maria")
	wantAll(t, person, 200, "Will it hang here?", "Maria &lt;b&gt;", "legal hold", "case 7", "Said 1", "Logs 1", "Who looked", "Without a time")
	if strings.Contains(person.Body.String(), "/personal-data/erase") {
		t.Error("a page offers to erase who is held")
	}
	wantAll(t, b.Get(path+"?iri=urn:x:maria&show=said"), 200, "Will it hang here?", "Why?")
	wantAll(t, b.Get(path+"/erase?iri=urn:x:maria"), 409, "case 7")
	wantAll(t, b.Get(path+"?iri=urn:x:maria&show=logs"), 200, "/log?id=")
	wantAll(t, b.Get(path+"?iri=urn:x:nobody"), 200, "Nothing that was said")
	held := b.Get(path).Body.String()
	_, id, _ := strings.Cut(held, `name="id" value="`)
	id, _, _ = strings.Cut(id, `"`)
	if w := b.Post(path, url.Values{"do": {"lift"}, "id": {id}}); w.Code != 303 {
		t.Errorf("lifting %q: %d %s", id, w.Code, w.Body)
	}
	if strings.Contains(b.Get(path).Body.String(), "case 7") {
		t.Error("the hold is still there")
	}
}

// The list of people counts each sentence and each emotion once, as a person's own page does.
func TestTheListCountsAsThePageOfAPerson(t *testing.T) {
	t.Parallel()
	s := newService(t)
	text := "@prefix schema: <http://schema.org/> . @prefix prov: <" + vocabulary.Prov + "> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix segb: <" + vocabulary.Segb +
		"> . @prefix oa: <" + vocabulary.OA + "> . @prefix onyx: <" + vocabulary.Onyx + "> .\n<urn:x:maria> a <" + vocabulary.OroHuman + "> ; schema:name \"Maria\" .\n"
	for i, when := range []string{"00", "01", "30"} { // two robots heard the first sentence, one of them another
		text += strings.NewReplacer("N", strconv.Itoa(i), "WHEN", when, "ROBOT", strconv.Itoa(i%2)).Replace(`<urn:m:N> schema:sender <urn:x:maria> ; schema:text "Hi" ; prov:wasGeneratedBy <urn:a:N> .
<urn:a:N> prov:startedAtTime "2026-01-01T12:00:WHENZ"^^xsd:dateTime ; segb:wasPerformedBy <urn:r:ROBOT> ; segb:producedEntityResult <urn:n:N> .
<urn:n:N> oa:hasTarget <urn:x:maria> ; onyx:hasEmotion <urn:e:N> . <urn:e:N> onyx:hasEmotionCategory <urn:joy> .
`)
	}
	s.Publish(text)
	b := s.SignedIn("admin")
	wantAll(t, b.Get("/personal-data"), 200, `<td class="num" data-of="Sentences">2</td>`, `<td class="num" data-of="Emotions">2</td>`, "1 Jan 2026, 12:00:30")
	wantAll(t, b.Get("/personal-data?iri=urn:x:maria"), 200, "Said 2", "Emotions 2", "Met 1 Jan 2026, 12:00: 2 sentences said, 2 emotions, in 1 log.")
}

// TestAPersonIsErased follows the pages from the preview to the receipt.
func TestAPersonIsErased(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish(`@prefix schema: <http://schema.org/> . <urn:x:maria> schema:name "Maria M" . <urn:m:1> schema:sender <urn:x:maria> ; schema:text "Will it hang here?" .
		<urn:m:2> schema:text "Hello, Maria M!" .`)
	b := s.SignedIn("admin")
	const path = "/personal-data/erase"
	wantAll(t, b.Get("/personal-data?iri=urn:x:maria"), 200, path+"?iri=urn%3Ax%3Amaria")
	wantAll(t, b.Get(path+"?iri=urn:x:maria"), 200, "Hello, Maria M!", "Will it hang here?", ": 3 triples", "Nothing has changed", "3 triples will go or change")
	wantAll(t, b.Get(path+"?iri=maria"), 422, "absolute IRI")
	ask := url.Values{"do": {"ask"}, "iri": {"urn:x:maria"}, "reason": {"Maria M asked"}, "how": {"pseudonymise"}}
	wantAll(t, b.Post(path, ask), 422, "must not name the person", `value="pseudonymise" checked`)
	ask.Set("reason", "a letter")
	for _, do := range []string{"cancel", "confirm"} {
		waits := b.Post(path, ask)
		_, id, _ := strings.Cut(waits.Header().Get("Location"), "id=")
		viewstest.Want(t, b.Follow(waits), "Erase now", "Cancel", "a letter", "under a random IRI")
		viewstest.Want(t, b.Follow(b.Post(path, url.Values{"do": {do}, "id": {id}})), map[string]string{"cancel": "Personal data", "confirm": "Download the receipt"}[do])
		if do == "confirm" {
			receipt := b.Post(path, url.Values{"do": {"receipt"}, "id": {id}})
			if h := receipt.Header().Get("Content-Disposition"); receipt.Code != 200 || !strings.HasPrefix(h, "attachment") || !strings.Contains(receipt.Body.String(), `"person":"urn:x:maria"`) {
				t.Errorf("the receipt: %d %s %s", receipt.Code, h, receipt.Body)
			}
			wantAll(t, b.Post(path, url.Values{"do": {"receipt"}, "id": {id}}), 409, "The receipt was taken")
		}
	}
	wantAll(t, b.Get("/personal-data"), 200, "done")
	wantAll(t, b.Get("/personal-data?iri=urn:x:maria"), 409, "was erased")
	wantAll(t, b.Post(path, url.Values{"id": {"none"}}), 422, "neither ask, confirm")
	wantAll(t, b.Post(path, url.Values{"do": {"confirm"}, "id": {"none"}}), 404, "No erasure with this id")
	if page := b.Get("/query?query=" + url.QueryEscape("SELECT * { ?s ?p ?o }")).Body.String(); strings.Contains(page, "urn:x:maria") || !strings.Contains(page, "urn:m:1") {
		t.Error("the graph still has her, or lost what others did")
	}
}

// Reports of one event by two robots are one line, and what somebody else says or later is not.
func TestATaleHasEachEventOnce(t *testing.T) {
	t.Parallel()
	m := PersonData{Names: views.Names{"urn:r1": "ARI"}, Person: &service.Person{
		Said: service.PersonFacts{Count: 4, Facts: []service.PersonFact{{Time: "2026-01-01T12:00:00Z", By: "urn:r1", Text: "Hi"}, {Time: "2026-01-01T12:00:02Z", By: "urn:r2", Text: "Hi"},
			{Time: "2026-01-01T12:00:09Z", By: "urn:r1", Text: "Hi"}, {Text: "Hi"}}},
		Received: service.PersonFacts{Count: 9, Facts: []service.PersonFact{{Time: "2026-01-01T12:00:01Z", By: "urn:r1", Text: "Hi"}, {Time: "2026-01-01T12:00:01Z", By: "urn:r2", Text: "Hi"}}},
		Emotions: service.PersonFacts{Count: 3, Facts: []service.PersonFact{{Time: "2026-01-02T12:00:00Z", By: "urn:r1", Text: "joy 0.5", Category: "http://e/joy"}, {Time: "2026-01-02T12:00:01Z", By: "urn:r2", Text: "joy high"},
			{Time: "2026-01-02T12:00:02Z", By: "urn:r1", Text: "joy 0.9"}}},
	}}
	var lines []string
	tale := m.tell(time.UTC)
	for _, day := range tale.met {
		for _, e := range day.events {
			lines = append(lines, strings.Join([]string{day.name, e.clock, e.show, e.text, e.reported()}, "|"))
		}
	}
	want := "Without a time||said|Hi|\n1 Jan 2026, 12:00|12:00:00|said|Hi|heard by ARI and r2\n1 Jan 2026, 12:00|12:00:01|received|Hi|\n1 Jan 2026, 12:00|12:00:01|received|Hi|\n" +
		"1 Jan 2026, 12:00|12:00:09|said|Hi|heard by ARI\n2 Jan 2026, 12:00|12:00:00|emotions|joy|read by ARI 50 % and r2 “high”\n2 Jan 2026, 12:00|12:00:02|emotions|joy|read by ARI"
	if e := tale.met[2].events[0]; e.kind != "http://e/joy" {
		t.Errorf("its colour is that of %q", e.kind)
	}
	if got := strings.Join(lines, "\n"); got != want || !tale.cut || tale.said["said"] != 3 {
		t.Errorf("got\n%s\nwant\n%s\n%v %v", got, want, tale.cut, tale.said)
	}
}

// The period is only that of facts which were read, so it is not told of a list that is cut.
func TestAnErasureTellsNoPeriodOfACutList(t *testing.T) {
	t.Parallel()
	known := service.Person{Said: service.PersonFacts{Count: 1, Facts: []service.PersonFact{{Time: "2026-01-01T12:00:00Z", Text: "Hi"}}}}
	m := EraseData{Name: "Maria", Preview: &service.ErasurePreview{Known: known}}
	m.Preview.Logs = 1
	if got := m.summary(t.Context()); !strings.Contains(got, "1 sentence said, in 1 log, 1 Jan 2026") {
		t.Errorf("of all: %s", got)
	}
	m.Preview.Known.Said.Count = 300
	if got := m.summary(t.Context()); got != "Known of Maria: 300 sentences said, in 1 log." {
		t.Errorf("of a part: %s", got)
	}
	m.Preview.Known = service.Person{}
	if got := m.summary(t.Context()); !strings.HasSuffix(got, "1 log names them.") {
		t.Errorf("of nothing: %s", got)
	}
	nobody := PersonData{Person: &service.Person{}}
	if got := nobody.heading(tale{}); got != "" {
		t.Errorf("the heading of nobody: %s", got)
	}
	if nobody.Person.Logs.Count = 1; nobody.heading(tale{}) != "Named in 1 log." {
		t.Errorf("the heading of a name: %s", nobody.heading(tale{}))
	}
	m.Preview.Losing.Count, m.Preview.Observations, m.Preview.Contexts = 2, 1, 1
	viewstest.Show(t, preview(m)).Holds(`
<li>2 mentions in messages and readings will lose the name and the text</li>
<li>1 observation will lose the name and the text</li>
<li>1 shared event will lose the name and the text</li>
`)
}
