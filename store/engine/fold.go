package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/orders"
)

// In files of schema 1 a string with a language tag may have several ids, whose tags differ in case (dict.Variants). It is
// one term to all that read: a snapshot of such a file has a level on its indexes, in which every triple has the term's
// first id (see folded). When idle the writer rewrites the triples, some at a time, and forgets the other ids. A start
// goes on where the process ended, because an id that was forgotten is no variant any more.
//
// What is kept of the triples of a log stays as it was written. Snapshot.FirstIDs maps its ids.

// foldedKey is in the bucket of package file. Its value, a byte, says that the dictionary has no variants.
var foldedKey = []byte("language tags folded")

const (
	neverVaried = 1 // and that it never had any
	hadVariants = 2 // and that lists of logs may hold some
)

// variants maps ids to the first id of their terms.
type variants map[dict.ID]dict.ID

// foldState returns the value of foldedKey, 0 if it is not there.
func foldState(tx *bolt.Tx) byte {
	if b := tx.Bucket(metaName); b != nil {
		if v := b.Get(foldedKey); len(v) == 1 {
			return v[0]
		}
	}
	return 0
}

func setFoldState(tx *bolt.Tx, state byte) error {
	if err := tx.Bucket(metaName).Put(foldedKey, []byte{state}); err != nil {
		return fmt.Errorf("noting that language tags are folded: %w", err)
	}
	return nil
}

// variantsIn returns the variants that a transaction may meet. The first call for a file of schema 1 looks for them.
func (s *Store) variantsIn(tx *bolt.Tx) (variants, error) {
	if foldState(tx) != 0 {
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

// expand appends to ts the triples that are the same as one of them.
func (v variants) expand(ts []index.Tuple) []index.Tuple {
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

// count returns how many triples there are in lists, those that are the same counting once.
func (v variants) count(lists map[*indexed][]index.Tuple) int {
	seen := map[QuadID]bool{}
	for _, ts := range lists {
		for _, t := range ts {
			var q QuadID
			q.S, q.P, q.O = SPO.Triple(t)
			seen[v.fold(q)] = true
		}
	}
	return len(seen)
}

// folded is a level on the indexes of a graph that has the triples with variants under the first ids of their terms.
type folded struct {
	entries [orders.Count][]index.Entry
	counts  map[dict.ID]int64 // by how many triples the level changes the number of those of a predicate, and of all at 0
}

// foldGraph returns nil for a graph without variants.
func foldGraph(g *view, v variants) (*folded, error) {
	present := map[QuadID]bool{}
	for later := range v {
		err := eachWith(g, later, 0, func(q QuadID) { present[q] = false })
		if err != nil {
			return nil, err
		}
	}
	if len(present) == 0 {
		return nil, nil
	}
	for q := range maps.Clone(present) {
		present[v.fold(q)] = true
	}
	f := &folded{counts: map[dict.ID]int64{}}
	scan := g.indexes[SPO].Scan()
	for q, now := range present {
		under := !now
		if now {
			var err error
			if under, err = scan.Contains(SPO.Tuple(q.S, q.P, q.O)); err != nil {
				return nil, err
			}
		}
		for o := range f.entries {
			f.entries[o] = append(f.entries[o], index.Entry{Tuple: Order(o).Tuple(q.S, q.P, q.O), Present: now, Under: under})
		}
		if n := f.entries[SPO][len(f.entries[SPO])-1]; n.Present != n.Under {
			change := int64(1)
			if !now {
				change = -1
			}
			f.counts[q.P] += change
			f.counts[0] += change
		}
	}
	for _, es := range f.entries {
		slices.SortFunc(es, func(a, b index.Entry) int { return index.Compare(a.Tuple, b.Tuple) })
	}
	return f, nil
}

// eachWith calls f with the triples whose subject or object is an id, at most so many of each unless most is 0.
func eachWith(g *view, id dict.ID, most int, f func(QuadID)) error {
	for _, o := range []Order{SPO, OSP} {
		scan := g.indexes[o].Scan()
		scan.Seek(index.Prefix(uint64(id)))
		n := 0
		for batch := scan.Next(); batch != nil && (most == 0 || n < most); batch = scan.Next() {
			for _, t := range batch {
				var q QuadID
				q.S, q.P, q.O = o.Triple(t)
				f(q)
				n++
			}
		}
		if scan.Err() != nil {
			return scan.Err()
		}
	}
	return nil
}

// foldedOrder is one order of a folded.
type foldedOrder []index.Entry

func (l foldedOrder) find(t index.Tuple) (int, bool) {
	return slices.BinarySearchFunc(l, t, func(e index.Entry, t index.Tuple) int { return index.Compare(e.Tuple, t) })
}

// Ascend is for index.Level.
func (l foldedOrder) Ascend(from index.Tuple, f func(index.Entry) bool) {
	for at, _ := l.find(from); at < len(l) && f(l[at]); at++ {
	}
}

// Descend is for index.Level.
func (l foldedOrder) Descend(from index.Tuple, f func(index.Entry) bool) {
	at, found := l.find(from)
	if !found {
		at--
	}
	for ; at >= 0 && f(l[at]); at-- {
	}
}

// fold has all graphs read without variants.
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

// first returns the first id of the term that an id stands for, which may be of a list that was written before language
// tags were folded.
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

// Varied reports whether what was written before language tags were folded may hold ids that are not the first ones of
// their terms.
func (s *Snapshot) Varied() bool { return s.varied }

// FirstIDs replaces the ids of a triple by the first ones of their terms.
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

// folding is how far the file's language tags are folded.
type folding struct {
	mu       sync.Mutex
	known    bool // variants is what the file holds
	variants variants

	// The writer's.
	due  bool
	left []dict.ID // variants that are still to be rewritten; nil before the first
	told time.Time
}

// foldTags rewrites triples with variants for about so long, and returns which variants are left.
func (s *Store) foldTags(tx *Tx, d time.Duration) (left []dict.ID, err error) {
	if len(tx.variants) == 0 {
		if foldState(tx.bolt) == 0 {
			err = setFoldState(tx.bolt, neverVaried)
		}
		return nil, err
	}
	if left = s.folding.left; left == nil {
		left = slices.Sorted(maps.Keys(tx.variants))
		s.log.Info("strings whose language tags differ in case become one, in the background", "strings", len(left))
		s.folding.told = time.Now()
	}
	for begin := time.Now(); len(left) > 0; {
		done, err := tx.foldSome(left[0])
		if err != nil {
			return nil, err
		}
		if done {
			left = left[1:]
		}
		if time.Since(begin) > d {
			break
		}
	}
	if len(left) == 0 {
		err = setFoldState(tx.bolt, hadVariants)
	}
	return left, err
}

// foldEvery is how often the log tells how far folding is.
const foldEvery = 10 * time.Second

// foldedTo notes what a step left.
func (s *Store) foldedTo(left []dict.ID) {
	f := &s.folding
	f.due = len(left) > 0
	switch {
	case !f.due && !f.told.IsZero():
		s.log.Info("strings whose language tags differ in case are one")
	case f.due && time.Since(f.told) > foldEvery:
		s.log.Info("strings whose language tags differ in case become one", "left", len(left))
		f.told = time.Now()
	}
	f.left = left
}

// foldAtOnce is how many triples are rewritten together.
const foldAtOnce = 512

// foldSome rewrites some triples with a variant, or forgets it if there are none. It reports whether it did the latter.
func (tx *Tx) foldSome(later dict.ID) (done bool, err error) {
	snap := &Snapshot{bolt: tx.bolt, graphs: map[dict.ID]*view{}} // reads what is stored
	for _, g := range snap.Graphs() {
		var old, folded []index.Tuple
		err := eachWith(snap.view(g), later, foldAtOnce, func(q QuadID) {
			old = append(old, SPO.Tuple(q.S, q.P, q.O))
			q = tx.variants.fold(q)
			folded = append(folded, SPO.Tuple(q.S, q.P, q.O))
		})
		if err != nil {
			return false, err
		}
		if len(old) == 0 {
			continue
		}
		if _, err = tx.Remove(g, old); err == nil {
			_, err = tx.AddTuples(g, folded)
		}
		return false, err
	}
	return true, tx.dict.ForgetVariant(later)
}
