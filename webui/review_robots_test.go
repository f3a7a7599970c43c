package webui

import (
	"net/url"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/journal"
)

// hear resolves an observation.
func (s *service) hear(o resolver.Observation) *resolver.Resolution {
	s.t.Helper()
	x, err := s.contexts.Resolve(s.t.Context(), o, "tester")
	if err != nil {
		s.t.Fatal(err)
	}
	return x
}

// utterance is what a robot heard.
func utterance(at, subject, robot, text string) resolver.Observation {
	return resolver.Observation{EventKind: "human_utterance", ObservedAt: at, SubjectURI: subject, Modality: "speech", Text: text, RobotURI: robot}
}

func TestAnAdminDecidesAboutSubjects(t *testing.T) {
	s := newService(t)
	b := s.signedIn("admin")
	want(t, b.get("/shared-context?view=robots").Body.String(), "Placeholders", "None found.")
	const user = "https://ex/human/user"
	if _, err := s.contexts.DecideSubject(t.Context(), user, false, journal.Entry{Actor: "eva"}); err != nil {
		t.Fatal(err)
	}
	want(t, b.get("/shared-context?view=robots").Body.String(), `title="`+user+`"`, ">placeholder</span>", "eva,", ">One person<")
	form := url.Values{"subject": {user}, "person": {"yes"}}
	want(t, b.follow(b.post("/shared-context/subject", form)), "user counts as one person", `<span class="badge good">one person</span>`)
	stats, err := s.contexts.Stats(t.Context())
	if err != nil || len(stats.Placeholders) != 1 || stats.Placeholders[0].State != "overruled" || stats.Placeholders[0].DecidedBy != "ari" {
		t.Errorf("%+v, %v", stats.Placeholders, err)
	}
	form.Set("person", "maybe")
	wantPage(t, b.post("/shared-context/subject", form), 422, "whether the subject is one person")
	wantPage(t, b.post("/shared-context/subject", url.Values{"person": {"no"}}), 422, "subject_uri")
	wantPage(t, s.signedIn("auditor").post("/shared-context/subject", form), 403, "admin")
}

func TestReusedIDsAreCountedByRobot(t *testing.T) {
	s := newService(t)
	for i, words := range []string{"Good morning", "Where is the exit?", "Thank you"} {
		o := utterance("2026-02-11T09:12:1"+string(rune('0'+i))+".150Z", "https://ex/human/maria", "https://ex/robot/ari", words)
		o.ObservationURI = "https://ex/ari/1"
		s.hear(o)
	}
	want(t, s.signedIn("admin").get("/shared-context?view=robots").Body.String(),
		"Reused ids", `<td title="https://ex/robot/ari">ari</td><td class="num">2</td>`, "<b>2</b><span>reused ids</span>", "<b>3</b><span>created</span>")
}
