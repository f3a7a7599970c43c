package reports

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/segraph/segraph/views"
)

// maxBands is how many stays are drawn with their names, in all lanes. The other ones are
// areas without a name.
const maxBands = 20

// placed is the time that a robot spent at a place, by its positions on the axis.
type placed struct {
	name, class  string
	from, to     float64
	since, until time.Time
}

// stays returns where the robot of a lane was, in order, without the stays that the scale does not show. A stay ends when the
// robot is elsewhere, or with the replay.
func (d *ReplayData) stays(lane int, a Scale) []placed {
	var all []placed
	if e, ok := d.Before[lane]; ok {
		all = append(all, placed{name: e.What, class: views.ColourOf(e.Category), since: d.From})
	}
	for _, e := range d.Events {
		if e.Kind != KindState || e.Lane != lane || e.What == "" {
			continue
		}
		if n := len(all); n > 0 {
			all[n-1].until = e.At
			if all[n-1].name == e.What { // it is still there: a later event or the end sets until again
				continue
			}
		}
		all = append(all, placed{name: e.What, class: views.ColourOf(e.Category), since: e.At})
	}
	if n := len(all); n > 0 {
		all[n-1].until = d.To
	}
	var out []placed
	for _, s := range all {
		if a.shows(s.since, s.until) {
			s.from, s.to = a.At(s.since), a.At(s.until)
			out = append(out, s)
		}
	}
	return out
}

// bands draws the places of a robot over time: the longest stays, at most some, with their
// names, and the others as areas.
func (d *ReplayData) bands(lane int, a Scale, most int) (named []ReplayBand, rest []ReplayMarks) {
	all := d.stays(lane, a)
	least := 0.0 // a stay with a name is longer
	if len(all) > most {
		lengths := make([]float64, len(all))
		for i, s := range all {
			lengths[i] = s.to - s.from
		}
		slices.Sort(lengths)
		least = lengths[len(all)-most-1]
	}
	var short []placed
	for _, s := range all {
		if len(named) < most && (len(all) <= most || s.to-s.from > least) {
			named = append(named, ReplayBand{From: 100 * s.from, To: 100 * s.to, Name: s.name, Last: s.until, Class: s.class})
		} else {
			short = append(short, s)
		}
	}
	return named, areas(short, d.laneSizes())
}

// areas draws stays as areas, one path for each colour. It leaves out a stay that begins
// within the one before it on the drawing.
func areas(stays []placed, size laneSizes) []ReplayMarks {
	paths, end := map[string]string{}, 0
	for _, s := range stays {
		from, to := int(s.from*stripWide), int(s.to*stripWide)
		if from < end {
			continue
		}
		end = max(to, from+1)
		paths[s.class] += fmt.Sprintf("M%d %dh%dv%dh%dz", from, size.place, end-from, size.band, from-end)
	}
	var out []ReplayMarks
	for _, class := range slices.Sorted(maps.Keys(paths)) {
		out = append(out, ReplayMarks{Class: "band " + class, Path: paths[class]})
	}
	return out
}

// fits reports whether the name of a stay fits into its band on a desktop.
func (b ReplayBand) fits() bool { return LanePart{From: b.From, To: b.To, Value: b.Name}.room() != "" }
