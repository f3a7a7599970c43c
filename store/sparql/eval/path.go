package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// path extends rows by the two ends of a property path (SPARQL 1.1, section 9).
type path struct {
	output
	r                 *Run
	walker            *walker
	g, s, o           place
	forward, backward follow
	// automata holds those of forward and backward, if the path returns each pair of
	// ends once. Then a walk between two known ends may stop at the first match.
	automata []*automaton
	empty    bool // the path may have no steps
	step     algebra.Step
	// anywhere is how many ends must be terms so that no end need be in the graph. With
	// variables at both ends of a path without steps, even if other patterns bind them,
	// they must be in it (ZeroLengthPath, section 18.4).
	anywhere int
	around   *correlation
	nodes    *indexes
}

// buildPath builds a property path, in both directions: push chooses one for each row.
func (r *Run) buildPath(x *algebra.Path, e env, next sink) (sink, error) {
	w := &walker{r: r}
	p := &path{output: newOutput(r, next), r: r, walker: w, empty: algebra.CanBeEmpty(x.Path), step: x.Path,
		anywhere: max(1, x.Parts), around: e.around, nodes: newIndexes(r.ds)}
	var err error
	if p.forward, err = p.compile(x.Path); err != nil {
		return nil, err
	}
	if p.backward, err = p.compile(algebra.Reverse(x.Path)); err != nil {
		return nil, err
	}
	if p.g, err = r.graphPlace(x.Graph); err != nil {
		return nil, err
	}
	for _, end := range []struct {
		node  algebra.Node
		place *place
	}{{x.S, &p.s}, {x.O, &p.o}} {
		at, err := r.nodePlace(end.node)
		if err != nil {
			return nil, err
		}
		if at.slot == algebra.NoSlot && at.id == source.Unknown {
			// A path without steps also matches a term that is in no triple.
			if at.id, err = r.terms.ID(end.node.Term); err != nil {
				return nil, err
			}
		}
		*end.place = at
	}
	return p, nil
}

// compile returns a function that follows a step from a node. Repetitions become automata.
func (p *path) compile(x algebra.Step) (follow, error) {
	repeat, ok := x.(*syntax.RepeatPath)
	if !ok {
		return p.walker.leaf(x)
	}
	s, err := p.walker.automaton(repeat)
	p.automata = append(p.automata, s)
	return s.from, err
}

func (p *path) end() error {
	for _, s := range p.automata {
		s.free()
	}
	return p.output.end()
}

// push matches the path for each row. A graph that is not stored has no triples.
func (p *path) push(b *table.Batch) error {
	for i := range b.N {
		row := b.Row(i)
		p.walker.graph = p.g.in(row)
		if p.walker.graph >= source.LocalFirst {
			continue
		}
		if err := p.match(row); err != nil {
			return err
		}
	}
	return p.pause()
}

// match emits a row for each pair of ends that a path connects, from the end that the row binds.
func (p *path) match(row []source.ID) error {
	s, o := p.s.in(row), p.o.in(row)
	if p.empty && s|o != 0 && p.terms(row) < p.anywhere { // the end that is known must be in the graph
		if in, err := p.inGraph(max(s, o)); err != nil || !in {
			return err
		}
	}
	switch {
	case s != 0 && o != 0:
		err := p.forward(s, func(end source.ID) error {
			if end != o {
				return nil
			}
			if err := p.emit(row, s, o); err != nil {
				return err
			}
			if len(p.automata) > 0 {
				return errFound
			}
			return nil
		})
		if err == errFound {
			return nil
		}
		return err
	case s != 0:
		return p.forward(s, func(end source.ID) error { return p.emit(row, s, end) })
	case o != 0:
		return p.backward(o, func(start source.ID) error { return p.emit(row, start, o) })
	}
	starts, err := p.starts()
	if err != nil {
		return err
	}
	defer starts.Free()
	same := p.s.slot == p.o.slot
	if len(p.automata) > 0 {
		return p.automata[0].all(starts.All, same, func(start, end source.ID) error { return p.emit(row, start, end) })
	}
	for _, start := range starts.All {
		err := p.forward(start, func(end source.ID) error {
			if same && start != end {
				return nil
			}
			return p.emit(row, start, end)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// terms returns how many ends of the path are terms: constants, and variables for which
// EXISTS substituted a value.
func (p *path) terms(row []source.ID) (n int) {
	for _, end := range []place{p.s, p.o} {
		if end.slot < 0 || p.around != nil && p.around.rows.Row(int(row[p.around.slot]) - 1)[end.slot] != 0 {
			n++
		}
	}
	return n
}

// inGraph reports whether a node is the subject or object of a triple of the graph. If
// two known ends differ, the path between them has a step, so it is enough to test one
// of them.
func (p *path) inGraph(node source.ID) (bool, error) {
	if node >= source.LocalFirst {
		return false, nil
	}
	lo, hi := source.Prefix(source.Tuple{uint64(node)}, 1)
	for _, order := range []source.Order{source.SPO, source.OSP} {
		s := p.nodes.scan(p.walker.graph, order)
		s.Seek(lo, hi)
		if s.Next() != nil || s.Err() != nil {
			return true, s.Err()
		}
	}
	return false, nil
}

// emit passes on a row with the two ends of a match.
func (p *path) emit(row []source.ID, s, o source.ID) error {
	out := p.add(row)
	if p.s.slot >= 0 {
		out[p.s.slot] = s
	}
	if p.o.slot >= 0 {
		out[p.o.slot] = o
	}
	return p.full()
}

// starts returns all nodes from which the path may lead somewhere: all subjects, and all
// objects too if the path may have no steps or begin backwards.
func (p *path) starts() (*table.Keys, error) {
	nodes := table.NewKeys(p.r.budget, 1)
	x := newIndexes(p.r.ds)
	for _, side := range []struct {
		order source.Order
		want  bool
	}{{source.SPO, true}, {source.OSP, p.empty || backwards(p.step)}} {
		if !side.want {
			continue
		}
		lo, hi := source.Prefix(source.Tuple{}, 0)
		var last uint64
		err := p.walker.scan(x.scan(p.walker.graph, side.order), lo, hi, func(t *source.Tuple) error {
			if t[0] == last {
				return nil
			}
			last = t[0]
			_, _, err := nodes.Insert([]source.ID{source.ID(last)})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// backwards reports whether a path may begin with a step from object to subject.
func backwards(s algebra.Step) bool {
	switch x := s.(type) {
	case *syntax.InversePath:
		return true
	case *syntax.SequencePath: // the steps before it may be empty
		return slices.ContainsFunc(x.Paths, backwards)
	case *syntax.AlternativePath:
		return slices.ContainsFunc(x.Paths, backwards)
	case *syntax.RepeatPath:
		return backwards(x.Path)
	}
	return false
}
