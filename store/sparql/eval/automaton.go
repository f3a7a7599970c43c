package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// automaton follows a path that finds each end once. It visits pairs of
// a node and a state, each pair once, so that repeated paths in repeated paths take no
// more time than the triples that they pass. It remembers what follows each pair, for
// the searches from other nodes.
type automaton struct {
	w      *walker
	states []state // the first one is the start
	end    int     // the state in which a node is an end; the start if the whole path is repeated
	zero   bool    // the start may be an end, if it is the state of ends

	graph   ID       // that the rest is of
	pairs   *table   // nodes, each with a state if there are several
	known   []extent // by pair: what follows it, in next
	next    []int32
	seen    []int32 // by pair: the last round that has visited it
	round   int32
	reached []int32 // pairs visited in this round
	queue   []int32 // of them, those to go on from
	found   []int32 // by one step
	work    int     // pairs visited in all rounds
	parts   components
	held    int64 // bytes accounted for, without pairs
}

// state says how a path goes on.
type state struct {
	moves []move
	empty []int // states that are reached without a step
}

type move struct {
	follow follow
	to     int
}

// extent is a part of automaton.next. It begins at -1 if it is not known.
type extent struct{ from, to int32 }

// maxKnown limits the successors that a search remembers, and the pairs in its lists.
const maxKnown = 1 << 22

// exploreFrom is how often the pairs must have been visited, on average, before it is
// worth knowing their components. The first ends come sooner without.
const exploreFrom = 8

func (w *walker) automaton(x *algebra.Repeat) (*automaton, error) {
	s := &automaton{w: w, states: make([]state, 1), zero: x.Zero}
	if !x.Many {
		s.end = s.state()
	}
	if !x.Many && x.Zero {
		s.states[0].empty = []int{s.end}
	}
	err := s.build(0, x.Step, s.end)
	width := 1
	if len(s.states) > 1 {
		width = 2
	}
	s.pairs = newTable(w.r.budget, width)
	return s, err
}

func (s *automaton) state() int {
	s.states = append(s.states, state{})
	return len(s.states) - 1
}

// build lets a path lead from one state to another one.
func (s *automaton) build(from int, path algebra.Step, to int) error {
	if err := s.w.r.budget.Tick(1); err != nil {
		return err
	}
	switch x := path.(type) {
	case *algebra.Inverse:
		switch x.Step.(type) {
		case *algebra.Link, *algebra.Negated:
		default:
			return s.build(from, algebra.Reverse(x.Step), to)
		}
	case *algebra.Sequence:
		for _, step := range x.Steps[:len(x.Steps)-1] {
			middle := s.state()
			if err := s.build(from, step, middle); err != nil {
				return err
			}
			from = middle
		}
		return s.build(from, x.Steps[len(x.Steps)-1], to)
	case *algebra.Alternative:
		for _, step := range x.Steps {
			if err := s.build(from, step, to); err != nil {
				return err
			}
		}
		return nil
	case *algebra.Repeat:
		return s.repeat(from, x, to)
	}
	follow, err := s.w.leaf(path)
	s.states[from].moves = append(s.states[from].moves, move{follow, to})
	return err
}

func (s *automaton) repeat(from int, x *algebra.Repeat, to int) error {
	if !x.Many {
		if x.Zero {
			s.states[from].empty = append(s.states[from].empty, to)
		}
		return s.build(from, x.Step, to)
	}
	again := s.state()
	s.states[again].empty = append(s.states[again].empty, to)
	if x.Zero {
		s.states[from].empty = append(s.states[from].empty, again)
		return s.build(again, x.Step, again)
	}
	first := s.state()
	s.states[from].empty = append(s.states[from].empty, first)
	s.states[again].empty = append(s.states[again].empty, first)
	return s.build(first, x.Step, again)
}

// pair returns the number of a node and a state.
func (s *automaton) pair(node ID, state int) (int32, error) {
	key := [2]ID{node, ID(state)}
	n, added, err := s.pairs.insert(key[:s.pairs.width])
	if added {
		s.known, s.seen = append(s.known, extent{-1, -1}), append(s.seen, 0)
	}
	return int32(n), err
}

func (s *automaton) node(pair int32) ID { return s.pairs.key(int(pair))[0] }

// isEnd reports whether the node of a pair is an end of the path.
func (s *automaton) isEnd(pair int32) bool {
	return s.pairs.width == 1 || s.pairs.key(int(pair))[1] == ID(s.end)
}

// begin returns the pair from which a search begins.
func (s *automaton) begin(node ID) (int32, error) {
	if s.graph != s.w.graph {
		s.free()
		s.graph = s.w.graph
	}
	return s.pair(node, 0)
}

// after returns the pairs one step after another one. They are valid until the next
// call, or as long as the search if they are known.
func (s *automaton) after(pair int32) ([]int32, error) {
	if known := s.known[pair]; known.from >= 0 {
		return s.next[known.from:known.to], s.w.r.budget.Tick(1 + int(known.to-known.from))
	}
	s.found = s.found[:0]
	node, at := s.node(pair), &s.states[0]
	if s.pairs.width == 2 {
		at = &s.states[s.pairs.key(int(pair))[1]]
	}
	add := func(node ID, state int) error {
		n, err := s.pair(node, state)
		s.found = append(s.found, n)
		return err
	}
	for _, state := range at.empty {
		if err := add(node, state); err != nil {
			return nil, err
		}
	}
	for _, m := range at.moves {
		if err := m.follow(node, func(end ID) error { return add(end, m.to) }); err != nil {
			return nil, err
		}
	}
	if len(s.next)+len(s.found) <= maxKnown {
		from := int32(len(s.next))
		s.next = append(s.next, s.found...)
		s.known[pair] = extent{from, int32(len(s.next))}
	}
	if err := s.account(); err != nil {
		return nil, err
	}
	return s.found, s.w.r.budget.Tick(1)
}

// account reports the memory of the search.
func (s *automaton) account() error {
	c := &s.parts
	size := int64(cap(s.known))*8 + 4*int64(cap(s.next)+cap(s.seen)+cap(s.reached)+cap(s.queue)+cap(s.found)+
		cap(c.index)+cap(c.low)+cap(c.of)+cap(c.stack)+2*cap(c.calls)+2*cap(c.circles)+c.listed)
	if size == s.held {
		return nil
	}
	grown := size - s.held
	s.held = size
	return s.w.r.budget.Grow(grown)
}

// free forgets everything about a graph.
func (s *automaton) free() {
	s.pairs.free()
	_ = s.w.r.budget.Grow(-s.held)
	*s = automaton{w: s.w, states: s.states, end: s.end, zero: s.zero, pairs: s.pairs}
}

// from calls emit with each end of the path from a node, once.
func (s *automaton) from(node ID, emit func(ID) error) error {
	begin, err := s.begin(node)
	if err != nil {
		return err
	}
	return s.reach(begin, emit)
}

// reach is from for a pair. It leaves the pairs that it reaches in reached.
func (s *automaton) reach(begin int32, emit func(ID) error) error {
	s.round++
	s.reached, s.queue = s.reached[:0], s.queue[:0]
	defer func() { s.work += len(s.reached) }()
	visit := func(pair int32) (added bool, err error) {
		if s.seen[pair] == s.round {
			return false, nil
		}
		s.seen[pair] = s.round
		s.reached = append(s.reached, pair)
		if s.isEnd(pair) {
			err = emit(s.node(pair))
		}
		return true, err
	}
	// A start that is no end by itself may be one after some steps.
	if s.end != 0 || s.zero {
		if _, err := visit(begin); err != nil {
			return err
		}
	}
	s.queue = append(s.queue, begin)
	for at := 0; at < len(s.queue); at++ {
		pair := s.queue[at]
		next, listed, err := s.parts.list(pair), true, error(nil)
		if next == nil {
			listed = false
			next, err = s.after(pair)
		} else {
			err = s.w.r.budget.Tick(len(next))
		}
		for i := 0; err == nil && i < len(next); i++ {
			var added bool
			if added, err = visit(next[i]); added && !listed { // all that follows a list is in it
				s.queue = append(s.queue, next[i])
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// all calls emit with each pair of ends that the path connects, once. If same is set, it
// does so only for equal ends.
func (s *automaton) all(starts []ID, same bool, emit func(start, end ID) error) error {
	for _, start := range starts {
		begin, err := s.begin(start)
		if err != nil {
			return err
		}
		whole := s.end == 0 && (same || s.work > exploreFrom*s.pairs.n)
		if whole {
			if err := s.explore(begin); err != nil {
				return err
			}
		}
		whole = whole && !s.parts.given // the components are known
		if whole && same {
			if s.zero || s.parts.circle(begin) {
				err = emit(start, start)
			}
		} else {
			err = s.reach(begin, func(end ID) error {
				if same && start != end {
					return nil
				}
				return emit(start, end)
			})
		}
		if err != nil {
			return err
		}
		if whole && !same && s.parts.circle(begin) && s.parts.list(begin) == nil {
			s.parts.keep(begin, s.reached)
		}
	}
	return nil
}

// components are the strongly connected components of the pairs, found by Tarjan's
// algorithm. All members of one lead to the same pairs.
type components struct {
	given   bool    // up, because not all successors are known
	index   []int32 // by pair: in the order of visits, from 1
	low     []int32 // by pair: the lowest index that it leads to
	of      []int32 // by pair: the number of its component, from 1
	stack   []int32
	calls   []call
	circles []circle // by component
	listed  int      // pairs in all lists
}

// call is a visit of a pair that is under way.
type call struct{ pair, done int32 }

// circle is a component.
type circle struct {
	closed bool    // its members lead to themselves
	list   []int32 // the pairs that they lead to, or nil
}

func (c *components) circle(pair int32) bool {
	return int(pair) < len(c.of) && c.of[pair] > 0 && c.circles[c.of[pair]-1].closed
}

// list returns the pairs that the component of a pair leads to, or nil if it has no
// list.
func (c *components) list(pair int32) []int32 {
	if c.listed == 0 || !c.circle(pair) {
		return nil
	}
	return c.circles[c.of[pair]-1].list
}

// keep makes a list of the pairs that the component of a pair leads to.
func (c *components) keep(pair int32, list []int32) {
	if c.listed+len(list) > maxKnown {
		for i := range c.circles {
			c.circles[i].list = nil
		}
		c.listed = 0
	}
	if len(list) <= maxKnown {
		c.circles[c.of[pair]-1].list = slices.Clone(list)
		c.listed += len(list)
	}
}

// explore finds the components of all pairs that a pair leads to.
func (s *automaton) explore(begin int32) error {
	c := &s.parts
	if c.given || int(begin) < len(c.index) && c.index[begin] > 0 {
		return nil
	}
	count := int32(0)
	visit := func(pair int32) error {
		if _, err := s.after(pair); err != nil {
			return err
		}
		c.given = c.given || s.known[pair].from < 0
		for len(c.index) < s.pairs.n {
			c.index, c.low, c.of = append(c.index, 0), append(c.low, 0), append(c.of, 0)
		}
		count++
		c.index[pair], c.low[pair] = count, count
		c.stack, c.calls = append(c.stack, pair), append(c.calls, call{pair: pair})
		return nil
	}
	if err := visit(begin); err != nil {
		return err
	}
	for len(c.calls) > 0 && !c.given {
		top := &c.calls[len(c.calls)-1]
		pair, known := top.pair, s.known[top.pair]
		if top.done < known.to-known.from {
			other := s.next[known.from+top.done]
			top.done++
			switch {
			case c.index[other] == 0:
				if err := visit(other); err != nil {
					return err
				}
			case c.of[other] == 0: // it is on the stack
				c.low[pair] = min(c.low[pair], c.index[other])
			}
			continue
		}
		c.calls = c.calls[:len(c.calls)-1]
		if len(c.calls) > 0 {
			caller := c.calls[len(c.calls)-1].pair
			c.low[caller] = min(c.low[caller], c.low[pair])
		}
		if c.low[pair] == c.index[pair] {
			s.close(pair)
		}
	}
	return s.account()
}

// close makes a component of the pairs on the stack from a pair on.
func (s *automaton) close(first int32) {
	c, known := &s.parts, s.known[first]
	i := len(c.stack) - 1
	for c.stack[i] != first {
		i--
	}
	closed := i < len(c.stack)-1 || slices.Contains(s.next[known.from:known.to], first)
	c.circles = append(c.circles, circle{closed: closed})
	for _, pair := range c.stack[i:] {
		c.of[pair] = int32(len(c.circles))
	}
	c.stack = c.stack[:i]
}
