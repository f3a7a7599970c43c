package engine

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/kv"
)

// Records are the records of one snapshot, for reading: those of a bucket, and those that are deferred.
type Records struct {
	bucket kv.Bucket
	late   *lateRecords
}

// Records returns the records of a snapshot, also those that are deferred in a file that is only read.
func (s *Snapshot) Records() (*Records, error) {
	late, err := readLate(s.bolt)
	if err != nil {
		return nil, err
	}
	r := &Records{bucket: s.KV().Bucket(recordsName), late: &lateRecords{}}
	r.late.add(late)
	return r, nil
}

// Get returns the value of a key, or nil if there is none. The value is good as long as the snapshot.
func (r *Records) Get(key []byte) ([]byte, error) {
	if value, ok := r.late.get(key); ok {
		return value, nil
	}
	v := r.bucket.Get(key)
	if v == nil {
		return nil, nil
	}
	return kv.Unseal(key, v)
}

// Scan calls yield with the records with from <= key < to, in order, until it returns false. An empty to is the end of all
// keys.
func (r *Records) Scan(from, to []byte, yield func(key, value []byte) bool) error {
	return r.scan(from, to, r.late.between(from, to), yield)
}

// scan is Scan with the records that are deferred in its range.
func (r *Records) scan(from, to []byte, late []Record, yield func(key, value []byte) bool) error {
	// before yields what is late before a key, or all of it, and tells whether to go on.
	before := func(key []byte, all bool) bool {
		for len(late) > 0 && (all || bytes.Compare(late[0].Key, key) < 0) {
			l := late[0]
			late = late[1:]
			if l.Value != nil && !yield(l.Key, l.Value) {
				return false
			}
		}
		return true
	}
	for k, v := range kv.From(r.bucket, from) {
		if len(to) > 0 && bytes.Compare(k, to) >= 0 {
			break
		}
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
	before(nil, true)
	return nil
}

// GetRecord returns the last value of a key, deferred or not, or nil if there is none. The caller may keep it.
func (s *Store) GetRecord(key []byte) (value []byte, err error) {
	if value, ok := s.lateRecords.get(key); ok { // first: what is settled meanwhile is in the file then
		return bytes.Clone(value), nil
	}
	err = s.readRecords(func(r *Records) error {
		v, err := r.Get(key)
		value = bytes.Clone(v)
		return err
	})
	return value, err
}

// ScanRecords calls yield as Records.Scan does, with the last values.
func (s *Store) ScanRecords(from, to []byte, yield func(key, value []byte) bool) error {
	late := s.lateRecords.between(from, to)
	return s.readRecords(func(r *Records) error { return r.scan(from, to, late, yield) })
}

// readRecords runs do on the records in the file, without those that are deferred.
func (s *Store) readRecords(do func(*Records) error) error {
	select {
	case <-s.closing:
		return errClosing
	default:
	}
	return s.Guard(func() error {
		tx, err := s.file.Begin(false)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // the one error is that it was closed before
		return do(&Records{bucket: kv.OnBolt(tx).Bucket(recordsName), late: &lateRecords{}})
	})
}

// lateRecords are the records that are late, by their keys; nil stands for one that is removed. The writer
// changes them when a transaction has ended. So who looks here first and into the file then finds each record as
// it is in the file, or as it was before a change that has not been answered.
type lateRecords struct {
	mu   sync.RWMutex
	last map[string][]byte
	aged map[string][]byte // those that are being settled, before last
}

// add takes up the records of deltas that have become late.
func (l *lateRecords) add(ds []*Delta) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		l.last = map[string][]byte{}
	}
	for _, d := range ds {
		for _, r := range d.Records {
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
func (l *lateRecords) between(from, to []byte) []Record {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []Record
	for _, values := range []map[string][]byte{l.aged, l.last} {
		for k, v := range values {
			if k >= string(from) && (len(to) == 0 || k < string(to)) {
				out = append(out, Record{Key: []byte(k), Value: v})
			}
		}
	}
	return lastOfEach(out)
}

// appendRecords encodes records: their number, and of each the key, the length of its value and one, as varints, and
// the value; a length of 0 is a removal.
func appendRecords(b []byte, records []Record) []byte {
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
func cutRecords(b []byte, records *[]Record) (rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil
	}
	in := varint.NewReader(b)
	for range in.Count(len(b)) {
		r := Record{Key: []byte(in.Text())}
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

// ImportRecords adds the records of a snapshot of another file, where there are none, and applies what is deferred there.
func (tx *Tx) ImportRecords(old *Snapshot) error {
	late, err := readLate(old.bolt)
	if err != nil {
		return err
	}
	to, err := tx.KV().Writable(recordsName)
	if err != nil {
		return fmt.Errorf("opening the records: %w", err)
	}
	for _, d := range late {
		d.Records = slices.DeleteFunc(d.Records, func(r Record) bool { return to.Get(r.Key) != nil })
	}
	for key, sealed := range kv.All(old.KV().Bucket(recordsName)) {
		if _, err := kv.Unseal(key, sealed); err != nil {
			return err
		}
		if to.Get(key) != nil {
			continue
		}
		if err := to.Put(slices.Clone(key), slices.Clone(sealed)); err != nil {
			return fmt.Errorf("writing the records: %w", err)
		}
	}
	return tx.settleLate(late)
}
