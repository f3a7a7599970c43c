package engine

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/orders"
)

// In files of schema 1, a string with a language tag may have several ids, for tags that
// differ in case (dict.Variants). Readers see one term: a snapshot of such a file has a
// level on its indexes in which each triple has the first ids of its terms (see folded).
// When idle, the tidier rewrites the triples in steps and forgets the other ids. A
// restart continues where the process ended, because a forgotten id is no longer a
// variant.
//
// The recorded contributions of logs stay as they were written. Snapshot.FirstIDs maps
// their ids.

// foldedKey is a key of the bucket "meta". Its value is one byte. It is set if the
// dictionary has no variants.
var foldedKey = []byte("language tags folded")

const (
	neverVaried = 1 // the dictionary never had variants
	hadVariants = 2 // the recorded contributions of logs may still have some
)

// variants maps ids to the first id of their terms.
type variants map[dict.ID]dict.ID

// foldState returns the value of foldedKey, or 0.
func foldState(r kv.Reader) byte {
	if v := r.Bucket(string(metaName)).Get(foldedKey); len(v) == 1 {
		return v[0]
	}
	return 0
}

func setFoldState(w kv.Writer, state byte) error {
	b, err := w.Writable(string(metaName))
	if err == nil {
		err = b.Put(foldedKey, []byte{state})
	}
	if err != nil {
		return fmt.Errorf("recording that language tags are folded: %w", err)
	}
	return nil
}

// variantsIn returns the variants that a transaction may see. For a file of schema 1, the
// first call searches for them.
func (s *Store) variantsIn(tx *bolt.Tx) (variants, error) {
	if foldState(kv.OnBolt(tx)) != 0 {
		return nil, nil
	}
	s.folding.mu.Lock()
	defer s.folding.mu.Unlock()
	if !s.folding.known {
		ids, err := dict.Variants(tx.Bucket(dictName))
		if err != nil {
			return nil, err
		}
		s.folding.variants, s.folding.known = ids, true
	}
	return s.folding.variants, nil
}

// fold returns the triple with the first id of each term.
func (v variants) fold(q QuadID) QuadID {
	q.S, q.O = cmp.Or(v[q.S], q.S), cmp.Or(v[q.O], q.O)
	return q
}

// expand appends the variants of the triples in ts to ts.
func (v variants) expand(ts []index.Tuple) []index.Tuple {
	if !slices.ContainsFunc(ts, func(t index.Tuple) bool {
		return dict.ID(t[0]).Tag() == dict.TagLang || dict.ID(t[2]).Tag() == dict.TagLang
	}) {
		return ts
	}
	others := map[dict.ID][]dict.ID{}
	for later, first := range v {
		others[first] = append(others[first], later)
	}
	for _, place := range []int{0, 2} {
		for _, t := range ts {
			for _, later := range others[dict.ID(t[place])] {
				t[place] = uint64(later)
				ts = append(ts, t)
			}
		}
	}
	return ts
}

// count returns the number of triples, counting variants of a triple once.
func (v variants) count(ts []index.Tuple) int {
	seen := map[QuadID]bool{}
	for _, t := range ts {
		var q QuadID
		q.S, q.P, q.O = SPO.Triple(t)
		seen[v.fold(q)] = true
	}
	return len(seen)
}

// folded is a level on the indexes of a graph. In it, triples with variants have the
// first ids of their terms.
type folded struct {
	entries [orders.Count][]index.Entry
	counts  map[dict.ID]int64 // changes in the number of triples by predicate; the key of the total is 0
}

// foldGraph returns the level that folds a graph, nil if the graph has no variants.
func foldGraph(g *view, v variants) (*folded, error) {
	hidden, _, err := triplesWith(g, slices.Sorted(maps.Keys(v)), math.MaxInt)
	if err != nil || len(hidden) == 0 {
		return nil, err
	}
	f := &folded{counts: map[dict.ID]int64{}}
	for _, t := range hidden {
		f.add(index.Entry{Tuple: t, Under: true})
	}
	there := g.indexes[SPO].Finder()
	for _, t := range v.foldAll(hidden) {
		there.Seek(t, t)
		f.add(index.Entry{Tuple: t, Present: true, Under: there.Next() != nil})
	}
	for _, es := range f.entries {
		slices.SortFunc(es, func(a, b index.Entry) int { return index.Compare(a.Tuple, b.Tuple) })
	}
	return f, there.Err()
}

// add adds an entry for a tuple in SPO order to all orders.
func (f *folded) add(e index.Entry) {
	s, p, o := SPO.Triple(e.Tuple)
	for in := range f.entries {
		e.Tuple = Order(in).Tuple(s, p, o)
		f.entries[in] = append(f.entries[in], e)
	}
	switch {
	case e.Present && !e.Under:
		f.counts[p]++
		f.counts[0]++
	case e.Under && !e.Present:
		f.counts[p]--
		f.counts[0]--
	}
}

// foldAll returns the triples ts, in SPO order, with the first ids of their terms, sorted
// and distinct.
func (v variants) foldAll(ts []index.Tuple) []index.Tuple {
	out := make([]index.Tuple, len(ts))
	for i, t := range ts {
		var q QuadID
		q.S, q.P, q.O = SPO.Triple(t)
		q = v.fold(q)
		out[i] = SPO.Tuple(q.S, q.P, q.O)
	}
	slices.SortFunc(out, index.Compare)
	return slices.Compact(out)
}

// triplesWith returns triples whose subject or object is one of the sorted ids. It stops
// once it has limit triples. The result has all triples of the first done ids.
func triplesWith(g *view, ids []dict.ID, limit int) (ts []index.Tuple, done int, err error) {
	orders := [...]Order{SPO, OSP}
	var finders [len(orders)]*index.Finder
	for i, o := range orders {
		finders[i] = g.indexes[o].Finder()
	}
	for done < len(ids) && len(ts) < limit {
		for i, f := range finders {
			f.Seek(index.Prefix(uint64(ids[done])))
			for batch := f.Next(); batch != nil && len(ts) < limit; batch = f.Next() {
				for _, t := range batch {
					ts = append(ts, SPO.Tuple(orders[i].Triple(t)))
				}
			}
			if f.Err() != nil {
				return nil, 0, f.Err()
			}
		}
		if len(ts) < limit {
			done++
		}
	}
	slices.SortFunc(ts, index.Compare)
	return slices.Compact(ts), done, nil
}

// foldedOrder holds the entries of a folded in one order.
type foldedOrder []index.Entry

func (l foldedOrder) find(t index.Tuple) (int, bool) {
	return slices.BinarySearchFunc(l, t, func(e index.Entry, t index.Tuple) int { return index.Compare(e.Tuple, t) })
}

// Ascend implements index.Level.
func (l foldedOrder) Ascend(from index.Tuple, f func(index.Entry) bool) {
	for at, _ := l.find(from); at < len(l) && f(l[at]); at++ {
	}
}

// Descend implements index.Level.
func (l foldedOrder) Descend(from index.Tuple, f func(index.Entry) bool) {
	at, found := l.find(from)
	if !found {
		at--
	}
	for ; at >= 0 && f(l[at]); at-- {
	}
}

// fold hides the variants in all graphs.
func (s *Snapshot) fold(v variants) error {
	s.variants = v
	if len(v) == 0 {
		return nil
	}
	for _, g := range s.Graphs() {
		read := s.view(g)
		f, err := foldGraph(read, v)
		if err != nil {
			return err
		}
		if f == nil {
			continue
		}
		for o := range read.indexes {
			read.indexes[o].Levels = append(read.indexes[o].Levels, foldedOrder(f.entries[o]))
		}
		read.folded = f.counts
	}
	return nil
}

// first returns the first id of a term, given any of its ids. The id may come from a list
// written before language tags were folded.
func (s *Snapshot) first(id dict.ID) (dict.ID, error) {
	if !s.varied || id.Tag() != dict.TagLang {
		return id, nil
	}
	if first, ok := s.firsts[id]; ok {
		return first, nil
	}
	t, err := s.Term(id)
	if err != nil {
		return id, err
	}
	first, ok, err := s.ID(t)
	if err == nil && !ok {
		err = &index.DamagedError{Detail: fmt.Sprintf("the term of id %#x can't be found by its text", uint64(id))}
	}
	if s.firsts == nil {
		s.firsts = variants{}
	}
	s.firsts[id] = first
	return first, err
}

// Varied reports whether recorded contributions may have ids that are not the first ones
// of their terms.
func (s *Snapshot) Varied() bool { return s.varied }

// FirstIDs replaces each id of a triple by the first id of its term.
func (s *Snapshot) FirstIDs(t *index.Tuple) error {
	for i, id := range t {
		first, err := s.first(dict.ID(id))
		if err != nil {
			return err
		}
		t[i] = uint64(first)
	}
	return nil
}

// folding is the progress of folding the file's language tags.
type folding struct {
	mu       sync.Mutex
	known    bool // variants is up to date
	variants variants

	// Owned by the write that has entered.
	due      bool
	left     []dict.ID // variants yet to be rewritten; nil before the first step
	reported time.Time
}

// foldTags rewrites triples with variants for about the time d, in batches of about limit
// triples. It returns the variants that are left.
func (s *Store) foldTags(tx *Tx, d time.Duration, limit int) (left []dict.ID, err error) {
	if len(tx.variants) == 0 {
		if foldState(tx.KV()) == 0 {
			err = setFoldState(tx.KV(), neverVaried)
		}
		return nil, err
	}
	if left = s.folding.left; left == nil {
		left = slices.Sorted(maps.Keys(tx.variants))
		s.log.Info("merging strings whose language tags differ only in case, in the background", "strings", len(left))
		s.folding.reported = time.Now()
	}
	for begin := time.Now(); len(left) > 0; {
		done, err := tx.foldSome(left, limit)
		if err != nil {
			return nil, err
		}
		if left = left[done:]; time.Since(begin) > d {
			break
		}
	}
	if len(left) == 0 {
		err = setFoldState(tx.KV(), hadVariants)
	}
	return left, err
}

// foldEvery is how often the progress of folding is logged.
const foldEvery = 10 * time.Second

// foldedTo records the result of a step.
func (s *Store) foldedTo(left []dict.ID) {
	f := &s.folding
	f.due = len(left) > 0
	switch {
	case !f.due && !f.reported.IsZero():
		s.log.Info("strings whose language tags differ only in case were merged")
	case f.due && time.Since(f.reported) > foldEvery:
		s.log.Info("merging strings whose language tags differ only in case", "left", len(left))
		f.reported = time.Now()
	}
	f.left = left
}

// foldAtOnce is about how many triples the tidier rewrites together.
const foldAtOnce = 512

// foldSome rewrites triples with variants, about limit of them, and forgets variants that
// have no more triples. left holds the remaining variants; foldSome forgets the first
// done of them.
func (tx *Tx) foldSome(left []dict.ID, limit int) (done int, err error) {
	v := tx.variants
	tx.variants = nil // otherwise Remove would also remove the variants
	defer func() { tx.variants = v }()
	left = left[:min(len(left), limit)]
	done = len(left)
	snap := &Snapshot{reading: tx.reading, graphs: map[dict.ID]*view{}} // shows triples as stored, not folded
	for _, g := range snap.Graphs() {
		ts, all, err := triplesWith(snap.view(g), left, limit)
		done = min(done, all)
		if err == nil && len(ts) > 0 {
			folded := v.foldAll(ts)
			if _, err = tx.Remove(g, ts); err == nil {
				_, err = tx.AddTuples(g, folded)
			}
		}
		if err != nil {
			return 0, err
		}
	}
	for _, id := range left[:done] {
		if err := tx.writer.ForgetVariant(id); err != nil {
			return 0, err
		}
	}
	return done, nil
}
