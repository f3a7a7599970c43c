package resolver_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver/memory"
)

// TestThreeBoxesAreResolvedLikeOne divides the robots of a stream among three boxes, which forward at once, each
// minute, and each ten minutes. The centre has what happened together in another order, with the boxes' times.
func TestThreeBoxesAreResolvedLikeOne(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	s := generate(t, "lab", 0, 0)
	order, boxes, delivered := make([]int, len(s.observations)), map[string]int{}, make([]time.Time, len(s.observations))
	for i := range s.observations {
		o := &s.observations[i]
		o.ReceivedAt = s.arrived[i].Format(time.RFC3339Nano)
		if _, ok := boxes[o.RobotURI]; !ok {
			boxes[o.RobotURI] = len(boxes) % 3
		}
		every := []time.Duration{time.Millisecond, time.Minute, 10 * time.Minute}[boxes[o.RobotURI]]
		order[i], delivered[i] = i, s.arrived[i].Truncate(every).Add(every)
	}
	one := scoreOf(s.truths, replayOn(t, open(t, lean{&memory.Store{}}), s.observations, order))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(delivered[a].Compare(delivered[b]), cmp.Compare(boxes[s.observations[a].RobotURI], boxes[s.observations[b].RobotURI]))
	})
	three := scoreOf(s.truths, replayOn(t, open(t, lean{&memory.Store{}}), s.observations, order))
	t.Logf("one box: %v; three: %v", one, three)
	if three.recall() < one.recall()-.02 || three.falseAuto() > one.falseAuto() {
		t.Errorf("one box: %v; three: %v", one, three)
	}
}
