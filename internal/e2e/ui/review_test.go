package ui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/segraph/segraph/auth"
)

// observe resolves an observation, as a robot does.
func (s *service) observe(members map[string]string) {
	s.t.Helper()
	body, err := json.Marshal(members)
	if err != nil {
		s.t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, s.api+"/shared-context/resolve", strings.NewReader(string(body)))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if s.auth.Enabled() {
		request.Header.Set("Authorization", "Bearer "+s.token(auth.Logger))
	}
	s.read(request)
}

// addCases creates n cases: a robot hears a sentence, and a little later another robot does
// not know who said it.
func (s *service) addCases(n int) {
	s.t.Helper()
	heard := []string{"Could you show me climate news?", "Where is the restroom, please?", "Translate this for the visitor", "What is the weather like in Lyon?"}
	unsure := []string{"could you show me the climate news", "where is the rest room please", "Translate this for the visitor", "what is the weather like in Leon"}
	at := time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC)
	for i := range n {
		begin := at.Add(time.Duration(i) * time.Minute)
		s.observe(map[string]string{"event_kind": "human_utterance", "observed_at": begin.Format("2006-01-02T15:04:05.000Z"), "modality": "speech",
			"text": heard[i%len(heard)], "robot_uri": "https://ex/robot/ari", "subject_uri": "https://ex/human/maria"})
		s.observe(map[string]string{"event_kind": "human_utterance", "observed_at": begin.Add(340 * time.Millisecond).Format("2006-01-02T15:04:05.000Z"), "modality": "speech",
			"text": unsure[i%len(unsure)], "robot_uri": "https://ex/robot/tiago"})
	}
}

func TestOneReviewsCaseAfterCase(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := newService(t)
		s.addCases(4)
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/shared-context")
		b.see("#counts", "4")
		b.see("#case", "one side names no person")
		b.see(".conditions .fails", "name the same person")
		b.click("button[value=accept]")
		b.see("#said", "Decided: same event")
		b.see("#counts .figure:first-child", "3")
		b.see(".bar .count", "3")
		b.see("#case-title", "rest room")
		b.click("button[value=reject]")
		b.see("#said", "Decided: different")
		b.see("#case-title", "Translate")
		b.click("[data-undo]")
		b.see("#said", "Undone")
		b.see("#case-title", "rest room")
		b.see("#counts .figure:first-child", "3")
		b.click("[data-skip]")
		b.see("#case-title", "Translate")
		b.goTo("/shared-context?view=quality")
		b.see("#history", "undone")
	})
}

func TestOneReviewsByKeysAlone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.addCases(4)
	b := open(t, s.ui, look{})
	b.signIn(s, "admin")
	b.goTo("/shared-context")
	for _, step := range []struct{ key, in, text string }{
		{"j", "#case-title", "rest room"}, {"k", "#case-title", "climate"}, {"s", "#case-title", "rest room"}, {"k", "#case-title", "climate"},
		{"a", "#said", "same event"}, {"r", "#said", "different"}, {"u", "#said", "Undone"}, {"1", "#case-title", "rest room"}, {"a", "#said", "same event"},
		{"?", "dialog[open]", "undo your last decision"},
	} {
		b.run(chromedp.KeyEvent(step.key))
		b.see(step.in, step.text)
		b.eventually("nothing is on its way", func() bool { return len(b.all("#desk[aria-busy]")) == 0 }, b.path)
	}
	if got := b.path(); !strings.HasPrefix(got, "/shared-context?") {
		t.Errorf("the address is %s", got)
	}
	b.see(".bar .count", "2")
}

func TestTwoReviewersRaceAndBothGetTheResult(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.addCases(2)
	first, second := open(t, s.ui, look{}), open(t, s.ui, look{})
	for _, b := range []*tab{first, second} {
		b.signIn(s, "admin")
		b.goTo("/shared-context")
		b.see("#counts .figure:first-child", "2")
	}
	first.click("button[value=accept]")
	first.see("#said", "same event")
	second.see("#counts .figure:first-child", "1") // updates by itself
	second.click("button[value=reject]")
	second.see("#said", "Already decided by ari: same event")
}

func TestTheReviewPageLooksRight(t *testing.T) {
	s := openService(t)
	s.addCases(4)
	for i, robot := range []string{"pepper", "nao"} { // more robots in one event, and more than one target
		s.observe(map[string]string{"event_kind": "human_utterance", "observed_at": fmt.Sprintf("2026-02-11T09:00:00.%d00Z", 5+i), "modality": "speech",
			"text": "could you show me climate news", "robot_uri": "https://ex/robot/" + robot})
	}
	s.decideFirst()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/shared-context")
		b.see("#case", "Same event")
		b.accessible()
		if shown := value[bool](b, `document.querySelector(".where").checkVisibility()`); shown != l.phone { // styles of the page may show it
			t.Errorf("the button of the pages is shown: %t", shown)
		}
		b.shot("shared-context", l)
		b.follow2(l, "ul.cases a")
		b.see("#group-title", "climate")
		b.accessible()
		b.shot("shared-context-group", l)
	})
}

// decideFirst accepts the first case, so that the page has something to show.
func (s *service) decideFirst() {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodGet, s.api+"/shared-context/review/pending?limit=1", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	var queue struct {
		Cases []struct {
			ID string `json:"case_id"`
		} `json:"pending_cases"`
	}
	if err := json.Unmarshal([]byte(s.read(request)), &queue); err != nil || len(queue.Cases) != 1 {
		s.t.Fatalf("%+v, %v", queue, err)
	}
	request, err = http.NewRequest(http.MethodPost, s.api+"/shared-context/review/"+queue.Cases[0].ID+"/accept", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.read(request)
}

func TestNoHostileWordRunsInAReview(t *testing.T) {
	t.Parallel()
	s := openService(t)
	for i, text := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "</textarea></title><svg onload=alert(1)>", "javascript:alert(1) \u202egnp"} {
		for j, robot := range []string{`https://ex/robot/"><b>`, "javascript:alert(1)"} {
			s.observe(map[string]string{"event_kind": "human_utterance<i>", "observed_at": fmt.Sprintf("2026-02-11T09:%02d:00.%d00Z", i, 2*j), "modality": "<b>", "text": text, "robot_uri": robot})
		}
	}
	b := open(t, s.ui, look{})
	s.decideSubject("javascript:alert(1)//<i>")
	for _, view := range []string{"", "?view=quality", `?contains="><script>alert(1)</script>`} {
		b.goTo("/shared-context" + view)
		b.see("main", "")
	}
	b.goTo("/shared-context")
	b.follow("#case .tiny a") // to the page of its context
	b.see(".observations", "alert(1)")
	if got := value[int](b, `document.querySelectorAll("main script, main img, main b, main i, main a[href^='javascript']").length`); got != 0 {
		t.Errorf("%d elements come from what robots say", got)
	}
	b.goTo("/shared-context")
	for n := len(b.all(".cases a")); n > 0; n-- {
		b.click("button[value=accept]")
		b.see("#counts .figure:first-child", fmt.Sprint(n-1))
	}
	if got := value[int](b, `document.querySelectorAll("main script, main img, main b > i, main iframe").length`); got != 0 {
		t.Errorf("%d elements come from what robots say", got)
	}
}
