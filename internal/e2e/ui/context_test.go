package ui

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/auth"
)

// together makes one context that two robots saw, with a place, and one of another robot that a person merged into it.
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
		b.goTo("/shared-context?view=history")
		b.follow("table a[href^='/shared-context/context']")
		b.see("h1", "climate news")
		b.see(".observations", "kitchen")
		b.see(".observations", "matched")
		b.follow(".observations a.button")
		b.see("#undo-title", "This is not the same event")
		b.follow("form[action='/shared-context/context/undo'] .quiet") // Cancel
		b.see(".observations", "tiago")
		b.follow(".observations a.button")
		b.click("form[action='/shared-context/context/undo'] .primary")
		b.see(".notice.good", "Match undone")
		b.see("#apart-title", "Kept apart")
		b.follow(".notice.good a")
		b.see(".observations", "tiago")
	})
}

func TestTheContextPageLooksRight(t *testing.T) {
	s := openService(t)
	s.together()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/shared-context?view=history")
		b.follow("table a[href^='/shared-context/context']")
		b.see(".observations", "kitchen")
		b.accessible()
		b.shot("context", l)
		b.follow(".observations a.button")
		b.see("#undo-title", "")
		b.accessible()
		b.shot("context-undo", l)
	})
}

// decideSubject says that a subject is a placeholder.
func (s *service) decideSubject(uri string) {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodPost, s.api+"/shared-context/subjects", strings.NewReader(fmt.Sprintf(`{"subject_uri":%q,"person":false}`, uri)))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if s.auth.Enabled() {
		request.Header.Set("Authorization", "Bearer "+s.token(auth.Admin))
	}
	s.read(request)
}

func TestASubjectIsOverruled(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := openService(t)
		s.decideSubject("https://ex/human/user")
		b := open(t, s.ui, l)
		b.goTo("/shared-context?view=robots")
		b.see("#subjects", "placeholder")
		b.click("#subjects button[value=yes]")
		b.see("#said", "user counts as one person")
		b.see("#subjects .badge.good", "one person")
	})
}
