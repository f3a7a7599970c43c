package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// lane is a row of a timeline: that of a robot, or of nodes without one.
type lane struct {
	of   string // the robot's IRI; "" for nodes without a robot
	name string
}

// placeByTime puts every node into the lane of its robot, at its time.
func (a *artist) placeByTime() {
	source := a.sources()
	owner := a.owners(source)
	for i, of := range owner {
		if n := a.picture.nodes[i]; a.d.Offered && n.family == "robot" {
			of = n.iri // also if it only heard
		}
		if of != "" && !slices.ContainsFunc(a.lanes, func(l lane) bool { return l.of == of }) {
			a.lanes = append(a.lanes, lane{of, a.picture.name(of, a.names)})
		}
	}
	slices.SortFunc(a.lanes, func(x, y lane) int { return cmp.Compare(x.of, y.of) })
	a.joinLanes(owner)
	nodes := make([]drawing.Timed, len(a.picture.nodes))
	shared := false
	for i, n := range a.picture.nodes {
		at, known := n.seconds()
		nodes[i] = drawing.Timed{At: at, Known: known, Lane: a.laneOf(n.iri), Beside: source[i]}
		if nodes[i].Head = nodes[i].Lane < len(a.lanes); !nodes[i].Head {
			nodes[i].Lane = a.laneOf(owner[i])
		}
		nodes[i].Group = 1 + a.event(i)
		shared = shared || nodes[i].Lane == len(a.lanes)
	}
	t := drawing.Lanes(nodes, a.pairs)
	if shared {
		a.lanes = append(a.lanes, lane{"", "several robots or none"})
	}
	a.at = t.At
	a.d.Left, a.d.Width = t.Left, t.Right-t.Left
	for i, b := range t.Lanes {
		a.d.Lanes = append(a.d.Lanes, GraphLane{Top: b.Top, Tall: b.Height, Name: label(a.lanes[i].name, nodeLetters, 2)})
	}
	for i, n := range nodes {
		if a.lanes[n.Lane].of != "" {
			a.d.Nodes[i].Lane = a.lanes[n.Lane].name
		}
		if point := &a.d.Nodes[i]; n.Head {
			point.Head, a.d.Lanes[n.Lane].Name = true, nil
		} else { // a line, to the right of its sign
			point.Label, point.Aside = label(a.picture.nodes[i].toldApart(), int((t.Right-t.At[i].X-asideGap-22)/lineLetter), 1), 1
		}
	}
	a.writeTicks(t.Ticks)
}

// joinLanes swaps lanes so that the outlines of shared events cross as few lanes as possible of robots that did not notice them.
// owner is the robot of each node.
func (a *artist) joinLanes(owner []string) {
	number := map[string]int{}
	order, at := make([]int, len(a.lanes)), make([]int, len(a.lanes)) // the lane at each place, and the place of each lane
	for i, l := range a.lanes {
		number[l.of], order[i], at[i] = i, i, i
	}
	var joined [][]int // the lanes of each outline with several
	for _, h := range a.picture.hulls {
		var of []int
		for _, m := range h.members {
			if l, ok := number[owner[m]]; ok && !slices.Contains(of, l) {
				of = append(of, l)
			}
		}
		if len(of) > 1 {
			joined = append(joined, of)
		}
	}
	crossed := func() (n int) {
		for _, of := range joined {
			low, high := len(at), -1
			for _, l := range of {
				low, high = min(low, at[l]), max(high, at[l])
			}
			n += high - low + 1 - len(of)
		}
		return n
	}
	swap := func(i, j int) {
		order[i], order[j] = order[j], order[i]
		at[order[i]], at[order[j]] = i, j
	}
	least := crossed()
	for i := range order {
		for j := range i {
			swap(i, j)
			if n := crossed(); n < least {
				least = n
			} else {
				swap(i, j)
			}
		}
	}
	lanes := slices.Clone(a.lanes)
	for i, l := range order {
		a.lanes[i] = lanes[l]
	}
}

// readTimes reads when the activities began that made the nodes without a time of their own.
func (u *handlers) readTimes(ctx context.Context, p *picture) error {
	of := map[string][]*graphNode{}
	for _, n := range p.nodes {
		if _, there := p.index[n.source]; n.at.IsZero() && rdf.IsIRI(n.source) && !there {
			of[n.source] = append(of[n.source], n)
		}
	}
	if len(of) == 0 {
		return nil
	}
	rows, err := u.Ask(ctx, fmt.Sprintf("SELECT ?a ?t { VALUES ?a { %s } ?a <%s> ?t }", iriValues(slices.Sorted(maps.Keys(of))), vocabulary.ProvStartedAtTime))
	for _, row := range rows {
		if at, ok := views.TimeOf(row[1]); ok {
			for _, n := range of[row[0].Value()] {
				n.at = at.In(views.ZoneOf(ctx))
			}
		}
	}
	return err
}

// owners returns in whose lane each node is, and sets the source of what somebody said.
func (a *artist) owners(source []int) (owner []string) {
	owner = make([]string, len(a.picture.nodes))
	for i, e := range a.picture.edges { // of an offered picture: what a robot answered, otherwise heard, met or used
		from, to := a.pairs[i][0], a.pairs[i][1]
		if a.picture.nodes[to].family == "robot" {
			from, to = to, from
		}
		if e.told != "" && a.picture.nodes[from].family == "robot" && (owner[to] == "" || e.told == "answered") {
			owner[to] = a.picture.nodes[from].iri
		}
	}
	for i, e := range a.picture.edges {
		if e.told == "said" {
			owner[a.pairs[i][0]], source[a.pairs[i][0]] = owner[a.pairs[i][1]], a.pairs[i][1]
		}
	}
	for i, n := range a.picture.nodes {
		switch s := source[i]; {
		case owner[i] != "": // found above
		case n.performer != "":
			owner[i] = n.performer
		case s >= 0 && a.picture.nodes[s].performer != "":
			owner[i] = a.picture.nodes[s].performer
		case n.family != "human" && n.family != "robot":
			owner[i] = n.author
		}
	}
	return owner
}

// writeTicks draws the times of a picture. The gutter has their day if it is one; otherwise it is where it changes.
func (a *artist) writeTicks(ticks []drawing.Tick) {
	at := make([]time.Time, len(ticks))
	for i, k := range ticks {
		at[i] = a.v.In(time.Unix(int64(k.At), 0))
	}
	day := func(t time.Time) string { return t.Format(views.DayNear(a.v.In(a.v.Now), t)) }
	if n := len(at); n > 0 && at[0].Format(time.DateOnly) == at[n-1].Format(time.DateOnly) {
		a.d.Day = day(at[0])
	}
	last, end := time.Time{}, math.Inf(-1) // the last time, and the end of its text
	for i, k := range ticks {
		tick := GraphTick{X: k.X, Text: at[i].Format(time.TimeOnly)}
		if i > 0 && at[i].Equal(last) { // within a second
			continue
		}
		if a.d.Day == "" && (i == 0 || at[i].Format(time.DateOnly) != last.Format(time.DateOnly)) {
			tick.Text = day(at[i]) + " " + tick.Text
		}
		if k.Silence > 0 {
			tick.Silence, tick.Break = Silence(k.Silence), k.Break
		}
		if half := tickLetter * float64(len(tick.Text)) / 2; k.X-half >= end+tickGap {
			last, end = at[i], k.X+half
			a.d.Width = max(a.d.Width, end+tickGap-a.d.Left)
		} else if tick.Text = ""; k.Silence == 0 {
			continue
		}
		a.d.Ticks = append(a.d.Ticks, tick)
	}
}

// tickGap is the least distance between two times, and tickLetter the width of a letter of one, in pixels.
const (
	tickGap    = 6
	tickLetter = 6.75
)

// laneOf returns the lane of a robot. Nodes without a robot are in the last lane.
func (a *artist) laneOf(iri string) int {
	if i := slices.IndexFunc(a.lanes, func(l lane) bool { return l.of == iri && iri != "" }); i >= 0 {
		return i
	}
	return len(a.lanes)
}

// sources returns, for each node, the index of the activity that generated it, or -1.
func (a *artist) sources() []int {
	out := make([]int, len(a.picture.nodes))
	for i, n := range a.picture.nodes {
		out[i] = -1
		if s, ok := a.index[n.source]; ok && s != i {
			out[i] = s
		}
	}
	for i, e := range a.picture.edges {
		switch e.P.Value() {
		case vocabulary.ProvGenerated, vocabulary.SegbProducedEntityResult:
			if to := a.pairs[i][1]; out[to] < 0 && a.pairs[i][0] != to {
				out[to] = a.pairs[i][0]
			}
		}
	}
	return out
}

// inOwnLane reports whether an edge leads to the robot whose lane contains its other end.
func (a *artist) inOwnLane(e [2]int) bool {
	if !a.st.lanes {
		return false
	}
	head := a.laneOf(a.picture.nodes[e[1]].iri)
	if head >= len(a.lanes) || e[0] == e[1] {
		return false
	}
	l := a.d.Lanes[head]
	return a.at[e[0]].Y >= l.Top && a.at[e[0]].Y < l.Top+l.Tall
}
