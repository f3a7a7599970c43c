package plan

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// joinPaths makes one path, such as ?x p*/p* ?y, of paths that share only a variable which
// nothing else needs, where repeated solutions do not matter. Otherwise each node that the
// first path reaches would begin a walk along the second. Triple patterns between paths
// become steps. needed holds the variables that other operators need.
func (p *planner) joinPaths(ops []algebra.Op, needed algebra.Set) []algebra.Op {
	paths := 0
	for _, op := range ops {
		if _, ok := op.(*algebra.Path); ok {
			paths++
		}
	}
	if paths < 2 || !p.tick(len(ops)) {
		return ops
	}
	c := chains{ops: ops, of: map[algebra.Slot][]int{}, used: make([]bool, len(ops)), needed: needed}
	for i, op := range ops {
		for _, slot := range p.vars.Mentioned(op).Slots() {
			c.of[slot] = append(c.of[slot], i)
		}
	}
	joined := make([]algebra.Op, len(ops))
	for i, op := range ops {
		if x, ok := op.(*algebra.Path); ok && !c.used[i] && x.S != x.O { // a path that ends where it began is a test
			c.used[i] = true
			joined[i] = c.extend(x, i)
		}
	}
	var out []algebra.Op
	for i, op := range ops {
		if joined[i] != nil {
			out = append(out, joined[i])
		} else if !c.used[i] {
			out = append(out, op)
		}
	}
	return out
}

// chains finds chains of paths among the operands of a join.
type chains struct {
	ops    []algebra.Op
	of     map[algebra.Slot][]int // the operands that mention a variable
	used   []bool                 // the operand is part of a path already
	needed algebra.Set
}

// extend joins to the path x, which is operand i, the paths that follow it at both ends. It
// returns x itself if there are none.
func (c *chains) extend(x *algebra.Path, i int) *algebra.Path {
	all := *x
	steps, parts, head, tail := stepsOf(x.Path), max(1, x.Parts), i, i
	for range 2 {
		for {
			more, end, last, n := c.next(&all, tail)
			if n == 0 {
				break
			}
			steps, all.O, tail, parts = append(steps, more...), end, last, parts+n
		}
		// Turn the path round to extend its other end, and then back.
		reversed := algebra.Reverse(&syntax.SequencePath{Paths: steps}).(*syntax.SequencePath)
		steps, all.S, all.O, head, tail = reversed.Paths, all.O, all.S, tail, head
	}
	if parts == max(1, x.Parts) {
		return x
	}
	all.Path, all.Parts = &syntax.RepeatPath{Path: &syntax.SequencePath{Paths: steps}}, parts
	return &all
}

// next finds what follows the path x at its end, which comes from operand tail: triple
// patterns, if any, and then a path. It marks these operands as used, and returns their steps,
// the end of the last one, the operand that has this end, and the number of parts. parts is 0
// if no path follows, or if something else needs a node in between.
func (c *chains) next(x *algebra.Path, tail int) (steps []algebra.Step, end algebra.Node, last, parts int) {
	var between []int
	for end, last = x.O, tail; ; {
		of := c.of[end.Slot]
		if !end.IsVariable() || c.needed.Has(end.Slot) || len(of) != 2 { // last and one other operand
			return nil, end, last, 0
		}
		next := of[0]
		if next == last {
			next = of[1]
		}
		if c.used[next] {
			return nil, end, last, 0
		}
		step, to, n := stepFrom(c.ops[next], x.Graph, end)
		if step == nil {
			return nil, end, last, 0
		}
		steps, end, last, parts = append(steps, stepsOf(step)...), to, next, parts+n
		between = append(between, next)
		if _, ok := c.ops[next].(*algebra.Path); ok {
			for _, i := range between {
				c.used[i] = true
			}
			return steps, end, last, parts
		}
	}
}

// stepFrom returns a path or triple pattern as a step from a node, with its other end and
// its number of parts. The step is nil if the operand is no step.
func stepFrom(op algebra.Op, graph, from algebra.Node) (step algebra.Step, to algebra.Node, parts int) {
	var s, o, g algebra.Node
	switch x := op.(type) {
	case *algebra.Path:
		s, o, g, step, parts = x.S, x.O, x.Graph, x.Path, max(1, x.Parts)
	case *algebra.Triple:
		if x.P.IsVariable() || len(x.Within) > 0 {
			return nil, to, 0
		}
		s, o, g, step, parts = x.S, x.O, x.Graph, &syntax.Link{IRI: x.P.Term.Value()}, 1
	}
	switch {
	case step == nil || g != graph || s == o:
		return nil, to, 0
	case o == from:
		return algebra.Reverse(step), s, parts
	}
	return step, o, parts
}

// stepsOf returns the parts of a path that joinPaths made, or the path.
func stepsOf(step algebra.Step) []algebra.Step {
	if once, ok := step.(*syntax.RepeatPath); ok && !once.Zero() && !once.Many() {
		return once.Path.(*syntax.SequencePath).Paths
	}
	return []algebra.Step{step}
}
