package algebra

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// path translates a property path pattern, to triple patterns if possible (section
// 18.2.2.4).
func (t *translator) path(s Node, p Step, o Node) Op {
	switch x := p.(type) {
	case *syntax.Link:
		return &Triple{Graph: t.graph, S: s, P: Constant(rdf.NewIRI(x.IRI)), O: o}
	case *syntax.InversePath:
		return t.path(o, x.Path, s)
	case *syntax.SequencePath:
		var op Op = &Unit{}
		from := s
		for i, step := range x.Paths {
			to := o
			if i < len(x.Paths)-1 {
				to = Variable(t.hidden())
			}
			op = join(op, t.path(from, step, to))
			from = to
		}
		return op
	case *syntax.AlternativePath:
		union := &Union{}
		for _, alternative := range x.Paths {
			union.Ops = append(union.Ops, t.path(s, alternative, o))
		}
		return union
	}
	return &Path{Graph: t.graph, S: s, Path: p, O: o}
}

// step returns a property path with inverses only at its leaves, and negated sets of one direction.
func (t *translator) step(p syntax.Path) Step {
	switch x := p.(type) {
	case *syntax.InversePath:
		return Reverse(t.step(x.Path))
	case *syntax.SequencePath:
		return &syntax.SequencePath{Paths: t.steps(x.Paths)}
	case *syntax.AlternativePath:
		return &syntax.AlternativePath{Paths: t.steps(x.Paths)}
	case *syntax.RepeatPath:
		return &syntax.RepeatPath{Path: t.step(x.Path), Op: x.Op}
	case *syntax.NegatedSet:
		return negated(x)
	}
	return p // a link
}

// negated splits a negated property set by direction (section 18.2.2.4).
func negated(x *syntax.NegatedSet) Step {
	var forward, backward syntax.NegatedSet
	for _, link := range x.Links {
		if link.Inverse {
			backward.Links = append(backward.Links, syntax.NegatedLink{Link: link.Link})
		} else {
			forward.Links = append(forward.Links, link)
		}
	}
	switch {
	case len(backward.Links) == 0:
		return &forward
	case len(forward.Links) == 0:
		return &syntax.InversePath{Path: &backward}
	}
	return &syntax.AlternativePath{Paths: []Step{&forward, &syntax.InversePath{Path: &backward}}}
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
