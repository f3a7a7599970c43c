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
	for i, name := range []string{"fear", "joy", "sadness", "sadness", "joy"} {
		at := noon.Add([]time.Duration{0, 3 * time.Minute, 540 * time.Second, 541 * time.Second, 544 * time.Second}[i])
		e.Points = append(e.Points, EmotionPoint{Time: at, Intensity: []float64{0.9, 0.98, 0.84, 0.78, 0.74}[i], Name: name})
	}
	s := NewScale([]views.Period{{From: noon, To: e.Points[4].Time}}, true)
	moved, names := e.labels(s)
	if !slices.Equal(moved, []int{0, 0, -32, -16, 0}) {
		t.Errorf("the points are moved by %v", moved)
	}
	var shown []string
	for _, l := range names {
		shown = append(shown, l.name)
	}
	if !slices.Equal(shown, []string{"fear", "joy", "sadness", "", "joy"}) {
		t.Errorf("the names are %q", shown)
	}
	for range 4 {
		e.Points = append(e.Points, e.Points[0])
	}
	if _, names = e.labels(s); names[1].name != "" || e.labelled() {
		t.Error("a chart with many points has names and a legend")
	}
}
