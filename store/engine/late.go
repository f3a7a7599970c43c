package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/rdf"
)

// The quads by which the resolver mirrors a decision go to some forty places of two indexes, its records
// to a dozen of theirs, and those of the next decision to the same. So they are kept as they came at first,
// one behind the other, and go to the dictionary, the indexes and the bucket of records together, those of
// some hundreds of decisions at once. Nobody sees the difference: whoever takes a snapshot while some are late has
// them settled first, and the resolver's own reading looks at what is late first.
//
// The bucket holds number -> encoded additions, removals and records, and a CRC-32C.
var lateName = []byte("late")

// Bounds of what may be late, by lateness. enoughLate is some three hundred decisions. Where decisions bring much, as doubts
// with many candidates do, it is some transactions at least, or they would all be written twice.
const (
	enoughLate   = 9600
	fewLate      = 5              // transactions
	hopelessLate = 4 * enoughLate // what could not be settled is not to pile up
)

// atOnce tells whether a delta can't be late: what a person decided is entered with the ids of what it
// brought, and the published graph is exported without a look at what is late.
func (d *Delta) atOnce() bool {
	published := func(q [4]uint32) bool { return q[3] == store.NoGraph }
	return len(d.Entries) > 0 || slices.ContainsFunc(d.Add.Quads, published) || slices.ContainsFunc(d.Remove.Quads, published)
}

func (d *Delta) quads() int { return len(d.Add.Quads) + len(d.Remove.Quads) }

// lateness is the work that deltas leave for later: their quads and records, and a little for each.
func lateness(ds []*Delta) int {
	const each = 16
	n := each * len(ds)
	for _, d := range ds {
		n += d.quads() + len(d.Records)
	}
	return n
}

// isDue tells whether what is late is enough to be settled.
func (s *Store) isDue() bool { return lateness(s.late) > s.due && len(s.late) >= fewLate }

// writeDeltas stores the quads of what the resolver decided, with all that is late; or it keeps them for later, and settles
// some of what is late before. It gives what it kept, or that nothing is late any more.
func (s *Store) writeDeltas(tx *Tx, group []*write) (kept []*Delta, all bool, err error) {
	all = s.wantTriples()
	var ds []*Delta
	for _, w := range group {
		if w.delta != nil {
			ds = append(ds, w.delta)
		}
		all = all || w.settles || w.delta != nil && w.delta.atOnce() || w.alone() && !w.aside
	}
	// Much that comes at once would only be written twice.
	all = all || lateness(ds) > enoughLate || lateness(s.late) > hopelessLate
	switch {
	case len(ds) == 0 && (!all || len(s.late) == 0):
		return nil, false, nil
	case all:
		if err := tx.settleLate(append(slices.Clip(s.late), ds...)); err != nil {
			return nil, false, err
		}
		return nil, true, tx.noneLate()
	}
	if s.settling == nil && s.isDue() {
		s.settling = newSettling(s.late)
		s.settling.drop(s.late)
		s.lateRecords.age()
	}
	if s.settling != nil {
		s.settling.stepped = true
		if err := s.settling.step(tx, s.settling.share(ds)); err != nil {
			return nil, false, err
		}
	}
	return ds, false, tx.postpone(ds)
}

// wroteDeltas takes up what writeDeltas did, once it is on disk.
func (s *Store) wroteDeltas(kept []*Delta, all bool) {
	if all {
		s.late, s.settling, s.due = nil, nil, s.enough
		s.lateRecords.settled()
		return
	}
	if p := s.settling; p != nil {
		if p.stored() {
			s.lateRecords.agedSettled()
		}
		s.late = s.late[p.gone:]
		p.gone, p.stepped = 0, false
		if p.done() {
			s.settling, s.due = nil, s.enough
		}
	}
	s.late = append(s.late, kept...)
	s.lateRecords.add(kept)
}

// failedDeltas forgets how far settling came where it was part of a transaction that was taken back. What can't be settled
// does not keep others from deciding, until hopelessly much is late.
func (s *Store) failedDeltas() {
	if s.settling != nil && s.settling.stepped {
		s.settling, s.due = nil, min(2*s.due, 4*s.enough)
		s.log.Warn("what the resolver decided last could not be stored in the indexes yet, and will be tried again")
	}
}

// settleRest leaves nothing late. What can't be stored stays, for the next time the file is opened.
func (s *Store) settleRest() {
	if s.readOnly || s.broken.Load() != nil {
		return
	}
	if err := s.commit([]*write{{settles: true}}); err != nil {
		s.log.Error("what the resolver decided last is not in the indexes yet", "error", err)
	}
}

// postpone keeps the quads and records of deltas for later.
func (tx *Tx) postpone(ds []*Delta) error {
	b, err := tx.bolt.CreateBucketIfNotExists(lateName)
	if err != nil {
		return fmt.Errorf("opening what is late: %w", err)
	}
	for _, d := range ds {
		n, err := b.NextSequence()
		if err == nil {
			key := binary.BigEndian.AppendUint64(nil, n)
			err = b.Put(key, kv.Seal(key, appendRecords(appendDocument(appendDocument(nil, &d.Add), &d.Remove), d.Records)))
		}
		if err != nil {
			return fmt.Errorf("keeping quads for later: %w", err)
		}
	}
	return nil
}

// settleLate stores what deltas come to when they are done in their order.
func (tx *Tx) settleLate(ds []*Delta) error { return newSettling(ds).step(tx, math.MaxInt) }

// dropLate takes the first n out of the bucket.
func (tx *Tx) dropLate(n int) error {
	b := tx.bolt.Bucket(lateName)
	for range n {
		c := b.Cursor()
		c.First()
		if err := c.Delete(); err != nil {
			return fmt.Errorf("emptying what is late: %w", err)
		}
	}
	return nil
}

func graphOf(q [4]uint32, ids []dict.ID) dict.ID {
	if q[3] == store.NoGraph {
		return defaultGraph
	}
	return ids[q[3]]
}

// noneLate empties the bucket.
func (tx *Tx) noneLate() error {
	if tx.bolt.Bucket(lateName) == nil {
		return nil
	}
	if err := tx.bolt.DeleteBucket(lateName); err != nil {
		return fmt.Errorf("emptying what is late: %w", err)
	}
	return nil
}

// isLate tells whether quads are late in a moment.
func isLate(tx *bolt.Tx) bool {
	b := tx.Bucket(lateName)
	if b == nil {
		return false
	}
	k, _ := b.Cursor().First()
	return k != nil
}

// readLate reads what is late.
func readLate(tx *bolt.Tx) ([]*Delta, error) {
	b := tx.Bucket(lateName)
	if b == nil {
		return nil, nil
	}
	var out []*Delta
	err := b.ForEach(func(k, v []byte) error {
		text, err := kv.Unseal(k, v)
		if err != nil {
			return err
		}
		d := &Delta{}
		if text, err = cutDocument(text, &d.Add); err == nil {
			text, err = cutDocument(text, &d.Remove)
		}
		if err == nil {
			text, err = cutRecords(text, &d.Records)
		}
		if err != nil || len(text) > 0 {
			return &kv.DamagedError{Key: slices.Clone(k)}
		}
		out = append(out, d)
		return nil
	})
	return out, err
}

// appendDocument encodes a document without blank nodes: the number of its terms, and of each the kind, the
// value and, of a literal, the datatype and the language; then the number of its quads, and of each
// the indexes of its terms, 0 being no graph. All numbers are varints.
func appendDocument(b []byte, d *store.Document) []byte {
	b = varint.Append(b, uint64(len(d.Terms)))
	for _, t := range d.Terms {
		b = varint.AppendString(append(b, byte(t.Kind())), t.Value())
		if t.IsLiteral() {
			datatype := t.Datatype()
			if datatype == rdf.XSDString || t.Language() != "" {
				datatype = "" // which says as much
			}
			b = varint.AppendString(varint.AppendString(b, datatype), t.Language())
		}
	}
	b = varint.Append(b, uint64(len(d.Quads)))
	for _, q := range d.Quads {
		for _, i := range q[:3] {
			b = varint.Append(b, uint64(i))
		}
		b = varint.Append(b, uint64(q[3]+1)) // NoGraph + 1 is 0
	}
	return b
}

// cutDocument decodes a document from the front of b.
func cutDocument(b []byte, d *store.Document) (rest []byte, err error) {
	in := varint.NewReader(b)
	for range in.Count(len(b)) {
		switch kind := rdf.Kind(in.Byte()); kind {
		case rdf.KindIRI:
			d.Terms = append(d.Terms, rdf.NewIRI(in.Text()))
		case rdf.KindLiteral:
			value, datatype, language := in.Text(), in.Text(), in.Text()
			if language != "" {
				d.Terms = append(d.Terms, rdf.NewLang(value, language))
			} else {
				d.Terms = append(d.Terms, rdf.NewLiteral(value, datatype))
			}
		default:
			in.Fail()
		}
	}
	for range in.Count(len(b)) {
		var q [4]uint32
		for i := range q[:3] {
			q[i] = uint32(in.Count(len(d.Terms) - 1))
		}
		q[3] = uint32(in.Count(len(d.Terms))) - 1
		d.Quads = append(d.Quads, q)
	}
	if in.Failed() {
		return nil, errLate
	}
	return in.Rest(), nil
}

var errLate = errors.New("what is late can't be read")
