package ui

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
)

// together creates two contexts. Two robots saw the first, which has a location. A third
// robot saw the second, which a person merged into the first.
func (s *service) together() {
	s.t.Helper()
	for i, robot := range []string{"ari", "tiago", "pepper"} {
		o := map[string]string{"event_kind": "human_utterance", "observed_at": fmt.Sprintf("2026-02-11T09:00:00.%d00Z", 1+i), "modality": "speech",
			"text": "Could you show me climate news?", "robot_uri": "https://ex/robot/" + robot, "location_uri": "https://ex/place/kitchen",
			"observation_uri": "https://ex/" + robot + "/1"}
		if robot != "pepper" {
			o["subject_uri"] = "https://ex/human/maria"
		}
		s.observe(o)
	}
	s.decideFirst()
}

func TestAMatchIsUndoneAfterAQuestion(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := openService(t)
		s.together()
		b := open(t, s.ui, l)
		b.goTo("/shared-context?view=quality")
		b.follow("#history a[href^='/shared-context/context']")
		b.see("h1", "climate news")
		b.see(".observations", "kitchen")
		b.see(".observations", "matched")
		b.follow(".observations a.button")
		b.see("#undo-title", "Separate this observation?")
		b.follow("form[action='/shared-context/context/undo'] .quiet") // Cancel
		b.see(".observations", "tiago")
		b.follow(".observations a.button")
		b.click("form[action='/shared-context/context/undo'] .primary")
		b.see(".notice.good", "Separated")
		b.see("#apart-title", "Kept separate")
		b.follow(".notice.good a")
		b.see(".observations", "tiago")
	})
}

func TestTheContextPageLooksRight(t *testing.T) {
	s := openService(t)
	s.together()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/shared-context?view=quality")
		b.follow("#history a[href^='/shared-context/context']")
		b.see(".observations", "kitchen")
		b.accessible()
		b.shot("context", l)
		b.follow(".observations a.button")
		b.see("#undo-title", "")
		b.accessible()
		b.shot("context-undo", l)
	})
}

// decide sends an admin's decision.
func (s *service) decide(path, body string) {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodPost, s.api+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if s.auth.Enabled() {
		request.Header.Set("Authorization", "Bearer "+s.token(auth.Admin))
	}
	s.read(request)
}

// decideSubject marks a subject as a placeholder.
func (s *service) decideSubject(uri string) {
	s.t.Helper()
	s.decide("/shared-context/subjects", fmt.Sprintf(`{"subject_uri":%q,"person":false}`, uri))
}

func TestASubjectIsOverruled(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := openService(t)
		s.decideSubject("https://ex/human/user")
		b := open(t, s.ui, l)
		b.goTo("/shared-context?view=quality")
		b.see("#subjects", "placeholder")
		b.click("#subjects button[value=yes]")
		b.see("#said", "Your decision about user counts")
		b.see("#subjects .badge.good", "one person")
	})
}

// aheadByFive lets Maria say different sentences to two robots. tiago stamps each 5 s
// later.
func (s *service) aheadByFive() {
	s.t.Helper()
	for i := range 12 {
		for j, robot := range []string{"ari", "tiago"} {
			s.observe(map[string]string{"event_kind": "human_utterance", "observed_at": fmt.Sprintf("2026-02-11T10:%02d:%02d.100Z", i, 5*j), "modality": "speech",
				"text": fmt.Sprintf("Sentence number %d of a long script", i), "robot_uri": "https://ex/robot/" + robot, "subject_uri": "https://ex/human/maria"})
		}
	}
}

func TestAClockIsConfirmed(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := openService(t)
		s.aheadByFive()
		b := open(t, s.ui, l)
		b.goTo("/shared-context")
		b.see("#questions", "tiago’s clock is 5.0 s ahead: ")
		b.click("#questions button[value=yes]")
		b.see("#said", "Your decision about tiago counts")
		b.goTo("/shared-context?view=quality")
		b.click("button[value=revoke]")
		b.see("#said", "Your decision about tiago counts")
	})
}

func TestTheQualityViewLooksRight(t *testing.T) {
	s := openService(t)
	s.aheadByFive()
	s.together()
	s.decideSubject("https://ex/human/user")
	s.decide("/shared-context/relays", `{"robot_uri":"https://ex/robot/relay","of":"https://ex/robot/ari","relay":true}`)
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/shared-context?view=quality")
		b.see("#relays .badge", "relay")
		b.accessible()
		b.shot("shared-context-quality", l)
	})
}
