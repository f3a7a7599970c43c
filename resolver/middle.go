package resolver

import (
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// middle is the median of a number of each robot, such as the offsets of all clocks that were learnt. Anchors tell how
// far two clocks are apart, and not which of the two is right; but most robots are, and a new one is taken for right.
// One robot that is far behind must not push the others ahead.
type middle struct {
	known  map[string]float64 // by robot
	sorted []float64          // the same
}

// put sets the number of a robot.
func (m *middle) put(robot string, value float64) {
	if m.known == nil {
		m.known = map[string]float64{}
	}
	m.drop(robot)
	at, _ := slices.BinarySearch(m.sorted, value)
	m.sorted = slices.Insert(m.sorted, at, value)
	m.known[robot] = value
}

// drop forgets a robot.
func (m *middle) drop(robot string) {
	if before, ok := m.known[robot]; ok {
		at, _ := slices.BinarySearch(m.sorted, before)
		m.sorted = slices.Delete(m.sorted, at, at+1)
		delete(m.known, robot)
	}
}

// value returns the median, 0 without robots.
func (m *middle) value() float64 {
	n := len(m.sorted)
	if n == 0 {
		return 0
	}
	return (m.sorted[(n-1)/2] + m.sorted[n/2]) / 2
}

// noteClock takes a clock into account in what all clocks are compared with, but for that of a relay.
func (r *Resolver) noteClock(c record.Clock) {
	if c.Anchors >= minAnchors && !r.isRelay(c.Robot) {
		r.middle.put(c.Robot, c.Offset)
	}
}

// everyClock reads all clocks.
func (r *Resolver) everyClock(yield func(record.Clock)) error {
	from, to := record.ClockRange()
	var failed error
	err := r.scan(from, to, func(_, value []byte) bool {
		var c *record.Clock
		if c, failed = record.Decode[record.Clock](value); failed != nil {
			return false
		}
		yield(*c)
		return true
	})
	if err != nil {
		return err
	}
	return failed
}
