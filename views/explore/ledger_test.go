package explore

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestLogsAreListedSearchedPagedAndWithdrawn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var ids []string
	for i := range ledgerRows + 1 {
		s.Publish(fmt.Sprintf(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix schema: <http://schema.org/> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix oro: <http://kb.openrobots.org#> . @prefix ex: <http://e/> .
			ex:ari a oro:Robot ; schema:name "ARI" .
			ex:hears%d a segb:LoggedActivity, oro:ListeningEvent ; segb:wasPerformedBy ex:ari ; prov:startedAtTime "2026-02-11T09:00:%02dZ"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
			ex:m%d a schema:Message ; schema:text "Boat number %d is <red>" ; prov:wasGeneratedBy ex:hears%d .`, i, i, i, i, i))
		ids = append(ids, s.LastLog())
	}
	auditor, admin := s.SignedIn("auditor"), s.SignedIn("admin")
	page := auditor.Get("/logs").Body.String()
	viewstest.Want(t, page, "Boat number 12 is &lt;red&gt;", "09:00:12", ">sent\u00a0by\u00a0")
	if strings.Contains(page, ids[0]) || strings.Contains(page, "Withdraw…") {
		t.Error("the first page has the oldest log, or offers an auditor to withdraw one")
	}
	older := regexp.MustCompile(`href="(/logs\?before=\d+)" rel="next"`).FindStringSubmatch(page)
	viewstest.Want(t, auditor.Get(older[1]).Body.String(), "Boat number 0", ids[0])
	for q, want := range map[string]string{"NUMBER 7 is": ids[7], ids[3]: ids[3], ids[3][:30]: ids[3]} {
		found := auditor.Get("/logs?" + url.Values{"q": {q}}.Encode()).Body.String()
		if !strings.Contains(found, "/log?id="+want) {
			t.Errorf("%q does not find the log: %s", q, found)
		}
	}
	viewstest.Want(t, auditor.Get("/logs?q=ARI").Body.String(), ids[12], ids[1], `href="/logs?before=2&amp;q=ARI"`) // which all of them name
	viewstest.Want(t, auditor.Get("/logs?q=ari&before=2").Body.String(), ids[0], ">1 row")
	viewstest.Want(t, auditor.Get("/logs?q="+ids[0][:2]).Body.String(), "Logs are missing") // all ids begin so
	viewstest.WantPage(t, auditor.Get("/logs?q=nobody+said+this"), 200, "Nothing found")
	viewstest.WantPage(t, auditor.Get("/logs?by=eve"), 200, "Nothing found")
	viewstest.WantPage(t, auditor.Get("/logs?before=x"), 422, "not the number of an entry")

	viewstest.Want(t, admin.Get("/logs").Body.String(), "/logs/insert?withdraw="+ids[12])
	viewstest.WantPage(t, admin.Post("/logs/insert", url.Values{"action": {"withdraw"}, "log": {ids[12]}}), 200, "The log is withdrawn")
	viewstest.Want(t, admin.Get("/logs").Body.String(), "not in the graph")
	viewstest.Want(t, admin.Get("/logs?kind=withdrawn").Body.String(), ids[12], "withdrawn by ari")
	for q, found := range map[string]bool{ids[12]: true, ids[11]: false, "boat": false} {
		if page := auditor.Get("/logs?kind=withdrawn&q=" + q).Body.String(); strings.Contains(page, "/log?id="+ids[12]) != found || strings.Contains(page, "search for their ids") == found {
			t.Errorf("%q among withdrawn logs: %s", q, page)
		}
	}
	viewstest.Want(t, auditor.Get("/journal").Body.String(), "Withdrew the log: ", "Published: ", "/evidence?log=", ">14<")
	if page := auditor.Get("/journal?kind=withdraw").Body.String(); strings.Contains(page, "Published: ") || !strings.Contains(page, "Withdrew the log: ") {
		t.Errorf("the journal's withdrawals: %s", page)
	}
	const missing = "Logs are missing"
	if strings.Contains(auditor.Get("/logs?q=number").Body.String(), missing) {
		t.Error("a search that read all says that logs are missing")
	}
	var many strings.Builder
	for i := range ledgerText + 1 {
		fmt.Fprintf(&many, "<http://e/n%d> <http://schema.org/text> \"Duck %d\", \"a goose\" .\n", i, i)
	}
	s.Publish(many.String())
	for _, q := range []string{"duck", "goose"} { // many texts, and many triples of one
		viewstest.Want(t, auditor.Get("/logs?q="+q).Body.String(), missing)
	}
}

// TestAWordOfHexDigitsIsSearched has one that no log's id begins with.
func TestAWordOfHexDigitsIsSearched(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(`<http://e/m> <http://schema.org/text> "A cafe, please" .`)
	viewstest.Want(t, s.NewVisitor().Get("/logs?q=cafe").Body.String(), "/log?id="+s.LastLog())
}

// TestALogInPartsIsOneRow has three triples in two parts.
func TestALogInPartsIsOneRow(t *testing.T) {
	t.Parallel()
	s := openService(t)
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Actor: "ari"}
	for i, objects := range []string{"1, 2", "3"} {
		d := storetest.Document(t, turtle.Turtle, "<http://e/s> <http://e/p> "+objects+" .")
		e.Part, e.Triples = i+1, d.Distinct()
		if err := s.Store.Store.Update(t.Context(), func(tx *engine.Tx) error { return tx.AddPart(d, &e, e.LogID) }); err != nil {
			t.Fatal(err)
		}
	}
	b := s.NewVisitor()
	if page := b.Get("/logs").Body.String(); strings.Count(page, "/log?id="+e.LogID) != 1 || !strings.Contains(page, ">3</td>") {
		t.Errorf("the log is %d rows: %s", strings.Count(page, "/log?id="+e.LogID), page)
	}
	if page := b.Get("/connect/arrival").Body.String(); strings.Count(page, "/log?id="+e.LogID) != 1 || !strings.Contains(page, "3 triples") {
		t.Errorf("what arrived: %s", page)
	}
}

// TestALastDayOfTheJournalHidesNoObservations has an entry from when the clock was behind, which is no observation.
func TestALastDayOfTheJournalHidesNoObservations(t *testing.T) {
	t.Parallel()
	s := openService(t)
	for _, ago := range []time.Duration{0, 100 * time.Hour, 0} {
		if err := s.Store.Note(t.Context(), journal.Entry{LogID: journal.NewLogID(), Time: time.Now().Add(-ago), Action: journal.Remark, Actor: "ari"}); err != nil {
			t.Fatal(err)
		}
	}
	if page := s.NewVisitor().Get("/journal?last=day").Body.String(); strings.Count(page, "Wrote a note") != 2 || strings.Contains(page, "1 observation") {
		t.Errorf("the last day is %s", page)
	}
}

// A look at a person names them, and so does a legal hold.
func TestTheJournalSaysWhoWasLookedAt(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish(`<http://e/human_1> a <http://kb.openrobots.org#Human> ; <http://schema.org/name> "Maria <b>" .`)
	admin := auth.Actor{Username: "ari", Roles: []auth.Role{auth.Admin}}
	for range 3 {
		if _, err := s.UI.Service.Person(t.Context(), admin, "http://e/human_1", 0, 1, new(service.Kept)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.UI.Service.Hold(t.Context(), admin, holds.Hold{People: []string{"http://e/human_1"}, Reason: "case 7"}); err != nil {
		t.Fatal(err)
	}
	viewstest.Want(t, s.SignedIn("auditor").Get("/journal").Body.String(), "Looked at what is kept of <bdi class=\"said\">“Maria &lt;b&gt;”", "Began a legal hold, on <bdi class=\"said\">“Maria &lt;b&gt;”", "2 more times")
}

func TestTheJournalSaysWhichObservationsItLeavesOut(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish("<http://e/a> <http://e/b> 1 .")
	s.AddCases(2)
	s.Publish(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix schema: <http://schema.org/> . @prefix ex: <http://e/> . ex:ari a <http://kb.openrobots.org#Robot> ; schema:name "ARI" .
		ex:s prov:wasAttributedTo ex:ari ; prov:atLocation ex:north_hall ; schema:additionalProperty ex:p . ex:p schema:propertyID "battery_level" ; schema:value 77 .`)
	page := s.SignedIn("auditor").Get("/journal").Body.String()
	hidden := regexp.MustCompile(`(\d+) observations, entries (\d+) to (\d+) <a href="([^"]*)">`).FindStringSubmatch(page)
	if hidden == nil {
		t.Fatalf("the journal does not say what it leaves out: %s", page)
	}
	shown := s.SignedIn("auditor").Get(strings.ReplaceAll(hidden[4], "&amp;", "&")).Body.String()
	viewstest.Want(t, shown, "Reported an observation", ">"+hidden[2]+"<", ">"+hidden[3]+"<")
	viewstest.Want(t, page, "ARI was at <bdi class=\"said\">“north hall”</bdi>: <bdi class=\"said\">“battery level 77”")
}

// TestNamesStandForIRIsInTheJournal has entries with an IRI that has a name. In the words of people it stays.
func TestNamesStandForIRIsInTheJournal(t *testing.T) {
	t.Parallel()
	names := views.Names{"http://e/layla": "Layla", "http://e/x": "X: seen by Dr. Ng"}
	for _, c := range []struct {
		action       journal.Action
		detail, want string
	}{
		{journal.Subject, "is one person with http://e/layla: not http://e/layla2, http://e/x", "is one person with Layla: “not http://e/layla2, http://e/x”"},
		{journal.Subject, "is another person than http://e/x and http://e/y", "is another person than “X: seen by Dr. Ng” and “http://e/y”"},
		{journal.Subject, "is one person with maria: http://e/layla", "“is one person with maria: http://e/layla”"},
		{journal.Relay, "repeats the reports of http://e/layla", "repeats the reports of Layla"},
		{journal.Remark, "is one person with http://e/layla", "“is one person with http://e/layla”"},
	} {
		e := journal.Numbered{Entry: journal.Entry{Action: c.action, Detail: c.detail}}
		if got := entryRow(&e, names).Text; !strings.HasSuffix(got, ": "+c.want) {
			t.Errorf("of %q the journal says %q", c.detail, got)
		}
	}
}
