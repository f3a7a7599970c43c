// Package drawing places the nodes of a small graph on a plane. Its rules: it is pure and has no chance in it, so
// the same graph in the same order is the same picture; and nodes that were placed stay where they are when more
// come, so that who looks at the picture finds them again.
package drawing

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
)

// Node is one to be placed.
type Node struct {
	Name   string // decides where it begins
	Group  int    // nodes of a group are placed together, after those of lower groups
	Parent int    // the node that it begins beside, or -1
}

// Point is a place, in pixels at the usual size.
type Point struct{ X, Y float64 }

const (
	length = 150.0 // of an edge, by and by
	steps  = 150   // that the nodes of a group move in
	apart  = 380.0 // of what is placed without a parent
)

// Force places nodes so that those with an edge are near, and none is too near another.
func Force(nodes []Node, edges [][2]int) []Point {
	at := make([]Point, len(nodes))
	last := 0
	for _, n := range nodes {
		last = max(last, n.Group)
	}
	for g := 0; g <= last; g++ {
		var fresh, placed []int
		for i, n := range nodes {
			switch {
			case n.Group == g:
				fresh = append(fresh, i)
			case n.Group < g:
				placed = append(placed, i)
			}
		}
		if len(fresh) == 0 {
			continue
		}
		for k, i := range fresh {
			at[i] = begin(nodes, at, i, k, placed)
		}
		move(at, fresh, append(placed, fresh...), edges)
	}
	return at
}

// begin gives where a node stands at first: on a ring around its parent, or beside what is there.
func begin(nodes []Node, at []Point, i, k int, placed []int) Point {
	h := fnv.New32a()
	_, _ = h.Write([]byte(nodes[i].Name)) // never fails
	angle := 2*math.Pi*float64(h.Sum32())/math.MaxUint32 + 2.399963*float64(k)
	from, radius := Point{}, length*(0.8+0.12*math.Sqrt(float64(k)))
	if p := nodes[i].Parent; p >= 0 && p < i {
		from = at[p]
	} else if len(placed) > 0 {
		radius = apart
	} else if k == 0 {
		return from
	}
	return Point{from.X + radius*math.Cos(angle), from.Y + radius*math.Sin(angle)}
}

// move lets the fresh nodes find their places among all that are there (after Fruchterman and Reingold, 1991).
func move(at []Point, fresh, there []int, edges [][2]int) {
	free, known := make([]bool, len(at)), make([]bool, len(at))
	for _, i := range fresh {
		free[i] = true
	}
	for _, i := range there {
		known[i] = true
	}
	push := make([]Point, len(at))
	for step := range steps {
		for _, i := range fresh {
			push[i] = Point{}
			for _, j := range there {
				dx, dy := at[i].X-at[j].X, at[i].Y-at[j].Y
				d := dx*dx + dy*dy
				if i == j || d > 36*length*length {
					continue
				}
				if d < 1 {
					dx, dy, d = float64(i-j), 1, 1+float64((i-j)*(i-j))
				}
				push[i].X += dx * length * length / d
				push[i].Y += dy * length * length / d
			}
		}
		for _, e := range edges {
			if !known[e[0]] || !known[e[1]] || e[0] == e[1] {
				continue
			}
			dx, dy := at[e[0]].X-at[e[1]].X, at[e[0]].Y-at[e[1]].Y
			pull := math.Hypot(dx, dy) / length
			for side, i := range e {
				sign := float64(2*side - 1)
				push[i].X += sign * dx * pull
				push[i].Y += sign * dy * pull
			}
		}
		most := length * 0.5 * (1 - float64(step)/steps)
		for _, i := range fresh {
			if l := math.Hypot(push[i].X, push[i].Y); l > 0 {
				at[i].X += push[i].X / l * min(l, most)
				at[i].Y += push[i].Y / l * min(l, most)
			}
		}
		for i := range push {
			if !free[i] {
				push[i] = Point{}
			}
		}
	}
}

// Timed is a node to be placed by time.
type Timed struct {
	At    float64 // seconds; what has none is placed by its neighbours
	Known bool    // whether it has a time
	Lane  int     // from 0, top down
}

const (
	laneHeight = 130.0
	laneWidth  = 150.0 // that a node takes in its lane
)

// Lanes places nodes by time from left to right, each in its lane, and without two in one place. It gives the
// lane's heights too.
func Lanes(nodes []Timed, edges [][2]int) (at []Point, heights []float64) {
	at = make([]Point, len(nodes))
	first, last, lanes, timed := math.Inf(1), math.Inf(-1), 0, 0
	for _, n := range nodes {
		lanes = max(lanes, n.Lane+1)
		if n.Known {
			first, last, timed = min(first, n.At), max(last, n.At), timed+1
		}
	}
	var order []int
	for i, n := range nodes {
		if n.Known {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(nodes[a].At, nodes[b].At) })
	x, usual := 0.0, (last-first)/float64(max(timed-1, 1))
	for k, i := range order {
		if k > 0 { // a long silence takes little more room than a usual one
			if gap := nodes[i].At - nodes[order[k-1]].At; gap > 0 {
				x += laneWidth * min(max(gap/usual, 0.5), 2)
			}
		}
		at[i].X = x
	}
	width := x
	for i, n := range nodes {
		if n.Known {
			continue
		}
		sum, count := 0.0, 0
		for _, e := range edges {
			for side := range e {
				if e[side] == i && nodes[e[1-side]].Known {
					sum, count = sum+at[e[1-side]].X, count+1
				}
			}
		}
		if at[i].X = width / 2; count > 0 {
			at[i].X = sum / float64(count)
		}
	}
	for l := range lanes {
		var row []int
		for i, n := range nodes {
			if n.Lane == l {
				row = append(row, i)
			}
		}
		slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(at[a].X, at[b].X) })
		y := laneHeight * float64(l)
		heights = append(heights, y)
		for k, i := range row {
			at[i].Y = y
			if k > 0 {
				at[i].X = max(at[i].X, at[row[k-1]].X+laneWidth)
			}
		}
	}
	return at, heights
}
