package review

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// hear resolves an observation.
func (s *fixture) hear(o resolver.Observation) *resolver.Resolution {
	s.T.Helper()
	x, err := s.Contexts.Resolve(s.T.Context(), o, "tester")
	if err != nil {
		s.T.Fatal(err)
	}
	return x
}

// utterance returns the observation of a sentence.
func utterance(at, subject, robot, text string) resolver.Observation {
	return resolver.Observation{EventKind: "human_utterance", ObservedAt: at, SubjectURI: subject, Modality: "speech", Text: text, RobotURI: robot}
}

func TestAnAdminDecidesAboutSubjects(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("admin")
	const user = "https://ex/human/user"
	if _, err := s.Contexts.DecideSubject(t.Context(), user, false, journal.Entry{Actor: "eva"}); err != nil {
		t.Fatal(err)
	}
	viewstest.Want(t, b.Get("/shared-context?view=quality").Body.String(), `title="`+user+`"`, ">placeholder</span>", "eva,", ">One person<")
	form := url.Values{"subject": {user}, "person": {"yes"}, "view": {"quality"}}
	viewstest.Want(t, b.Follow(b.Post("/shared-context/subject", form)), "Your decision about user counts", `<span class="badge good">one person</span>`)
	stats, err := s.Contexts.Stats(t.Context())
	if err != nil || len(stats.Placeholders) != 1 || stats.Placeholders[0].State != "overruled" || stats.Placeholders[0].DecidedBy != "ari" {
		t.Errorf("%+v, %v", stats.Placeholders, err)
	}
	form.Set("person", "maybe")
	viewstest.WantPage(t, b.Post("/shared-context/subject", form), 422, "must set person to yes or no")
	viewstest.WantPage(t, b.Post("/shared-context/subject", url.Values{"person": {"no"}}), 422, "subject_uri")
	viewstest.WantPage(t, s.SignedIn("auditor").Post("/shared-context/subject", form), 403, "admin")
}

// An admin decides that two names are one person's, first where the queue asks, then by a form, and takes it back.
func TestAnAdminDecidesAboutPeople(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("admin")
	first, second := "https://ex/ari/human/maria", "https://ex/tiago/human/maria"
	for i := range 60 { // five intervals later the first reports are compared
		at := time.Date(2026, 2, 11, 9, 0, 10*i, 0, time.UTC)
		words := fmt.Sprintf("sentence number %d of the whole day", i*7919)
		s.hear(utterance(at.Format(time.RFC3339Nano), first, "https://ex/robot/ari", words))
		s.hear(utterance(at.Add(200*time.Millisecond).Format(time.RFC3339Nano), second, "https://ex/robot/tiago", words))
	}
	viewstest.Want(t, b.Get("/shared-context").Body.String(), "the same person?", first, second, "Two robots reported the same words by them")
	const page = "/shared-context/people"
	both := "?" + url.Values{"first": {second}, "second": {first}}.Encode()
	viewstest.WantPage(t, b.Get(page), 200, ">Preview<")
	viewstest.Want(t, b.Get(page+both).Body.String(), "What follows", "0 cases to review", first, second)
	viewstest.WantPage(t, b.Get(page+"?first=urn:a&second=urn:a"), 422, "must differ")
	viewstest.WantPage(t, s.SignedIn("auditor").Get(page+both), 403, "admin")
	form := url.Values{"first": {second}, "second": {first}, "people": {"yes"}, "reason": {"one badge"}, "view": {"quality"}}
	viewstest.Want(t, b.Follow(b.Post("/shared-context/people", form)), "Your decision about these two names counts", `<span class="badge good">one person</span>`, "one badge")
	viewstest.Want(t, b.Get(page+both).Body.String(), "They are one person")
	if page := b.Get("/shared-context").Body.String(); strings.Contains(page, "the same person?") {
		t.Error("the queue still asks")
	}
	form.Set("people", "no")
	viewstest.Want(t, b.Follow(b.Post("/shared-context/people", form)), "Your decision about these two names counts", "two persons")
	form.Set("second", second)
	viewstest.WantPage(t, b.Post("/shared-context/people", form), 422, "must differ")
	viewstest.WantPage(t, s.SignedIn("auditor").Post("/shared-context/people", form), 403, "admin")
}

func TestReusedIDsAreCountedByRobot(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for i, words := range []string{"Good morning", "Where is the exit?", "Thank you"} {
		o := utterance("2026-02-11T09:12:1"+string(rune('0'+i))+".150Z", "https://ex/human/maria", "https://ex/robot/ari", words)
		o.ObservationURI = "https://ex/ari/1"
		s.hear(o)
	}
	viewstest.Want(t, s.SignedIn("admin").Get("/shared-context?view=quality").Body.String(),
		"Reused ids", `<td title="https://ex/robot/ari">ari</td><td class="num">2</td>`)
}

// aheadByFive lets Maria say different sentences to two robots. tiago stamps each 5 s
// later.
func (s *fixture) aheadByFive(from, n int) {
	s.T.Helper()
	at := time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC)
	for i := range n {
		i += from
		text := fmt.Sprintf("Sentence number %d is about %s", i, []string{"lamps", "rivers", "markets", "gardens", "windows"}[i%5])
		for j, robot := range []string{"ari", "tiago"} {
			when := at.Add(time.Duration(i)*time.Minute + time.Duration(j)*5*time.Second)
			s.hear(utterance(when.Format("2006-01-02T15:04:05.000Z"), visitorURI, "https://ex/robot/"+robot, text))
		}
	}
}

func TestAClockIsConfirmedDismissedAndRevoked(t *testing.T) {
	t.Parallel()
	const tiago = "https://ex/robot/tiago"
	clock := func(s *fixture) resolver.RobotClock {
		t.Helper()
		stats, err := s.Contexts.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range stats.Clock.Robots {
			if c.RobotURI == tiago {
				return c
			}
		}
		t.Fatal("there is no clock of tiago")
		return resolver.RobotClock{}
	}
	s := newService(t)
	s.aheadByFive(0, 20)
	b := s.SignedIn("admin")
	page := b.Get("/shared-context").Body.String()
	viewstest.Want(t, page, "1 question about", "tiago’s clock is 5.0 s ahead: ", " sentences agree.", `name="clock" value="yes"`, "Dismiss")
	form := url.Values{"robot": {tiago}, "clock": {"yes"}}
	page = b.Follow(b.Post("/shared-context/clock", form))
	viewstest.Want(t, page, "Your decision about tiago counts")
	viewstest.Want(t, b.Get("/shared-context?view=quality").Body.String(), "Revoke")
	if c := clock(s); c.By != "ari" || *c.Offset != 5000 || c.Claim != nil || strings.Contains(page, `id="questions"`) {
		t.Errorf("confirmed: %+v", c)
	}
	form.Set("clock", "revoke")
	viewstest.Want(t, b.Follow(b.Post("/shared-context/clock", form)), "Your decision about tiago counts")
	viewstest.WantPage(t, b.Post("/shared-context/clock", form), 409, "")
	form.Set("clock", "maybe")
	viewstest.WantPage(t, b.Post("/shared-context/clock", form), 422, "must set clock to yes or no")

	s = newService(t)
	s.aheadByFive(0, 20)
	b = s.SignedIn("admin")
	form.Set("clock", "no")
	page = b.Follow(b.Post("/shared-context/clock", form))
	if c := clock(s); c.By != "ari" || c.OffsetMS != 0 || strings.Contains(page, `id="questions"`) {
		t.Errorf("dismissed: %+v, %v", c, regexp.MustCompile(`<p>[^<]*agree.</p>`).FindAllString(page, -1))
	}
	s.aheadByFive(20, 15)
	if page = b.Get("/shared-context").Body.String(); strings.Contains(page, `id="questions"`) {
		t.Errorf("asked again: %v", regexp.MustCompile(`<p>[^<]*agree.</p>`).FindAllString(page, -1))
	}
}

func TestARelayIsAcceptedAndRejected(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("admin")
	const relay, ari = "https://ex/robot/relay", "https://ex/robot/ari"
	if _, err := s.Contexts.DecideRelay(t.Context(), relay, ari, false, journal.Entry{Actor: "eva"}); err != nil {
		t.Fatal(err)
	}
	viewstest.Want(t, b.Get("/shared-context?view=quality").Body.String(), "Relays", ">not a relay</span>", `title="`+relay+`"`)
	form := url.Values{"robot": {relay}, "of": {ari}, "relay": {"yes"}, "view": {"quality"}}
	viewstest.Want(t, b.Follow(b.Post("/shared-context/relay", form)), "Your decision about relay counts", ">relay</span>")
	form.Set("relay", "no")
	viewstest.Want(t, b.Follow(b.Post("/shared-context/relay", form)), "Your decision about relay counts", ">not a relay</span>")
	all := questions(nil, &resolver.Statistics{Relays: []resolver.Relay{{RobotURI: relay, Of: ari, State: "detected", Reports: 20, Repeats: 19}, {State: "accepted"}},
		Placeholders: []resolver.Placeholder{{SubjectURI: "https://ex/human/user", State: "detected", Conflicts: 3}, {State: "confirmed"}}})
	if len(all) != 2 || all[0].Sentence != "relay repeats ari: 19 of its 20 reports." ||
		all[1].Sentence != "user seems to be a placeholder: robots reported different texts by this subject 3 times." {
		t.Errorf("asked: %+v", all)
	}
}

// TestReviewsDistinguishRobotsOfOneName has two labs with the same local names: a
// robot ari, a person maria and a kind each. One maria is only in the graph; the cases
// name the other.
func TestReviewsDistinguishRobotsOfOneName(t *testing.T) {
	t.Parallel()
	s := openService(t)
	at := time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC)
	s.Publish(`<https://lab-b.example/maria> a <http://kb.openrobots.org#Human> .`)
	var first string
	for i, lab := range []string{"lab-a", "lab-b", "lab-b", "lab-a"} {
		iri := "https://" + lab + ".example/"
		o := resolver.Observation{EventKind: "https://" + []string{"kind-a", "kind-b"}[i/2] + ".example/speech", Modality: "speech", Text: "Could you show me climate news?",
			ObservedAt: at.Add(time.Duration(i/2)*time.Hour + time.Duration(i)*100*time.Millisecond).Format(time.RFC3339Nano), RobotURI: iri + "ari"}
		if i%2 == 0 {
			o.SubjectURI = "https://lab-a.example/maria"
		}
		x, err := s.Contexts.Resolve(t.Context(), o, "tester")
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = x.SharedContextURI
		}
	}
	b := s.NewVisitor()
	page := b.Get("/shared-context").Body.String()
	viewstest.Want(t, page, "<span>ari</span>", "ari (lab-b.example)", "maria (lab-a.example)")
	viewstest.Want(t, page, ">speech (1)", "speech (kind-b.example) (1)", "speech · no person<")
	viewstest.Want(t, b.Get(views.ContextAddress(first)).Body.String(), "<bdi>ari</bdi>", "maria (lab-a.example)")

	names, err := s.UI.NamesOf(t.Context(), "https://lab-a.example/ari", "https://lab-b.example/ari")
	if err != nil {
		t.Fatal(err)
	}
	stats := &resolver.Statistics{Relays: []resolver.Relay{{RobotURI: "https://lab-a.example/ari", Of: "https://lab-b.example/ari", State: "detected", Reports: 20, Repeats: 19}}}
	if got := questions(names, stats); len(got) != 1 || got[0].Sentence != "ari repeats “ari (lab-b.example)”: 19 of its 20 reports." {
		t.Errorf("asked: %+v", got)
	}
}
