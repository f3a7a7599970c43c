package drawing

import (
	"cmp"
	"math"
	"slices"
)

// Half the width and the height of the outermost of several rings. A single ring is smaller.
const (
	ringsWide = 490.0
	ringsTall = 300.0
	shape     = 1.75 // ratio of a window's width to its height, without what is beside its drawing
)

// Width of a column of Steps, and least height of its rows.
const (
	stepWide = 210.0
	stepTall = 70.0
)

// Ringed is a node to place on a ring.
type Ringed struct {
	Ring   int // from 1; 0 for the centre
	Toward int // the node on the ring before it that it stands near
	Room   Room
}

// ringSize returns half the width and half the height of a ring. rings is the number of rings.
func ringSize(ring, rings int) (wide, tall float64) {
	part := float64(ring) / float64(max(rings, 1))
	if rings == 1 {
		part = 0.75
	}
	return ringsWide * part, ringsTall * part
}

// byRing returns the indexes of the nodes on each ring.
func byRing(nodes []Ringed) (rings [][]int) {
	for i, n := range nodes {
		for len(rings) <= n.Ring {
			rings = append(rings, nil)
		}
		rings[n.Ring] = append(rings[n.Ring], i)
	}
	return rings
}

// Steps places nodes in columns from left to right, by their rings, in the order of the nodes that they stand near.
func Steps(nodes []Ringed) []Point {
	at, columns := make([]Point, len(nodes)), byRing(nodes)
	most := 0
	for _, on := range columns {
		most = max(most, len(on))
	}
	tall := max(stepTall, min(2*ringsTall/float64(max(most, 1)), 2*stepTall))
	for c, on := range columns {
		slices.SortStableFunc(on, func(i, j int) int { return cmp.Compare(at[nodes[i].Toward].Y, at[nodes[j].Toward].Y) })
		for k, i := range on {
			at[i] = Point{stepWide * float64(c), tall * (float64(k) - float64(len(on)-1)/2)}
		}
	}
	return at
}

// Rings places nodes around the first one, on ellipses: each near the node that it stands
// near, and so that no two overlap. Where up is true, the name of a node belongs above it, so
// that lines from the centre do not cross it: its room is turned over.
func Rings(nodes []Ringed) (at []Point, up []bool) {
	at, up = make([]Point, len(nodes)), make([]bool, len(nodes))
	rings := byRing(nodes)
	angle := make([]float64, len(nodes))
	var fresh, there []int
	rooms := make([]Node, len(nodes))
	for i, n := range nodes {
		rooms[i].Room = n.Room
		if there = append(there, i); n.Ring > 0 {
			fresh = append(fresh, i)
		}
	}
	for ring := 1; ring < len(rings); ring++ {
		on := rings[ring]
		step, turned := 2*math.Pi/float64(max(len(on), 1)), -math.Pi/2
		if ring > 1 {
			slices.SortStableFunc(on, func(i, j int) int { return cmp.Compare(angle[nodes[i].Toward], angle[nodes[j].Toward]) })
			turned = turn(on, nodes, angle, step)
		}
		wide, tall := ringSize(ring, len(rings)-1)
		for k, i := range on {
			angle[i] = turned + step*float64(k)
			at[i] = Point{wide * math.Cos(angle[i]), tall * math.Sin(angle[i])}
			if up[i] = at[i].Y < -1; up[i] {
				rooms[i].Room.Above, rooms[i].Room.Below = rooms[i].Room.Below, rooms[i].Room.Above
			}
		}
	}
	separate(at, rooms, fresh, there)
	spread(at, rooms)
	return at, up
}

// spread widens a layout until it has the shape of a window.
func spread(at []Point, rooms []Node) {
	low, high := Point{}, Point{}
	for i, p := range at {
		b := rooms[i].Room.Around(p)
		low, high = Point{min(low.X, b.Left), min(low.Y, b.Top)}, Point{max(high.X, b.Right), max(high.Y, b.Bottom)}
	}
	more := min(max(1, shape*(high.Y-low.Y)/max(high.X-low.X, 1)), 2)
	for i := range at {
		at[i].X *= more
	}
}

// turn returns the angle at which a ring of nodes at equal distances should begin: with it, the
// nodes are, on average, at the angles of the nodes that they stand near.
func turn(on []int, nodes []Ringed, angle []float64, step float64) float64 {
	x, y := 0.0, 0.0
	for k, i := range on {
		a := angle[nodes[i].Toward] - step*float64(k)
		x, y = x+math.Cos(a), y+math.Sin(a)
	}
	return math.Atan2(y, x)
}
