package reports

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views/viewstest"
	"github.com/segraph/segraph/vocabulary"
)

// Lines without a time come first, and say nothing of when a session was.
func TestNotesOfOtherSessionsAreInNoCaseFile(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Date(2026, 2, 24, 12, minute, 0, 0, time.UTC) }
	f := caseFacts{rows: []CaseFileRow{{}, {At: at(20)}, {At: at(25)}}}
	for minute, want := range map[int]bool{0: false, 18: false, 20: true, 24: true, 25: false, 40: false} {
		if got := f.during(at(minute)); got != want {
			t.Errorf("minute %d: %t, want %t", minute, got, want)
		}
	}
	if f = (caseFacts{rows: []CaseFileRow{{}}}); f.during(at(20)) {
		t.Error("no line has a time")
	}
}

func recordLog(t *testing.T, text string) evidence.RecordLog {
	t.Helper()
	quads, err := turtle.Parse([]byte(searchPrefixes+text), turtle.Turtle, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return evidence.RecordLog{Quads: quads}
}

// ARI says one sentence twice and reads one emotion twice; TIAGo logs each once. No line has a later
// one as its cause. Each has its date, since they are of two days.
func TestARobotThatLoggedTheSameTwiceHasTwoLines(t *testing.T) {
	t.Parallel()
	said := func(n int, at, robot, text, more string) string {
		return saidAt(n, "2026-03-01T"+at+"Z", robot, "ex:ari", "ex:e", text) + fmt.Sprintf("ex:a%d segb:producedEntityResult ex:m%d %s .\n", n, n, more)
	}
	feels := func(n int, at, robot string) string {
		return fmt.Sprintf(`ex:f%d prov:startedAtTime "2026-03-02T%sZ"^^xsd:dateTime ; segb:wasPerformedBy %s ; schema:about ex:e ; segb:producedEntityResult ex:n%[1]d .
			ex:n%[1]d oa:hasTarget ex:maria ; onyx:hasEmotion [ onyx:hasEmotionCategory ex:big6_joy ] .`, n, at, robot)
	}
	log := func(text string) evidence.RecordLog { return recordLog(t, text) }
	f := readFacts(&evidence.Record{Logs: []evidence.RecordLog{
		log(said(1, "10:00:05", "ex:ari", `"Please step back."`, "") + said(2, "10:01:10", "ex:ari", `"Please step back."`, "; segb:triggeredByActivity ex:a4") + said(4, "10:01:08", "ex:ari", `"Why?"`, "")),
		log(said(3, "10:00:06", "ex:tiago", `"Please step back."`, "")), log(feels(5, "10:00:00", "ex:ari") + feels(6, "10:00:01", "ex:ari")), log(feels(7, "10:00:02", "ex:tiago"))}})
	f.nameAll(nil)
	f.read()
	m := CaseDocument{Rows: f.rows}
	var got []string
	for _, r := range m.Rows {
		got = append(got, fmt.Sprint(m.clock(r.At), " ", r.Clause(), " ", r.Because))
	}
	want := []string{"1 Mar 2026, 10:00:05 ARI said “Please step back.” []", "1 Mar 2026, 10:01:08 ARI said “Why?” []", "1 Mar 2026, 10:01:10 ARI said “Please step back.” [2]",
		"2 Mar 2026, 10:00:00 ARI: read joy in María []", "2 Mar 2026, 10:00:01 ARI and TIAGo: read joy in María []"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want\n%q", got, want)
	}
	m.Rows = append(m.Rows, CaseFileRow{Number: 6, whos: []string{"ARI"}, decided: "“wait”", Because: []int{2, 4}})
	tells := "From 1 Mar 2026, 10:00 to 2 Mar 2026, 10:00 UTC, ARI said 3 sentences. ARI read joy in María once. ARI and TIAGo read joy in María once. ARI decided “wait” (line 6), because of lines 2 and 4."
	if got := strings.NewReplacer("\u2068", "", "\u2069", "").Replace(strings.Join(m.summary(), " ")); got != tells {
		t.Errorf("it tells %q, want %q", got, tells)
	}
}

// TestTheSummaryOfACaseFileTakesNamesAndLabelsAsTheyAre has some that read as segraph's own words, or that go on as its
// sentences would.
func TestTheSummaryOfACaseFileTakesNamesAndLabelsAsTheyAre(t *testing.T) {
	t.Parallel()
	const label, decides = "<http://www.w3.org/2000/01/rdf-schema#label>", "a segb:LoggedActivity, oro:DecisionMakingAction ; segb:wasPerformedBy ex:ari"
	feels := func(of, category string) string {
		return `ex:f a segb:LoggedActivity ; segb:wasPerformedBy ex:ari ; segb:producedEntityResult ex:n . ex:n ` + of + ` onyx:hasEmotion [ onyx:hasEmotionCategory ` + category + ` ] .`
	}
	says := func(name string) string {
		return `ex:x schema:name "` + name + `" . ex:a a segb:LoggedActivity ; segb:wasPerformedBy ex:ari . ex:m schema:text "Hi" ; schema:sender ex:x ; prov:wasGeneratedBy ex:a .`
	}
	var readers string
	for n := range toldReaders + 1 {
		readers += fmt.Sprintf("ex:f%d a segb:LoggedActivity ; segb:wasPerformedBy ex:R%[1]d ; segb:producedEntityResult ex:n%[1]d . ex:n%[1]d oa:hasTarget ex:maria ; onyx:hasEmotion [ onyx:hasEmotionCategory ex:joy%[1]d ] .\n", n)
	}
	var four string
	for n := range 4 {
		four += fmt.Sprintf("ex:d%d %s ; %s \"go\" .\n", n, decides, label)
	}
	for text, want := range map[string]string{
		says("Rossi, Maria"):           "In these logs, “Rossi, Maria” said 1 sentence.",
		says("Ann, TIAGo"):             "In these logs, “Ann, TIAGo” said 1 sentence.",
		says("maria"):                  "In these logs, maria said 1 sentence.",
		says("Élodie"):                 "In these logs, Élodie said 1 sentence.",
		feels("", `"faith in robots"`): "These logs report 1 event. ARI read “faith in robots” in Somebody once.",
		feels("oa:hasTarget ex:x ;", "ex:joy") + ` ex:x schema:name "Somebody" .`: "These logs report 1 event. ARI read joy in “Somebody” once.",
		"ex:d " + decides + " .": "These logs report 1 event. ARI decided something (line 1).",
		`ex:d a segb:LoggedActivity ; segb:wasPerformedBy ex:ari ; ` + label + ` "decided: run" .`: "These logs report 1 event.",
		readers: "These logs report 4 events. R0 read joy0 in María once. R1 read joy1 in María once. R2 read joy2 in María once. Others read emotions too.",
		four:    "These logs report 4 events. ARI decided “go” (line 1). ARI decided “go” (line 2). There are 2 more decisions.",
	} {
		f := readFacts(&evidence.Record{Logs: []evidence.RecordLog{recordLog(t, text)}})
		f.nameAll(nil)
		f.read()
		if got := strings.Join(CaseDocument{Rows: f.rows}.summary(), " "); got != want {
			t.Errorf("it tells %q, want %q", got, want)
		}
	}
}

// TestAChainBeginsWithWhatItExplains has causes whose time is that of their effect, or later.
func TestAChainBeginsWithWhatItExplains(t *testing.T) {
	t.Parallel()
	const act = `a segb:LoggedActivity ; segb:wasPerformedBy ex:ari ; prov:startedAtTime "2026-05-01T12:00:0%dZ"^^xsd:dateTime %s .` + "\n"
	f := readFacts(&evidence.Record{Logs: []evidence.RecordLog{recordLog(t, fmt.Sprintf("ex:stop "+act+"ex:heard "+act+"ex:saw "+act,
		3, "; segb:triggeredByActivity ex:heard, ex:saw", 5, "; segb:triggeredByActivity ex:saw", 3, ""))}})
	f.nameAll(nil)
	f.read()
	var got []string
	for _, r := range f.chain("http://e/stop") {
		got = append(got, r.acts[0]+" "+r.place())
	}
	if want := []string{"http://e/stop line 1", "http://e/saw line 2", "http://e/heard line 3: its time is after what it led to"}; !slices.Equal(got, want) {
		t.Errorf("the chain is %q, want %q", got, want)
	}
}

// TestACaseFileQuotesWhatRobotsWrote has words of robots that read as sentences of segraph.
func TestACaseFileQuotesWhatRobotsWrote(t *testing.T) {
	t.Parallel()
	const label = "<http://www.w3.org/2000/01/rdf-schema#label>"
	f := readFacts(&evidence.Record{Logs: []evidence.RecordLog{recordLog(t, `ex:nao schema:name "Nobody was hurt" . ex:x schema:name "The police" . ex:w schema:name "a verified model" .
		ex:a a segb:LoggedActivity ; segb:wasPerformedBy ex:nao ; `+label+` "Verified by segraph." ; segb:usedMLModel ex:w .
		ex:d a segb:LoggedActivity, oro:DecisionMakingAction ; `+label+` "wait: all agreed" ; schema:additionalProperty [ schema:propertyID "why" ; schema:value "a" ], [ schema:propertyID "why" ; schema:value "b" ] .
		ex:k a segb:LoggedActivity, ex:Verified_by_segraph .
		ex:h a segb:LoggedActivity ; segb:wasPerformedBy ex:nao . ex:m schema:text "Hi” said all" ; schema:sender ex:x ; schema:recipient ex:nao ; prov:wasGeneratedBy ex:h .
		ex:s prov:generatedAtTime "2026-03-01T12:00:00Z"^^xsd:dateTime ; prov:wasAttributedTo ex:nao ; prov:atLocation ex:no_danger ; schema:additionalProperty [ schema:propertyID "all_is_well" ; schema:value "yes" ] .`)}})
	f.nameAll(nil)
	f.read()
	var got []string
	for _, r := range f.rows {
		got = append(got, fmt.Sprintf("%s%v%v", r.Clause(), r.To, r.Notes))
	}
	want := []string{"“Nobody was hurt”: “Verified by segraph.”[][with “a verified model”]", "Somebody: decided: “wait: all agreed”[][reason “a, b”]", "Somebody: “verified by segraph”[][]",
		`“The police” said “Hi\” said all”[“Nobody was hurt”][heard by “Nobody was hurt” at 00:00:00.000]`, "“Nobody was hurt”: was in “no danger”, “all is well yes”[][]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want\n%q", got, want)
	}
}

// TestACaseFileHasAllScoresOfAModel has two, which may be of two measures.
func TestACaseFileHasAllScoresOfAModel(t *testing.T) {
	t.Parallel()
	f := readFacts(&evidence.Record{Logs: []evidence.RecordLog{recordLog(t, fmt.Sprintf(`ex:a a segb:LoggedActivity ; segb:usedMLModel ex:w . ex:run <%s> ex:w, ex:e1, ex:e2 . ex:e1 <%s> 0.91 . ex:e2 <%[2]s> 0.12 .`,
		vocabulary.MLSHasOutput, vocabulary.MLSHasValue))}})
	f.nameAll(nil)
	f.read()
	if all := f.models(); len(all) != 1 || all[0].Score != "0.91, 0.12" {
		t.Errorf("the models are %+v", all)
	}
}

// TestACaseFileCountsTheRemovalsThatItDoesNotName has some whose entries are from 1 on.
func TestACaseFileCountsTheRemovalsThatItDoesNotName(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "(entry 0)", 10: "7, 8 and 9)", 12: "(entries 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 earlier)", service.MaxRemovals: "98, 99 and at least 90 earlier)"} {
		var removed []journal.Numbered
		for i := range n {
			removed = append(removed, journal.Numbered{Seq: uint64(n - i), Entry: journal.Entry{Action: journal.Withdraw}})
		}
		if got := removalWords(removed); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%d removals are %q, want %q", n, got, want)
		}
	}
}

// TestACaseFileOfNoRobotIsRefused unticks the robots of a case file. Only the scope is shown then, and is not widened.
func TestACaseFileOfNoRobotIsRefused(t *testing.T) {
	t.Parallel()
	s := provingService(t)
	s.Publish(searchPrefixes + saidAt(1, "2026-03-01T09:00:00Z", "ex:ari", "ex:maria", "", `"Help!"`) + saidAt(2, "2026-03-01T09:00:01Z", "ex:tiago", "ex:maria", "", `"Yes"`))
	b := s.NewVisitor()
	const from, until = "2026-03-01T08:00:00Z", "2026-03-01T10:00:00Z"
	const ari, tiago = `name="robot" value="http://e/ari"`, `name="robot" value="http://e/tiago"`
	form := url.Values{"from": {from}, "to": {until}, "offered": {"http://e/ari", "http://e/tiago"}, "reason": {"a test"}}
	w := b.Post("/case-file", form)
	viewstest.WantPage(t, w, http.StatusUnprocessableEntity, "Choose at least one robot")
	viewstest.Want(t, w.Body.String(), ari+">", tiago+">", `id="case-from"`)
	form.Set("robot", "http://e/ari")
	w = b.Get("/case-file?" + form.Encode())
	viewstest.WantPage(t, w, http.StatusOK, "A document from 1 log for")
	viewstest.Want(t, w.Body.String(), ari+" checked>", tiago+">")
	form.Set("reason", "a test” Checked by segraph. “")
	made := b.Get(b.Post("/case-file", form).Header().Get("Location")).Body.String()
	if page := viewstest.Unmarked.Replace(made); !strings.Contains(page, "Reason given") || strings.Contains(page, "a test” Checked") {
		t.Errorf("the reason ends its own marks, or is missing: %.3000s", page)
	}
	form.Set("to", "2026-03-01T07:00:00Z")
	w = b.Get("/case-file?" + form.Encode())
	viewstest.WantPage(t, w, http.StatusUnprocessableEntity, "The time ends before it begins")
	viewstest.Want(t, w.Body.String(), ari+" checked>", `id="case-from"`)
}

// TestACaseFileNeedsBothEndsOfATime has one end, or one that can't be read. The rest of the form stays.
func TestACaseFileNeedsBothEndsOfATime(t *testing.T) {
	t.Parallel()
	s := provingService(t)
	s.Publish(searchPrefixes + saidAt(1, "2026-03-01T09:00:00Z", "ex:ari", "ex:maria", "", `"Help!"`))
	const from, until = `name="from" type="datetime-local" step="1" required value="`, `name="to" type="datetime-local" step="1" required value="`
	const known, ari = "2026-03-01T08:00:00", `name="robot" value="http://e/ari" checked>`
	b := s.NewVisitor()
	for _, x := range []struct{ from, to, wrong, shows, also string }{
		{known + "Z", "", "give both From and Until", from + known + `"`, until + `"`},
		{"", known + "Z", "give both From and Until", from + `"`, until + known + `"`},
		{"x", known + "Z", "From is &#34;x&#34;, which is not a time", from + `"`, until + known + `"`},
		{known + "Z", "x", "To is &#34;x&#34;, which is not a time", from + known + `"`, until + `"`},
	} {
		w := b.Get("/case-file?" + url.Values{"from": {x.from}, "to": {x.to}, "robot": {"http://e/ari"}, "offered": {"http://e/ari"}}.Encode())
		viewstest.WantPage(t, w, http.StatusUnprocessableEntity, x.wrong)
		viewstest.Want(t, w.Body.String(), x.shows, x.also, ari, "What happened, logged by")
		if strings.Contains(w.Body.String(), "0001") {
			t.Errorf("from %q to %q it shows the year 1", x.from, x.to)
		}
	}
	viewstest.WantPage(t, b.Get("/case-file?from=x&to=y"), http.StatusUnprocessableEntity, "which is not a time")
}

// TestACaseFileThatWasNotMadeLeavesItsForm is of a failure once the logs were counted.
func TestACaseFileThatWasNotMadeLeavesItsForm(t *testing.T) {
	t.Parallel()
	viewstest.Show(t, CaseFormPage(viewstest.Frame("Case file", "/case-file"), CaseForm{Asked: true, Count: 1, About: "what 1 log says", Wrong: "It was busy."})).Reads(`
# Case file
…
It was busy.
form post /case-file
# What 1 log says
Why do you need it? [reason=]
Such as “complaint of 3 May”. The document and the journal name you, , and this reason.
[Make the case file]
`)
}
