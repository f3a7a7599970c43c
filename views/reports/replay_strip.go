package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/views"
)

// Heights of the strip, in pixels. replay.css has the same.
const (
	stripTop   = 26 // of the first lane: below the labels of times
	personTall = 30 // a lane of people, who only speak
)

// laneSizes are heights in a lane, in pixels, and places from its top.
type laneSizes struct {
	tall, speech, words, moods, moodsTall, does, doing int
	models                                             int // 0: they are not drawn
	place, band                                        int
}

// Sizes of lanes, and how many robots have large ones.
var (
	roomyLanes = laneSizes{tall: 75, speech: 5, words: 17, moods: 28, moodsTall: 10, does: 47, doing: 6, models: 54, place: 58, band: 16}
	denseLanes = laneSizes{tall: 18, speech: 3, words: 11, moods: 9, does: 8, doing: 3, place: 15, band: 3}
)

const roomyRobots = 12

func (d *ReplayData) laneSizes() laneSizes {
	if len(d.Robots) > roomyRobots {
		return denseLanes
	}
	return roomyLanes
}

// replayTicks is about how many labels the axis of a replay has.
const replayTicks = 8

// stripWide is the width of the drawing in the coordinates of marks. It is the same for
// every size on the screen.
const stripWide = 1000

// ownLanes is how many people have a lane each. More share one.
const ownLanes = 3

// ReplayStrip is the drawing of a replay: a lane for each robot, and lanes of people below.
type ReplayStrip struct {
	Scale  Scale
	Lanes  []ReplayLane
	People []ReplayLane
	Shared []ReplayShared // shared events and pending cases
	Within int            // those left out because another's outline has theirs
	Hulls  string         // outlines of the shared events beyond maxHulls, as a path
	Head   float64        // position of the current time, or -1
	Size   laneSizes
}

// ReplayLane is the lane of a robot.
type ReplayLane struct {
	Name   string
	Now    string // its state at the current time
	Marks  []ReplayMarks
	Bands  []ReplayBand
	Labels []ReplayLabel
}

// ReplayMarks are all marks that look alike, as the data of an SVG path.
type ReplayMarks struct{ Class, Path string }

// ReplayBand is a stay at a place, in percent of the width.
type ReplayBand struct {
	From, To    float64
	Name, Class string
	Last        time.Time // its end
}

// NewReplayStrip draws the events of a replay on an axis. at is the current time, or
// zero. cases are drawn like shared events.
func NewReplayStrip(d *ReplayData, a Scale, at time.Time, cases []ReplayShared) ReplayStrip {
	s := ReplayStrip{Scale: a, Head: -1, Size: d.laneSizes()}
	if !at.IsZero() {
		s.Head = a.At(at)
	}
	n := max(1, len(d.Robots))
	for i, name := range d.Robots {
		bands, rest := d.bands(i, a, max(1, maxBands/n))
		s.Lanes = append(s.Lanes, ReplayLane{Name: name, Now: d.stateAt(i, at), Marks: append(rest, d.marks(ofLane(i), a)...), Bands: bands})
	}
	if slices.ContainsFunc(d.Events, func(e ReplayEvent) bool { return e.Lane < 0 }) {
		s.Lanes = append(s.Lanes, ReplayLane{Name: "No robot", Marks: d.marks(ofLane(-1), a)})
	}
	s.People = d.peopleLanes(a)
	all := slices.DeleteFunc(slices.Concat(d.Shared, cases), func(x ReplayShared) bool { return !a.shows(x.From, x.To) || len(x.Lanes) == 0 })
	named := len(all)
	if named > maxHulls {
		named = maxHulls / 2
	}
	for i := range all {
		all[i].Text = shortened(all[i].Text, hullLetters)
	}
	s.Shared = slices.DeleteFunc(slices.Clone(all[:named]), func(x ReplayShared) bool { // it would look like a fault of the other's edge
		return slices.ContainsFunc(all[:named], func(y ReplayShared) bool { return y.hides(x, a) })
	})
	s.Within = named - len(s.Shared)
	ends := map[[2]int]int{}
	for _, x := range all[named:] {
		s.Hulls += s.outline(x, ends)
	}
	return s
}

// sharedMark is the word of an outline in the legend.
func (s ReplayStrip) sharedMark() string {
	if s.Within == 0 {
		return "shared event"
	}
	return "shared event, and " + views.Count(s.Within) + " more within it"
}

// hides reports whether the outline of y has that of x within it, and x is too narrow to look like an outline of its own. Those
// of cases hide nothing, and are never hidden.
func (y ReplayShared) hides(x ReplayShared, a Scale) bool {
	cases := x.Case != "" || y.Case != ""
	narrow := a.At(x.To)-a.At(x.From) < 0.01 // of the width
	during := !x.From.Before(y.From) && !x.To.After(y.To) && x.To.Sub(x.From) < y.To.Sub(y.From)
	between := y.Lanes[0] <= x.Lanes[0] && x.Lanes[len(x.Lanes)-1] <= y.Lanes[len(y.Lanes)-1]
	return !cases && narrow && during && between
}

// stateAt returns the state of a robot at a time in words.
func (d *ReplayData) stateAt(lane int, at time.Time) string {
	for _, e := range slices.Backward(d.Events[:d.At(at)+1]) {
		if e.Kind == KindState && e.Lane == lane {
			return e.sentence()
		}
	}
	return ""
}

// peopleLanes draws what people said, each sentence once.
func (d *ReplayData) peopleLanes(a Scale) (out []ReplayLane) {
	names := d.People
	if len(names) > ownLanes {
		names = []string{"People"}
	}
	shared := len(d.People) > ownLanes
	for _, name := range names {
		said := func(e *ReplayEvent) bool {
			return e.Kind == KindMessage && !e.ByRobot && !e.Same && (shared || e.Who == name)
		}
		lane := ReplayLane{Name: name}
		for _, m := range d.marks(said, a) {
			if m.Class == "heard" { // by a robot, and said by this person
				lane.Marks = append(lane.Marks, ReplayMarks{"said", m.Path})
			}
		}
		if shared {
			lane.Labels = d.labels(said, a)
		}
		out = append(out, lane)
	}
	return out
}

func ofLane(lane int) func(*ReplayEvent) bool {
	return func(e *ReplayEvent) bool { return e.Lane == lane }
}

// marks draws the events of a lane. Marks at the same place are drawn once.
func (d *ReplayData) marks(wanted func(*ReplayEvent) bool, a Scale) []ReplayMarks {
	places, size := map[string][][2]int{}, d.laneSizes()
	put := func(class string, at time.Time, y int) {
		places[class] = append(places[class], [2]int{int(a.At(at)*stripWide + 0.5), y})
	}
	for i := range d.Events {
		e := &d.Events[i]
		if !wanted(e) || !a.shows(e.At, e.At) {
			continue
		}
		switch e.Kind {
		case KindMessage:
			if e.ByRobot {
				put("said", e.At, size.speech)
			} else {
				put("heard", e.At, size.speech)
			}
		case KindEmotion:
			put("mood "+views.ColourOf(e.Category)+" "+e.sureness(), e.At, size.moods+size.moodsTall-int(min(1, max(0, e.Intensity))*float64(size.moodsTall)))
		case KindDecision:
			put("decides", e.At, size.does)
		case KindIncident:
			put("fails", e.At, size.does)
		case KindActivity:
			put("does", e.At, size.does)
		}
		if len(e.Models) > 0 && size.models > 0 {
			put("model", e.At, size.models)
		}
	}
	var out []ReplayMarks
	tall := map[string]int{"said": size.words, "heard": size.words, "does": size.doing} // others are dots
	for _, class := range slices.Sorted(maps.Keys(places)) {
		points := places[class]
		slices.SortFunc(points, func(x, y [2]int) int { return cmp.Or(x[0]-y[0], x[1]-y[1]) })
		out = append(out, ReplayMarks{class, pathOf(slices.Compact(points), tall[strings.Fields(class)[0]])})
	}
	return out
}

// maxMoods is how many emotions the legend of the strip has.
const maxMoods = 8

// moods returns the first event of each category of emotions, at most maxMoods.
func (d *ReplayData) moods() []*ReplayEvent {
	var out []*ReplayEvent
	for i := range d.Events {
		e := &d.Events[i]
		if e.Kind == KindEmotion && len(out) < maxMoods && !slices.ContainsFunc(out, func(x *ReplayEvent) bool { return x.Category == e.Category }) {
			out = append(out, e)
		}
	}
	return out
}

// firstStay returns the first state with a place, or nil.
func (d *ReplayData) firstStay() *ReplayEvent {
	for i := range d.Events {
		if e := &d.Events[i]; e.Kind == KindState && e.What != "" {
			return e
		}
	}
	return nil
}

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
const dense = 2

// pathOf returns the data of a path with a line of the height tall, or a dot if that is 0, down from each point. The
// points are sorted. Close ones make one filled area, so that a long session needs a short path.
func pathOf(points [][2]int, tall int) string {
	var b strings.Builder
	was := [2]int{}
	for i := 0; i < len(points); {
		p, end := points[i], i
		for end+1 < len(points) && points[end+1][1] == p[1] && points[end+1][0]-points[end][0] <= dense {
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

func (s ReplayStrip) tallness() int { return s.peopleTop() + len(s.People)*personTall }

func (s ReplayStrip) peopleTop() int { return stripTop + len(s.Lanes)*s.Size.tall }

// hull returns the outline of a shared event: x and width in percent, y and height in
// pixels.
func (s ReplayStrip) hull(x ReplayShared) (left, wide, y, high string) {
	from, to := 100*s.Scale.At(x.From), 100*s.Scale.At(x.To)
	top, end := x.Lanes[0], x.Lanes[len(x.Lanes)-1]
	// A margin of 0.4 percent around its events.
	return views.Percent(max(0, from-0.4)), views.Percent(min(100, to+0.4) - max(0, from-0.4)), strconv.Itoa(s.laneY(top) + 1), strconv.Itoa((end-top)*s.Size.tall + s.Size.place - 3)
}

// Limits of what the strip says about shared events. The table has all.
const (
	maxHulls    = 24 // with a name; of more, half as many have one
	hullLetters = 48 // of a name
)

// outline returns the outline of a shared event as a part of a path; "" if it would touch the
// outline before it in the same lanes. ends has the right edge of the last outline, by first
// and last lane.
func (s ReplayStrip) outline(x ReplayShared, ends map[[2]int]int) string {
	from, to := int(stripWide*s.Scale.At(x.From))-4, int(stripWide*s.Scale.At(x.To))+4
	lanes := [2]int{x.Lanes[0], x.Lanes[len(x.Lanes)-1]}
	if last, ok := ends[lanes]; ok && from <= last {
		return ""
	}
	ends[lanes] = to
	tall := (lanes[1]-lanes[0])*s.Size.tall + s.Size.place - 3
	return fmt.Sprintf("M%d %dh%dv%dh%dz", from, s.laneY(lanes[0])+1, to-from, tall, from-to)
}

func (s ReplayStrip) laneY(i int) int { return stripTop + i*s.Size.tall }

// markBox returns the viewBox of a lane's marks.
func markBox(tall int) string { return "0 0 " + strconv.Itoa(stripWide) + " " + strconv.Itoa(tall) }
