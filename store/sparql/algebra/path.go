package algebra

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/syntax"
)

// Step is a property path, or a part of one. Outside a repetition, links, sequences, alternatives
// and inverses become triple patterns instead (SPARQL 1.1, section 18.2.2.4). In a Step, all
// links of a negated set have one direction, and none is Inverse. A RepeatPath with the Op 0
// is not repeated, but finds each end once.
type Step = syntax.Path

// Reverse returns the path from the other end. As in s, inverses are only at its leaves.
func Reverse(s Step) Step {
	switch x := s.(type) {
	case *syntax.InversePath:
		return x.Path
	case *syntax.SequencePath:
		out := &syntax.SequencePath{}
		for i := len(x.Paths) - 1; i >= 0; i-- {
			out.Paths = append(out.Paths, Reverse(x.Paths[i]))
		}
		return out
	case *syntax.AlternativePath:
		out := &syntax.AlternativePath{}
		for _, alternative := range x.Paths {
			out.Paths = append(out.Paths, Reverse(alternative))
		}
		return out
	case *syntax.RepeatPath:
		return &syntax.RepeatPath{Path: Reverse(x.Path), Op: x.Op}
	}
	return &syntax.InversePath{Path: s} // a link or a negated set
}

// CanBeEmpty reports whether the path leads from a node to itself in zero steps.
func CanBeEmpty(s Step) bool {
	switch x := s.(type) {
	case *syntax.InversePath:
		return CanBeEmpty(x.Path)
	case *syntax.SequencePath:
		return !slices.ContainsFunc(x.Paths, func(s Step) bool { return !CanBeEmpty(s) })
	case *syntax.AlternativePath:
		return slices.ContainsFunc(x.Paths, CanBeEmpty)
	case *syntax.RepeatPath:
		return x.Zero() || CanBeEmpty(x.Path)
	}
	return false
}
