package engine

import (
	"cmp"
	"iter"
	"slices"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// annotations holds what is needed to write reifiers as annotations.
type annotations struct {
	reifies dict.ID // rdf:reifies, or 0 if no triple of the graph has a reifier
	// The pair that was yielded last, and its subject. Most calls of the methods below
	// are about it, so its terms need not be looked up.
	last   pair
	lastID dict.ID
	lastS  rdf.Term
	// stated caches, for the last term asked about, whether triple terms have it as their
	// subject.
	stated   dict.ID
	isStated bool
}

// Annotated implements turtle.Source.
func (x *exportedGraph) Annotated() bool { return x.reifies != 0 }

// Annotates implements turtle.Source.
func (x *exportedGraph) Annotates(p, o rdf.Term) bool {
	if p.Value() != rdf.RDFReifies || !o.IsTriple() {
		return false
	}
	id, ok := x.last.oid, true
	if x.last.o != o {
		var err error
		if id, ok, err = x.snap.ID(o); x.fail(err) {
			return false
		}
	}
	return ok && x.asserts(id)
}

// asserts reports whether the graph has the triple of a triple term, and can annotate it.
func (x *exportedGraph) asserts(term dict.ID) bool {
	spo, err := x.snap.Parts(term)
	if x.fail(err) {
		return false
	}
	has, err := x.snap.Has(QuadID{spo[0], spo[1], spo[2], x.graph})
	if x.fail(err) || !has {
		return false
	}
	s, err := x.snap.Term(spo[0])
	if x.fail(err) {
		return false
	}
	p, err := x.snap.Term(spo[1])
	return !x.fail(err) && turtle.Annotatable(s, p)
}

// annotated returns how many triples of the graph a node reifies, at most limit.
func (x *exportedGraph) annotated(reifier dict.ID, limit int) (n int) {
	lo, hi := index.Prefix(uint64(reifier), uint64(x.reifies))
	for t, err := range x.snap.Range(x.graph, SPO, lo, hi).All(x.ctx) {
		if x.fail(err) || n == limit {
			break
		}
		if t[2].IsTriple() && x.asserts(t[2]) {
			n++
		}
	}
	return n
}

// Reifiers implements turtle.Source. They are sorted as Nodes sorts subjects, if there are
// not more than maxSorted and maxSortedBytes; else by id.
func (x *exportedGraph) Reifiers(s, p, o rdf.Term) iter.Seq[rdf.Term] {
	term := x.termOf(s, p, o)
	if term == 0 {
		return nil
	}
	var found []dict.ID
	lo, hi := index.Prefix(uint64(x.reifies), uint64(term))
	for t, err := range x.snap.Range(x.graph, POS, lo, hi).All(x.ctx) {
		if x.fail(err) {
			return nil
		}
		found = append(found, t[0])
	}
	if found == nil {
		return nil
	}
	x.sortNodes(found)
	return func(yield func(rdf.Term) bool) {
		for _, id := range found {
			if t, err := x.snap.Term(id); x.fail(err) || !yield(t) {
				return
			}
		}
	}
}

// termOf returns the triple term that states a triple, or 0 if there is none or the
// triple can't be annotated.
func (x *exportedGraph) termOf(s, p, o rdf.Term) (term dict.ID) {
	ids := [3]dict.ID{x.lastID, x.last.pid, x.last.oid}
	if x.lastS != s || x.last.p != p || x.last.o != o {
		for i, t := range [...]rdf.Term{s, p, o} {
			id, ok, err := x.snap.ID(t)
			if x.fail(err) || !ok {
				return 0
			}
			ids[i] = id
		}
	}
	first := func(id dict.ID, _ [3]dict.ID) (more bool, err error) { term = id; return false, nil }
	if x.stated != ids[0] { // most subjects are in no triple term: look once
		x.fail(x.snap.Triples(ids[0], 0, 0, first))
		x.stated, x.isStated, term = ids[0], term != 0, 0
	}
	if x.isStated && turtle.Annotatable(s, p) {
		x.fail(x.snap.Triples(ids[0], ids[1], ids[2], first))
	}
	return term
}

// sortNodes sorts IRIs by text, and blank nodes by age. It leaves more than maxSorted nodes as they are, and IRIs of more
// than maxSortedBytes.
func (x *exportedGraph) sortNodes(ids []dict.ID) {
	if len(ids) > maxSorted {
		return
	}
	held := 0
	texts := make(map[dict.ID]string, len(ids))
	for _, id := range ids {
		if id.IsIRI() {
			t, err := x.snap.Term(id)
			x.fail(err)
			if held += len(t.Value()); held > maxSortedBytes {
				return
			}
			texts[id] = t.Value()
		}
	}
	slices.SortFunc(ids, func(a, b dict.ID) int {
		return cmp.Or(cmp.Compare(a.Tag(), b.Tag()), cmp.Compare(texts[a], texts[b]), cmp.Compare(a, b))
	})
}
