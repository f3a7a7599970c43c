package engine

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/rdf"
)

// A change is stored as: the number of graphs that were emptied and their names, each with its length
// before it; then for each graph that was touched its name, the number of triples, and their
// ids, subjects as differences from the one before. All numbers are varints.

// encodeTouched gives the change of a transaction, whose terms are all in the dictionary; nil where
// no graph was touched that is told of.
func (tx *Tx) encodeTouched() ([]byte, error) {
	out := varint.Append(nil, uint64(len(tx.touched.reset)))
	for _, name := range tx.touched.reset {
		out = varint.AppendString(out, name)
	}
	empty := len(tx.touched.reset) == 0
	var contexts [1]dict.ID
	if err := tx.dict.Find([]rdf.Term{contextsGraph}, contexts[:]); err != nil {
		return nil, err
	}
	for g, spo := range tx.touched.tuples {
		name := ""
		switch {
		case g == contexts[0] && g != 0:
			name = ContextsGraph
		case g != defaultGraph:
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

// touchedQuad is a triple of a graph, by its name, that was touched.
type touchedQuad struct {
	graph string
	tuple index.Tuple
}

// decodeChange gives the graphs that a change emptied, and the triples that it touched.
func decodeChange(b []byte) (reset []string, quads []touchedQuad, err error) {
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

var errChange = errors.New("a change of the outbox can't be read")

// Read gives what is to be done after the change of a number: one change or several at once, those
// that come to about most triples together. Where there is nothing, Last is that number. It ends
// before a change that empties a graph, unless that is the first.
func (o Outbox) Read(ctx context.Context, after uint64, most int) (Change, error) {
	c := Change{Last: after}
	err := o.store.View(func(snap *Snapshot) error {
		b := snap.bolt.Bucket(outboxName)
		if b == nil || b.Bucket(changesName) == nil {
			return nil
		}
		quads, err := gatherChanges(b.Bucket(changesName), &c, most)
		if err != nil {
			return err
		}
		return snap.sort(ctx, quads, &c)
	})
	return c, err
}

// gatherChanges gives what the changes after c.Last touched, and says in c which they are.
func gatherChanges(b *bolt.Bucket, c *Change, most int) ([]touchedQuad, error) {
	var all []touchedQuad
	cursor := b.Cursor()
	first := true
	for k, v := cursor.Seek(binary.BigEndian.AppendUint64(nil, c.Last+1)); k != nil && len(all) < most; k, v = cursor.Next() {
		text, err := kv.Unseal(k, v)
		if err != nil {
			return nil, err
		}
		reset, quads, err := decodeChange(text)
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

// checkOutbox verifies that every change of the outbox can be read, and has terms.
func (c *checker) checkOutbox() error {
	b := c.bolt.Bucket(outboxName)
	if b == nil {
		return nil
	}
	return b.Bucket(changesName).ForEach(func(k, v []byte) error {
		text, err := kv.Unseal(k, v)
		if err != nil {
			return fmt.Errorf("the outbox: %w", err)
		}
		_, quads, err := decodeChange(text)
		if err != nil {
			return fmt.Errorf("change %x: %w", k, err)
		}
		for _, q := range quads {
			if err := c.checkTerms(dict.ID(q.tuple[0]), dict.ID(q.tuple[1]), dict.ID(q.tuple[2])); err != nil {
				return fmt.Errorf("change %x of the outbox: %w", k, err)
			}
		}
		return c.ctx.Err()
	})
}

// graphTerm gives the name of a graph as a term.
func graphTerm(name string) rdf.Term {
	if name == "" {
		return rdf.Term{}
	}
	return rdf.NewIRI(name)
}

// sort puts the quads that are there among those to add, and the others among those to remove.
func (s *Snapshot) sort(ctx context.Context, quads []touchedQuad, c *Change) error {
	slices.SortFunc(quads, func(a, b touchedQuad) int {
		return cmp.Or(cmp.Compare(a.graph, b.graph), index.Compare(a.tuple, b.tuple))
	})
	quads = slices.Compact(quads)
	contexts, _, err := s.ID(contextsGraph)
	if err != nil {
		return err
	}
	for i, q := range quads {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g := defaultGraph
		if q.graph != "" {
			if g = contexts; g == defaultGraph {
				return errChange // its name is a term for as long as changes tell of it
			}
		}
		sub, pred, obj := SPO.Triple(q.tuple)
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
		}
	}
	return nil
}

// All calls each with the triples of the published graph and of the graph of contexts, some thousands at
// a time, and with the number of the last change before it began. Each time it reads another snapshot, so
// that writing goes on and the file does not grow, however slow each is. A triple that is there all the
// time comes once; those that change meanwhile are in the changes after that number.
func (o Outbox) All(ctx context.Context, each func(last uint64, quads []rdf.Quad) error) error {
	return o.all(ctx, allAtOnce, each)
}

func (o Outbox) all(ctx context.Context, atOnce int, each func(last uint64, quads []rdf.Quad) error) error {
	_, last, _, err := o.Span()
	if err != nil {
		return err
	}
	for _, name := range []rdf.Term{{}, contextsGraph} {
		for part := (graphPart{}); !part.end; {
			err := o.store.View(func(s *Snapshot) (err error) {
				part, err = s.partOf(ctx, name, part.next, atOnce)
				return err
			})
			if err != nil {
				return err
			}
			if err := each(last, part.quads); err != nil {
				return err
			}
		}
	}
	return nil
}

// allAtOnce is about how many quads All gives at once.
const allAtOnce = 100_000

// graphPart is a part of a graph, in the order of its index.
type graphPart struct {
	quads []rdf.Quad
	next  index.Tuple // where the next part begins
	end   bool        // there is none
}

// partOf reads the part of a graph that begins at a tuple, about so many quads.
func (s *Snapshot) partOf(ctx context.Context, name rdf.Term, from index.Tuple, atOnce int) (graphPart, error) {
	g := defaultGraph
	if !name.IsZero() {
		id, known, err := s.ID(name)
		if err != nil || !known {
			return graphPart{end: true}, err
		}
		g = id
	}
	_, hi := index.Prefix()
	part := graphPart{next: from}
	for scan := s.Range(g, SPO, from, hi); len(part.quads) < atOnce; {
		tuples := scan.Next()
		if len(tuples) == 0 {
			part.end = true
			return part, scan.Err()
		}
		if err := ctx.Err(); err != nil {
			return part, err
		}
		for _, t := range tuples {
			triple, err := s.Triple(SPO.Triple(t))
			if err != nil {
				return part, err
			}
			part.quads = append(part.quads, triple.In(name))
			part.next = index.Tuple{t[0], t[1], t[2] + 1}
		}
	}
	return part, nil
}
