package drawing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Hull returns the path of SVG that, drawn thick, holds the points of members: around
// them all where no other point is inside (round is true then, and the path is to be
// filled), or else the lines of a tree that joins them, as short as can be while it keeps
// away from other points.
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
			fmt.Fprintf(&out, "%.1f %.1f", p.X, p.Y)
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
			for len(out) > 1 && turn(out[len(out)-2], out[len(out)-1], p) <= 0 {
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

// turn is above 0 where the way from a by b to c turns to the left.
func turn(a, b, c Point) float64 { return (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X) }

// inside reports whether a point is in a convex hull that is drawn thick.
func inside(p Point, corners []Point) bool {
	within := true
	for i, a := range corners {
		b := corners[(i+1)%len(corners)]
		if fromSegment(p, a, b) < 2*wayside {
			return true
		}
		within = within && turn(a, b, p) > 0
	}
	return within
}

// tree joins members by lines (after Prim). One that comes near to another point counts
// as much longer.
func tree(at []Point, members []int, in []bool) [][2]int {
	cost := func(a, b Point) float64 {
		d := math.Hypot(a.X-b.X, a.Y-b.Y)
		for i, p := range at {
			if !in[i] && fromSegment(p, a, b) < 2*wayside {
				d += 4 * length
			}
		}
		return d
	}
	from, least := make([]int, len(members)), make([]float64, len(members)) // the nearest that is joined
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

// limb goes from one member to another, around what is on the way.
func limb(a, b Point, others []Point) Line {
	best, least := Line{}, math.MaxInt
	for _, bow := range []float64{0, 110, -110, 160, -160, 220, -220} {
		l := bowed(a, b, bow)
		l.From, l.To = a, b
		if n := l.meets(a, b, others, 3*wayside); n < least {
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
