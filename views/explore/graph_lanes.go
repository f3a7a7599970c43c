package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
	nodes := make([]drawing.Timed, len(a.picture.nodes))
	shared := false
	for i, n := range a.picture.nodes {
		at, known := n.seconds()
		nodes[i] = drawing.Timed{At: at, Known: known, Lane: a.laneOf(n.iri), Beside: source[i], Room: a.rooms[i]}
		if nodes[i].Head = nodes[i].Lane < len(a.lanes); !nodes[i].Head {
			nodes[i].Lane = a.laneOf(owner[i])
		}
		shared = shared || nodes[i].Lane == len(a.lanes)
	}
	t := drawing.Lanes(nodes, a.pairs)
	if shared {
		a.lanes = append(a.lanes, lane{"", "several robots or none"})
	}
	a.at = t.At
	a.d.Left, a.d.Width = t.Left, t.Right-t.Left
	for i, b := range t.Lanes {
		a.d.Lanes = append(a.d.Lanes, GraphLane{Top: b.Top, Tall: b.Height, Name: label(a.lanes[i].name, nodeLetters)})
	}
	for i, n := range nodes {
		if a.lanes[n.Lane].of != "" {
			a.d.Nodes[i].Lane = a.lanes[n.Lane].name
		}
		if n.Head {
			a.d.Nodes[i].Head, a.d.Lanes[n.Lane].Name = true, nil
		}
	}
	a.writeTicks(t.Ticks)
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

// writeTicks draws the times of a picture, with the day where it changes.
func (a *artist) writeTicks(ticks []drawing.Tick) {
	var last time.Time
	for _, k := range ticks {
		at := a.v.In(time.Unix(int64(k.At), 0))
		tick := GraphTick{X: k.X, Text: at.Format("15:04:05")}
		if at.Equal(last) { // within a second
			continue
		}
		if at.YearDay() != last.YearDay() || at.Year() != last.Year() {
			tick.Text = at.Format("2 Jan 15:04:05")
		}
		if n := len(a.d.Ticks); n > 0 && k.Silence == 0 && k.X-a.d.Ticks[n-1].X < 3.5*float64(len(tick.Text)+len(a.d.Ticks[n-1].Text))+tickGap {
			continue
		}
		if k.Silence > 0 {
			tick.Silence, tick.Break = Silence(time.Duration(k.Silence)*time.Second), k.Break
			tick.Narrow = k.X-k.Break < 60 || k.Break-a.d.Ticks[len(a.d.Ticks)-1].X < 8+4*float64(len(a.d.Ticks[len(a.d.Ticks)-1].Text))
		}
		last = at
		a.d.Ticks = append(a.d.Ticks, tick)
	}
}

// tickGap is the least distance between two times, in pixels.
const tickGap = 12

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
