package drawing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Outline goes around the nodes of a group.
type Outline struct {
	Path  string  // an SVG path, to be drawn with a stroke of twice the reach
	Round bool    // the path is closed, and to be filled
	Reach float64 // from the path to the outside
	along []Point // the path, as points that are near each other
}

// Reaches of outlines around the points of nodes, and around their boxes.
const (
	pointReach = 36.5
	boxReach   = 11.0
)

// Hull returns the outline of members. boxes has the signs and names of all nodes, or is nil. If
// no other node lies inside the convex hull of the members' boxes or, failing that, of their points,
// it returns this hull. Otherwise it returns the lines of a short tree that joins the members and
// avoids other points.
func Hull(at []Point, boxes []Box, members []int) (o Outline) {
	in := make([]bool, len(at))
	var points, others, corners []Point
	for _, m := range members {
		in[m] = true
		points = append(points, at[m])
		if boxes != nil {
			b := boxes[m]
			corners = append(corners, Point{b.Left, b.Top}, Point{b.Right, b.Top}, Point{b.Left, b.Bottom}, Point{b.Right, b.Bottom})
		}
	}
	for i, p := range at {
		if !in[i] {
			others = append(others, p)
		}
	}
	for _, try := range []struct {
		points        []Point
		reach, others float64 // the distance that others keep
	}{{corners, boxReach, boxReach + clearance - 4}, {points, pointReach, 2 * clearance}} {
		if len(try.points) < 3 {
			continue
		}
		around := convex(try.points)
		if len(around) < 3 || slices.ContainsFunc(others, func(p Point) bool { return inside(p, around, try.others) }) {
			continue
		}
		var path strings.Builder
		for i, p := range around {
			path.WriteByte("ML"[min(i, 1)]) // M moves to the first point, L draws a line to another
			fmt.Fprintf(&path, "%.0f %.0f", p.X, p.Y)
			o.follow(bowed(p, around[(i+1)%len(around)], 0))
		}
		o.Path, o.Round, o.Reach = path.String()+"Z", true, try.reach
		return o
	}
	o.Reach = pointReach
	for _, s := range tree(at, members, in) {
		l := limb(at[s[0]], at[s[1]], others)
		o.Path += l.Path()
		o.follow(l)
	}
	return o
}

// follow adds points of a line to an outline.
func (o *Outline) follow(l Line) {
	parts := max(1, int(math.Hypot(l.To.X-l.From.X, l.To.Y-l.From.Y)/6))
	for i := range parts + 1 {
		o.along = append(o.along, l.At(float64(i)/float64(parts)))
	}
}

// Ends returns the rectangle that an outline takes.
func (o Outline) Ends() Box {
	b := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range o.along {
		b = Box{min(b.Left, p.X-o.Reach), min(b.Top, p.Y-o.Reach), max(b.Right, p.X+o.Reach), max(b.Bottom, p.Y+o.Reach)}
	}
	return b
}

// Between returns the top and the bottom of the part of an outline from left to right. There is none if top > bottom.
func (o Outline) Between(left, right float64) (top, bottom float64) {
	top, bottom = math.Inf(1), math.Inf(-1)
	for _, p := range o.along {
		aside := max(left-p.X, p.X-right, 0)
		if aside < o.Reach {
			tall := math.Sqrt(o.Reach*o.Reach - aside*aside)
			top, bottom = min(top, p.Y-tall), max(bottom, p.Y+tall)
		}
	}
	return top, bottom
}

// Holds reports whether a rectangle is inside of a round outline.
func (o Outline) Holds(b Box) bool {
	for _, x := range []float64{b.Left, b.Right} {
		if top, bottom := o.Between(x, x); top > b.Top || bottom < b.Bottom {
			return false
		}
	}
	return o.Round
}

// Meets reports whether an outline comes nearer to a rectangle than a distance.
func (o Outline) Meets(b Box, distance float64) bool {
	top, bottom := o.Between(b.Left-distance, b.Right+distance)
	return top < b.Bottom+distance && bottom > b.Top-distance
}

// convex returns the corners of the convex hull of points (after Andrew, 1979).
func convex(points []Point) []Point {
	sorted := slices.Clone(points)
	slices.SortFunc(sorted, func(a, b Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	half := func() (out []Point) {
		for _, p := range sorted {
			for len(out) > 1 && orientation(out[len(out)-2], out[len(out)-1], p) <= 0 {
				out = out[:len(out)-1]
			}
			out = append(out, p)
		}
		return out[:len(out)-1]
	}
	lower := half()
	slices.Reverse(sorted)
	return append(lower, half()...)
}

// orientation returns a positive number if the path from a by b to c turns left.
func orientation(a, b, c Point) float64 { return (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X) }

// inside reports whether p lies in a convex hull, or within a distance of it.
func inside(p Point, corners []Point, distance float64) bool {
	within := true
	for i, a := range corners {
		b := corners[(i+1)%len(corners)]
		if fromSegment(p, a, b) < distance {
			return true
		}
		within = within && orientation(a, b, p) > 0
	}
	return within
}

// tree joins the members by a minimum spanning tree (Prim's algorithm). in says which
// points are members. An edge that passes close to another point has a higher cost.
func tree(at []Point, members []int, in []bool) [][2]int {
	cost := func(a, b Point) float64 {
		d := math.Hypot(a.X-b.X, a.Y-b.Y)
		for i, p := range at {
			if !in[i] && fromSegment(p, a, b) < 2*clearance {
				d += 4 * length // a way around is better, if there is one
			}
		}
		return d
	}
	from, least := make([]int, len(members)), make([]float64, len(members)) // from the nearest joined member
	joined := make([]bool, len(members))
	for i := range least {
		least[i] = math.Inf(1)
	}
	var out [][2]int
	for newest := 0; len(out) < len(members)-1; {
		joined[newest] = true
		next := -1
		for i, m := range members {
			if joined[i] {
				continue
			}
			if c := cost(at[members[newest]], at[m]); c < least[i] {
				from[i], least[i] = newest, c
			}
			if next < 0 || least[i] < least[next] {
				next = i
			}
		}
		out = append(out, [2]int{members[from[next]], members[next]})
		newest = next
	}
	return out
}

// limb returns a line from a to b that avoids other points.
func limb(a, b Point, others []Point) Line {
	var boxes []Box
	for _, p := range others {
		boxes = append(boxes, Room{3 * clearance, 3 * clearance, 3 * clearance}.Around(p))
	}
	return cheapest(a, b, []float64{0, 75, -75, 110, -110, 150, -150}, func(l Line, _, _ float64) float64 { return float64(l.crosses(boxes, a, b)) })
}

// fromSegment returns how far a point is from the straight line between two others.
func fromSegment(p, a, b Point) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	t := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		t = min(max(((p.X-a.X)*dx+(p.Y-a.Y)*dy)/l, 0), 1)
	}
	return math.Hypot(p.X-a.X-t*dx, p.Y-a.Y-t*dy)
}
