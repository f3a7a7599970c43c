package resolver_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// sentences gives different ones of 3 to 12 words.
func sentences(n int) []string {
	words := strings.Fields("lamp river market garden window doctor yellow engine paper orange music station winter bottle ticket carpet island pencil mirror button candle forest")
	random := rand.New(rand.NewPCG(5, 6))
	out := make([]string, n)
	for i := range out {
		for range 3 + random.IntN(10) {
			out[i] += words[random.IntN(len(words))] + " "
		}
	}
	return out
}

// heardByTwo resolves sentences, each reported by two robots: the one stamps its end, the other what stamp gives.
func heardByTwo(t *testing.T, r *resolver.Resolver, texts []string, stamp func(begin, end time.Time) time.Time) (matched []bool) {
	t.Helper()
	const layout = "2006-01-02T15:04:05.000Z"
	begin := time.Date(2026, 2, 11, 9, 0, 0, 1_000_000, time.UTC)
	for _, s := range texts {
		end := begin.Add(time.Duration(len(s)) * 65 * time.Millisecond)
		resolve(t, r, said(stamp(begin, end).Format(layout), maria, tiago, s))
		x := resolve(t, r, said(end.Format(layout), maria, ari, s))
		matched = append(matched, x.Outcome == resolver.Matched)
		begin = end.Add(20 * time.Second)
	}
	return matched
}

func TestARobotThatStampsTheBeginningIsUnderstood(t *testing.T) {
	r := open(t, &memory.Store{})
	matched := heardByTwo(t, r, sentences(120), func(begin, _ time.Time) time.Time { return begin })
	for i, m := range matched[90:] {
		if !m {
			t.Errorf("sentence %d, after 90 to learn from, was not matched", 90+i)
		}
	}
	// A gesture takes no time to say, with a label or without.
	for i, label := range []string{"", "wave"} {
		at := time.Date(2026, 2, 11, 12, i, 0, 0, time.UTC)
		o := resolver.Observation{EventKind: "human_gesture", ObservedAt: at.Format(time.RFC3339Nano), SubjectURI: maria, Modality: "vision", Text: label, RobotURI: ari}
		resolve(t, r, o)
		o.ObservedAt, o.RobotURI = at.Add(100*time.Millisecond).Format(time.RFC3339Nano), tiago
		if x := resolve(t, r, o); x.Outcome != resolver.Matched {
			t.Errorf("a gesture with the label %q: %s, %s", label, x.Outcome, x.Explanation.Reason)
		}
	}
}

func TestAClockThatIsAheadIsSetRight(t *testing.T) {
	r := open(t, &memory.Store{})
	matched := heardByTwo(t, r, sentences(40), func(_, end time.Time) time.Time { return end.Add(1900 * time.Millisecond) })
	for i, m := range matched {
		if !m && i >= 12 {
			t.Errorf("sentence %d, after 12 to learn from, was not matched", i)
		}
	}
	stats, err := r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range stats.Clock.Robots {
		want := map[string]int64{ari: -950, tiago: 950}[c.RobotURI]
		if c.OffsetMS < want-100 || c.OffsetMS > want+100 {
			t.Errorf("%s is %d ms ahead, want %d", c.RobotURI, c.OffsetMS, want)
		}
	}
	if len(stats.Clock.Robots) != 2 {
		t.Errorf("got %+v", stats.Clock)
	}
}
