package eval

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// place is a node of a pattern: the slot of a variable, or an id.
type place struct {
	slot algebra.Slot
	id   source.ID
}

func (p place) in(row []source.ID) source.ID {
	if p.slot >= 0 {
		return row[p.slot]
	}
	return p.id
}

// scan extends rows by the triples that match a pattern. For each row it reads a range of
// an index.
type scan struct {
	r *Run
	output
	g        place
	spo      [3]place
	within   *within // limits the object; nil for no bounds
	indexes  *indexes
	lookups  []lookup
	repeated bool      // a variable is repeated
	fullScan *fullScan // the pattern as a full scan, or nil if that is not possible or never faster
}

// lookup is what to look up for one row of a batch.
type lookup struct {
	key   source.Tuple // in the order of the index, 0 from the first free position on
	graph source.ID
	bound uint8 // which are bound: bit 0 for the subject, 1 for the predicate, 2 for the object
	row   int32
}

// buildScan builds a triple pattern, with a full scan in reserve if one is possible.
func (r *Run) buildScan(x *algebra.Triple, e env, next sink) (sink, error) {
	s, err := r.newScan(x)
	if err != nil {
		return nil, err
	}
	if s.within, err = r.within(x.Within); err != nil {
		return nil, err
	}
	s.repeated = x.Repeats()
	if s.fullScan = s.asFullScan(x.FullScan, e.certain); s.fullScan != nil {
		s.fullScan.rows = e.all
	}
	s.output = newOutput(r, next)
	return s, nil
}

// newScan returns a scan of the terms and variables of a pattern, without an output.
func (r *Run) newScan(x *algebra.Triple) (s *scan, err error) {
	s = &scan{r: r, indexes: newIndexes(r.ds)}
	if s.g, err = r.graphPlace(x.Graph); err != nil {
		return nil, err
	}
	for i, n := range []algebra.Node{x.S, x.P, x.O} {
		if s.spo[i], err = r.nodePlace(n); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (r *Run) nodePlace(n algebra.Node) (place, error) {
	if n.IsVariable() {
		return place{slot: n.Slot}, nil
	}
	id, err := r.knownID(n.Term)
	return place{slot: algebra.NoSlot, id: id}, err
}

// graphPlace returns the place of a pattern's graph.
func (r *Run) graphPlace(n algebra.Node) (place, error) {
	if n.IsVariable() || n == algebra.DefaultGraph {
		return place{slot: n.Slot}, nil
	}
	id, err := r.knownID(n.Term)
	return place{slot: algebra.NoSlot, id: id}, err
}

// knownID returns the id of a term, or unknown if the dataset does not have it.
func (r *Run) knownID(t rdf.Term) (source.ID, error) {
	id, err := r.ds.ID(t)
	return cmp.Or(id, source.Unknown), err
}

// push looks up the pattern with the ids of each row, sorted so that neighbours read the same blocks; or reads all
// triples once if there are so many rows that this is cheaper.
func (s *scan) push(b *table.Batch) error {
	if s.fullScan != nil {
		ready, err := s.fullScan.ready(s.r, b.N)
		if err != nil {
			return err
		}
		if ready {
			return s.probe(b)
		}
	}
	s.lookups = s.lookups[:0]
	for i := range b.N {
		row := b.Row(i)
		l := lookup{row: int32(i), graph: s.g.in(row)}
		var ids [3]source.ID
		stored := l.graph < source.LocalFirst
		for j, p := range s.spo {
			if ids[j] = p.in(row); ids[j] != 0 {
				l.bound |= 1 << j
				stored = stored && ids[j] < source.LocalFirst
			}
		}
		if !stored {
			continue // the dataset does not have the term
		}
		if s.within != nil && ids[2] != 0 && !s.within.has(ids[2]) {
			continue
		}
		a := orders.For(int(l.bound))
		places := a.Order.Places()
		for k, p := range places[:a.Known] {
			l.key[k] = uint64(ids[p])
		}
		s.lookups = append(s.lookups, l)
	}
	// Sorted by index, neighbouring look-ups read the same blocks, and equal ones are
	// done once.
	if !slices.IsSortedFunc(s.lookups, compareLookups) {
		slices.SortFunc(s.lookups, compareLookups)
	}
	for i := 0; i < len(s.lookups); {
		same := i + 1
		for same < len(s.lookups) && sameLookup(&s.lookups[i], &s.lookups[same]) {
			same++
		}
		if err := s.match(b, s.lookups[i:same]); err != nil {
			return err
		}
		i = same
	}
	return s.pause()
}

func sameLookup(a, b *lookup) bool {
	return a.key == b.key && a.bound == b.bound && a.graph == b.graph
}

// compareLookups orders look-ups so that neighbours read the same blocks: by key, by which ids
// are bound, and by graph.
func compareLookups(a, b lookup) int {
	for k := range a.key {
		if a.key[k] != b.key[k] {
			if a.key[k] < b.key[k] {
				return -1
			}
			return 1
		}
	}
	return cmp.Or(cmp.Compare(a.bound, b.bound), cmp.Compare(a.graph, b.graph))
}

// match extends the rows of equal look-ups.
func (s *scan) match(b *table.Batch, same []lookup) error {
	l := &same[0]
	a := orders.For(int(l.bound))
	lo, hi := source.Prefix(l.key, a.Known)
	if s.within == nil || l.bound&0b100 != 0 {
		return s.walk(b, same, a.Order, a.Known, lo, hi, nil)
	}
	if l.bound == 0 { // any index will do: take the one by object
		a.Order = source.OSP
	}
	places := a.Order.Places()
	at := slices.Index(places[:], 2) // of the object in a tuple
	if at > a.Known || at == 2 {     // probably few tuples, so one walk is enough
		if at == a.Known { // the tuples are in the order of the object
			lo[at], hi[at] = s.within.span()
		}
		return s.walk(b, same, a.Order, a.Known, lo, hi, s.within.has)
	}
	for i := range s.within.ranges {
		ids := &s.within.ranges[i]
		lo[at], hi[at] = uint64(ids.First), uint64(ids.Last)
		var test func(source.ID) bool
		if !ids.Exact {
			test = func(id source.ID) bool { return s.within.in(ids, id) }
		}
		if err := s.walk(b, same, a.Order, a.Known, lo, hi, test); err != nil {
			return err
		}
	}
	return nil
}

// walk extends the rows of equal look-ups by the tuples of a range of an index. The
// first n positions of the tuples are bound. If test is not nil, the object must pass
// it.
func (s *scan) walk(b *table.Batch, same []lookup, o source.Order, n int, lo, hi source.Tuple, test func(source.ID) bool) error {
	places := o.Places()
	object := slices.Index(places[:], 2)
	index := s.indexes.scan(same[0].graph, o)
	index.Seek(lo, hi)
	for tuples := index.Next(); tuples != nil; tuples = index.Next() {
		if err := s.r.budget.Tick(len(tuples) * len(same)); err != nil {
			return err
		}
		if test == nil && len(same) == 1 && !s.repeated {
			if err := s.block(b.Row(int(same[0].row)), tuples, places, n); err != nil {
				return err
			}
			continue
		}
		for t := range tuples {
			passes := test == nil || test(source.ID(tuples[t][object]))
			if !passes || s.repeated && !s.agrees(&tuples[t], places, n) {
				continue
			}
			for i := range same {
				out := s.add(b.Row(int(same[i].row)))
				for k := n; k < 3; k++ {
					out[s.spo[places[k]].slot] = source.ID(tuples[t][k])
				}
				if err := s.full(); err != nil {
					return err
				}
			}
		}
	}
	return index.Err()
}

// agrees reports whether a tuple has the same term at all positions of the same
// variable, from position n on.
func (s *scan) agrees(tuple *source.Tuple, places [3]int, n int) bool {
	for k := n + 1; k < 3; k++ {
		for j := n; j < k; j++ {
			if s.spo[places[j]].slot == s.spo[places[k]].slot && tuple[j] != tuple[k] {
				return false
			}
		}
	}
	return true
}

// block extends one row by each of the tuples. No variable may be repeated.
func (s *scan) block(row []source.ID, tuples []source.Tuple, places [3]int, n int) error {
	var slots [3]algebra.Slot
	for k, place := range places {
		slots[k] = s.spo[place].slot
	}
	for len(tuples) > 0 {
		some := tuples[:min(len(tuples), max(1, s.size-s.buf.N))]
		tuples = tuples[len(some):]
		out := s.buf.Copies(row, len(some))
		for k := n; k < 3; k++ {
			at := int(slots[k])
			for t := range some {
				out[at] = source.ID(some[t][k])
				at += len(row)
			}
		}
		if err := s.full(); err != nil {
			return err
		}
	}
	return nil
}

// indexes keeps a Reader's scans for reuse.
type indexes struct {
	ds    source.Reader
	scans map[source.ID]*[orders.Count]source.Scan
	last  *[orders.Count]source.Scan
	graph source.ID
}

func newIndexes(ds source.Reader) *indexes {
	return &indexes{ds: ds, scans: map[source.ID]*[orders.Count]source.Scan{}}
}

// scan returns the scan of an order of a graph, which it makes once.
func (x *indexes) scan(g source.ID, o source.Order) source.Scan {
	if x.last == nil || x.graph != g {
		x.last, x.graph = x.scans[g], g
		if x.last == nil {
			x.last = &[orders.Count]source.Scan{}
			x.scans[g] = x.last
		}
	}
	if x.last[o] == nil {
		x.last[o] = x.ds.Scan(g, o)
	}
	return x.last[o]
}
