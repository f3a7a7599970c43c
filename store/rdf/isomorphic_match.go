package rdf

import "slices"

func (m *matcher) run() bool {
	all := make([]int32, len(m.nodes))
	signatures := make([]uint64, len(m.nodes))
	for i := range all {
		all[i] = int32(i)
		signatures[i] = m.signature(int32(i))
	}
	p, classes, balanced := m.newPartition(all, func(n int32) uint64 { return signatures[n] })
	if !balanced || !m.refine(p, classes) {
		return false
	}
	return m.matchClasses(all[:m.first], all[m.first:], p)
}

// matchClasses maps each node of a to the node of b in its class, if the class has
// only these two. It checks the quads whose nodes are then all mapped, and matches
// the rest. The rest consists of parts that share only quads of mapped nodes, so it
// matches each part separately.
func (m *matcher) matchClasses(a, b []int32, p partition) bool {
	var paired []int32
	for _, n := range a {
		c := m.colour[n]
		if p.size[c] == 2 {
			other := p.lab[c] + p.lab[c+1] - n
			m.mate[n], m.mate[other] = other, n
			paired = append(paired, n)
		}
	}
	for _, n := range paired {
		if !m.quadsMatch(n) {
			return false
		}
	}
	parts := make(map[uint64][][]int32) // unmatched parts of b, by signature
	for _, part := range m.components(b) {
		s := m.partSignature(part)
		parts[s] = append(parts[s], part)
	}
	for _, part := range m.components(a) {
		s := m.partSignature(part)
		found := slices.IndexFunc(parts[s], func(other []int32) bool { return m.match(part, other) })
		if found < 0 {
			return false
		}
		// Isomorphism is an equivalence, so any matching part will do. Parts that did not
		// match go to the end, since the next part of a often has the same shape as this
		// one.
		parts[s] = append(parts[s][found+1:], parts[s][:found]...)
	}
	return true
}

// quadsMatch reports whether b contains the quads of n whose blank nodes are all mapped.
func (m *matcher) quadsMatch(n int32) bool {
	for _, e := range m.edgesOf(n) {
		m.steps--
		terms, decided := m.source[e.quad].terms(), true
		for i, other := range m.quads[e.quad] {
			if other < 0 {
				continue
			}
			if m.mate[other] < 0 {
				decided = false
				break
			}
			terms[i] = m.nodes[m.mate[other]]
		}
		if !decided {
			continue
		}
		if _, ok := m.inB[Quad{terms[0], terms[1], terms[2], terms[3]}]; !ok {
			return false
		}
	}
	return true
}

// components groups the unmapped nodes into connected parts.
func (m *matcher) components(nodes []int32) (parts [][]int32) {
	m.steps -= len(nodes)
	for _, n := range nodes {
		if m.mate[n] >= 0 || m.touched[n] {
			continue
		}
		m.touched[n] = true
		part := []int32{n}
		for i := 0; i < len(part); i++ {
			for _, e := range m.edgesOf(part[i]) {
				m.steps--
				for _, other := range m.quads[e.quad] {
					if other >= 0 && m.mate[other] < 0 && !m.touched[other] {
						m.touched[other] = true
						part = append(part, other)
					}
				}
			}
		}
		parts = append(parts, part)
	}
	for _, part := range parts {
		for _, n := range part {
			m.touched[n] = false
		}
	}
	return parts
}

func (m *matcher) partSignature(part []int32) uint64 {
	var sum uint64
	for _, n := range part {
		sum += m.mix(uint64(m.colour[n]))
	}
	return sum
}

// match maps the part a to the part b if possible. Otherwise it changes nothing.
func (m *matcher) match(a, b []int32) bool {
	if len(a) != len(b) || m.steps < 0 {
		return false
	}
	both := slices.Concat(a, b)
	before := make([]int32, len(both))
	for i, n := range both {
		before[i] = m.colour[n]
	}
	m.steps -= len(both)
	if m.matchParts(a, b, both) {
		return true
	}
	for i, n := range both {
		m.colour[n], m.mate[n] = before[i], -1
	}
	return false
}

func (m *matcher) matchParts(a, b, both []int32) bool {
	p, classes, balanced := m.newPartition(both, func(n int32) uint64 { return uint64(m.colour[n]) })
	if !balanced {
		return false
	}
	smallest := slices.MinFunc(classes, func(x, y int32) int { return int(p.size[x] - p.size[y]) })
	if p.size[smallest] == 2 {
		return m.matchClasses(a, b, p)
	}
	// Every class has several nodes of a: take one, and try every node of b in its class.
	class := slices.Clone(p.lab[smallest : smallest+p.size[smallest]])
	x := class[slices.IndexFunc(class, func(n int32) bool { return n < m.first })]
	for _, y := range class {
		if y < m.first {
			continue
		}
		if m.steps < 0 {
			return false
		}
		m.steps -= len(both)
		trial := partition{slices.Clone(p.lab), slices.Clone(p.size)}
		m.setPartition(trial, classes)
		if m.refine(trial, []int32{m.separate(trial, smallest, x, y)}) && m.matchClasses(a, b, trial) {
			return true
		}
		for _, n := range both {
			m.mate[n] = -1
		}
	}
	return false
}

// separate makes x and y a class of their own, at the end of their former class.
func (m *matcher) separate(p partition, class, x, y int32) int32 {
	end := class + p.size[class]
	m.swap(p, m.pos[x], end-1)
	m.swap(p, m.pos[y], end-2)
	p.size[class] -= 2
	p.size[end-2] = 2
	m.colour[x], m.colour[y] = end-2, end-2
	return end - 2
}
