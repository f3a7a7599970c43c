package memtable

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
)

// A delta encodes a level as the following parts. All numbers are varints.
//
//	version  1
//	numbers  their count, 0 if the level has none; the numbers
//	terms    their count; for each the difference of its id from the previous one, and its
//	         content, preceded by its length
//	graphs   their count; for each its id, the triples added, and those removed: their
//	         count, and for each triple the subject's difference from the previous one,
//	         the predicate and the object
//	buckets  their count; for each its path, its counter plus one or 0, and the count of
//	         its keys; for each key the key, its value's length plus one, or 0 if the key
//	         was deleted, and the value
//
// Ids are rotated, so that their tags are in the lowest bits.

const version = 1

// errDelta means that a delta has a valid checksum but was not written by Append.
var errDelta = errors.New("a delta in the log region can't be decoded")

func rotate(id uint64) uint64    { return bits.RotateLeft64(id, 4) }
func rotateBack(n uint64) uint64 { return bits.RotateLeft64(n, -4) }
func join(path []string) string  { return string(appendPath(nil, path)) }

func appendPath(b []byte, path []string) []byte {
	for _, name := range path {
		b = varint.AppendString(b, name)
	}
	return b
}

// split returns the names of a joined path.
func split(path string) (names []string, ok bool) {
	r := varint.NewReader([]byte(path))
	for r.Len() > 0 {
		names = append(names, r.Text())
	}
	return names, !r.Failed() && len(names) > 0
}

// Append appends the level's encoding, a delta, to b.
func (l *Level) Append(b []byte) []byte {
	b = append(b, version)
	if l.numbered {
		b = varint.Append(b, uint64(len(l.numbers)))
		for _, n := range l.numbers {
			b = varint.Append(b, n)
		}
	} else {
		b = append(b, 0)
	}
	b = l.appendTerms(b)
	b = l.appendGraphs(b)
	return l.appendBuckets(b)
}

// appendTerms appends the terms of a delta; decodeTerms reads them.
func (l *Level) appendTerms(b []byte) []byte {
	b = varint.Append(b, uint64(treesOf(l).byID.Len()))
	var content []byte
	before := uint64(0)
	treesOf(l).byID.Scan(func(e *dict.Entry) bool {
		content = e.AppendContent(content[:0])
		b = varint.AppendString(varint.Append(b, rotate(uint64(e.ID)-before)), content)
		before = uint64(e.ID)
		return true
	})
	return b
}

// appendGraphs appends the graphs of a delta; decodeGraphs reads them.
func (l *Level) appendGraphs(b []byte) []byte {
	all, graphs := treesOf(l).triples.Items(), uint64(0)
	for i, t := range all {
		if i == 0 || t.graph != all[i-1].graph {
			graphs++
		}
	}
	b = varint.Append(b, graphs)
	for len(all) > 0 {
		g, n, present := all[0].graph, 0, uint64(0)
		for n < len(all) && all[n].graph == g {
			if all[n].present {
				present++
			}
			n++
		}
		b = varint.Append(b, rotate(uint64(g)))
		b = appendTuples(varint.Append(b, present), all[:n], true)
		b = appendTuples(varint.Append(b, uint64(n)-present), all[:n], false)
		all = all[n:]
	}
	return b
}

// appendTuples appends the triples of a graph that are present, or absent.
func appendTuples(b []byte, of []*triple, present bool) []byte {
	before := uint64(0)
	for _, t := range of {
		if t.present == present {
			b = varint.Append(b, rotate(t.spo[0]-before))
			b = varint.Append(varint.Append(b, rotate(t.spo[1])), rotate(t.spo[2]))
			before = t.spo[0]
		}
	}
	return b
}

// appendBuckets appends the buckets of a delta; decodeBuckets reads them.
func (l *Level) appendBuckets(b []byte) []byte {
	at, buckets := len(b), uint64(0)
	for c := range l.buckets() {
		buckets++
		b = varint.AppendString(b, c.path)
		if c.counted {
			b = varint.Append(b, c.counter+1)
		} else {
			b = append(b, 0)
		}
		b = varint.Append(b, uint64(len(c.pairs)))
		for _, p := range c.pairs {
			b = varint.AppendString(b, p.key)
			if p.value == nil {
				b = append(b, 0)
			} else {
				b = append(varint.Append(b, uint64(len(p.value))+1), p.value...)
			}
		}
	}
	return slices.Insert(b, at, varint.Append(nil, buckets)...)
}

// Decode returns the level that Append encoded as b. It keeps no reference to b. terms
// makes the texts of the level's terms.
func Decode(b []byte, terms *dict.Hasher) (*Level, error) {
	r := varint.NewReader(b)
	l := New()
	if r.Uint() != version {
		return nil, errDelta
	}
	switch r.Count(len(l.numbers)) {
	case 0: // no numbers
	case len(l.numbers):
		l.numbered = true
		for i := range l.numbers {
			l.numbers[i] = r.Uint()
		}
	default:
		r.Fail()
	}
	if !l.decodeTerms(&r, terms) || !l.decodeGraphs(&r) || !l.decodeBuckets(&r) || r.Len() > 0 {
		return nil, errDelta
	}
	return l, nil
}

// decodeTerms adds the terms of a delta to the level. It returns false if they can't be decoded.
func (l *Level) decodeTerms(r *varint.Reader, terms *dict.Hasher) (ok bool) {
	before := uint64(0)
	for range r.Count(r.Len()) {
		id := before + rotateBack(r.Uint())
		content := r.Bytes(r.Count(r.Len())) // NewEntry keeps no reference to it
		if r.Failed() || id <= before {
			return false
		}
		e, err := terms.NewEntry(dict.ID(id), content)
		if err != nil {
			return false
		}
		l.AddTerms([]dict.Entry{e})
		before = id
	}
	return !r.Failed()
}

// decodeGraphs adds the triples of a delta to the level. It returns false if they can't be decoded.
func (l *Level) decodeGraphs(r *varint.Reader) (ok bool) {
	for range r.Count(r.Len()) {
		g := dict.ID(rotateBack(r.Uint()))
		for _, present := range []bool{true, false} {
			before := uint64(0)
			var spo []index.Tuple
			for range r.Count(r.Len()) {
				t := index.Tuple{before + rotateBack(r.Uint()), rotateBack(r.Uint()), rotateBack(r.Uint())}
				spo, before = append(spo, t), t[0]
			}
			if r.Failed() {
				return false
			}
			l.Set(g, spo, present)
		}
	}
	return !r.Failed()
}

// decodeBuckets adds the keys, values and counters of a delta to the level. It returns false if they can't be decoded.
func (l *Level) decodeBuckets(r *varint.Reader) (ok bool) {
	for range r.Count(r.Len()) {
		path := r.Text()
		if _, valid := split(path); !valid {
			return false
		}
		if n := r.Uint(); n > 0 { // the counter plus one
			treesOf(l).sequences.Set(sequence{path, n - 1}, nil)
		}
		for range r.Count(r.Len()) {
			p := &pair{path: path, key: r.Text()}
			if n := r.Count(r.Len()); n > 0 { // the length of the value plus one; 0 for a deleted key
				p.value = append([]byte{}, r.Bytes(n-1)...) // not nil, even if it is empty
			}
			if r.Failed() {
				return false
			}
			treesOf(l).pairs.Set(p, nil)
		}
	}
	return !r.Failed()
}

// bucket is what a level holds for one bucket.
type bucket struct {
	path    string
	counter uint64
	counted bool
	pairs   []*pair
}

// buckets yields what the level holds for each bucket, sorted by joined path.
func (l *Level) buckets() func(yield func(bucket) bool) {
	return func(yield func(bucket) bool) {
		pairs, counters := treesOf(l).pairs.Items(), treesOf(l).sequences.Items()
		for len(pairs) > 0 || len(counters) > 0 {
			var c bucket
			switch {
			case len(pairs) == 0:
				c.path = counters[0].path
			case len(counters) == 0:
				c.path = pairs[0].path
			default:
				c.path = min(pairs[0].path, counters[0].path)
			}
			if len(counters) > 0 && counters[0].path == c.path {
				c.counter, c.counted, counters = counters[0].n, true, counters[1:]
			}
			n := 0
			for n < len(pairs) && pairs[n].path == c.path {
				n++
			}
			c.pairs, pairs = pairs[:n], pairs[n:]
			if !yield(c) {
				return
			}
		}
	}
}
