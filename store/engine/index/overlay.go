package index

import (
	"slices"
	"sort"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/ids"
)

// Level is a level of the memtable for one index of one graph. It overrides the buckets
// and older levels. It must not change while it is being read.
type Level interface {
	// Ascend calls f with the entries from the given tuple up, in order, until f returns
	// false.
	Ascend(from Tuple, f func(Entry) bool)
	// Descend calls f with the entries from the given tuple down, in descending order,
	// until f returns false.
	Descend(from Tuple, f func(Entry) bool)
}

// Entry is a level's entry for a tuple.
type Entry struct {
	Tuple   Tuple
	Present bool // the tuple is in the index
	Under   bool // it was in the index below this level when the level first changed it
}

// Index is an index as a transaction sees it: the tuples in its parts, overridden by
// levels.
type Index struct {
	Parts  []*bolt.Bucket // disjoint; a nil bucket is empty
	Levels []Level        // oldest first
}

// overlay merges the tuples of the parts of an index with the entries of its levels.
type overlay struct {
	levels    []Level
	base      ids.Stream // the parts
	backwards bool
	windows   []window // one for each level, oldest first
	end       Tuple    // end of the range, in the direction of the iteration
	rest      []Tuple  // rest of the last batch of the parts
	ended     bool     // base has ended
	out       []Tuple
}

// newOverlay returns the changes of levels on top of base, the tuples of the index. All are read backwards if so asked.
func newOverlay(levels []Level, backwards bool, base ids.Stream) *overlay {
	o := &overlay{levels: levels, base: base, backwards: backwards, windows: make([]window, len(levels)), ended: true}
	for i, l := range levels {
		w := &o.windows[i]
		w.backwards, w.walk = backwards, l.Ascend
		if backwards {
			w.walk = l.Descend
		}
		w.take, w.complete = w.add, true
	}
	return o
}

// seek begins an iteration from one tuple to another. If it goes backwards, to is the
// smaller one.
func (o *overlay) seek(from, to Tuple) {
	o.end, o.rest, o.ended = to, nil, false
	for i := range o.windows {
		o.windows[i].seek(from)
	}
}

// Err returns the error that ended base.
func (o *overlay) Err() error { return o.base.Err() }

// Next implements ids.Stream. It returns a batch that no entry of a level touches unchanged.
func (o *overlay) Next() []Tuple {
	o.out = o.out[:0]
	for len(o.out) < maxTuples {
		if len(o.rest) == 0 && !o.ended {
			o.rest = o.base.Next()
			o.ended = o.rest == nil
			if o.ended && o.Err() != nil {
				break
			}
		}
		e := o.entry()
		if e == nil && o.ended {
			break
		}
		n := len(o.rest)
		untouched := n > 0 && (e == nil || ids.Before(&o.rest[n-1], &e.Tuple, o.backwards)) // no entry is within the batch
		if untouched {
			if len(o.out) > 0 {
				return o.out // rest comes next
			}
			batch := o.rest
			o.rest = nil
			return batch
		}
		if n > 0 {
			n = sort.Search(n, func(i int) bool { return !ids.Before(&o.rest[i], &e.Tuple, o.backwards) })
			o.out = append(o.out, o.rest[:n]...)
			o.rest = o.rest[n:]       // not empty, because e is within the batch
			if o.rest[0] == e.Tuple { // the entry decides about it
				o.rest = o.rest[1:]
			}
		}
		if e.Present {
			o.out = append(o.out, e.Tuple)
		}
		o.pass(e.Tuple)
	}
	if o.Err() != nil || len(o.out) == 0 {
		return nil
	}
	return o.out
}

// entry returns the next entry of the levels in the range, nil at the end; pass moves past
// it. If several levels have an entry for the tuple, it returns the newest.
func (o *overlay) entry() *Entry {
	var first *Entry
	for i := range o.windows {
		if e := o.windows[i].next(); e != nil && (first == nil || !ids.Before(&first.Tuple, &e.Tuple, o.backwards)) {
			first = e
		}
	}
	if first == nil || ids.Before(&o.end, &first.Tuple, o.backwards) {
		return nil
	}
	return first
}

// pass moves all levels past a tuple.
func (o *overlay) pass(t Tuple) {
	for i := range o.windows {
		w := &o.windows[i]
		if e := w.next(); e != nil && e.Tuple == t {
			w.at++
		}
	}
}

// difference returns by how much the levels change the number of tuples in [lo, hi]. It
// examines at most limit entries of each level.
func (o *overlay) difference(lo, hi Tuple, limit int) (n int64) {
	for _, l := range o.levels {
		left := limit
		l.Ascend(lo, func(e Entry) bool {
			if left == 0 || ids.Less(&hi, &e.Tuple) {
				return false
			}
			left--
			switch {
			case e.Present && !e.Under:
				n++
			case e.Under && !e.Present:
				n--
			}
			return true
		})
	}
	return n
}

// window holds consecutive entries of a level. It serves nearby ranges without accessing
// the level.
type window struct {
	walk      func(from Tuple, f func(Entry) bool)
	take      func(Entry) bool // the method add
	backwards bool
	filled    bool
	from      Tuple   // tuple that the level was read from
	entries   []Entry // consecutive; the first is the level's first one from there on
	complete  bool    // the level has nothing after them
	at        int     // the next entry
	want      int     // number of entries to read at a time
}

const (
	fewEntries  = 16
	manyEntries = 256
)

// seek moves to the first entry not before t.
func (w *window) seek(t Tuple) {
	if w.filled && !ids.Before(&t, &w.from, w.backwards) {
		n := len(w.entries)
		if w.complete || n > 0 && !ids.Before(&w.entries[n-1].Tuple, &t, w.backwards) {
			w.at = sort.Search(n, func(i int) bool { return !ids.Before(&w.entries[i].Tuple, &t, w.backwards) })
			return
		}
	}
	w.want = fewEntries
	w.fill(t)
}

func (w *window) fill(from Tuple) {
	w.filled, w.from, w.complete, w.at = true, from, true, 0
	w.entries = slices.Grow(w.entries[:0], w.want)
	w.walk(from, w.take)
}

// add keeps an entry, and reports whether the window has room for more.
func (w *window) add(e Entry) (more bool) {
	if len(w.entries) == w.want {
		w.complete = false
		return false
	}
	w.entries = append(w.entries, e)
	return true
}

// next returns the next entry without moving, or nil at the end of the level.
func (w *window) next() *Entry {
	if w.at == len(w.entries) {
		if w.complete {
			return nil
		}
		w.want = min(4*w.want, manyEntries)
		w.fill(w.behind(w.entries[w.at-1].Tuple))
		if len(w.entries) == 0 {
			return nil
		}
	}
	return &w.entries[w.at]
}

// behind returns the tuple after t in the direction of the iteration. There is one,
// because the level has an entry there.
func (w *window) behind(t Tuple) Tuple {
	for i := len(t) - 1; i >= 0; i-- {
		if w.backwards {
			if t[i]--; t[i] != ^uint64(0) {
				break
			}
		} else if t[i]++; t[i] != 0 {
			break
		}
	}
	return t
}
