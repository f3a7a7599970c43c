package rdf

import (
	"cmp"
	"slices"
)

// partition divides nodes into classes. A class is a run of lab and is identified by its
// start. size holds its length there.
type partition struct {
	lab  []int32
	size []int32
}

// newPartition groups nodes by key. It also returns the starts of the classes, and
// whether every class has as many nodes of a as of b.
func (m *matcher) newPartition(nodes []int32, key func(n int32) uint64) (p partition, classes []int32, balanced bool) {
	p = partition{slices.Clone(nodes), make([]int32, len(nodes))}
	m.steps -= 4 * len(nodes)
	slices.SortFunc(p.lab, func(x, y int32) int { return cmp.Compare(key(x), key(y)) })
	balanced = true
	for from := 0; from < len(p.lab); {
		to, surplus := from, 0
		for ; to < len(p.lab) && key(p.lab[to]) == key(p.lab[from]); to++ {
			surplus += m.side(p.lab[to])
		}
		balanced = balanced && surplus == 0
		p.size[from] = int32(to - from)
		classes = append(classes, int32(from))
		from = to
	}
	m.setPartition(p, classes)
	return p, classes, balanced
}

// setPartition sets colour and pos to describe p.
func (m *matcher) setPartition(p partition, classes []int32) {
	for _, c := range classes {
		for i := c; i < c+p.size[c]; i++ {
			m.colour[p.lab[i]], m.pos[p.lab[i]] = c, i
		}
	}
}

// side returns 1 for a node of a and -1 for one of b.
func (m *matcher) side(n int32) int {
	if n < m.first {
		return 1
	}
	return -1
}

// signature hashes a node's quads, ignoring the identity of other blank nodes.
func (m *matcher) signature(n int32) uint64 {
	var sum uint64
	for _, e := range m.edgesOf(n) {
		var shape uint64
		for i, other := range m.quads[e.quad] {
			if other == n {
				shape |= 1 << i
			}
		}
		sum += m.mix(m.ground[e.quad] ^ m.mix(shape<<3|uint64(e.position)))
	}
	return sum
}

// refine splits classes until any two nodes of a class have the same edges to every
// class, starting with the classes in queue. It returns false as soon as a class has more
// nodes of one dataset than of the other, and at the limit of steps.
//
// It uses the method of Paige and Tarjan: if a processed class is split, its largest
// part need not be processed again. This makes it fast on long chains.
func (m *matcher) refine(p partition, queue []int32) bool {
	queued := make([]bool, len(p.lab))
	for _, c := range queue {
		queued[c] = true
	}
	var seen []int32
	for len(queue) > 0 {
		c := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		queued[c] = false

		seen = m.addEdges(p.lab[c:c+p.size[c]], seen[:0])
		slices.SortFunc(seen, func(x, y int32) int {
			return cmp.Or(cmp.Compare(m.colour[x], m.colour[y]), cmp.Compare(m.acc[x], m.acc[y]))
		})
		balanced := true
		for from := 0; from < len(seen); {
			class := m.colour[seen[from]]
			to := from + 1
			for to < len(seen) && m.colour[seen[to]] == class {
				to++
			}
			var ok bool
			queue, ok = m.split(p, class, seen[from:to], queue, queued)
			balanced = balanced && ok
			from = to
		}
		for _, n := range seen {
			m.acc[n], m.touched[n] = 0, false
		}
		if !balanced || m.steps < 0 {
			return false
		}
	}
	return true
}

// addEdges adds up in acc, for every unmapped node, the hashes of its edges to the class,
// and appends those nodes to seen.
func (m *matcher) addEdges(class, seen []int32) []int32 {
	for _, n := range class {
		for _, e := range m.edgesOf(n) {
			m.steps--
			for i, other := range m.quads[e.quad] {
				if other < 0 || i == int(e.position) || m.mate[other] >= 0 {
					continue
				}
				m.acc[other] += m.mix(m.ground[e.quad] + uint64(i)<<2 + uint64(e.position))
				if !m.touched[other] {
					m.touched[other] = true
					seen = append(seen, other)
				}
			}
		}
	}
	return seen
}

// split takes the seen nodes of a class, sorted by acc, and makes each run of equal
// acc a class. The other nodes stay in the old class. It appends to queue the new
// classes that must be processed, and reports whether each new class is balanced.
func (m *matcher) split(p partition, class int32, seen, queue []int32, queued []bool) ([]int32, bool) {
	m.steps -= 4 * len(seen)
	unseen := p.size[class] - int32(len(seen))
	if unseen == 0 && m.acc[seen[0]] == m.acc[seen[len(seen)-1]] {
		return queue, true
	}
	// Move the seen nodes to the end of the class, in order.
	end := class + p.size[class]
	for i := len(seen) - 1; i >= 0; i-- {
		end--
		m.swap(p, m.pos[seen[i]], end)
	}
	parts := []int32{}
	if unseen > 0 {
		p.size[class] = unseen
		parts = append(parts, class)
	}
	balanced := true
	for from := 0; from < len(seen); {
		to, surplus, at := from, 0, class+unseen+int32(from)
		for ; to < len(seen) && m.acc[seen[to]] == m.acc[seen[from]]; to++ {
			m.colour[seen[to]] = at
			surplus += m.side(seen[to])
		}
		p.size[at] = int32(to - from)
		parts = append(parts, at)
		balanced = balanced && surplus == 0
		from = to
	}
	skip := int32(-1)
	if !queued[class] {
		skip = slices.MaxFunc(parts, func(x, y int32) int { return cmp.Compare(p.size[x], p.size[y]) })
	}
	for _, part := range parts {
		if part != skip && !queued[part] {
			queued[part] = true
			queue = append(queue, part)
		}
	}
	return queue, balanced
}

func (m *matcher) swap(p partition, i, j int32) {
	p.lab[i], p.lab[j] = p.lab[j], p.lab[i]
	m.pos[p.lab[i]], m.pos[p.lab[j]] = i, j
}
