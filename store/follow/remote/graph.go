package remote

import (
	"context"
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// onceOnly passes each triple on only once, and counts the memory that this takes.
type onceOnly struct {
	seen   map[rdf.Triple]bool // by their Fold
	bytes  int64
	limits budget.Limits
	emit   func(rdf.Triple) error
}

func (a *asking) once(emit func(rdf.Triple) error) *onceOnly {
	return &onceOnly{seen: map[rdf.Triple]bool{}, limits: a.limits, emit: emit}
}

// tripleSize is the approximate memory of a triple in the table, in bytes, without its
// texts.
const tripleSize = 200

// triple passes on a triple that is valid and new.
func (o *onceOnly) triple(t rdf.Triple) error {
	if t.S.IsZero() || t.O.IsZero() || t.S.IsLiteral() || !t.P.IsIRI() || o.seen[t.Fold()] {
		return nil // an invalid triple is omitted (SPARQL 1.1, section 16.2.1)
	}
	o.bytes += tripleSize + int64(len(t.S.Value())+len(t.P.Value())+len(t.O.Value()))
	if o.limits.Memory > 0 && o.bytes > o.limits.Memory {
		return &budget.LimitError{Limit: "memory", Detail: fmt.Sprintf("%d MiB", o.limits.Memory>>20)}
	}
	o.seen[t.Fold()] = true
	return o.emit(t)
}

// construct queries the variables of the template and instantiates it here. Answers to
// CONSTRUCT do not say whether they are complete, and blank nodes would lose their names. emit gets each triple once.
func (a *asking) construct(ctx context.Context, emit func(rdf.Triple) error) error {
	template := a.query.Syntax().Template
	var variables []string
	column := map[string]int{}
	for _, t := range template {
		for _, n := range []syntax.Node{t.Subject, t.Predicate, t.Object} {
			if v, ok := n.(*syntax.Var); ok && !v.Blank {
				if _, ok := column[v.Name]; !ok {
					column[v.Name] = len(variables)
					variables = append(variables, v.Name)
				}
			}
		}
	}
	out, number := a.once(emit), 0
	fill := func(n syntax.Node, row []rdf.Term) rdf.Term {
		switch x := n.(type) {
		case *syntax.Term:
			return x.Term
		case *syntax.Var:
			if x.Blank {
				return rdf.NewBlank(fmt.Sprintf("c%d_%s", number, label(x.Name)))
			}
			return row[column[x.Name]]
		}
		return rdf.Term{}
	}
	return a.rows(ctx, variables, a.sent.String(), func([]string) error { return nil }, func(row []rdf.Term) error {
		number++
		for _, t := range template {
			if err := out.triple(rdf.Triple{S: fill(t.Subject, row), P: fill(t.Predicate, row), O: fill(t.Object, row)}); err != nil {
				return err
			}
		}
		return nil
	})
}
