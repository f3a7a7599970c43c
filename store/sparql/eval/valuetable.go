package eval

import (
	"cmp"
	"slices"
	"sort"

	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// valueTable holds the solutions of a valueJoin's pattern for one active graph.
type valueTable struct {
	rows    table.Pieces[source.ID]
	numbers []map[value.Key]source.ID   // by condition, the numbers of the solutions' keys
	buckets *table.Keys                 // by the ids that must be equal and the numbers of keys
	starts  []int32                     // by bucket, where its entries begin; the last is where all end
	entries []placed                    // by bucket, then by place; after them the loose ones
	loose   []placed                    // the entries of values without a key
	coarse  bool                        // keys are coarse (value.KeyOf), because of an xsd:float
	lanes   [value.KindTriple + 1]uint8 // by scale, a bit for each lane that an entry has
	size    int64                       // bytes accounted
}

// placed is a solution and its place in its bucket.
type placed struct {
	value.Place
	row     int32
	decides bool // all its keys decide (value.KeyOf)
}

const (
	placedSize = 28 // with the start of its bucket
	// numberSize is about the number of bytes of an entry of numbers, without its text.
	numberSize = 128
)

// grow accounts for n more bytes.
func (t *valueTable) grow(j *valueJoin, n int64) error {
	t.size += n
	return j.r.budget.Grow(n)
}

// table returns the solutions for the active graph of a row.
func (j *valueJoin) table(row []source.ID) (*valueTable, error) {
	active := j.in.graphOf(row)
	if t, ok := j.tables[active]; ok {
		return t, nil
	}
	if err := j.in.evaluate(row, active); err != nil {
		return nil, err
	}
	t := &valueTable{rows: j.in.tail.take()}
	t.size = t.rowsSize()
	if err := t.index(j); err != nil {
		return nil, err
	}
	j.tables[active] = t
	return t, nil
}

// rowsSize returns the bytes of the solutions.
func (t *valueTable) rowsSize() int64 { return int64(t.rows.N*t.rows.Width) * table.IdSize }

// index puts the solutions into buckets by their keys, and sorts each bucket by place. It leaves out those that match no row.
// If one has no key, it begins again with coarse keys, in case that is an xsd:float. What has no coarse key is loose.
func (t *valueTable) index(j *valueJoin) error {
	if err := t.grow(j, t.rowsSize()-t.size+int64(t.rows.N)*2*placedSize); err != nil { // minus the bytes of an earlier index
		return err
	}
	t.forget()
	t.buckets, t.numbers = table.NewKeys(j.r.budget, len(j.key)), make([]map[value.Key]source.ID, len(j.equal))
	for c := range t.numbers {
		t.numbers[c] = map[value.Key]source.ID{}
	}
	unsorted, buckets := make([]placed, 0, t.rows.N), make([]int32, 0, t.rows.N)
	unbound, chunk := make([]source.ID, j.r.width), min(expr.ChunkRows, j.r.largest)
	for i := range t.rows.N {
		if err := j.r.budget.Tick(j.work); err != nil {
			return err
		}
		if i%chunk == 0 {
			t.take(j, unbound, i, min(t.rows.N, i+chunk))
		}
		if err := j.right.MoveTo(&j.some, i%chunk); err != nil {
			return err
		}
		row := j.some.Row(i % chunk)
		p := placed{row: int32(i)}
		if len(j.bounds) > 0 {
			var ok bool
			if p.Place, ok = value.PlaceOf(j.right.Value(len(j.equal), row)); !ok {
				continue
			}
		}
		known := t.keyOf(j, row, j.right, t.add)
		if known == keyLoose && !t.coarse {
			t.coarse = true
			return t.index(j)
		}
		if known == keyNone {
			continue
		}
		bucket := looseBucket
		if known != keyLoose {
			number, _, err := t.buckets.Insert(j.key)
			if err != nil {
				return err
			}
			bucket = int32(number)
		}
		p.decides = known == keyDecides
		t.lanes[p.Scale] |= 1 << p.Lane
		unsorted, buckets = append(unsorted, p), append(buckets, bucket)
	}
	if err := j.r.budget.Failed(); err != nil {
		return err
	}
	if err := t.sort(j, unsorted, buckets); err != nil {
		return err
	}
	return t.grow(j, -int64(t.rows.N)*placedSize) // unsorted is released
}

// take fills the batch j.some with the solutions of some rows, which bind nothing else.
func (t *valueTable) take(j *valueJoin, unbound []source.ID, from, to int) {
	j.some.Reset()
	for i := from; i < to; i++ {
		row := j.some.Add(unbound)
		for c, slot := range j.in.keep {
			row[slot] = t.rows.Row(i)[c]
		}
	}
}

// forget releases an index.
func (t *valueTable) forget() {
	if t.buckets != nil {
		t.buckets.Free()
	}
	t.numbers, t.starts, t.entries, t.loose = nil, nil, nil, nil
	clear(t.lanes[:])
}

// looseBucket replaces the bucket of an entry without one.
const looseBucket = int32(-1)

// sort puts entries into their buckets with a counting sort, and then sorts each bucket
// by place.
func (t *valueTable) sort(j *valueJoin, unsorted []placed, buckets []int32) error {
	t.starts = make([]int32, t.buckets.N+2)
	loose := 0
	for _, b := range buckets {
		if b == looseBucket {
			loose++
		} else {
			t.starts[b+2]++
		}
	}
	for b := 2; b < len(t.starts); b++ {
		t.starts[b] += t.starts[b-1]
	}
	t.entries = make([]placed, len(unsorted))
	next := len(unsorted) - loose // the next entry without a bucket
	for i, b := range buckets {
		if err := table.TickSome(j.r.budget, i); err != nil {
			return err
		}
		at := &next
		if b != looseBucket {
			from := int(t.starts[b+1])
			t.starts[b+1]++
			at = &from
		}
		t.entries[*at] = unsorted[i]
		*at++
	}
	t.starts = t.starts[:t.buckets.N+1]
	t.loose = t.entries[len(unsorted)-loose:]
	if len(j.bounds) == 0 {
		return nil
	}
	for b := range t.buckets.N {
		slices.SortFunc(t.entries[t.starts[b]:t.starts[b+1]], func(a, b placed) int {
			// A sort cannot be stopped. Once the query must end, the order no longer
			// matters.
			if err := j.r.budget.Tick(1); err != nil {
				j.r.budget.Fail(err)
				return 0
			}
			return cmp.Or(a.Place.Compare(b.Place), cmp.Compare(a.row, b.row))
		})
	}
	return j.r.budget.Failed()
}

func (t *valueTable) bucket(j *valueJoin, row []source.ID) (entries []placed, known keyState) {
	known = t.keyOf(j, row, j.left, t.find)
	if known == keyNone || known == keyLoose {
		return nil, known
	}
	b := t.buckets.Find(j.key)
	if b < 0 {
		return nil, known
	}
	return t.entries[t.starts[b]:t.starts[b+1]], known
}

// keyState says what is known about the key of a row or a solution.
type keyState uint8

const (
	keyNone    keyState = iota // it matches nothing
	keyLoose                   // it has no key and may match anything
	keyTested                  // it may match only what has the same key
	keyDecides                 // like keyTested; if both keys decide, the equalities hold
)

// numbering returns the number of the key of a condition's value: add for solutions, find for rows.
type numbering func(j *valueJoin, condition int, k value.Key) source.ID

// keyOf sets j.key to the key of a row or a solution.
func (t *valueTable) keyOf(j *valueJoin, row []source.ID, of *expr.Operands, number numbering) keyState {
	for k, column := range j.in.keys {
		j.key[k] = row[j.in.keep[column]]
	}
	out := keyDecides
	for c := range j.equal {
		n, known := t.numberOf(j, row, of, c, number)
		if known == keyNone {
			return keyNone
		}
		out = min(out, known)
		j.key[len(j.in.keys)+c] = n
	}
	return out
}

// numberOf returns the number of the key of a condition's value in a row, and what is
// known from this value alone.
func (t *valueTable) numberOf(j *valueJoin, row []source.ID, of *expr.Operands, c int, number numbering) (id source.ID, known keyState) {
	v := of.Value(c, row)
	if v.IsError() {
		return 0, keyNone
	}
	key, decides, ok := value.KeyOf(v, t.coarse)
	switch {
	case !ok:
		return 0, keyLoose
	case !decides || j.equal[c] == syntax.OpSameTerm:
		return number(j, c, key), keyTested
	}
	return number(j, c, key), keyDecides
}

// find is the numbering that returns 0 if no solution has the key.
func (t *valueTable) find(_ *valueJoin, condition int, k value.Key) source.ID {
	return t.numbers[condition][k]
}

// add returns the number of a key like find, and numbers a new key.
func (t *valueTable) add(j *valueJoin, condition int, k value.Key) source.ID {
	numbers := t.numbers[condition]
	n, ok := numbers[k]
	if !ok {
		n = source.ID(len(numbers) + 1)
		numbers[k.Clone()] = n // the text of a column is only valid for a chunk
		if err := t.grow(j, int64(numberSize+k.Size())); err != nil {
			j.r.budget.Fail(err)
		}
	}
	return n
}

// search returns how many entries of a bucket come before p or, if after is set, before
// or at p.
func search(bucket []placed, p value.Place, after bool) int {
	return sort.Search(len(bucket), func(i int) bool {
		c := bucket[i].Compare(p)
		return c > 0 || c == 0 && !after
	})
}
