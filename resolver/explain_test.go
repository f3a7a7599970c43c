package resolver_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// An answer names what decided. For an unlikely candidate that is the strongest evidence
// against it, and for a repeat the reason why it is still pending. The weights add up to
// the total.
func TestAnAnswerSaysWhatDecided(t *testing.T) {
	r := open(t, &memory.Store{})
	resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	for _, c := range []struct {
		name    string
		o       resolver.Observation
		outcome resolver.Outcome
		reason  string // a part of the sentence
	}{
		{"all is the same", said("2026-02-11T09:12:13.450Z", maria, "https://ex/robot/nao", news), resolver.Matched, "all conditions hold"},
		{"long after, and nobody is named", said("2026-02-11T09:12:18.900Z", "", tiago, news), resolver.Created, "the probability of a known event, less than 0.01, is below 0.30: the times are too far apart"},
		{"another text, and nobody is named", said("2026-02-11T09:12:13.350Z", "", tiago, "where is the cloakroom"), resolver.Created, "the texts are not alike enough"},
		{"the same robot again", said("2026-02-11T09:12:14.150Z", maria, ari, "Could you show me"), resolver.Ambiguous, "needs review: this robot already reported that event"},
		{"nobody is named", said("2026-02-11T09:12:13.650Z", "", "https://ex/robot/pepper", news), resolver.Ambiguous, "needs review: one side names no person"},
		{"the same, sent again", said("2026-02-11T09:12:13.650Z", "", "https://ex/robot/pepper", news), resolver.Ambiguous, "received before; needs review: one side names no person"},
	} {
		x := resolve(t, r, c.o)
		if x.Outcome != c.outcome || !strings.Contains(x.Explanation.Reason, c.reason) {
			t.Errorf("%s: %s, %q", c.name, x.Outcome, x.Explanation.Reason)
		}
		sum := 0.0
		for _, p := range x.Explanation.Contributions {
			sum += p.Weight
			if p.Value == "" && p.Weight != 0 && p.Feature != "prior" {
				t.Errorf("%s: nothing says why %s weighs %f", c.name, p.Feature, p.Weight)
			}
		}
		if math.Abs(sum-x.Explanation.LogOdds) > 1e-9 {
			t.Errorf("%s: the weights add up to %f, and the sum is %f", c.name, sum, x.Explanation.LogOdds)
		}
	}
}

// Clients check that score_breakdown is an object: {} if nothing was compared, never
// null.
func TestAScoreBreakdownIsAlwaysAnObject(t *testing.T) {
	r := open(t, &memory.Store{})
	for _, c := range []struct {
		name string
		o    resolver.Observation
		want string // its beginning
	}{
		{"the first observation", said("2026-02-11T09:12:13.150Z", maria, ari, news), `{}`},
		{"its repeat", said("2026-02-11T09:12:13.150Z", maria, ari, news), `{}`},
		{"a match", said("2026-02-11T09:12:13.950Z", maria, tiago, news), `{"time":`},
		{"a case", said("2026-02-11T09:12:13.650Z", "", "https://ex/robot/pepper", news), `{"time":`},
		{"the repeat of a case", said("2026-02-11T09:12:13.650Z", "", "https://ex/robot/pepper", news), `{}`},
		{"another person", said("2026-02-11T09:12:13.150Z", "https://ex/human/juan", ari, news), ``},
	} {
		text, err := json.Marshal(resolve(t, r, c.o))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(`"score_breakdown":`+cmp.Or(c.want, "{"))) {
			t.Errorf("%s answers %s", c.name, text)
		}
	}
	queue, err := r.Pending(t.Context(), 10, 0, nil)
	if err != nil || len(queue.PendingCases) == 0 {
		t.Fatalf("%+v, %v", queue, err)
	}
	text, err := json.Marshal(queue)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(`"score_breakdown":{"time":`)) || bytes.Contains(text, []byte(`"score_breakdown":null`)) {
		t.Errorf("the queue says %s", text)
	}
}
