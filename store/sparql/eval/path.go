package eval

import "github.com/segraph/segraph/store/sparql/algebra"

// path extends rows by the two ends of a property path (SPARQL 1.1, section 9).
type path struct {
	output
	r                 *Run
	walker            *walker
	g, s, o           place
	forward, backward follow
	// once is set if the path returns each pair of ends once. Then a walk between two
	// known ends may stop at the first match.
	once  bool
	empty bool // the path may have no steps
	step  algebra.Step
	// within is set if both ends are variables. Then both must be in the graph, even if
	// other patterns bind them (ZeroLengthPath, section 18.4).
	within bool
	around *correlation
	nodes  *indexes
}

func (r *Run) buildPath(x *algebra.Path, e env, next sink) (sink, error) {
	w := &walker{r: r}
	p := &path{output: newOutput(r, next), r: r, walker: w, empty: algebra.CanBeEmpty(x.Path), step: x.Path,
		around: e.around, nodes: newIndexes(r.ds)}
	p.within = p.empty && x.S.IsVariable() && x.O.IsVariable()
	_, p.once = x.Path.(*algebra.Repeat)
	var err error
	if p.forward, err = w.compile(x.Path); err != nil {
		return nil, err
	}
	if p.backward, err = w.compile(algebra.Reverse(x.Path)); err != nil {
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
		if at.slot == algebra.NoSlot && at.id == unknown {
			// A path without steps also matches a term that is in no triple.
			if at.id, err = r.terms.id(end.node.Term); err != nil {
				return nil, err
			}
		}
		*end.place = at
	}
	return p, nil
}

func (p *path) push(b *batch) error {
	for i := range b.n {
		row := b.row(i)
		p.walker.graph = p.g.in(row)
		if p.walker.graph >= LocalFirst {
			continue
		}
		if err := p.match(row); err != nil {
			return err
		}
	}
	return p.pause()
}

func (p *path) match(row []ID) error {
	s, o := p.s.in(row), p.o.in(row)
	if p.within && s|o != 0 && !p.isTerm(row, p.s.slot) && !p.isTerm(row, p.o.slot) {
		if in, err := p.inGraph(max(s, o)); err != nil || !in {
			return err
		}
	}
	switch {
	case s != 0 && o != 0:
		err := p.forward(s, func(end ID) error {
			if end != o {
				return nil
			}
			if err := p.emit(row, s, o); err != nil {
				return err
			}
			if p.once {
				return errFound
			}
			return nil
		})
		if err == errFound {
			return nil
		}
		return err
	case s != 0:
		return p.forward(s, func(end ID) error { return p.emit(row, s, end) })
	case o != 0:
		return p.backward(o, func(start ID) error { return p.emit(row, start, o) })
	}
	starts, err := p.starts()
	if err != nil {
		return err
	}
	defer starts.free()
	for i := range starts.n {
		start := starts.keys[i]
		err := p.forward(start, func(end ID) error {
			if p.s.slot == p.o.slot && start != end {
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

// isTerm reports whether EXISTS substituted a value for the variable.
func (p *path) isTerm(row []ID, slot algebra.Slot) bool {
	return p.around != nil && p.around.rows.row(int(row[p.around.slot]) - 1)[slot] != 0
}

// inGraph reports whether a node is the subject or object of a triple of the graph. If
// two known ends differ, the path between them has a step, so it is enough to test one
// of them.
func (p *path) inGraph(node ID) (bool, error) {
	if node >= LocalFirst {
		return false, nil
	}
	lo, hi := prefixRange([3]uint64{uint64(node)}, 1)
	for _, order := range []Order{SPO, OSP} {
		s := p.nodes.scan(p.walker.graph, order)
		s.Seek(lo, hi)
		if s.Next() != nil || s.Err() != nil {
			return true, s.Err()
		}
	}
	return false, nil
}

func (p *path) emit(row []ID, s, o ID) error {
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
func (p *path) starts() (*table, error) {
	nodes := newTable(p.r.budget, 1)
	x := newIndexes(p.r.ds)
	for _, side := range []struct {
		order Order
		want  bool
	}{{SPO, true}, {OSP, p.empty || backwards(p.step)}} {
		if !side.want {
			continue
		}
		lo, hi := prefixRange([3]uint64{}, 0)
		var last uint64
		err := p.walker.scan(x.scan(p.walker.graph, side.order), lo, hi, func(t *[3]uint64) error {
			if t[0] == last {
				return nil
			}
			last = t[0]
			_, _, err := nodes.insert([]ID{ID(last)})
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
	case *algebra.Inverse:
		return true
	case *algebra.Sequence:
		for _, s := range x.Steps {
			if backwards(s) {
				return true
			}
		}
	case *algebra.Alternative:
		for _, s := range x.Steps {
			if backwards(s) {
				return true
			}
		}
	case *algebra.Repeat:
		return backwards(x.Step)
	}
	return false
}
