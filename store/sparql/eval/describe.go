package eval

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// describe emits the concise bounded description of each resource (W3C Member Submission of
// 2005-06-03, without reification; section 16.4 leaves the form open): the triples whose
// subject is the resource and, recursively, the triples of the blank nodes among the
// objects, also inside triple terms. It searches the default graph and all named ones, as
// FROM and FROM NAMED restrict them, so that a client need not know which graph describes a
// resource.
func (r *Run) describe(g *graphSink) error {
	d := &resources{seen: table.NewKeys(r.budget, 1)}
	for _, n := range r.query.Describe {
		if n.IsVariable() {
			d.slots = append(d.slots, n.Slot)
			continue
		}
		id, err := r.terms.ID(n.Term)
		if err != nil {
			return err
		}
		if err := d.add(id); err != nil {
			return err
		}
	}
	if len(d.slots) > 0 {
		if err := r.solutions(d); err != nil {
			return err
		}
	}
	x := newIndexes(r.ds)
	w := &walker{r: r}
	graphs := append([]source.ID{0}, r.graphs...)
	for i := 0; i < d.seen.N; i++ {
		if d.seen.All[i] >= source.LocalFirst {
			continue
		}
		lo, hi := source.Prefix(source.Tuple{uint64(d.seen.All[i])}, 1)
		for _, graph := range graphs {
			err := w.scan(x.scan(graph, source.SPO), lo, hi, func(t *source.Tuple) error {
				if err := d.addBlanks(r.terms, source.ID(t[2])); err != nil {
					return err
				}
				return g.triple([3]source.ID{source.ID(t[0]), source.ID(t[1]), source.ID(t[2])})
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// resources collects the resources to describe from rows, without duplicates.
type resources struct {
	slots []algebra.Slot
	seen  *table.Keys
}

func (d *resources) add(id source.ID) error {
	_, _, err := d.seen.Insert([]source.ID{id})
	return err
}

// addBlanks adds a term if it is a blank node. If it is a triple term, addBlanks adds
// the blank nodes in it.
func (d *resources) addBlanks(terms *expr.Terms, id source.ID) error {
	switch terms.Kind(id) {
	case rdf.KindBlank:
		return d.add(id)
	case rdf.KindTriple:
		spo, _, err := terms.Parts(id)
		if err == nil {
			err = d.addBlanks(terms, spo[0])
		}
		if err == nil {
			err = d.addBlanks(terms, spo[2])
		}
		return err
	}
	return nil
}

// push adds the resources that the rows of DESCRIBE's variables have.
func (d *resources) push(b *table.Batch) error {
	for i := range b.N {
		for _, slot := range d.slots {
			if id := b.Row(i)[slot]; id != 0 {
				if err := d.add(id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (d *resources) end() error { return nil }
