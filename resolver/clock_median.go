package resolver

import (
	"slices"
)

// clockMedian is the median of the offsets of all learnt clocks. Anchors show the
// difference of two clocks, not which one is right. So the majority wins: one robot that
// is far behind must not make the others seem ahead.
type clockMedian struct {
	known  map[string]float64 // by robot
	sorted []float64          // the offsets, sorted
}

// put sets the offset of a robot's clock.
func (m *clockMedian) put(robot string, value float64) {
	if m.known == nil {
		m.known = map[string]float64{}
	}
	m.drop(robot)
	at, _ := slices.BinarySearch(m.sorted, value)
	m.sorted = slices.Insert(m.sorted, at, value)
	m.known[robot] = value
}

// drop removes a robot.
func (m *clockMedian) drop(robot string) {
	if before, ok := m.known[robot]; ok {
		at, _ := slices.BinarySearch(m.sorted, before)
		m.sorted = slices.Delete(m.sorted, at, at+1)
		delete(m.known, robot)
	}
}

// value returns the median, 0 without robots.
func (m *clockMedian) value() float64 {
	n := len(m.sorted)
	if n == 0 {
		return 0
	}
	return (m.sorted[(n-1)/2] + m.sorted[n/2]) / 2
}
