package reports

import (
	"testing"
	"time"

	"github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/views/viewstest"
)

// The test plays the story with a clock of its own: it votes on the first case, and
// nobody votes on the second.
func TestALiveDemoPlaysAndItsAudienceDecides(t *testing.T) {
	t.Parallel()
	var s *fixture
	begin := time.Now()
	play := NewPlay(viewstest.Eva, begin.Add(15*time.Second), func() time.Time { return s.Now })
	play.Stage.Open("http://192.0.2.1:8080")
	s = startLive(t, "", play.Stage, func(*viewstest.Settings) {})
	s.Now = begin
	if err := play.Fill(t.Context(), s.Service); err != nil {
		t.Fatal(err)
	}
	pending := func() int64 {
		stats, err := s.Service.ContextStats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return stats.PendingReviews
	}
	before, votes := pending(), 0
	for over, begun := false, s.Now; !over; s.Now = s.Now.Add(time.Second) {
		if s.Now.Sub(begun) > 20*time.Minute {
			t.Fatal("the story does not end")
		}
		var err error
		if over, err = play.Step(t.Context(), s.Service, s.Now); err != nil {
			t.Fatal(err)
		}
		if play.asked != "" && votes == 0 {
			votes++
			if w := s.guest("a", "POST", "/vote", voice(play.Stage, "accept")); w.Code != 303 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
	}
	history, err := s.Contexts.History(t.Context(), "", 1)
	if err != nil || len(history) != 1 || history[0].By != "audience" {
		t.Errorf("the last decision is %+v %v", history, err)
	}
	if got := pending(); got != demo.Cases-1 || before >= got {
		t.Errorf("%d cases wait, and %d before the last session", got, before)
	}
}
