package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
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

	graph   source.ID   // that the rest is of
	pairs   *table.Keys // nodes, each with a state if there are several
	known   []extent    // by pair: what follows it, in next
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

// automaton returns the automaton of a repeated path, or of an optional one. It starts in state 0.
func (w *walker) automaton(x *syntax.RepeatPath) (*automaton, error) {
	s := &automaton{w: w, states: make([]state, 1), zero: x.Zero()}
	if !x.Many() {
		s.end = s.addState()
		if x.Zero() {
			s.states[0].empty = []int{s.end}
		}
	}
	err := s.build(0, x.Path, s.end)
	width := 1
	if len(s.states) > 1 {
		width = 2
	}
	s.pairs = table.NewKeys(w.r.budget, width)
	return s, err
}

// addState adds a state and returns its number.
func (s *automaton) addState() int {
	s.states = append(s.states, state{})
	return len(s.states) - 1
}

// build lets a path lead from one state to another one.
func (s *automaton) build(from int, path algebra.Step, to int) error {
	if err := s.w.r.budget.Tick(1); err != nil {
		return err
	}
	switch x := path.(type) {
	case *syntax.InversePath:
		switch x.Path.(type) {
		case *syntax.Link, *syntax.NegatedSet: // below, as one edge
		default:
			return s.build(from, algebra.Reverse(x.Path), to)
		}
	case *syntax.SequencePath:
		for _, step := range x.Paths[:len(x.Paths)-1] {
			middle := s.addState()
			if err := s.build(from, step, middle); err != nil {
				return err
			}
			from = middle
		}
		return s.build(from, x.Paths[len(x.Paths)-1], to)
	case *syntax.AlternativePath:
		for _, step := range x.Paths {
			if err := s.build(from, step, to); err != nil {
				return err
			}
		}
		return nil
	case *syntax.RepeatPath:
		return s.repeat(from, x, to)
	}
	follow, err := s.w.leaf(path)
	if err != nil {
		return err
	}
	s.states[from].moves = append(s.states[from].moves, move{follow, to})
	return nil
}

// repeat adds the transitions for a path that is repeated between two states, or optional.
func (s *automaton) repeat(from int, x *syntax.RepeatPath, to int) error {
	if !x.Many() {
		if x.Zero() {
			s.states[from].empty = append(s.states[from].empty, to)
		}
		return s.build(from, x.Path, to)
	}
	again := s.addState() // after a repetition: another one may begin, or the path goes on
	s.states[again].empty = append(s.states[again].empty, to)
	if x.Zero() {
		s.states[from].empty = append(s.states[from].empty, again)
		return s.build(again, x.Path, again)
	}
	first := s.addState() // before each repetition; from here, one must be made
	s.states[from].empty = append(s.states[from].empty, first)
	s.states[again].empty = append(s.states[again].empty, first)
	return s.build(first, x.Path, again)
}

func (s *automaton) pair(node source.ID, state int) (int32, error) {
	key := [2]source.ID{node, source.ID(state)}
	n, added, err := s.pairs.Insert(key[:s.pairs.Width])
	if added {
		s.known, s.seen = append(s.known, extent{-1, -1}), append(s.seen, 0)
	}
	return int32(n), err
}

func (s *automaton) node(pair int32) source.ID { return s.pairs.Key(int(pair))[0] }

// isEnd reports whether the node of a pair is an end of the path.
func (s *automaton) isEnd(pair int32) bool {
	return s.pairs.Width == 1 || s.pairs.Key(int(pair))[1] == source.ID(s.end)
}

// begin returns the pair from which a search begins.
func (s *automaton) begin(node source.ID) (int32, error) {
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
	if s.pairs.Width == 2 {
		at = &s.states[s.pairs.Key(int(pair))[1]]
	}
	add := func(node source.ID, state int) error {
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
		if err := m.follow(node, func(end source.ID) error { return add(end, m.to) }); err != nil {
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
	s.pairs.Free()
	_ = s.w.r.budget.Grow(-s.held)
	*s = automaton{w: s.w, states: s.states, end: s.end, zero: s.zero, pairs: s.pairs}
}

// from calls emit with each end of the path from a node, once.
func (s *automaton) from(node source.ID, emit func(source.ID) error) error {
	begin, err := s.begin(node)
	if err != nil {
		return err
	}
	return s.reach(begin, emit)
}

// reach calls emit with the nodes at which paths from a pair of node and state end. It leaves the pairs that it
// passes in reached.
func (s *automaton) reach(begin int32, emit func(source.ID) error) error {
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
	// A start that is an end only after some steps is visited when they lead to it.
	if s.end != 0 || s.zero {
		if _, err := visit(begin); err != nil {
			return err
		}
	}
	s.queue = append(s.queue, begin)
	for at := 0; at < len(s.queue); at++ {
		pair := s.queue[at]
		next, err := s.parts.list(pair), error(nil)
		listed := next != nil
		if listed {
			err = s.w.r.budget.Tick(len(next))
		} else {
			next, err = s.after(pair)
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
// does so only for equal ends. If the whole path is repeated and it is worth it, all finds
// the components of the pairs: members of one share a list of what they lead to.
func (s *automaton) all(starts []source.ID, same bool, emit func(start, end source.ID) error) error {
	for _, start := range starts {
		begin, err := s.begin(start)
		if err != nil {
			return err
		}
		isRepeated := s.end == 0
		explored := isRepeated && (same || s.work > exploreFrom*s.pairs.N)
		if explored {
			if err := s.explore(begin); err != nil {
				return err
			}
			explored = !s.parts.gaveUp
		}
		if explored && same {
			if s.zero || s.parts.circle(begin) {
				err = emit(start, start)
			}
		} else {
			err = s.reach(begin, func(end source.ID) error {
				if same && start != end {
					return nil
				}
				return emit(start, end)
			})
		}
		if err != nil {
			return err
		}
		if explored && !same && s.parts.circle(begin) && s.parts.list(begin) == nil {
			s.parts.keep(begin, s.reached)
		}
	}
	return nil
}
