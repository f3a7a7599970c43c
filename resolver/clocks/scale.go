package clocks

import (
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// Offsets are the offsets of all learnt clocks, for their median. Anchors show the
// difference of two clocks, not which one is right. So the majority wins: one robot that
// is far behind must not make the others seem ahead.
type Offsets struct {
	known  map[string]float64 // by robot
	sorted []float64          // the offsets, sorted
}

// Put sets the offset of a robot's clock.
func (m *Offsets) Put(robot string, value float64) {
	if m.known == nil {
		m.known = map[string]float64{}
	}
	m.Drop(robot)
	at, _ := slices.BinarySearch(m.sorted, value)
	m.sorted = slices.Insert(m.sorted, at, value)
	m.known[robot] = value
}

// Drop removes a robot.
func (m *Offsets) Drop(robot string) {
	if before, ok := m.known[robot]; ok {
		at, _ := slices.BinarySearch(m.sorted, before)
		m.sorted = slices.Delete(m.sorted, at, at+1)
		delete(m.known, robot)
	}
}

// Median returns the median, 0 without robots.
func (m *Offsets) Median() float64 {
	n := len(m.sorted)
	if n == 0 {
		return 0
	}
	return (m.sorted[(n-1)/2] + m.sorted[n/2]) / 2
}

// The scale is learnt from the residuals of anchors.
const (
	maxResiduals = 128  // residuals from which it is learnt
	scaleAnchors = 16   // anchors from which it is learnt
	minScale     = 0.20 // seconds
	maxScale     = 0.60 // seconds
	firstScale   = 0.35 // seconds, until it is learnt
)

// AddResidual returns the scale with the residual of one more anchor, in seconds.
func AddResidual(s record.Scale, residual float64) record.Scale {
	s.Anchors++
	if s.Residuals = slices.Clone(s.Residuals); len(s.Residuals) < maxResiduals {
		s.Residuals = append(s.Residuals, residual)
	} else {
		s.Residuals[s.Next] = residual
	}
	s.Next = (s.Next + 1) % maxResiduals
	return s
}

// Spread returns the scale of the differences between two timestamps of one event, in
// seconds.
func Spread(s record.Scale) float64 {
	if s.Anchors < scaleAnchors {
		return firstScale
	}
	var buffer [maxResiduals]float64
	sizes := buffer[:0]
	for _, x := range s.Residuals {
		sizes = append(sizes, math.Abs(x))
	}
	slices.Sort(sizes)
	// If gaps decay exponentially, their median is ln 2 times their scale.
	return min(maxScale, max(minScale, sizes[len(sizes)/2]/math.Ln2))
}

// Median returns the median of sorted numbers. There must be at least one.
func Median(sorted []int64) int64 {
	n := len(sorted)
	return sorted[(n-1)/2] + (sorted[n/2]-sorted[(n-1)/2])/2
}

func abs(n int64) int64 { return max(n, -n) }
