package algebra

import (
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// path translates a property path pattern, to triple patterns if possible (section
// 18.2.2.4).
func (t *translator) path(s Node, p syntax.Path, o Node) Op {
	switch x := p.(type) {
	case *syntax.Link:
		return &Triple{Graph: t.graph, S: s, P: Constant(rdf.NewIRI(x.IRI)), O: o}
	case *syntax.InversePath:
		return t.path(o, x.Path, s)
	case *syntax.SequencePath:
		var op Op = &Unit{}
		from := s
		for i, part := range x.Paths {
			if t.at = part.Position(); !t.operator() {
				break
			}
			to := o
			if i < len(x.Paths)-1 {
				to = Variable(t.hidden())
			}
			op = join(op, t.path(from, part, to))
			from = to
		}
		return op
	case *syntax.AlternativePath:
		union := &Union{}
		for _, alternative := range x.Paths {
			if t.at = alternative.Position(); !t.operator() {
				break
			}
			union.Ops = append(union.Ops, t.path(s, alternative, o))
		}
		return union
	case *syntax.NegatedSet:
		forward, backward := negated(x)
		switch {
		case backward == nil:
			return &Path{Graph: t.graph, S: s, Path: forward, O: o}
		case forward == nil:
			return &Path{Graph: t.graph, S: o, Path: backward, O: s}
		}
		return &Union{Ops: []Op{
			&Path{Graph: t.graph, S: s, Path: forward, O: o},
			&Path{Graph: t.graph, S: o, Path: backward, O: s},
		}}
	}
	return &Path{Graph: t.graph, S: s, Path: t.step(p), O: o}
}

// negated splits a negated property set by direction (section 18.2.2.4).
func negated(x *syntax.NegatedSet) (forward, backward *Negated) {
	for _, link := range x.Links {
		if link.Inverse {
			if backward == nil {
				backward = &Negated{}
			}
			backward.IRIs = append(backward.IRIs, link.IRI)
		} else {
			if forward == nil {
				forward = &Negated{}
			}
			forward.IRIs = append(forward.IRIs, link.IRI)
		}
	}
	if forward == nil && backward == nil {
		forward = &Negated{}
	}
	return forward, backward
}

// step translates a path that can't become triple patterns.
func (t *translator) step(p syntax.Path) Step {
	switch x := p.(type) {
	case *syntax.Link:
		return &Link{x.IRI}
	case *syntax.InversePath:
		return Reverse(t.step(x.Path))
	case *syntax.SequencePath:
		return &Sequence{t.steps(x.Paths)}
	case *syntax.AlternativePath:
		return &Alternative{t.steps(x.Paths)}
	case *syntax.RepeatPath:
		return &Repeat{Step: t.step(x.Path), Zero: x.Op != '+', Many: x.Op != '?'}
	case *syntax.NegatedSet:
		forward, backward := negated(x)
		switch {
		case backward == nil:
			return forward
		case forward == nil:
			return &Inverse{backward}
		}
		return &Alternative{[]Step{forward, &Inverse{backward}}}
	}
	t.fail(fmt.Errorf("unknown kind of path: %T", p))
	return &Alternative{}
}

func (t *translator) steps(paths []syntax.Path) (out []Step) {
	for _, p := range paths {
		if t.at = p.Position(); !t.operator() {
			break
		}
		out = append(out, t.step(p))
	}
	return out
}
