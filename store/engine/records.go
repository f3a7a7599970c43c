package engine

import (
	"bytes"
	"context"
	"maps"
	"sync"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/engine/kv"
)

// momentRecords are the resolver's records of one moment, for reading: those of a bucket, nil where there is
// none, and those that are late.
type momentRecords struct {
	bucket *bolt.Bucket
	late   lateRecords
}

var _ resolver.Store = (*momentRecords)(nil)

// Get implements resolver.Store. The value is good as long as the moment.
func (m *momentRecords) Get(key []byte) ([]byte, error) {
	if value, ok := m.late.get(key); ok {
		return value, nil
	}
	if m.bucket == nil {
		return nil, nil
	}
	v := m.bucket.Get(key)
	if v == nil {
		return nil, nil
	}
	return kv.Unseal(key, v)
}

// Scan implements resolver.Store.
func (m *momentRecords) Scan(from, to []byte, yield func(key, value []byte) bool) error {
	return m.scan(from, to, m.late.between(from, to), yield)
}

// scan is Scan with the records that are late in its range.
func (m *momentRecords) scan(from, to []byte, late []resolver.Record, yield func(key, value []byte) bool) error {
	// before yields what is late before a key, or all of it, and tells whether to go on.
	before := func(key []byte, all bool) bool {
		for len(late) > 0 && (all || bytes.Compare(late[0].Key, key) < 0) {
			r := late[0]
			late = late[1:]
			if r.Value != nil && !yield(r.Key, r.Value) {
				return false
			}
		}
		return true
	}
	if m.bucket != nil {
		cursor := m.bucket.Cursor()
		for k, v := cursor.Seek(from); k != nil && (len(to) == 0 || bytes.Compare(k, to) < 0); k, v = cursor.Next() {
			v, err := kv.Unseal(k, v)
			if err != nil || !before(k, false) {
				return err
			}
			if len(late) > 0 && bytes.Equal(late[0].Key, k) {
				continue // the later one comes with the next key
			}
			if !yield(k, v) {
				return nil
			}
		}
	}
	before(nil, true)
	return nil
}

// Apply refuses.
func (*momentRecords) Apply(context.Context, []resolver.Change) error { return errReadOnly }

// lateRecords are the records that are late, by their keys; nil stands for one that is removed. The writer
// changes them when a transaction has ended. So who looks here first and into the file then finds each record as
// it is in the file, or as it was before a change that has not been answered.
type lateRecords struct {
	mu   sync.RWMutex
	last map[string][]byte
	aged map[string][]byte // those that are being settled, before last
}

// add takes up the records of deltas that have become late.
func (l *lateRecords) add(ds []*delta) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		l.last = map[string][]byte{}
	}
	for _, d := range ds {
		for _, r := range d.records {
			l.last[string(r.Key)] = r.Value
		}
	}
}

// age says that settling begins of all that are late.
func (l *lateRecords) age() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.aged) == 0 {
		l.aged, l.last = l.last, nil
		return
	}
	maps.Copy(l.aged, l.last) // settling began before, and did not come to an end
	l.last = nil
}

// agedSettled lets go of those whose settling began last: they are where they belong.
func (l *lateRecords) agedSettled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.aged = nil
}

// settled lets go of all.
func (l *lateRecords) settled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.aged = nil, nil
}

// get tells whether a record is late, and its value.
func (l *lateRecords) get(key []byte) (value []byte, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if value, ok = l.last[string(key)]; !ok {
		value, ok = l.aged[string(key)]
	}
	return value, ok
}

// between gives the late records with from <= key < to, in order. An empty to is the end of all keys.
func (l *lateRecords) between(from, to []byte) []resolver.Record {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []resolver.Record
	for _, values := range []map[string][]byte{l.aged, l.last} {
		for k, v := range values {
			if k >= string(from) && (len(to) == 0 || k < string(to)) {
				out = append(out, resolver.Record{Key: []byte(k), Value: v})
			}
		}
	}
	return lastOfEach(out)
}

// appendRecords encodes records: their number, and of each the key, the length of its value and one, as varints, and
// the value; a length of 0 is a removal.
func appendRecords(b []byte, records []resolver.Record) []byte {
	b = varint.Append(b, uint64(len(records)))
	for _, r := range records {
		b = varint.AppendString(b, r.Key)
		if r.Value == nil {
			b = append(b, 0)
			continue
		}
		b = append(varint.Append(b, uint64(len(r.Value)+1)), r.Value...)
	}
	return b
}

// cutRecords decodes records from the front of b. Where nothing is left of b there are none: earlier versions
// kept no records late.
func cutRecords(b []byte, records *[]resolver.Record) (rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil
	}
	in := varint.NewReader(b)
	for range in.Count(len(b)) {
		r := resolver.Record{Key: []byte(in.Text())}
		if n := in.Count(len(b)); n > 0 {
			r.Value = bytes.Clone(in.Bytes(n - 1))
		}
		*records = append(*records, r)
	}
	if in.Failed() {
		return nil, errLate
	}
	return in.Rest(), nil
}
