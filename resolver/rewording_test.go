package resolver_test

import (
	"fmt"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/weigh"
)

// TestDifferentWordsAreOffered replays streams with a robot that translates, cuts or
// splits what it hears. Without what is learnt about pairs of robots, a third to a half
// of the true pairs would be lost for the translating one.
func TestDifferentWordsAreOffered(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	for _, c := range []struct {
		name, scenario string
		texts          func(string) []string
		want           target
	}{
		{"translated", "lab", translated, target{wrong: 0.01, recall: 0.80, overNeeded: 1.25, yield: 0.85, lost: 0.06}},
		{"translated", "museum", translated, target{wrong: 0.01, recall: 0.80, overNeeded: 1.25, yield: 0.85, lost: 0.06}},
		{"truncated", "clinic", truncated, target{wrong: 0.01, recall: 0.80, overNeeded: 1.25, yield: 0.85, lost: 0.06}},
		{"split", "lab", split, target{wrong: 0.01, recall: 0.75, overNeeded: 1.25, yield: 0.85, lost: 0.05}},
	} {
		for _, seed := range otherSeeds(t, 604) {
			s := generateWith(t, c.scenario, map[string]any{"duration_s": 900, "seed": seed})
			got, _ := replayScore(t, reworded(t, s, "robot/r0", c.texts))
			t.Log(c.scenario, c.name, seed, got)
			hold(t, fmt.Sprintf("%s, %s, seed %d", c.scenario, c.name, seed), got, c.want)
		}
	}
}

// TestRejectionsEndQuestionsAboutDifferentWords has two robots, one of which translates.
// After some events it opens cases, and after three rejections no more, until one of them is undone.
func TestRejectionsEndQuestionsAboutDifferentWords(t *testing.T) {
	for _, accepted := range []bool{true, false} {
		r := open(t, &memory.Store{})
		asked, last := 0, -1
		both := func(i int) *resolver.Resolution {
			resolve(t, r, said(stampAfter(i*15_000), maria, ari, fmt.Sprintf("this is sentence number %d", i)))
			return resolve(t, r, said(stampAfter(i*15_000+1200), maria, tiago, translated(fmt.Sprintf("vaya cosa hubo entonces %d", i*7))[0]))
		}
		var id string
		for i := range 60 {
			x := both(i)
			if x.Outcome == resolver.Matched {
				t.Fatalf("different words were matched: %+v", x)
			}
			if x.Outcome != resolver.Ambiguous {
				continue
			}
			asked, last = asked+1, i
			if x.Reason != weigh.TextDiffers {
				t.Fatalf("a person is asked for %s", x.Reason)
			}
			id = *x.CaseID
			var err error
			if accepted {
				_, err = r.Accept(t.Context(), id, "", false, judge)
			} else {
				_, err = r.Reject(t.Context(), id, judge)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if accepted && (asked < 30 || last != 59) || !accepted && asked != 3 {
			t.Errorf("accepted %v: a person was asked %d times, at last about the sentence %d", accepted, asked, last)
		}
		if _, err := r.Undo(t.Context(), id, judge); err != nil {
			t.Fatal(err)
		}
		s, err := r.Stats(t.Context())
		if x := both(60); x.Outcome != resolver.Ambiguous || err != nil || s.Calibration.Reviews != asked-1 {
			t.Errorf("accepted %v: after the last decision was undone %s, and %d of %d count, %v", accepted, x.Outcome, s.Calibration.Reviews, asked, err)
		}
	}
}

// TestPiecesAreOffered has a robot that reports in two pieces what another one reports in
// one.
func TestPiecesAreOffered(t *testing.T) {
	r := open(t, &memory.Store{})
	whole := resolve(t, r, said(stampAfter(1900), maria, ari, "could you show me the climate news of today"))
	first := resolve(t, r, said(stampAfter(1000), maria, tiago, "could you show me"))
	if first.Outcome == resolver.Ambiguous {
		if _, err := r.Accept(t.Context(), *first.CaseID, "", false, judge); err != nil {
			t.Fatal(err)
		}
	}
	second := resolve(t, r, said(stampAfter(2000), maria, tiago, "the climate news of today"))
	if second.Outcome != resolver.Ambiguous || second.CloseCandidates[0] != whole.SharedContextURI {
		t.Errorf("%s, then %s: %+v", first.Outcome, second.Outcome, second.Explanation)
	}
	other := resolve(t, r, said(stampAfter(2100), maria, tiago, "where is the exit"))
	if other.Outcome != resolver.Created {
		t.Errorf("words that are no piece: %s", other.Outcome)
	}
}
