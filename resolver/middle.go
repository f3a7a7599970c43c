package resolver

import (
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// middle is what all clocks that were learnt are compared with: their median. Anchors tell how far two clocks are
// apart, and not which of the two is right; but most robots are, and a new one is taken for right. One robot that is
// far behind must not push the others ahead.
type middle struct {
	known  map[string]float64 // offsets of clocks that were learnt, by robot
	sorted []float64          // the same
}

// put takes note of a clock.
func (m *middle) put(c record.Clock) {
	if c.Anchors < minAnchors {
		return
	}
	if m.known == nil {
		m.known = map[string]float64{}
	}
	if before, ok := m.known[c.Robot]; ok {
		at, _ := slices.BinarySearch(m.sorted, before)
		m.sorted = slices.Delete(m.sorted, at, at+1)
	}
	at, _ := slices.BinarySearch(m.sorted, c.Offset)
	m.sorted = slices.Insert(m.sorted, at, c.Offset)
	m.known[c.Robot] = c.Offset
}

// offset gives the median in seconds, 0 without clocks.
func (m *middle) offset() float64 {
	n := len(m.sorted)
	if n == 0 {
		return 0
	}
	return (m.sorted[(n-1)/2] + m.sorted[n/2]) / 2
}

// everyClock reads all clocks that were learnt.
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
