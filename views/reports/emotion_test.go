package reports

import (
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/views"
)

// TestPointsOfAChartDoNotCoverEachOther has three readings at almost one time, after two long before.
func TestPointsOfAChartDoNotCoverEachOther(t *testing.T) {
	t.Parallel()
	e := EmotionChart{}
	for i, strength := range []float64{0.9, 0.98, 0.84, 0.78, 0.74} {
		at := noon.Add([]time.Duration{0, 3 * time.Minute, 540 * time.Second, 541 * time.Second, 544 * time.Second}[i])
		e.Points = append(e.Points, EmotionPoint{Time: at, Intensity: strength})
	}
	s := NewScale([]views.Period{{From: noon, To: e.Points[4].Time}}, true)
	if moved := e.moved(s); !slices.Equal(moved, []int{0, 0, -32, -16, 0}) {
		t.Errorf("the points are moved by %v", moved)
	}
}
