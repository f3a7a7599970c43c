package drawing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Hull returns an SVG path that marks the points of members. If no other point lies
// inside their convex hull, it returns the hull, to be filled, and round is true.
// Otherwise it returns the lines of a short tree that joins the members and avoids other
// points.
func Hull(at []Point, members []int) (path string, round bool) {
	in := make([]bool, len(at))
	var points, others []Point
	for _, m := range members {
		in[m] = true
		points = append(points, at[m])
	}
	for i, p := range at {
		if !in[i] {
			others = append(others, p)
		}
	}
	if around := convex(points); len(around) > 2 && !slices.ContainsFunc(others, func(p Point) bool { return inside(p, around) }) {
		var out strings.Builder
		for i, p := range around {
			out.WriteByte("ML"[min(i, 1)])
			fmt.Fprintf(&out, "%.0f %.0f", p.X, p.Y)
		}
		return out.String() + "Z", true
	}
	for _, s := range tree(at, members, in) {
		path += limb(at[s[0]], at[s[1]], others).Path()
	}
	return path, false
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

// inside reports whether p lies in a convex hull drawn with thick lines.
func inside(p Point, corners []Point) bool {
	within := true
	for i, a := range corners {
		b := corners[(i+1)%len(corners)]
		if fromSegment(p, a, b) < 2*clearance {
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
	best, least := Line{}, math.MaxInt
	for _, bow := range []float64{0, 110, -110, 160, -160, 220, -220} {
		l := bowed(a, b, bow)
		l.From, l.To = a, b
		if n := l.meets(a, b, others, 3*clearance); n < least {
			best, least = l, n
		}
	}
	return best
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
