package review

import (
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/views/viewstest"
)

func TestOneDecidesCaseAfterCaseAndTakesItBack(t *testing.T) {
	t.Parallel()
	s := newService(t)
	cases := s.AddCases(3)
	b := s.SignedIn("admin")
	page := b.Get("/shared-context").Body.String()
	viewstest.Want(t, page, `id="counts" data-pending="3"`, "1 of 3", "one side names no person", " s apart, clocks corrected", `<span class="badge good">same</span>`, ">missing</span>",
		"Both must name the same person.")
	page = b.Decide(page, "accept")
	viewstest.Want(t, page, "Decided: same event", `data-pending="2"`, "Where is the restroom please", `value="`+cases[1]+`"`)
	page = b.Decide(page, "reject")
	viewstest.Want(t, page, "Decided: different", `data-pending="1"`, `value="`+cases[2]+`"`)
	page = b.Follow(b.Post("/shared-context/undo", url.Values{"id": {cases[1]}}))
	viewstest.Want(t, page, "Undone: the case is in the queue again", `data-pending="2"`, `<input type="hidden" name="case" value="`+cases[1]+`">`)
	page = b.Get("/shared-context?view=quality").Body.String()
	viewstest.Want(t, page, ">same event</span>", ">different</span>", "undone", ">ari<")
	viewstest.Want(t, b.Get("/shared-context?case="+cases[0]).Body.String(), `<span class="badge good">same event</span>`, "Decided", "by ari", "Undo this decision")
}

// TestALinkCannotClaimADecision opens addresses of notices that the service did not write, or wrote for another visitor.
func TestALinkCannotClaimADecision(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.AddCases(2)[0]
	b, other := s.SignedIn("admin"), s.SignedInAs("maria", "admin")
	said := func(b *viewstest.Visitor, address string) string {
		page := b.Get(address).Body.String()
		return regexp.MustCompile(`(?s)<div class="notice.*?</strong>`).FindString(page)
	}
	form := viewstest.Fields(b.Get("/shared-context").Body.String())
	form.Set("do", "accept")
	own := b.Post("/shared-context/decide", form).Header().Get("Location")
	if got := said(b, own); !strings.Contains(got, "Decided: same event") {
		t.Errorf("the own notice: %q", got)
	}
	b.Follow(b.Post("/shared-context/undo", url.Values{"id": {id}}))
	for _, address := range []string{
		"/shared-context?said=undone", "/shared-context?said=counts&about=https://ex/robot/ari", "/shared-context?said=apart&about=" + id,
		"/shared-context?said=done&about=" + id, own + "&x=1", strings.Replace(own, "said=done", "said=apart", 1),
	} {
		reader := b
		if strings.HasSuffix(address, "x=1") {
			reader = other
		}
		if got := said(reader, address); got != "" {
			t.Errorf("%s: %q", address, got)
		}
	}
}

// TestAVerdictIsOnWhatThePageShowed has a robot report a candidate again before the reader decides, and another admin decide anew.
func TestAVerdictIsOnWhatThePageShowed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.AddCases(1)[0]
	b, other := s.SignedIn("admin"), s.SignedInAs("maria", "admin")
	old := b.Get("/shared-context").Body.String()
	if _, err := s.Contexts.Resolve(t.Context(), resolver.Observation{EventKind: "human_utterance", ObservedAt: "2026-02-11T09:00:00.100Z", Modality: "speech",
		Text: "Could you show me climate news?", RobotURI: "https://ex/robot/nao", SubjectURI: "https://ex/human/maria"}, "tester"); err != nil {
		t.Fatal(err)
	}
	form := viewstest.Fields(old)
	form.Set("do", "accept")
	w := b.Post("/shared-context/decide", form)
	if w.Code != 409 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	viewstest.Want(t, w.Body.String(), "Not decided: the case has changed", "one of its candidates was joined with other observations", `data-pending="1"`, "1 more observation of this candidate")
	many := url.Values{"case": {id}, "as " + id: {different}, "seen " + id: {form.Get("seen")}}
	if w := b.Post("/shared-context/many", many); w.Code != 409 || !strings.Contains(w.Body.String(), "has changed since you saw it") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	page := b.Decide(b.Get("/shared-context").Body.String(), "accept")
	viewstest.Want(t, page, "Decided: same event")
	undo := regexp.MustCompile(`name="id" value="(\w+)"`).FindStringSubmatch(page)
	other.Follow(other.Post("/shared-context/undo", url.Values{"id": {id}}))
	other.Decide(other.Get("/shared-context").Body.String(), "reject")
	viewstest.WantPage(t, b.Post("/shared-context/undo", url.Values{"id": {undo[1]}}), 409, "was undone before")
	subject := url.Values{"subject": {"https://ex/human/maria"}, "person": {"yes"}, "seen": {"something else"}}
	viewstest.WantPage(t, b.Post("/shared-context/subject", subject), 409, "has changed since you saw it")
}

// TestThePageShowsWhatIsDecidedWith accepts a third report into the source of a case.
func TestThePageShowsWhatIsDecidedWith(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.AddCases(1)[0]
	x, err := s.Contexts.Resolve(t.Context(), resolver.Observation{EventKind: "human_utterance", ObservedAt: "2026-02-11T09:00:00.600Z", Modality: "speech",
		Text: "Could you show me climate news?", RobotURI: "https://ex/robot/nao"}, "tester")
	if err != nil || x.CaseID == nil {
		t.Fatal(x, err)
	}
	k, err := s.Contexts.Case(t.Context(), id)
	if err == nil {
		_, err = s.Contexts.Accept(t.Context(), *x.CaseID, k.Now, false, journal.Entry{Actor: "eva"})
	}
	if err != nil {
		t.Fatal(err)
	}
	viewstest.Want(t, s.SignedIn("admin").Get("/shared-context?case="+id).Body.String(), "1 more observation joined with this one")
}

func TestTheSecondDecisionNamesTheFirst(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.AddCases(2)
	first, second := s.SignedIn("admin"), s.SignedIn("admin")
	seen := second.Get("/shared-context").Body.String()
	first.Decide(seen, "accept")
	viewstest.Want(t, first.Get("/shared-context").Body.String(), "Your last decision")
	viewstest.Want(t, second.Decide(seen, "reject"), "Already decided by ari: same event", "Yours changed nothing", `data-pending="1"`)
	viewstest.Want(t, second.Decide(seen, "accept"), "Already decided by ari: same event")
}

func TestAnOldPageCannotAcceptARejectedCase(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.AddCases(1)
	b := s.SignedIn("admin")
	page := b.Get("/shared-context").Body.String()
	form := viewstest.Fields(page)
	b.Decide(page, "reject")
	rejected := b.Get("/shared-context?case=" + form.Get("case")).Body.String()
	if viewstest.Want(t, rejected, `<span class="badge bad">different</span>`, "Undo this decision"); strings.Contains(rejected, " checked") || !strings.Contains(page, " checked") {
		t.Error("the page of a rejected case marks a candidate")
	}
	form.Set("do", "accept")
	form.Set("override", form.Get("target"))
	viewstest.Want(t, b.Follow(b.Post("/shared-context/decide", form)), "Already decided by ari: different", "Yours changed nothing")
	form.Set("do", "both")
	viewstest.WantPage(t, b.Post("/shared-context/decide", form), 422, "neither accept nor reject")
}

func TestManyAreAcceptedAtOnceAfterAPreview(t *testing.T) {
	t.Parallel()
	s := newService(t)
	at := time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC)
	for i, robot := range []string{"ari", "tiago", "pepper", "nao"} {
		o := resolver.Observation{EventKind: "human_utterance", ObservedAt: at.Add(time.Duration(i) * 100 * time.Millisecond).Format(time.RFC3339),
			Modality: "speech", Text: "Could you show me climate news?", RobotURI: "https://ex/robot/" + robot}
		if i == 0 {
			o.SubjectURI = "https://ex/human/maria"
		}
		if _, err := s.Contexts.Resolve(t.Context(), o, "tester"); err != nil {
			t.Fatal(err)
		}
	}
	b := s.SignedIn("admin")
	list := b.Get("/shared-context").Body.String()
	link := regexp.MustCompile(`/shared-context\?group=[^"]+`).FindString(list)
	preview := b.Get(html.UnescapeString(link)).Body.String()
	form := url.Values{}
	for _, m := range regexp.MustCompile(`name="as (\w+)" value="(https:[^"]+)"`).FindAllStringSubmatch(preview, -1) {
		form.Add("case", m[1])
		form.Add("as "+m[1], html.UnescapeString(m[2]))
	}
	n := len(form["case"])
	if n != 3 || strings.Count(preview, `value="" checked`) != 3 {
		t.Fatalf("a group of %d, or a case is decided without a choice: %s", n, preview)
	}
	viewstest.Want(t, preview, "Needs review:", "100\u00a0% alike")
	viewstest.Want(t, b.Post("/shared-context/many", url.Values{"case": form["case"]}).Body.String(), "Nothing was decided")
	form.Add("case", "review_7")
	form.Add("as review_7", "https://ex/c")
	w := b.Post("/shared-context/many", form)
	viewstest.Want(t, w.Body.String(), "Same event: ", "review_7: ")
	stats, err := s.Contexts.Stats(t.Context())
	if err != nil || stats.PendingReviews != 0 || stats.AcceptedReviews == 0 || stats.ActiveContexts != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	viewstest.WantPage(t, b.Post("/shared-context/many", url.Values{}), 422, "Decide from 1 to")
}

// What was decided stays decided, so the page must say it although a later case failed.
func TestDecidingManyStopsAtAFailure(t *testing.T) {
	t.Parallel()
	failed := errors.New("the disk is full")
	done, err := decideMany([][2]string{{"a", "urn:c"}, {"b", different}, {"c", "urn:c"}, {"d", "urn:c"}}, func(id, _ string) (*resolver.Verdict, error) {
		if id == "c" {
			return nil, failed
		}
		return &resolver.Verdict{}, nil
	})
	if !errors.Is(err, failed) || done.Accepted != 1 || done.Rejected != 1 || done.Left != 2 {
		t.Errorf("%+v, %v", done, err)
	}
	viewstest.Show(t, reviewMany(done)).Holds("2 cases may be undecided")
}

func TestTheQueueIsFilteredAndOrdered(t *testing.T) {
	t.Parallel()
	s := newService(t)
	cases := s.AddCases(4)
	b := s.SignedIn("admin")
	viewstest.Want(t, b.Get("/shared-context?contains=%C2%BFR%C3%A9stro%CC%81om").Body.String(), "1 of 1", `name="case" value="`+cases[1]+`"`)
	viewstest.Want(t, b.Get("/shared-context?contains=RESTROOM").Body.String(), "1 of 1", `name="case" value="`+cases[1]+`"`)
	viewstest.Want(t, b.Get("/shared-context?reason=gap").Body.String(), "No case matches the filter")
	viewstest.Want(t, b.Get("/shared-context?order=new").Body.String(), `name="case" value="`+cases[3]+`"`, `name="back" value="order=new"`)
	viewstest.Want(t, b.Get("/shared-context?case="+cases[3]).Body.String(), "4 of 4", `data-next="/shared-context?case=`+cases[0])
	viewstest.WantPage(t, b.Get("/shared-context?case=review_7"), 404, "There is no review case")
}

// Of two rivals each is as likely as not, though one of them is right: a batch that accepts the first must not take the case. The
// queue shows 99 %, and has the case in one of any two halves.
func TestTheLowerBoundIsOfTheBestCandidate(t *testing.T) {
	t.Parallel()
	rivals := resolver.Waiting{Confidence: 0.99, Best: 0.5}
	for f, want := range map[queueFilter][2]bool{{least: "60"}: {false, true}, {least: "50"}: {true, true}, {most: "60"}: {false, false}, {most: "99"}: {true, true}, {}: {true, true}} {
		if got := [2]bool{f.certain(true)(rivals), f.matching()(rivals)}; got != want || f.certain(false)(rivals) != want[1] {
			t.Errorf("from %q to %q: a batch and the queue have it: %v, want %v", f.least, f.most, got, want)
		}
	}
	s := newService(t)
	id := s.AddCases(1)[0]
	k, err := s.Contexts.Case(t.Context(), id)
	all, failed := s.Contexts.Waiting(t.Context(), 10)
	if err := errors.Join(err, failed); err != nil || len(all) != 1 || all[0].Best != k.Offers[0].Score || all[0].Best == 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestAScriptGetsTheReviewQueueAlone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.AddCases(2)
	b := s.SignedIn("admin")
	b.Header.Set("HX-Request", "true")
	for path, begin := range map[string]string{"/shared-context": `<div class="stack" id="desk"`, "/shared-context/counts": `<div class="figures dense" id="counts"`} {
		if w := b.Get(path); w.Code != 200 || !strings.HasPrefix(w.Body.String(), begin) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestAQueueOfThousandsIsQuick(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	if testing.Short() || suite.Race {
		t.Skip("-short or with the race detector: it opens a thousand cases to measure")
	}
	s := openService(t)
	s.AddCases(1000)
	b := s.NewVisitor()
	b.AnswersWithin(50*time.Millisecond, "/shared-context?order=sure", 2, 5)
	viewstest.Want(t, b.Get("/shared-context?order=sure").Body.String(), "1 of 1,000")
}

// TestAGroupShowsTheTextOfTheCaseThatItOpens has a group in which every robot heard
// different words.
func TestAGroupShowsTheTextOfTheCaseThatItOpens(t *testing.T) {
	t.Parallel()
	s := newService(t)
	at := time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC)
	for i, text := range []string{"Could you show me climate news?", "Could you show me the Climate news?", "Could you show us climate news, please?", "Could you show me climate views?"} {
		o := resolver.Observation{EventKind: "human_utterance", ObservedAt: at.Add(time.Duration(i) * 100 * time.Millisecond).Format(time.RFC3339Nano),
			Modality: "speech", Text: text, RobotURI: fmt.Sprintf("https://ex/robot/%d", i)}
		if i == 0 {
			o.SubjectURI = "https://ex/human/maria"
		}
		if _, err := s.Contexts.Resolve(t.Context(), o, "tester"); err != nil {
			t.Fatal(err)
		}
	}
	b := s.SignedIn("admin")
	list := b.Get("/shared-context").Body.String()
	row := regexp.MustCompile(`<a href="(/shared-context\?group=[^"]+)"><span><bdi>([^<]*)</bdi>`).FindStringSubmatch(list)
	if row == nil {
		t.Fatalf("no group: %s", list)
	}
	opened := b.Get(html.UnescapeString(row[1])).Body.String()
	viewstest.Want(t, opened, "Different from all 3", "2 other candidates")
	heading := regexp.MustCompile(`<h2 id="group-title"><bdi>([^<]*)</bdi>`).FindStringSubmatch(opened)
	first := regexp.MustCompile(`<a class="nowrap" href="(/shared-context\?case=[^"]+)" target="_blank">All evidence<span class="visually-hidden"> of ([^<]*)</span>`).FindStringSubmatch(opened)
	if heading == nil || first == nil {
		t.Fatalf("no group is opened: %s", opened)
	}
	if row[2] != heading[1] || row[2] != first[2] || !strings.Contains(row[2], "Climate news") {
		t.Errorf("the list says %s, the group %s, its first case %s", row[2], heading[1], first[2])
	}
	viewstest.Want(t, b.Get(html.UnescapeString(first[1])).Body.String(), row[2])
}
