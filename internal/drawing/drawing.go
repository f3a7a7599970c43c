// Package drawing lays out small graphs: it places nodes on a plane and labels beside
// their edges. Its rules:
//
//   - It is deterministic: the same graph in the same order gives the same picture.
//   - Placed nodes do not move when more are added, so that a reader finds them again.
//   - No node covers another node or its name.
package drawing

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
)

// Node is a node to place.
type Node struct {
	Name   string // determines the start position
	Group  int    // groups are placed together, in ascending order
	Parent int    // the node to start beside, or -1
	Room   Room
	Fixed  *Point // where it is, if it is not to be placed
}

// Move puts a node at the free place nearest to a point, after the groups up to After
// were placed. So it moves none of their nodes, and later groups start from there.
type Move struct {
	Node  int
	To    Point
	After int
}

// Room is the space that a node and its name take around the node's point: Side to the
// left and to the right, Above above it and Below below it.
type Room struct{ Side, Above, Below float64 }

// Point is a position in pixels at the normal zoom.
type Point struct{ X, Y float64 }

const (
	length       = 130.0    // ideal length of an edge
	steps        = 150      // iterations of the force layout per group
	rootDistance = 300.0    // distance of nodes without a parent
	gap          = 8.0      // between the rooms of two nodes
	rounds       = 300      // maximum passes that push overlapping nodes apart
	flat         = 1.6      // ratio of a layout's width to its height while it is made, because names are wide
	window       = 2.0      // ratio at the end, as of windows
	goldenAngle  = 2.399963 // in radians; turned by it again and again, points spread evenly around a centre
)

// Force places nodes by a force-directed layout: nodes that share an edge are close, and
// no two overlap. Moves override the places of nodes, in order.
func Force(nodes []Node, edges [][2]int, moves []Move) []Point {
	at := make([]Point, len(nodes))
	last := 0
	for _, n := range nodes {
		last = max(last, n.Group)
	}
	for g := 0; g <= last; g++ {
		if g > 0 {
			apply(moves, nodes, at, g-1, last)
		}
		var fresh, placed []int
		for i, n := range nodes {
			switch {
			case n.Group == g && n.Fixed == nil:
				fresh = append(fresh, i)
			case n.Group == g:
				at[i], placed = *n.Fixed, append(placed, i)
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
		there := slices.Concat(placed, fresh)
		move(at, fresh, there, edges)
		separate(at, nodes, fresh, there)
		widen(at, fresh, there)
		separate(at, nodes, fresh, there)
	}
	apply(moves, nodes, at, last, last)
	return at
}

// apply makes the moves that come after a group; with the last group, also the moves
// after any later group. A move waits until the group of its node is placed.
func apply(moves []Move, nodes []Node, at []Point, group, last int) {
	for _, m := range moves {
		when := min(max(m.After, nodes[m.Node].Group), last)
		if when == group {
			at[m.Node] = freePlace(nodes, at, m.Node, m.To, func(r int) Point {
				angle, radius := goldenAngle*float64(r), 6*math.Sqrt(float64(r)) // a spiral without gaps
				return Point{radius * math.Cos(angle), radius * math.Sin(angle)}
			}, func(i int) bool { return nodes[i].Group <= group })
		}
	}
}

// Step returns the first free place for a node in a direction, at least the length of way
// from its place.
func Step(nodes []Node, at []Point, i int, way Point) Point {
	return freePlace(nodes, at, i, Point{at[i].X + way.X, at[i].Y + way.Y}, func(r int) Point {
		return Point{way.X / 2 * float64(r), way.Y / 2 * float64(r)}
	}, func(int) bool { return true })
}

// freePlace returns the first free place for node i, at from plus way(r) for r = 0, 1, 2 and
// so on. A place is free if the node overlaps no other node for which there returns true. If
// there is none within 4,000 steps, freePlace returns from.
func freePlace(nodes []Node, at []Point, i int, from Point, way func(int) Point, there func(int) bool) Point {
	const most = 4000
	for r := range most {
		w := way(r)
		p := Point{from.X + w.X, from.Y + w.Y}
		met := false
		for j := range nodes {
			if x, y := overlap(p, nodes[i].Room, at[j], nodes[j].Room); j != i && x > 0 && y > 0 && there(j) {
				met = true
				break
			}
		}
		if !met {
			return p
		}
	}
	return from
}

// begin returns the start position of a node: on a ring around its parent, or beside the
// placed nodes. k is its index among the nodes that are placed with it.
func begin(nodes []Node, at []Point, i, k int, placed []int) Point {
	h := fnv.New32a()
	_, _ = h.Write([]byte(nodes[i].Name)) // never fails
	angle := 2*math.Pi*float64(h.Sum32())/math.MaxUint32 + goldenAngle*float64(k)
	from, radius := Point{}, length*(0.8+0.12*math.Sqrt(float64(k)))
	if p := nodes[i].Parent; p >= 0 && p < i { // it has a place already
		from = at[p]
	} else if len(placed) > 0 {
		radius = rootDistance
	} else if k == 0 {
		return from
	}
	return Point{from.X + flat*radius*math.Cos(angle), from.Y + radius*math.Sin(angle)}
}

// move lays out the fresh nodes among all placed nodes, after Fruchterman and Reingold
// (1991), on a plane that is wider than high. The slice there ends with the
// fresh nodes. With many nodes it takes fewer steps, because each step takes longer.
func move(at []Point, fresh, there []int, edges [][2]int) {
	known := make([]bool, len(at))
	for _, i := range there {
		known[i] = true
	}
	first, steps := len(there)-len(fresh), min(steps, steps*100/len(there)) // the more nodes, the fewer steps
	push := make([]Point, len(at))
	for step := range steps {
		clear(push)
		for k, i := range there[first:] {
			for _, j := range there[:first+k] {
				dx, dy := at[i].X-at[j].X, (at[i].Y-at[j].Y)*flat
				d := dx*dx + dy*dy
				if d > 36*length*length { // farther than six edges, which is too far to matter
					continue
				}
				if d < 1 { // at one place: any direction will do
					dx, dy, d = float64(i-j), 1, 1+float64((i-j)*(i-j))
				}
				f := length * length / d
				push[i].X += dx * f
				push[i].Y += dy * f
				push[j].X -= dx * f
				push[j].Y -= dy * f
			}
		}
		for _, e := range edges {
			if !known[e[0]] || !known[e[1]] || e[0] == e[1] {
				continue
			}
			dx, dy := at[e[0]].X-at[e[1]].X, (at[e[0]].Y-at[e[1]].Y)*flat
			pull := math.Hypot(dx, dy) / length
			for side, i := range e {
				sign := float64(2*side - 1)
				push[i].X += sign * dx * pull
				push[i].Y += sign * dy * pull
			}
		}
		most := length * 0.5 * (1 - float64(step)/float64(steps)) // they come to rest
		for _, i := range fresh {
			if l := math.Hypot(push[i].X, push[i].Y); l > 0 {
				at[i].X += push[i].X / l * min(l, most)
				at[i].Y += push[i].Y / l * min(l, most) / flat
			}
		}
	}
}

// widen moves fresh nodes away from the middle: sideways if the layout is higher than a
// window, and up and down if it is much wider.
func widen(at []Point, fresh, there []int) {
	const most = 1.6 // times as far
	low, high := at[there[0]], at[there[0]]
	for _, i := range there {
		low, high = Point{min(low.X, at[i].X), min(low.Y, at[i].Y)}, Point{max(high.X, at[i].X), max(high.Y, at[i].Y)}
	}
	wide, tall := high.X-low.X+length, high.Y-low.Y+length/flat
	x, y := min(max(window*tall/wide, 1), most), min(max(wide/(window*tall)*0.8, 1), most)
	for _, i := range fresh {
		at[i].X += (at[i].X - (low.X+high.X)/2) * (x - 1)
		at[i].Y += (at[i].Y - (low.Y+high.Y)/2) * (y - 1)
	}
}

// separate moves fresh nodes, each time along the shorter axis, until none of their rooms
// overlaps another, or for as many rounds as allowed.
func separate(at []Point, nodes []Node, fresh, there []int) {
	free, widest := make([]bool, len(at)), 0.0
	for _, i := range fresh {
		free[i] = true
	}
	for _, i := range there {
		widest = max(widest, nodes[i].Room.Side)
	}
	order := slices.Clone(there)
	for range rounds {
		still := true
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(at[i].X, at[j].X) })
		for k, i := range order {
			for _, j := range order[k+1:] {
				if at[j].X-at[i].X >= nodes[i].Room.Side+widest+gap {
					break
				}
				if !free[i] && !free[j] {
					continue
				}
				if x, y := overlap(at[i], nodes[i].Room, at[j], nodes[j].Room); x > 0 && y > 0 {
					still = false
					part(at, i, j, x+0.5, y+0.5, free) // a little more, so that rounding leaves no overlap
				}
			}
		}
		if still {
			return
		}
	}
}

// part moves two overlapping nodes apart, or only one if the other is not free: by x
// horizontally if x is less than y, otherwise by y vertically.
func part(at []Point, i, j int, x, y float64, free []bool) {
	way := Point{Y: y}
	if at[i].Y < at[j].Y || at[i].Y == at[j].Y && i < j {
		way.Y = -y
	}
	if x < y {
		way = Point{X: x}
		if at[i].X < at[j].X || at[i].X == at[j].X && i < j {
			way.X = -x
		}
	}
	share := 1.0
	if free[i] && free[j] {
		share = 0.5 // each goes half of the way
	}
	if free[i] {
		at[i].X, at[i].Y = at[i].X+way.X*share, at[i].Y+way.Y*share
	}
	if free[j] {
		at[j].X, at[j].Y = at[j].X-way.X*share, at[j].Y-way.Y*share
	}
}

// overlap returns how far two rooms overlap, including the gap between them. They do if both numbers are positive.
func overlap(a Point, p Room, b Point, q Room) (x, y float64) {
	x = p.Side + q.Side + gap - math.Abs(a.X-b.X)
	y = min(a.Y+p.Below, b.Y+q.Below) - max(a.Y-p.Above, b.Y-q.Above) + gap
	return x, y
}
