package webui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/segraph/segraph/internal/drawing"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

const (
	namedLines = 16   // up to so many have their names written on them
	nodeRadius = 13.0 // that edges keep from the middle of a node
	margin     = 70.0
	leastWidth = 520.0
	leastTall  = 380.0
)

// draw places a picture and makes its lines.
func draw(p *picture, st graphState, names []turtle.Prefix) *views.GraphDrawing {
	var edges [][2]int
	for _, e := range p.edges {
		edges = append(edges, [2]int{p.index[e.S.Value()], p.index[e.O.Value()]})
	}
	at, lanes := place(p, st, edges, names)
	d := frameOf(at)
	d.Lanes = lanes
	for i, n := range p.nodes {
		full := n.name(names)
		label, _ := cutText(full, 24)
		d.Nodes = append(d.Nodes, views.GraphPoint{
			X: at[i].X, Y: at[i].Y, Label: label, Full: full, IRI: n.iri, Kind: kindName(n.kind, names), Family: family(n.kind),
			Time: n.time, Href: st.selecting(n.iri).page(), Selected: n.iri == st.selected,
		})
	}
	type ends = [2]int
	called := map[ends][]string{}
	var order []ends
	for i, e := range edges {
		from, name, to := d.Nodes[e[0]], shortIRI(p.edges[i].P.Value(), names), d.Nodes[e[1]]
		d.Edges = append(d.Edges, views.GraphEdge{From: from.Full, Name: name, To: to.Full, Logs: tripleLogs(p.edges[i])})
		if called[e] == nil {
			order = append(order, e)
		}
		called[e] = append(called[e], name)
	}
	for _, e := range order {
		bow := 0.0
		if called[ends{e[1], e[0]}] != nil {
			bow = 30 // there is one the other way, too
		}
		from, to := d.Nodes[e[0]], d.Nodes[e[1]]
		line := views.GraphLine{Names: strings.Join(called[e], ", "), Selected: from.Selected || to.Selected}
		line.Title = from.Full + " " + line.Names + " " + to.Full
		line.Path, line.X, line.Y = curve(at[e[0]], at[e[1]], bow)
		d.Lines = append(d.Lines, line)
	}
	d.Named, d.ByTime = len(d.Lines) <= namedLines, st.lanes
	return d
}

// place gives every node its point, and the lanes where they are placed by time.
func place(p *picture, st graphState, edges [][2]int, names []turtle.Prefix) ([]drawing.Point, []views.GraphLane) {
	if !st.lanes {
		nodes := make([]drawing.Node, len(p.nodes))
		for i, n := range p.nodes {
			nodes[i] = drawing.Node{Name: n.iri, Group: n.group, Parent: n.parent}
		}
		return drawing.Force(nodes, edges), nil
	}
	rows := []string{}
	for _, n := range p.nodes {
		if len(n.robots) > 0 && n.time != "" && !slices.Contains(rows, n.robots[0]) {
			rows = append(rows, n.robots[0])
		}
	}
	slices.Sort(rows)
	nodes := make([]drawing.Timed, len(p.nodes))
	others, timeless := false, false
	for i, n := range p.nodes {
		at, known := n.seconds()
		nodes[i] = drawing.Timed{At: at, Known: known, Lane: len(rows)}
		switch {
		case known && len(n.robots) > 0:
			nodes[i].Lane = slices.Index(rows, n.robots[0])
		case known:
			others = true
		default:
			timeless = true
			nodes[i].Lane++
		}
	}
	var lanes []string
	for _, r := range rows {
		name := shortIRI(r, names)
		if i, ok := p.index[r]; ok {
			name = p.nodes[i].name(names)
		}
		lanes = append(lanes, name)
	}
	if others {
		lanes = append(lanes, "of no robot")
	} else {
		for i := range nodes {
			nodes[i].Lane = min(nodes[i].Lane, len(rows))
		}
	}
	if timeless {
		lanes = append(lanes, "without a time")
	}
	at, heights := drawing.Lanes(nodes, edges)
	var out []views.GraphLane
	for i, y := range heights {
		out = append(out, views.GraphLane{Y: y, Name: lanes[i]})
	}
	return at, out
}

// frameOf gives the part of the plane that a picture takes, never so small that a single node would be a giant.
func frameOf(at []drawing.Point) *views.GraphDrawing {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range at {
		left, right = min(left, p.X), max(right, p.X)
		top, bottom = min(top, p.Y), max(bottom, p.Y)
	}
	if len(at) == 0 {
		left, top, right, bottom = 0, 0, 0, 0
	}
	width, height := max(right-left+2*margin, leastWidth), max(bottom-top+2*margin, leastTall)
	return &views.GraphDrawing{Left: (left+right)/2 - width/2, Top: (top+bottom)/2 - height/2, Width: width, Height: height}
}

// curve gives a line between two nodes, bowed so far to its left, and where its name stands. From a node to itself it
// is a loop.
func curve(a, b drawing.Point, bow float64) (path string, x, y float64) {
	if a == b {
		const r = 24
		return fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", a.X-6, a.Y-nodeRadius, a.X-r, a.Y-2*r, a.X+r, a.Y-2*r, a.X+6, a.Y-nodeRadius), a.X, a.Y - 1.6*r
	}
	dx, dy := b.X-a.X, b.Y-a.Y
	l := hypot(dx, dy)
	mx, my := (a.X+b.X)/2-dy/l*bow, (a.Y+b.Y)/2+dx/l*bow
	from, to := toward(a, mx, my), toward(b, mx, my)
	return fmt.Sprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", from.X, from.Y, mx, my, to.X, to.Y), (a.X+b.X)/4 + mx/2, (a.Y+b.Y)/4 + my/2
}

// toward gives the point at the edge of a node on its way to another.
func toward(p drawing.Point, x, y float64) drawing.Point {
	l := hypot(x-p.X, y-p.Y)
	return drawing.Point{X: p.X + (x-p.X)/l*nodeRadius, Y: p.Y + (y-p.Y)/l*nodeRadius}
}
