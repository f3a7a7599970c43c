package resolver_test

import (
	"fmt"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// TestReportsWithoutARobot has one or two robots without a URI beside a robot with one.
// If it is one, it reports an event once, so that its second report of the same words is
// another event. If there are two, both report each event.
func TestReportsWithoutARobot(t *testing.T) {
	for robots, again := range map[int]resolver.Outcome{1: resolver.Ambiguous, 2: resolver.Matched} {
		r := open(t, &memory.Store{})
		for i, s := range sentences(60) {
			at, who := i*15_000, fmt.Sprintf("%s%d", maria, i%5)
			resolve(t, r, said(stampAfter(at), who, ari, s))
			for k := range robots {
				if x := resolve(t, r, said(stampAfter(at+100+k*50), who, "", s)); x.Outcome != resolver.Matched {
					t.Errorf("%d robots, sentence %d: %s, %s", robots, i, x.Outcome, x.Explanation.Reason)
				}
			}
		}
		resolve(t, r, said(stampAfter(2_000_000), maria, "", news))
		if x := resolve(t, r, said(stampAfter(2_001_200), maria, "", news)); x.Outcome != again {
			t.Errorf("%d robots: %s, %s; want %s", robots, x.Outcome, x.Explanation.Reason, again)
		}
	}
}
