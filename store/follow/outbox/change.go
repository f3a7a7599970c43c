package outbox

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/rdf"
)

// A change is stored as the number of cleared graphs and their names, each preceded by
// its length. Then come, for each touched graph, its name, the number of triples, and
// their ids, with subjects as differences from the previous one. All numbers are varints.

// encode returns the change of a transaction, nil if neither the published graph nor the
// graph of contexts was touched. All terms must be in the dictionary.
func encode(tx *engine.Tx, t *engine.Touched) ([]byte, error) {
	out := varint.Append(nil, uint64(len(t.Emptied)))
	for _, graph := range t.Emptied {
		out = varint.AppendString(out, graph.Value())
	}
	empty := len(t.Emptied) == 0
	var contexts [1]dict.ID
	if err := tx.Find([]rdf.Term{contextsGraph}, contexts[:]); err != nil {
		return nil, err
	}
	for g, spo := range t.Triples {
		name := ""
		switch {
		case g == contexts[0] && g != 0:
			name = store.ContextsGraph
		case g != published:
			continue
		}
		empty = false
		slices.SortFunc(spo, index.Compare)
		spo = slices.Compact(spo)
		out = varint.Append(varint.AppendString(out, name), uint64(len(spo)))
		before := uint64(0)
		for _, t := range spo {
			out = varint.Append(out, t[0]-before)
			out = varint.Append(varint.Append(out, t[1]), t[2])
			before = t[0]
		}
	}
	if empty {
		return nil, nil
	}
	return out, nil
}

// touchedQuad is a touched triple with the name of its graph.
type touchedQuad struct {
	graph string
	tuple index.Tuple
}

// decode returns the graphs that a change cleared and the triples that it touched.
func decode(b []byte) (reset []string, quads []touchedQuad, err error) {
	r := varint.NewReader(b)
	for range r.Count(r.Len()) {
		reset = append(reset, r.Text())
	}
	for r.Len() > 0 {
		graph := r.Text()
		var t index.Tuple
		for range r.Count(r.Len()) {
			t = index.Tuple{t[0] + r.Uint(), r.Uint(), r.Uint()}
			quads = append(quads, touchedQuad{graph, t})
		}
	}
	if r.Failed() {
		return nil, nil, errChange
	}
	return reset, quads, nil
}

var errChange = errors.New("a change of the outbox can't be decoded")

// Read returns the changes after the one with number after, merged into one. It stops
// once it has about as many triples as limit, and before a change that clears a graph,
// unless that is the first one. If there are no changes, Last is after.
func (o *Outbox) Read(ctx context.Context, after uint64, limit int) (Change, error) {
	c := Change{Last: after}
	err := o.store.View(func(snap *engine.Snapshot) error {
		quads, err := gather(snap.KV().Bucket(name, changes), &c, limit)
		if err != nil {
			return err
		}
		return sort(ctx, snap, quads, &c)
	})
	return c, err
}

// gather returns the triples that the changes after c.Last touched. It sets c.Last and
// c.Reset.
func gather(b kv.Bucket, c *Change, limit int) ([]touchedQuad, error) {
	var all []touchedQuad
	first := true
	for k, v := range kv.From(b, key(c.Last+1)) {
		if len(all) >= limit {
			break
		}
		text, err := kv.Unseal(k, v)
		if err != nil {
			return nil, err
		}
		reset, quads, err := decode(text)
		if err != nil {
			return nil, err
		}
		if len(reset) > 0 && !first {
			break
		}
		for _, name := range reset {
			c.Reset = append(c.Reset, graphTerm(name))
		}
		first = false
		all = append(all, quads...)
		c.Last = binary.BigEndian.Uint64(k)
	}
	return all, nil
}

// check verifies that every change can be decoded and that its terms exist.
func check(c *engine.Checker) error {
	for k, v := range kv.All(c.KV().Bucket(name, changes)) {
		text, err := kv.Unseal(k, v)
		if err != nil {
			return fmt.Errorf("the outbox: %w", err)
		}
		_, quads, err := decode(text)
		if err != nil {
			return fmt.Errorf("change %x: %w", k, err)
		}
		for _, q := range quads {
			if err := c.CheckTerms(dict.ID(q.tuple[0]), dict.ID(q.tuple[1]), dict.ID(q.tuple[2])); err != nil {
				return fmt.Errorf("change %x of the outbox: %w", k, err)
			}
		}
		if err := c.Context().Err(); err != nil {
			return err
		}
	}
	return nil
}

func graphTerm(name string) rdf.Term {
	if name == "" {
		return rdf.Term{}
	}
	return rdf.NewIRI(name)
}

// sort divides quads into those that exist, which are added, and the others, which are
// removed. It also adds what a second store may remove with these: see valueOf.
func sort(ctx context.Context, s *engine.Snapshot, quads []touchedQuad, c *Change) error {
	slices.SortFunc(quads, func(a, b touchedQuad) int {
		return cmp.Or(cmp.Compare(a.graph, b.graph), index.Compare(a.tuple, b.tuple))
	})
	quads = slices.Compact(quads)
	contexts, _, err := s.ID(contextsGraph)
	if err != nil {
		return err
	}
	removed := map[any]bool{} // values that the current subject and predicate no longer have
	for i, q := range quads {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g := published
		if q.graph != "" {
			if g = contexts; g == published {
				return errChange // changes refer to the graph, so its name must be in the dictionary
			}
		}
		sub, pred, obj := engine.SPO.Triple(q.tuple)
		t, err := s.Triple(sub, pred, obj)
		if err != nil {
			return err
		}
		n, err := s.Count(sub, pred, obj, g)
		if err != nil {
			return err
		}
		quad := t.In(graphTerm(q.graph))
		if n > 0 {
			c.Add = append(c.Add, quad)
		} else {
			c.Remove = append(c.Remove, quad)
			if v := valueOf(quad.O); v != nil {
				removed[v] = true
			}
		}
		more := i+1 < len(quads) && quads[i+1].graph == q.graph && slices.Equal(quads[i+1].tuple[:2], q.tuple[:2])
		if more || len(removed) == 0 {
			continue
		}
		if err := addEqual(ctx, s, s.Match(sub, pred, 0, g), quad.G, removed, c); err != nil {
			return err
		}
		clear(removed)
	}
	return nil
}

// valueOf returns the value of a number, a boolean or a time, or nil for other terms. A
// store may keep terms of one value once, in any of their forms: Virtuoso does so with 1, 01, 1.0, 1.0E0 and true.
// Values that are close may be equal here.
func valueOf(t rdf.Term) any {
	datatype := t.Datatype()
	switch {
	case t.Value() == "true" && datatype == rdf.XSDBoolean:
		return float32(1)
	case rdf.IsNumeric(datatype) || datatype == rdf.XSDBoolean:
		n, _ := rdf.ParseFloat(t.Value()) // 0 for false and for what is malformed
		return n
	}
	if d, ok := rdf.ParseDateTime(t.Value(), datatype); ok {
		seconds, _ := d.Unix()
		return seconds
	}
	return nil
}

// addEqual adds to c.Add the scanned triples whose objects have one of the values. They are of the graph g.
func addEqual(ctx context.Context, s *engine.Snapshot, scan engine.Scan, g rdf.Term, values map[any]bool, c *Change) error {
	for ids, err := range scan.All(ctx) {
		if err != nil {
			return err
		}
		t, err := s.Triple(ids[0], ids[1], ids[2])
		if err != nil {
			return err
		}
		if values[valueOf(t.O)] {
			c.Add = append(c.Add, t.In(g))
		}
	}
	return nil
}

// All calls each with the triples of the published graph and of the graph of contexts,
// many at a time. Each batch has a snapshot of its own, so a slow each delays no writes and
// does not make the file grow. All passes a triple once if it exists throughout. Triples that
// change meanwhile are in later changes.
func (o *Outbox) All(ctx context.Context, each func(quads []rdf.Quad) error) error {
	return o.all(ctx, allAtOnce, each)
}

// all is All with about most quads at a time.
func (o *Outbox) all(ctx context.Context, most int, each func(quads []rdf.Quad) error) error {
	for _, name := range []rdf.Term{{}, contextsGraph} {
		for part := (graphPart{}); !part.end; {
			var err error
			if part, err = engine.Read(o.store, func(s *engine.Snapshot) (graphPart, error) { return partOf(ctx, s, name, part.next, most) }); err != nil {
				return err
			}
			if err := each(part.quads); err != nil {
				return err
			}
		}
	}
	return nil
}

// allAtOnce is about how many quads All passes at once.
const allAtOnce = 100_000

// graphPart is a part of a graph, in index order.
type graphPart struct {
	quads []rdf.Quad
	next  index.Tuple // where the next part begins
	end   bool        // there is no next part
}

// partOf reads quads of a graph from a tuple on, and stops after about most of them.
func partOf(ctx context.Context, s *engine.Snapshot, name rdf.Term, from index.Tuple, most int) (graphPart, error) {
	g := published
	if !name.IsZero() {
		id, known, err := s.ID(name)
		if err != nil || !known {
			return graphPart{end: true}, err
		}
		g = id
	}
	_, hi := index.Prefix()
	part := graphPart{next: from}
	for scan := s.Range(g, engine.SPO, from, hi); len(part.quads) < most; {
		tuples := scan.Next()
		if len(tuples) == 0 {
			part.end = true
			return part, scan.Err()
		}
		if err := ctx.Err(); err != nil {
			return part, err
		}
		for _, t := range tuples {
			triple, err := s.Triple(engine.SPO.Triple(t))
			if err != nil {
				return part, err
			}
			part.quads = append(part.quads, triple.In(name))
			part.next = index.Tuple{t[0], t[1], t[2] + 1}
		}
	}
	return part, nil
}

// uses calls use with the ids in all changes: see engine.Extension.
func uses(ctx context.Context, snap *engine.Snapshot, use func(dict.ID)) error {
	for k, v := range kv.All(snap.KV().Bucket(name, changes)) {
		text, err := kv.Unseal(k, v)
		if err != nil {
			return err
		}
		_, quads, err := decode(text)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for _, q := range quads {
			for _, id := range q.tuple {
				use(dict.ID(id))
			}
		}
	}
	return nil
}
