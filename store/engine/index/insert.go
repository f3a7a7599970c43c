package index

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/ids"
)

// Editor changes indexes. It reuses its memory from one change to the next and may be
// used by one goroutine only. The zero Editor is ready to use.
type Editor struct {
	bucket *bolt.Bucket
	old    []Tuple
	merged []Tuple
	key    []byte
	block  []byte
	// positions and number of the new tuples in merged, for choosing where to split
	firstNew, lastNew, news int
}

// Insert adds tuples, sorted and distinct, to the index in b. It calls fresh, unless nil,
// with the position in ts of each tuple that is new, in order.
func (e *Editor) Insert(b *bolt.Bucket, ts []Tuple, fresh func(i int)) error {
	e.bucket = b
	return e.run(ts, func(old, ts []Tuple, at int) []Tuple {
		e.firstNew, e.lastNew, e.news = -1, -1, 0
		return e.union(old, ts, at, fresh)
	})
}

// Delete removes tuples, sorted and distinct, from the index in b. It calls removed,
// unless nil, with the position in ts of each tuple that existed.
func (e *Editor) Delete(b *bolt.Bucket, ts []Tuple, removed func(i int)) error {
	e.bucket = b
	return e.run(ts, func(old, ts []Tuple, at int) []Tuple {
		e.firstNew, e.lastNew, e.news = -1, -1, 0
		return e.difference(old, ts, at, removed)
	})
}

// run divides ts by blocks, and stores what merge returns for each block.
func (e *Editor) run(ts []Tuple, merge func(old, ts []Tuple, at int) []Tuple) error {
	for at := 0; at < len(ts); {
		e.key = appendKey(e.key[:0], ts[at])
		c := e.bucket.Cursor()
		k, v, next := floor(c, e.key)
		e.old = e.old[:0]
		n := len(ts) - at
		if k != nil {
			var err error
			if e.old, _, err = decode(e.old, k, v, &least, &greatest); err != nil {
				return err
			}
			if next == nil {
				next, _ = c.Next()
			}
			if next != nil {
				n = 0
				bound, err := parseKey(next)
				if err != nil {
					return err
				}
				for n < len(ts)-at && ids.Less(&ts[at+n], &bound) {
					n++
				}
			}
		}
		merged := merge(e.old, ts[at:at+n], at)
		if len(merged) != len(e.old) {
			if err := e.replace(k, merged); err != nil {
				return err
			}
		}
		at += n
	}
	return nil
}

// union returns old merged with ts. at is the position of ts in the whole run.
func (e *Editor) union(old, ts []Tuple, at int, fresh func(int)) []Tuple {
	m, i := e.merged[:0], 0
	for j := range ts {
		for i < len(old) && ids.Less(&old[i], &ts[j]) {
			m = append(m, old[i])
			i++
		}
		if i < len(old) && old[i] == ts[j] {
			continue
		}
		if e.news == 0 {
			e.firstNew = len(m)
		}
		e.lastNew = len(m)
		e.news++
		m = append(m, ts[j])
		if fresh != nil {
			fresh(at + j)
		}
	}
	e.merged = append(m, old[i:]...)
	return e.merged
}

// difference returns old without ts. at is the position of ts in the whole run.
func (e *Editor) difference(old, ts []Tuple, at int, removed func(int)) []Tuple {
	m, j := e.merged[:0], 0
	for i := range old {
		for j < len(ts) && ids.Less(&ts[j], &old[i]) {
			j++
		}
		if j < len(ts) && ts[j] == old[i] {
			if removed != nil {
				removed(at + j)
			}
			continue
		}
		m = append(m, old[i])
	}
	e.merged = m
	return m
}

// replace stores the tuples, as one or more blocks, in place of the block with a key. If
// the key is nil, there was none.
func (e *Editor) replace(key []byte, ts []Tuple) error {
	if key != nil {
		var first []byte
		if len(ts) > 0 {
			first = appendKey(nil, ts[0])
		}
		if !bytes.Equal(key, first) {
			if err := e.bucket.Delete(key); err != nil {
				return fmt.Errorf("removing an index block: %w", err)
			}
		}
	}
	if len(ts) == 0 {
		return nil
	}
	// Logs add tuples at the end of a run of ids. Leave full blocks before that end,
	// because they will not change again.
	cut := e.lastNew + 1
	together := e.news > 0 && cut-e.firstNew == e.news // the new tuples follow one another
	if together && cut < len(ts) && cut >= len(ts)/8 && blocksFor(ts) > 1 {
		if err := e.put(ts[:cut], maxTuples); err != nil {
			return err
		}
		return e.put(ts[cut:], maxTuples)
	}
	if e.news == 0 || cut == len(ts) {
		return e.put(ts, maxTuples)
	}
	blocks := blocksFor(ts)
	return e.put(ts, (len(ts)+blocks-1)/blocks)
}

// blocksFor returns how many blocks the tuples need.
func blocksFor(ts []Tuple) int {
	size := trailerSize
	for i := 1; i < len(ts); i++ {
		size += entrySize(&ts[i-1], &ts[i])
	}
	return max((size+targetSize-1)/targetSize, (len(ts)+maxTuples-1)/maxTuples)
}

// entrySize returns the bytes that an entry takes after another: see appendEntry.
func entrySize(prev, t *Tuple) int {
	switch {
	case t[0] != prev[0]:
		return 2 + byteLen(t[0]-prev[0]) + byteLen(pack(t[1])) + byteLen(pack(t[2]))
	case t[1] != prev[1]:
		n := byteLen(t[1] - prev[1])
		if n == 7 { // see bLen
			n = 8
		}
		return 1 + n + byteLen(pack(t[2]))
	case t[2]-prev[2] <= 0x80:
		return 1
	}
	return 1 + byteLen(t[2]-prev[2])
}

// put writes the tuples in blocks of the target size, with at most limit tuples each.
func (e *Editor) put(ts []Tuple, limit int) error {
	for len(ts) > 0 {
		key := appendKey(e.key[:0], ts[0])
		b := e.block[:0]
		n := 1
		for n < len(ts) && n < limit && len(b)+entrySize(&ts[n-1], &ts[n])+trailerSize <= targetSize {
			b = appendEntry(b, &ts[n-1], &ts[n])
			n++
		}
		b = appendTrailer(b, key, n)
		e.key, e.block = key, b
		// bbolt copies the key, but keeps the value until it commits.
		if err := e.bucket.Put(key, bytes.Clone(b)); err != nil {
			return fmt.Errorf("writing an index block: %w", err)
		}
		ts = ts[n:]
	}
	return nil
}
