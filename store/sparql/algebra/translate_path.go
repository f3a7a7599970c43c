package algebra

import (
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// path translates a property path pattern, to triple patterns if possible (section
// 18.2.2.4).
func (t *translator) path(s Node, p Step, o Node) Op {
	switch x := p.(type) {
	case *Link:
		return &Triple{Graph: t.graph, S: s, P: Constant(rdf.NewIRI(x.IRI)), O: o}
	case *Inverse:
		return t.path(o, x.Step, s)
	case *Sequence:
		var op Op = &Unit{}
		from := s
		for i, step := range x.Steps {
			to := o
			if i < len(x.Steps)-1 {
				to = Variable(t.hidden())
			}
			op = join(op, t.path(from, step, to))
			from = to
		}
		return op
	case *Alternative:
		union := &Union{}
		for _, alternative := range x.Steps {
			union.Ops = append(union.Ops, t.path(s, alternative, o))
		}
		return union
	}
	return &Path{Graph: t.graph, S: s, Path: p, O: o}
}

// step translates a property path.
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
		return negated(x)
	}
	t.fail(fmt.Errorf("unknown kind of path: %T", p))
	return &Alternative{}
}

// negated splits a negated property set by direction (section 18.2.2.4).
func negated(x *syntax.NegatedSet) Step {
	var forward, backward Negated
	for _, link := range x.Links {
		if link.Inverse {
			backward.IRIs = append(backward.IRIs, link.IRI)
		} else {
			forward.IRIs = append(forward.IRIs, link.IRI)
		}
	}
	switch {
	case len(backward.IRIs) == 0:
		return &forward
	case len(forward.IRIs) == 0:
		return &Inverse{&backward}
	}
	return &Alternative{[]Step{&forward, &Inverse{&backward}}}
}

// steps translates paths, until the query has too many operators.
func (t *translator) steps(paths []syntax.Path) (out []Step) {
	for _, p := range paths {
		if t.at = p.Position(); !t.operator() {
			break
		}
		out = append(out, t.step(p))
	}
	return out
}
