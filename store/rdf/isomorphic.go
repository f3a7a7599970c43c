package rdf

import (
	"errors"
	"hash/maphash"
)

// ErrWorkLimit reports that a comparison took too many steps.
var ErrWorkLimit = errors.New("too many steps to decide whether the datasets are isomorphic")

// Isomorphic reports whether two datasets are equal except for the labels of their blank
// nodes (RDF 1.1 Concepts, sections 3.6 and 4.1): whether a one-to-one mapping of the
// blank nodes of a to those of b, including graph names, turns a into b. Repeated quads
// count once, and a graph is a dataset with only a default graph. Literals must be equal,
// except for the case of language tags.
//
// It is meant for tests and tools. No known algorithm is fast for every input, so
// Isomorphic gives up after some hundred million steps and returns false. Practical data
// needs far fewer. IsomorphicWithin distinguishes "no" from "not decided".
func Isomorphic(a, b []Quad) bool {
	same, err := IsomorphicWithin(a, b, 200_000_000+100*(len(a)+len(b)))
	return same && err == nil
}

// IsomorphicWithin is Isomorphic with a limit on the number of steps. A step examines one
// term of one quad (some nanoseconds). At the limit it returns ErrWorkLimit.
func IsomorphicWithin(a, b []Quad, steps int) (bool, error) {
	setA, setB := quadSet(a), quadSet(b)
	if len(setA) != len(setB) {
		return false, nil
	}
	m := newMatcher(setA, setB, steps)
	if m == nil {
		return false, nil
	}
	same := m.run()
	if m.steps < 0 {
		return false, ErrWorkLimit
	}
	return same, nil
}

func quadSet(quads []Quad) map[Quad]struct{} {
	set := make(map[Quad]struct{}, len(quads))
	for _, q := range EncodeTriples(quads) {
		set[q.Fold()] = struct{}{}
	}
	return set
}

// matcher searches for the mapping. It numbers the blank nodes of both datasets
// together, those of a first, and keeps them in one partition: nodes of the same
// class may still be mapped to each other. Refining the partition
// (isomorphic_refine.go) uses hashes. A collision only makes a class too large,
// because a mapping is accepted only after every quad of a was found in b.
type matcher struct {
	steps int // left

	nodes  []Term     // blank nodes by number
	first  int32      // nodes before this number belong to a, the others to b
	quads  [][4]int32 // quads with blank nodes: their numbers by position, or -1
	source []Quad     // the same quads as terms
	ground []uint64   // hashes of the other terms of the same quads
	edges  []edge     // positions of every node in quads, node after node
	start  []int32    // index in edges of a node's first edge; one longer than nodes

	inB  map[Quad]struct{}
	seed maphash.Seed

	colour []int32 // a node's class: its start in the partition
	pos    []int32 // a node's position in the partition
	mate   []int32 // the node that a node is mapped to, or -1

	acc     []uint64 // refine: a node's edges to the current class
	touched []bool   // refine: nodes whose acc is in use
}

// edge is a position of a node in a quad.
type edge struct {
	quad     int32
	position int8
}

// newMatcher numbers the blank nodes. It returns nil if counts or quads without blank
// nodes already rule out a mapping.
func newMatcher(setA, setB map[Quad]struct{}, steps int) *matcher {
	size := len(setA) + len(setB)
	m := &matcher{
		steps: steps, inB: setB, seed: maphash.MakeSeed(),
		quads: make([][4]int32, 0, size), source: make([]Quad, 0, size), ground: make([]uint64, 0, size),
	}
	var blankQuads [2]int
	for side, set := range []map[Quad]struct{}{setA, setB} {
		number := make(map[Term]int32)
		for q := range set {
			ids, blank := [4]int32{-1, -1, -1, -1}, false
			var ground uint64
			for i, t := range q.terms() {
				if !t.IsBlank() {
					ground = m.mix(ground ^ maphash.Comparable(m.seed, t))
					continue
				}
				ground = m.mix(ground)
				blank = true
				n, ok := number[t]
				if !ok {
					n = int32(len(m.nodes))
					number[t] = n
					m.nodes = append(m.nodes, t)
				}
				ids[i] = n
			}
			if blank {
				blankQuads[side]++
				m.quads = append(m.quads, ids)
				m.source = append(m.source, q)
				m.ground = append(m.ground, ground)
			} else if _, ok := setB[q]; !ok {
				return nil
			}
		}
		if side == 0 {
			m.first = int32(len(m.nodes))
		}
	}
	n := len(m.nodes)
	if n != 2*int(m.first) || blankQuads[0] != blankQuads[1] {
		return nil
	}
	m.colour, m.pos, m.mate = make([]int32, n), make([]int32, n), make([]int32, n)
	m.acc, m.touched = make([]uint64, n), make([]bool, n)
	for i := range m.mate {
		m.mate[i] = -1
	}
	m.indexEdges()
	return m
}

func (m *matcher) indexEdges() {
	m.start = make([]int32, len(m.nodes)+1)
	for _, ids := range m.quads {
		for _, n := range ids {
			if n >= 0 {
				m.start[n+1]++
			}
		}
	}
	for i := range m.nodes {
		m.start[i+1] += m.start[i]
	}
	m.edges = make([]edge, m.start[len(m.nodes)])
	next := append([]int32(nil), m.start...)
	for q, ids := range m.quads {
		for i, n := range ids {
			if n >= 0 {
				m.edges[next[n]] = edge{int32(q), int8(i)}
				next[n]++
			}
		}
	}
}

func (m *matcher) edgesOf(n int32) []edge { return m.edges[m.start[n]:m.start[n+1]] }

func (q Quad) terms() [4]Term { return [4]Term{q.S, q.P, q.O, q.G} }

// mix spreads the bits of x, so that sums of mixed values seldom collide.
func (m *matcher) mix(x uint64) uint64 { return maphash.Comparable(m.seed, x) }
