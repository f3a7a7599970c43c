package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// exportedGraph yields a graph of a snapshot in a reproducible order. IRIs come first, in text
// order, then blank nodes by id. The types of a subject come first,
// followed by its other triples, by predicate and object. If a subject has more than
// maxSorted triples, or takes more than maxSortedBytes, they are sorted by id, to bound memory.
type exportedGraph struct {
	ctx     context.Context
	snap    *Snapshot
	graph   dict.ID
	scan    *index.Scan // for look-ups that end before the next begins
	rdfType dict.ID     // 0 if the dictionary lacks it
	triples bool        // the graph has triple terms
	labels  bool        // every blank node needs a label
	annotations
	recent  pair     // has the last predicate of pair
	spare   [][]pair // unused buffers
	yielded int64    // number of yielded pairs whose subject is an IRI
	err     error
}

var _ turtle.Source = (*exportedGraph)(nil)

const (
	// maxSorted is the largest number of pairs of a subject held in memory.
	maxSorted = 1 << 16
	// maxSortedBytes is how much memory they may take, in bytes, about. The order does not depend on the machine.
	maxSortedBytes = 4 << 20
	pairBytes      = 96 // without texts
	// maxSubjectBytes is how many bytes the IRIs of a small graph's subjects may have together.
	maxSubjectBytes = 16 << 20
)

type pair struct {
	p, o     rdf.Term
	pid, oid dict.ID
}

// newExportedGraph returns the export of graph g. Its Err may be set already.
func newExportedGraph(ctx context.Context, snap *Snapshot, g dict.ID) *exportedGraph {
	x := &exportedGraph{ctx: ctx, snap: snap, graph: g, scan: snap.view(g).indexes[SPO].Scan()}
	x.rdfType, _, x.err = snap.ID(rdf.NewIRI(rdf.RDFType))
	if x.err == nil {
		x.triples, x.err = snap.hasTriples(g)
	}
	if x.err == nil && x.triples {
		x.reifies, _, x.err = snap.ID(rdf.NewIRI(rdf.RDFReifies))
	}
	return x
}

// Err returns the first error, or nil.
func (x *exportedGraph) Err() error { return x.err }

// checkComplete returns an error unless all triples of the graph were yielded. Damage to
// the header of a leaf could hide some, because no checksum covers what is missing.
// Triples of blank nodes may be yielded more than once, so it counts them in the
// index.
func (x *exportedGraph) checkComplete() error {
	v := x.snap.view(x.graph)
	first, last := ids.Range(ids.TagBlank)
	lo, _ := index.Prefix(uint64(first))
	_, hi := index.Prefix(uint64(last))
	n, err := v.indexes[SPO].Scan().Count(lo, hi)
	if n += x.yielded; err == nil && n != v.count(0) {
		return &index.DamagedError{Detail: fmt.Sprintf("%d triples were found, but the count is %d", n, v.count(0))}
	}
	return err
}

// fail records the first error and reports whether err is not nil.
func (x *exportedGraph) fail(err error) bool {
	if err != nil && x.err == nil {
		x.err = err
	}
	return err != nil
}

// errStopped ends the visit of nodes that nobody wants any more.
var errStopped = errors.New("stopped")

// Nodes implements turtle.Source. It yields each subject with its pairs of predicate and object: IRIs by text, then
// blank nodes by age.
func (x *exportedGraph) Nodes() iter.Seq2[rdf.Term, iter.Seq2[rdf.Term, rdf.Term]] {
	return func(yield func(rdf.Term, iter.Seq2[rdf.Term, rdf.Term]) bool) {
		visit := func(id dict.ID) (more bool, err error) {
			if err := x.ctx.Err(); err != nil {
				return false, err
			}
			lo, hi := index.Prefix(uint64(id))
			x.scan.Seek(lo, hi)
			first := x.scan.Next()
			if first == nil {
				return true, x.scan.Err()
			}
			t, err := x.snap.Term(id)
			if err != nil {
				return false, err
			}
			if !yield(t, x.pairs(id, t, x.scan, first)) {
				return false, errStopped
			}
			return true, x.err
		}
		for _, part := range []func() error{
			func() error { return x.err },
			func() error { return x.visitIRIs(visit) },
			func() error { return x.blanks(visit) },
			x.noLiterals,
		} {
			if err := part(); errors.Is(err, errStopped) || x.fail(err) {
				return
			}
		}
	}
}

// visitIRIs calls visit with IRIs in text order until it returns false. In a large graph
// these are all IRIs of the dictionary, and visit skips those that are not subjects. In a
// small one they are its subjects.
func (x *exportedGraph) visitIRIs(visit func(dict.ID) (bool, error)) error {
	subjects, few, err := x.subjects()
	if err != nil {
		return err
	}
	if !few {
		// A separate reader, because visit looks up terms too.
		texts := x.snap.dictionary(nil)
		return texts.Texts(rdf.KindIRI, "", visit)
	}
	for _, s := range subjects {
		if more, err := visit(s.pid); !more || err != nil {
			return err
		}
	}
	return nil
}

// subjects returns the IRIs that are subjects, sorted, as predicates of pairs without an object. few is false if the graph
// has more than maxSorted triples, or the IRIs more than maxSubjectBytes.
func (x *exportedGraph) subjects() (subjects []pair, few bool, err error) {
	if x.snap.view(x.graph).count(0) > maxSorted {
		return nil, false, nil
	}
	first, last := ids.Range(ids.TagIRI)
	lo, _ := index.Prefix(uint64(first))
	_, hi := index.Prefix(uint64(last))
	held := 0
	for t, err := range x.snap.Range(x.graph, SPO, lo, hi).All(x.ctx) {
		if err != nil {
			return nil, false, err
		}
		if n := len(subjects); n > 0 && subjects[n-1].pid == t[0] {
			continue
		}
		term, err := x.snap.Term(t[0])
		if err != nil {
			return nil, false, err
		}
		if held += len(term.Value()); held > maxSubjectBytes {
			return nil, false, nil
		}
		subjects = append(subjects, pair{p: term, pid: t[0]})
	}
	slices.SortFunc(subjects, func(a, b pair) int { return strings.Compare(a.p.Value(), b.p.Value()) })
	return subjects, true, nil
}

// noLiterals returns an error if the graph has literals as subjects. EditOptions.AnyTerms
// allows them, but an RDF text cannot contain them.
func (x *exportedGraph) noLiterals() error {
	first, _ := ids.Range(ids.TagLang)
	lo, _ := index.Prefix(uint64(first))
	_, hi := index.Prefix()
	scan := x.snap.view(x.graph).indexes[SPO].Scan()
	n, err := scan.Count(lo, hi)
	if err == nil && n > 0 {
		err = fmt.Errorf("%d triples have a literal as their subject, which RDF can't express; all others were written", n)
	}
	return err
}

// blanks calls visit with every blank node that is a subject.
func (x *exportedGraph) blanks(visit func(dict.ID) (bool, error)) error {
	first, last := ids.Range(ids.TagBlank)
	scan := x.snap.view(x.graph).indexes[SPO].Scan()
	for {
		lo, _ := index.Prefix(uint64(first))
		_, hi := index.Prefix(uint64(last))
		scan.Seek(lo, hi)
		batch := scan.Next()
		if batch == nil {
			return scan.Err()
		}
		for _, t := range batch {
			id := dict.ID(t[0])
			if id < first { // visited
				continue
			}
			if more, err := visit(id); !more || err != nil {
				return err
			}
			first = id + 1
		}
	}
}

// Node implements turtle.Source.
func (x *exportedGraph) Node(b rdf.Term) iter.Seq2[rdf.Term, rdf.Term] {
	id, ok, err := x.snap.ID(b)
	x.fail(err)
	if !ok {
		return func(func(rdf.Term, rdf.Term) bool) {}
	}
	lo, hi := index.Prefix(uint64(id))
	scan := x.snap.view(x.graph).indexes[SPO].Scan()
	scan.Seek(lo, hi)
	return x.pairs(id, b, scan, scan.Next())
}

// References implements turtle.Source. It returns 2 for two or more, and for a node that must have a label anyway.
func (x *exportedGraph) References(b rdf.Term) int {
	if x.labels {
		return 2
	}
	id, ok, err := x.snap.ID(b)
	x.fail(err)
	if !ok {
		return 0
	}
	scan := x.snap.Match(0, 0, id, x.graph)
	n := min(2, len(scan.Next()))
	if n == 1 { // the second may be in the next batch
		n += min(1, len(scan.Next()))
	}
	x.fail(scan.Err())
	if n < 2 && x.triples && x.inTripleTerm(id) {
		return 2
	}
	if n < 2 && x.reifies != 0 {
		n += x.annotated(id, 2-n)
	}
	return n
}

// pairs yields the predicates and objects of a subject, the term of id. first is the first
// batch of scan, which returns the rest.
func (x *exportedGraph) pairs(id dict.ID, s rdf.Term, scan *index.Scan, first []index.Tuple) iter.Seq2[rdf.Term, rdf.Term] {
	return func(yield func(rdf.Term, rdf.Term) bool) {
		give := func(p pair) bool {
			if id.IsIRI() {
				x.yielded++
			}
			if x.reifies != 0 {
				x.last, x.lastID, x.lastS = p, id, s
			}
			return yield(p.p, p.o)
		}
		if x.few(scan, first, give) {
			return
		}
		for _, of := range slices.Compact([]dict.ID{x.rdfType, 0}) { // the types, then all others
			for t, err := range x.snap.Match(id, of, 0, x.graph).All(x.ctx) {
				if x.fail(err) {
					return
				}
				if of == 0 && t[1] == x.rdfType {
					continue
				}
				p, err := x.pair(t[1], t[2])
				if x.fail(err) || !give(p) {
					return
				}
			}
		}
	}
}

// few yields the pairs sorted, and returns true. If there are too many, it yields nothing and returns false.
func (x *exportedGraph) few(scan *index.Scan, batch []index.Tuple, yield func(pair) bool) bool {
	buf, held := x.borrow(), 0
	defer func() {
		clear(buf)
		x.spare = append(x.spare, buf)
	}()
	for ; batch != nil; batch = scan.Next() {
		if len(buf)+len(batch) > maxSorted {
			return false
		}
		for _, t := range batch {
			p, err := x.pair(dict.ID(t[1]), dict.ID(t[2]))
			if x.fail(err) {
				return true
			}
			if held += pairBytes + p.o.Size(); len(buf) == 0 || buf[len(buf)-1].pid != p.pid {
				held += p.p.Size()
			}
			if held > maxSortedBytes {
				return false
			}
			buf = append(buf, p)
		}
	}
	if x.fail(scan.Err()) {
		return true
	}
	slices.SortFunc(buf, x.compare)
	for _, p := range buf {
		if !yield(p) {
			break
		}
	}
	return true
}

// borrow returns an empty buffer, from x.spare if possible.
func (x *exportedGraph) borrow() []pair {
	if n := len(x.spare); n > 0 {
		buf := x.spare[n-1]
		x.spare = x.spare[:n-1]
		return buf[:0]
	}
	return nil
}

// pair reads the terms of a predicate and an object. Pairs with one predicate after another share its text.
func (x *exportedGraph) pair(p, o dict.ID) (out pair, err error) {
	if x.recent.pid != p {
		if x.recent.p, err = x.snap.Term(p); err != nil {
			return out, err
		}
	}
	x.recent.pid = p
	out = pair{p: x.recent.p, pid: p, oid: o}
	out.o, err = x.snap.Term(o)
	return out, err
}

// compare orders the pairs of a subject: its types first, the others by predicate and object.
func (x *exportedGraph) compare(a, b pair) int {
	if a.pid != b.pid {
		if a.pid == x.rdfType {
			return -1
		}
		if b.pid == x.rdfType {
			return 1
		}
		return rdf.Compare(a.p, b.p)
	}
	if a.o.IsBlank() && b.o.IsBlank() { // by age, as in Nodes
		if a.oid < b.oid {
			return -1
		}
		return 1
	}
	return rdf.Compare(a.o, b.o)
}
