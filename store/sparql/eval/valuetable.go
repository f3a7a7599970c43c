package eval

import (
	"cmp"
	"slices"
	"sort"

	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// valueTable is the solutions of a valueJoin's pattern for one active graph.
type valueTable struct {
	width   int
	rows    []ID
	n       int
	numbers []map[value.Key]ID // by condition, the keys that solutions have
	buckets *table             // by the ids that must be the same, and the numbers of keys
	starts  []int32            // by bucket, where its entries begin, and last where all end
	entries []placed           // by bucket and then by place; behind them those of values without a key
	loose   []placed
	coarse  bool // keys are, because there is a xsd:float
	lanes   [value.KindOther + 1]uint8
	size    int64 // accounted
}

// placed is a solution by where it stands in its bucket.
type placed struct {
	value.Place
	row     int32
	decides bool // all its keys do
}

func (t *valueTable) solution(i int32) []ID { return t.rows[int(i)*t.width : (int(i)+1)*t.width] }

const (
	placedSize = 28 // with where its bucket begins
	// numberSize is about how many bytes an entry of numbers takes beside its text.
	numberSize = 128
)

// grow accounts for n bytes more.
func (t *valueTable) grow(j *valueJoin, n int64) error {
	t.size += n
	return j.r.budget.Grow(n)
}

// table returns the solutions for the active graph that row is in.
func (j *valueJoin) table(row []ID) (*valueTable, error) {
	active := j.in.graphOf(row)
	if t, ok := j.tables[active]; ok {
		return t, nil
	}
	if err := j.in.evaluate(row, active); err != nil {
		return nil, err
	}
	rows := &j.in.tail.pieces
	t := &valueTable{width: len(j.in.keep), n: rows.n}
	if err := t.grow(j, int64(t.n*t.width)*idSize); err != nil {
		return nil, err
	}
	t.rows = make([]ID, 0, t.n*t.width)
	for i := range t.n {
		if err := tickSome(j.r.budget, i); err != nil {
			return nil, err
		}
		full := rows.row(i)
		for _, slot := range j.in.keep {
			t.rows = append(t.rows, full[slot])
		}
	}
	if err := j.in.tail.forget(); err != nil {
		return nil, err
	}
	j.tables[active] = t
	return t, t.index(j)
}

// index finds out where all solutions stand. It leaves out those that no row can go with.
func (t *valueTable) index(j *valueJoin) error {
	rows := int64(len(t.rows)) * idSize
	if err := t.grow(j, rows-t.size+int64(t.n)*2*placedSize); err != nil { // less what an index before this one took
		return err
	}
	t.forget()
	t.buckets, t.numbers = newTable(j.r.budget, len(j.key)), make([]map[value.Key]ID, len(j.equal))
	for c := range t.numbers {
		t.numbers[c] = map[value.Key]ID{}
	}
	unsorted, buckets := make([]placed, 0, t.n), make([]int32, 0, t.n)
	unbound, some := make([]ID, j.r.width), min(chunkRows, j.r.largest)
	for i := range t.n {
		if err := j.r.budget.Tick(j.work); err != nil {
			return err
		}
		if i%some == 0 {
			t.take(j, unbound, i, min(t.n, i+some))
		}
		if err := j.right.reach(j.r, &j.some, i%some); err != nil {
			return err
		}
		row := j.some.row(i % some)
		p := placed{row: int32(i)}
		if len(j.bounds) > 0 {
			var ok bool
			if p.Place, ok = value.PlaceOf(j.right.value(len(j.equal), row)); !ok {
				continue
			}
		}
		found := t.keyOf(j, row, &j.right, t.add)
		if found == foundLoose && !t.coarse {
			t.coarse = true
			return t.index(j)
		}
		if found == foundNone {
			continue
		}
		bucket := looseBucket
		if found != foundLoose {
			number, _, err := t.buckets.insert(j.key)
			if err != nil {
				return err
			}
			bucket = int32(number)
		}
		p.decides = found == foundDecided
		t.lanes[p.Scale] |= 1 << p.Lane
		unsorted, buckets = append(unsorted, p), append(buckets, bucket)
	}
	if err := j.r.budget.Failed(); err != nil {
		return err
	}
	if err := t.sort(j, unsorted, buckets); err != nil {
		return err
	}
	return t.grow(j, -int64(t.n)*placedSize)
}

// take makes some solutions a batch, as rows in which nothing else is bound.
func (t *valueTable) take(j *valueJoin, unbound []ID, from, to int) {
	j.some.reset()
	for i := from; i < to; i++ {
		row := j.some.add(unbound)
		for c, slot := range j.in.keep {
			row[slot] = t.rows[i*t.width+c]
		}
	}
}

// forget lets go of an index.
func (t *valueTable) forget() {
	if t.buckets != nil {
		t.buckets.free()
	}
	t.numbers, t.starts, t.entries, t.loose = nil, nil, nil, nil
	clear(t.lanes[:])
}

// looseBucket is in the place of a bucket where there is none.
const looseBucket = int32(-1)

// sort puts entries into their buckets by counting, and those of a bucket in order.
func (t *valueTable) sort(j *valueJoin, unsorted []placed, buckets []int32) error {
	t.starts = make([]int32, t.buckets.n+2)
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
	next := len(unsorted) - loose // of those without a bucket
	for i, b := range buckets {
		if err := tickSome(j.r.budget, i); err != nil {
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
	t.starts = t.starts[:t.buckets.n+1]
	t.loose = t.entries[len(unsorted)-loose:]
	if len(j.bounds) == 0 {
		return nil
	}
	for b := range t.buckets.n {
		slices.SortFunc(t.entries[t.starts[b]:t.starts[b+1]], func(a, b placed) int {
			// A sort can't be left, but once the query must end it need not get it right.
			if err := j.r.budget.Tick(1); err != nil {
				j.r.budget.Fail(err)
				return 0
			}
			return cmp.Or(a.Place.Compare(b.Place), cmp.Compare(a.row, b.row))
		})
	}
	return j.r.budget.Failed()
}

// bucket finds the entries whose keys are those of a row.
func (t *valueTable) bucket(j *valueJoin, row []ID) ([]placed, found) {
	found := t.keyOf(j, row, &j.left, t.find)
	if found == foundNone || found == foundLoose {
		return nil, found
	}
	b := t.buckets.find(j.key)
	if b < 0 {
		return nil, found
	}
	return t.entries[t.starts[b]:t.starts[b+1]], found
}

// found says what is known of the key of a row or a solution.
type found uint8

const (
	foundNone    found = iota // nothing can go with it
	foundLoose                // it has none, and may go with anything
	foundKey                  // it goes with what has the same key, if at all
	foundDecided              // and does, as far as the equalities, if the other one's key is decided too
)

// keyOf leaves the key of a row or a solution in j.key. number returns the number of a
// value's key.
func (t *valueTable) keyOf(j *valueJoin, row []ID, of *operands, number func(*valueJoin, int, value.Key) ID) found {
	for k, column := range j.in.keys {
		j.key[k] = row[j.in.keep[column]]
	}
	out := foundDecided
	for c := range j.equal {
		v := of.value(c, row)
		if v.IsError() {
			return foundNone
		}
		key, decides, ok := value.KeyOf(v, t.coarse)
		switch {
		case !ok:
			out = foundLoose
			continue
		case out == foundDecided && (!decides || j.equal[c] == syntax.OpSameTerm):
			out = foundKey
		}
		j.key[len(j.in.keys)+c] = number(j, c, key)
	}
	return out
}

// find returns the number of the key of a condition's value, 0 if no solution has it.
func (t *valueTable) find(_ *valueJoin, condition int, k value.Key) ID {
	return t.numbers[condition][k]
}

// add is find, and numbers a key that has no number.
func (t *valueTable) add(j *valueJoin, condition int, k value.Key) ID {
	numbers := t.numbers[condition]
	n, ok := numbers[k]
	if !ok {
		n = ID(len(numbers) + 1)
		numbers[k.Clone()] = n // since a text of a column is good for a chunk alone
		if err := t.grow(j, int64(numberSize+k.Size())); err != nil {
			j.r.budget.Fail(err)
		}
	}
	return n
}

// search returns how many of a bucket's entries are before a place, or, if after, before
// what is after it.
func search(bucket []placed, p value.Place, after bool) int {
	return sort.Search(len(bucket), func(i int) bool {
		c := bucket[i].Compare(p)
		return c > 0 || c == 0 && !after
	})
}
