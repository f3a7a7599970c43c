package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
)

// settling is the work of storing deltas that are late: their records, terms and quads, each kind in the order of its
// bucket. It is done in parts, with as many transactions as it takes, each of which pays for its share. So what is late may be
// much, as it must be for neighbours to share a page, and nobody waits for all of it.
//
// Nothing is kept of how far it came: after a kill, or an error, all that is late is done again. That comes
// to the same, because every part puts what is to be there in the end. What a graph holds, its counts
// and what a second store is told follow the index SPO, which comes last.
type settling struct {
	parts []part
	at    int // how much of the first part is done
	late  int // the lateness of the deltas
	work  int // in units of about a tuple
	// dropping is how many deltas are taken out of the bucket in the end, and gone how many were since the last transaction.
	dropping, gone int
	planned        bool
	stepped        bool // in the transaction that is not at its end

	terms []rdf.Term // each once, in order
	ids   []dict.ID
	place map[rdf.Term]int // in terms
}

// part is some of the work: n things, each of some weight, of which do does those from one number up to another.
type part struct {
	n, weight int
	do        func(tx *Tx, from, to int) error
}

// What is done by key goes to a page of its own more often than not; tuples stand close.
const (
	byKey  = 6
	aTuple = 1
)

// edit is a triple of a graph that is to be there, or not.
type edit struct {
	index.Tuple
	number int // by which they were decided
	stays  bool
}

// newSettling plans the storing of deltas, as they come to when they are done in their order.
func newSettling(ds []*Delta) *settling {
	s := &settling{late: lateness(ds), place: map[rdf.Term]int{}}
	var records []Record
	quads := 0
	for _, d := range ds {
		records = append(records, d.Records...)
		quads += d.quads()
		for _, doc := range []*store.Document{&d.Add, &d.Remove} {
			for _, t := range doc.Terms {
				if _, ok := s.place[t]; !ok {
					s.place[t] = 0
					s.terms = append(s.terms, t)
				}
			}
		}
	}
	slices.SortFunc(s.terms, func(a, b rdf.Term) int {
		return cmp.Or(cmp.Compare(a.Kind(), b.Kind()), cmp.Compare(a.Value(), b.Value()))
	})
	for i, t := range s.terms {
		s.place[t] = i
	}
	s.ids = make([]dict.ID, len(s.terms))
	records = lastOfEach(records)
	s.add(len(records), byKey, func(tx *Tx, from, to int) error { return tx.putRecords(records[from:to]) })
	s.add(len(s.terms), byKey, func(tx *Tx, from, to int) error { return tx.dict.IDs(s.terms[from:to], s.ids[from:to]) })
	s.work += 3 * quads * aTuple // by indexes
	s.add(1, quads*aTuple, func(tx *Tx, _, _ int) error {
		s.planned = true
		return s.planQuads(tx, ds)
	})
	return s
}

// drop has the deltas taken out of the bucket of what is late in the end, in which they are the first.
func (s *settling) drop(ds []*Delta) {
	s.dropping = len(ds)
	s.work += len(ds) * byKey
}

func (s *settling) add(n, weight int, do func(tx *Tx, from, to int) error) {
	s.parts = append(s.parts, part{n, weight, do})
	s.work += n * weight
}

// planQuads adds the parts that change the indexes.
func (s *settling) planQuads(tx *Tx, ds []*Delta) error {
	graphs := map[dict.ID][]edit{}
	n := 0
	plan := func(doc *store.Document, stays bool) {
		ids := make([]dict.ID, len(doc.Terms))
		for i, t := range doc.Terms {
			ids[i] = s.ids[s.place[t]]
		}
		for _, q := range doc.Quads {
			n++
			g := graphOf(q, ids)
			graphs[g] = append(graphs[g], edit{SPO.Tuple(ids[q[0]], ids[q[1]], ids[q[2]]), n, stays})
		}
	}
	for _, d := range ds {
		err := tx.said(d.Replace, func(r QuadID) {
			n++
			graphs[r.G] = append(graphs[r.G], edit{SPO.Tuple(r.S, r.P, r.O), n, false})
		})
		if err != nil {
			return err
		}
		plan(&d.Remove, false)
		plan(&d.Add, true)
	}
	for _, g := range slices.Sorted(maps.Keys(graphs)) {
		spo := lastOfEachTriple(graphs[g])
		for _, other := range orders.Others {
			o := Order(other)
			var edits []edit
			s.parts = append(s.parts, part{len(spo), aTuple, func(tx *Tx, from, to int) error {
				if edits == nil {
					edits = reordered(spo, o)
				}
				return tx.edit(g, o, edits[from:to])
			}})
		}
		s.parts = append(s.parts, part{len(spo), aTuple, func(tx *Tx, from, to int) error { return tx.edit(g, SPO, spo[from:to]) }})
	}
	s.parts = append(s.parts, part{s.dropping, byKey, func(tx *Tx, from, to int) error {
		s.gone += to - from
		return tx.dropLate(to - from)
	}})
	return nil
}

// lastOfEachTriple sorts edits and leaves the last one of each triple, in their place.
func lastOfEachTriple(edits []edit) []edit {
	slices.SortFunc(edits, func(a, b edit) int {
		if c := index.Compare(a.Tuple, b.Tuple); c != 0 {
			return c
		}
		return cmp.Compare(a.number, b.number)
	})
	last := edits[:0]
	for i, e := range edits {
		if i+1 == len(edits) || e.Tuple != edits[i+1].Tuple {
			last = append(last, e)
		}
	}
	return last
}

// reordered gives edits of the index SPO sorted for another.
func reordered(spo []edit, o Order) []edit {
	out := slices.Clone(spo)
	for i := range out {
		out[i].Tuple = o.Tuple(SPO.Triple(out[i].Tuple))
	}
	slices.SortFunc(out, func(a, b edit) int { return index.Compare(a.Tuple, b.Tuple) })
	return out
}

// edit changes one index of a graph, and with SPO all that follows it.
func (tx *Tx) edit(g dict.ID, o Order, edits []edit) error {
	b, err := tx.graph(g)
	if err != nil {
		return err
	}
	var add, remove, touched []index.Tuple
	for _, e := range edits {
		if e.stays {
			add = append(add, e.Tuple)
		} else {
			remove = append(remove, e.Tuple)
		}
	}
	add = b.outsideParts(o, add)
	if o != SPO {
		if err := tx.editor.Insert(b.indexes[o], add, nil); err != nil {
			return err
		}
		return tx.deleteFrom(b, o, remove, nil)
	}
	counts := map[*indexed]map[dict.ID]int64{}
	count := func(in *indexed, t index.Tuple, sign int64) {
		touched = append(touched, t)
		if counts[in] == nil {
			counts[in] = map[dict.ID]int64{}
		}
		counts[in][0] += sign
		counts[in][dict.ID(t[1])] += sign
	}
	if err := tx.editor.Insert(b.indexes[SPO], add, func(i int) { count(&b.indexed, add[i], 1) }); err != nil {
		return err
	}
	gained := len(touched)
	err = tx.deleteFrom(b, SPO, remove, func(in *indexed, i int) { count(in, remove[i], -1) })
	if err != nil || len(touched) == 0 {
		return err
	}
	if g == defaultGraph {
		tx.grew(touched[:gained])
		tx.lost = tx.lost || len(touched) > gained
	}
	tx.touch(g, touched)
	for in, byPredicate := range counts {
		for p, n := range byPredicate {
			if n != 0 {
				if err := in.addCount(p, n); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *settling) done() bool { return len(s.parts) == 0 }

// stored tells whether all is where it belongs.
func (s *settling) stored() bool { return len(s.parts) <= 1 && s.planned }

// share is how much of the work a transaction that leaves new deltas late is to do, so that all of it is done before as
// much is late again.
func (s *settling) share(ds []*Delta) int {
	return 1 + 5*s.work/4*lateness(ds)/max(1, s.late)
}

// step does about so much of the work.
func (s *settling) step(tx *Tx, work int) error {
	for work > 0 && !s.done() {
		p := &s.parts[0]
		n := p.n - s.at
		if p.weight > 0 {
			n = min(n, 1+(work-1)/p.weight) // the sum is no more than work, however much that is
		}
		if n > 0 {
			if err := p.do(tx, s.at, s.at+n); err != nil {
				return fmt.Errorf("settling what is late: %w", err)
			}
		}
		work -= n * p.weight
		if s.at += n; s.at == s.parts[0].n {
			s.parts, s.at = s.parts[1:], 0
		}
	}
	return nil
}
