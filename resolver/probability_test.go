package resolver_test

import (
	"math"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/weigh"
)

// TestScoresAreProbabilities replays the kit's streams. It compares the scores of
// candidates in the queue with how many candidates with such a score are the same
// event.
func TestScoresAreProbabilities(t *testing.T) {
	suite.OneGoroutine(t)
	suite.NotShort(t)
	var offered, right [10]int
	var scores [10]float64
	for _, s := range replayScenarios(t) {
		event := map[string]string{}
		for i, uri := range s.uris {
			if event[uri] == "" {
				event[uri] = s.truths[i].Event
			}
		}
		for _, k := range s.first.PendingCases {
			for _, c := range k.Candidates {
				b := min(9, int(c.Score*10))
				offered[b]++
				scores[b] += c.Score
				if event[c.ContextURI] == event[k.SourceContextURI] {
					right[b]++
				}
			}
		}
	}
	for b, n := range offered {
		if n < 50 {
			t.Errorf("only %d candidates score %.1f to %.1f", n, float64(b)/10, float64(b+1)/10)
			continue
		}
		mean, share := scores[b]/float64(n), float64(right[b])/float64(n)
		t.Logf("%d candidates with a score of %.2f: %.2f are right", n, mean, share)
		if math.Abs(mean-share) > 0.14 { // some ranges have 80 candidates
			t.Errorf("%d candidates have a score of %.2f, and %.2f of them are right", n, mean, share)
		}
	}
}

// TestWithoutATextNoTextIsBlamed resolves gestures, which have no text.
func TestWithoutATextNoTextIsBlamed(t *testing.T) {
	gesture := func(at, subject, robot string) resolver.Observation {
		return resolver.Observation{EventKind: "human_gesture", ObservedAt: at, SubjectURI: subject, Modality: "vision", RobotURI: robot}
	}
	for _, tt := range []struct {
		name   string
		second resolver.Observation
		want   resolver.Reason
	}{
		{"most of a second apart", gesture("2026-02-11T09:12:13.850Z", maria, tiago), weigh.TooFar},
		{"nobody is named", gesture("2026-02-11T09:12:13.250Z", "", tiago), weigh.SubjectMissing},
	} {
		r := open(t, &memory.Store{})
		resolve(t, r, gesture("2026-02-11T09:12:13.150Z", maria, ari))
		if x := resolve(t, r, tt.second); x.Outcome != resolver.Ambiguous || x.Reason != tt.want {
			t.Errorf("%s: %s, reason %q, want %q (%s)", tt.name, x.Outcome, x.Reason, tt.want, x.Explanation.Reason)
		}
	}
}
