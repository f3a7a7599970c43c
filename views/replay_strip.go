package views

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Heights in a lane of the strip, in pixels from its top.
const (
	stripTop   = 26 // of the first lane: below the labels of times
	laneTall   = 124
	laneSpeech = 24 // below the lane's name
	laneMoods  = 52
	moodsTall  = 26
	laneDoes   = 86
	laneModels = 97
	lanePlace  = 106
	bandTall   = 14
)

// replayTicks is about how many labels the axis of a replay has.
const replayTicks = 8

// stripWide is the width of the drawing in the coordinates of marks. It is the same for
// every size on the screen.
const stripWide = 1000

// ReplayStrip is the drawing of a replay: a lane for each robot.
type ReplayStrip struct {
	Scale  Scale
	Lanes  []ReplayLane
	Shared []ReplayShared // shared events and pending cases
	Hulls  string         // outlines of the shared events beyond maxHulls, as a path
	Head   float64        // position of the current time, or -1
}

// ReplayLane is the lane of a robot.
type ReplayLane struct {
	Name  string
	Now   string // its state at the current time
	Marks []ReplayMarks
	Bands []ReplayBand
}

// ReplayMarks are all marks that look alike, as the data of an SVG path.
type ReplayMarks struct{ Class, Path string }

// ReplayBand is a stay at a place, in percent of the width.
type ReplayBand struct {
	From, To   float64
	Name, Last string // Last is its end, in words
	Class      string
}

// NewReplayStrip draws the events of a replay on an axis. at is the current time, or
// zero. cases are drawn like shared events.
func NewReplayStrip(d *ReplayData, a Scale, at time.Time, cases []ReplayShared) ReplayStrip {
	s := ReplayStrip{Scale: a, Head: -1}
	if !at.IsZero() {
		s.Head = a.At(at)
	}
	for i, name := range d.Robots {
		s.Lanes = append(s.Lanes, ReplayLane{Name: name, Now: d.stateAt(i, at), Marks: d.marks(i, a), Bands: d.bands(i, a)})
	}
	if slices.ContainsFunc(d.Events, func(e ReplayEvent) bool { return e.Lane < 0 }) {
		s.Lanes = append(s.Lanes, ReplayLane{Name: "No robot", Marks: d.marks(-1, a)})
	}
	ends := map[[2]int]int{}
	for _, x := range slices.Concat(d.Shared, cases) {
		if !a.shows(x.From, x.To) || len(x.Lanes) == 0 {
			continue
		}
		if x.Text = shortened(x.Text, hullLetters); len(s.Shared) < maxHulls {
			s.Shared = append(s.Shared, x)
		} else {
			s.Hulls += s.outline(x, ends)
		}
	}
	return s
}

// stateAt returns the state of a robot at a time in words.
func (d *ReplayData) stateAt(lane int, at time.Time) string {
	for _, e := range slices.Backward(d.Events[:d.At(at)+1]) {
		if e.Kind == KindState && e.Lane == lane {
			return joinWords(e.What, e.Text)
		}
	}
	return ""
}

func joinWords(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// marks draws the events of a lane. Marks at the same place are drawn once.
func (d *ReplayData) marks(lane int, a Scale) []ReplayMarks {
	places := map[string]map[[2]int]bool{}
	put := func(class string, at time.Time, y int) {
		if places[class] == nil {
			places[class] = map[[2]int]bool{}
		}
		places[class][[2]int{int(a.At(at)*stripWide + 0.5), y}] = true
	}
	for _, e := range d.Events {
		if e.Lane != lane || !a.shows(e.At, e.At) {
			continue
		}
		switch e.Kind {
		case KindMessage:
			if e.ByRobot {
				put("said", e.At, laneSpeech)
			} else {
				put("heard", e.At, laneSpeech)
			}
		case KindEmotion:
			level := int(min(1, max(0, e.Intensity))*moodsTall) / dense * dense
			put("mood "+ColourOf(e.Category)+" "+e.sureness(), e.At, laneMoods+moodsTall-level)
		case KindDecision:
			put("decides", e.At, laneDoes)
		case KindActivity:
			put("does", e.At, laneDoes)
		}
		if len(e.Models) > 0 {
			put("model", e.At, laneModels)
		}
	}
	var out []ReplayMarks
	for class, set := range places {
		list := make([][2]int, 0, len(set))
		for p := range set {
			list = append(list, p)
		}
		slices.SortFunc(list, func(x, y [2]int) int { return cmp.Or(x[0]-y[0], x[1]-y[1]) })
		out = append(out, ReplayMarks{class, pathOf(list, tall[strings.Fields(class)[0]])})
	}
	slices.SortFunc(out, func(x, y ReplayMarks) int { return strings.Compare(x.Class, y.Class) })
	return out
}

// tall is the height of marks. Those of height 0 are dots.
var tall = map[string]int{"said": 20, "heard": 20, "does": 6}

// sureness returns the class of an emotion's confidence.
func (e ReplayEvent) sureness() string {
	switch {
	case e.Confidence >= 0.9:
		return "sure"
	case e.Confidence < 0 || e.Confidence >= 0.7:
		return "likely"
	}
	return "unsure"
}

// dense is the distance, in coordinates of the strip, below which marks look like one area.
// If a lane has more than manyMarks of a kind, three times that distance is enough.
const (
	dense     = 2
	manyMarks = 150
)

// pathOf returns vertical lines at some points as the data of a path. Lines next to each
// other make a filled area, so that a long session needs a short path.
func pathOf(points [][2]int, tall int) string {
	var b strings.Builder
	was, gap := [2]int{}, dense
	if len(points) > manyMarks {
		gap *= 3
	}
	for i := 0; i < len(points); {
		p, end := points[i], i
		for end+1 < len(points) && points[end+1][1] == p[1] && points[end+1][0]-points[end][0] <= gap {
			end++
		}
		if i == 0 {
			b.WriteString("M" + strconv.Itoa(p[0]) + " " + strconv.Itoa(p[1]))
		} else {
			b.WriteString("m" + strconv.Itoa(p[0]-was[0]) + " " + strconv.Itoa(p[1]-was[1]))
		}
		switch wide := points[end][0] - p[0]; {
		case wide == 0:
			b.WriteString("v" + strconv.Itoa(tall))
			was = [2]int{p[0], p[1] + tall}
		case tall == 0:
			b.WriteString("h" + strconv.Itoa(wide))
			was = [2]int{p[0] + wide, p[1]}
		default:
			b.WriteString("h" + strconv.Itoa(wide) + "v" + strconv.Itoa(tall) + "h" + strconv.Itoa(-wide) + "z")
			was = p
		}
		i = end + 1
	}
	return b.String()
}

// maxBands is how many stays of a robot are drawn.
const maxBands = 150

// bands returns the places of a robot over time.
func (d *ReplayData) bands(lane int, a Scale) []ReplayBand {
	type stay struct {
		name, iri string
		from, to  time.Time
	}
	var all []stay
	for _, e := range d.Events {
		if e.Kind != KindState || e.Lane != lane || e.What == "" {
			continue
		}
		if n := len(all); n > 0 {
			all[n-1].to = e.At
			if all[n-1].name == e.What {
				continue
			}
		}
		all = append(all, stay{e.What, e.Category, e.At, d.To})
	}
	if n := len(all); n > 0 {
		all[n-1].to = d.To
	}
	var out []ReplayBand
	for _, s := range all {
		if !a.shows(s.from, s.to) || len(out) == maxBands {
			continue
		}
		out = append(out, ReplayBand{From: 100 * a.At(s.from), To: 100 * a.At(s.to), Name: s.name, Last: hourMinute(s.to), Class: ColourOf(s.iri)})
	}
	return out
}

// tallness returns the height of the strip.
func (s ReplayStrip) tallness() int { return stripTop + len(s.Lanes)*laneTall }

// hull returns the outline of a shared event: x and width in percent, y and height in
// pixels.
func (s ReplayStrip) hull(x ReplayShared) (left, wide, y, high string) {
	from, to := 100*s.Scale.At(x.From), 100*s.Scale.At(x.To)
	top, end := x.Lanes[0], x.Lanes[len(x.Lanes)-1]
	return percent(max(0, from-0.4)), percent(min(100, to+0.4) - max(0, from-0.4)), strconv.Itoa(stripTop + top*laneTall + laneSpeech - 5), strconv.Itoa((end-top)*laneTall + lanePlace - laneSpeech + 2)
}

// Limits of what the strip says about shared events. The table has all.
const (
	maxHulls    = 24 // with a name
	hullLetters = 60 // of a name
	outlines    = 400
)

// outline returns the outline of a shared event as a part of a path; "" if it would touch the
// one before it in the same lanes. ends has the right edges of those, by first and last lane.
func (s ReplayStrip) outline(x ReplayShared, ends map[[2]int]int) string {
	from, to := int(stripWide*s.Scale.At(x.From))-4, int(stripWide*s.Scale.At(x.To))+4
	lanes := [2]int{x.Lanes[0], x.Lanes[len(x.Lanes)-1]}
	if last, ok := ends[lanes]; ok && from <= last || strings.Count(s.Hulls, "z") >= outlines {
		return ""
	}
	ends[lanes] = to
	top, tall := lanes[0], (lanes[1]-lanes[0])*laneTall+lanePlace-laneSpeech+2
	return fmt.Sprintf("M%d %dh%dv%dh%dz", from, stripTop+top*laneTall+laneSpeech-5, to-from, tall, from-to)
}

// laneY returns the top of a lane.
func laneY(i int) string { return strconv.Itoa(stripTop + i*laneTall) }

// markBox returns the viewBox of a lane's marks.
func markBox() string { return "0 0 " + strconv.Itoa(stripWide) + " " + strconv.Itoa(laneTall) }

// fits reports whether the name of a stay fits into its band on a desktop.
func (b ReplayBand) fits() bool { return LanePart{From: b.From, To: b.To, Value: b.Name}.room() != "" }
