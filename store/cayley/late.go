package cayley

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/dict"
	"github.com/segraph/segraph/store/index"
	"github.com/segraph/segraph/store/rdf"
)

// The quads by which the resolver mirrors a decision go to some forty places of two indexes, its records
// to a dozen of theirs, and those of the next decision to the same. So they are kept as they came at first,
// one behind the other, and go to the dictionary, the indexes and the bucket of records together, those of
// some thirty decisions at once. Nobody sees the difference: whoever takes a snapshot while some are late has
// them settled first, and the resolver's own reading looks at what is late first.
//
// The bucket holds number -> encoded additions, removals and records, and a CRC-32C.
var lateName = []byte("late")

// Bounds of what may be late, by lateness. enoughLate is some forty decisions, so that settling them takes a few
// milliseconds, for which whoever decides next has to wait. Where decisions bring much, as doubts with many
// candidates do, it is some transactions at least, or they would all be written twice.
const (
	enoughLate   = 1200
	fewLate      = 5 // transactions
	maxLate      = 4 * enoughLate
	hopelessLate = 4 * maxLate // what could not be settled is not to pile up
)

// atOnce tells whether a delta can't be late: what a person decided is entered with the ids of what it
// brought, and the published graph is exported without a look at what is late.
func (d *delta) atOnce() bool {
	published := func(q [4]uint32) bool { return q[3] == store.NoGraph }
	return len(d.entries) > 0 || slices.ContainsFunc(d.add.Quads, published) || slices.ContainsFunc(d.remove.Quads, published)
}

func (d *delta) quads() int { return len(d.add.Quads) + len(d.remove.Quads) }

// lateness is the work that deltas leave for later: their quads and records, and a little for each.
func lateness(ds []*delta) int {
	const each = 16
	n := each * len(ds)
	for _, d := range ds {
		n += d.quads() + len(d.records)
	}
	return n
}

// quickDisk is how long a transaction takes to be written to a disk on which one more is cheap.
const quickDisk = time.Millisecond

// isDue tells whether deltas that are late are enough to be settled.
func isDue(late []*delta) bool {
	n := lateness(late)
	return n > maxLate || n > enoughLate && len(late) >= fewLate
}

// writeDeltas stores the quads of what the resolver decided, with all that is late, or keeps them for later. It
// gives what is late then.
func (s *Store) writeDeltas(tx *Tx, group []*write) (late []*delta, err error) {
	late = slices.Clip(s.late)
	settles := s.outbox // which tells of a change with the transaction that makes it
	var ds []*delta
	for _, w := range group {
		if w.delta != nil {
			ds = append(ds, w.delta)
		}
		settles = settles || w.settles || w.delta != nil && w.delta.atOnce() || w.alone()
	}
	if len(ds) == 0 && !settles {
		return late, nil
	}
	late = append(late, ds...)
	// Much that comes at once would only be written twice, what could not be settled is not to pile up, and a
	// transaction of its own costs more on a slow disk than it spares who waits for this one.
	settles = settles || lateness(ds) > maxLate || lateness(late) > hopelessLate || isDue(late) && s.lastWrite > quickDisk
	if !settles {
		return late, tx.postpone(ds)
	}
	if len(late) == 0 {
		return nil, nil
	}
	if err := tx.settleLate(late); err != nil {
		return nil, err
	}
	return nil, tx.noneLate()
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
func (tx *Tx) postpone(ds []*delta) error {
	b, err := tx.bolt.CreateBucketIfNotExists(lateName)
	if err != nil {
		return fmt.Errorf("opening what is late: %w", err)
	}
	for _, d := range ds {
		n, err := b.NextSequence()
		if err == nil {
			key := binary.BigEndian.AppendUint64(nil, n)
			err = b.Put(key, sealRecord(key, appendRecords(appendDocument(appendDocument(nil, &d.add), &d.remove), d.records)))
		}
		if err != nil {
			return fmt.Errorf("keeping quads for later: %w", err)
		}
	}
	return nil
}

// settleLate stores what deltas come to when they are done in their order.
func (tx *Tx) settleLate(ds []*delta) error {
	var records []resolver.Record
	quads := 0
	for _, d := range ds {
		records = append(records, d.records...)
		quads += d.quads()
	}
	if err := tx.putRecords(lastOfEach(records)); err != nil {
		return err
	}
	docs := make([]*store.Document, len(ds))
	for i, d := range ds {
		docs[i] = &d.add
	}
	ids, err := tx.resolve(docs, nil)
	if err != nil {
		return err
	}
	there := make(map[quadRef]bool, quads) // whether it is to be there
	for i, d := range ds {
		if err := tx.said(d.anew, func(r quadRef) { there[r] = false }); err != nil {
			return err
		}
		gone, err := tx.tuples(&d.remove) // after resolve, since terms may be new by an earlier delta
		if err != nil {
			return err
		}
		for g, ts := range gone {
			for _, t := range ts {
				there[refOf(g, t)] = false
			}
		}
		for _, q := range d.add.Quads {
			there[refOf(graphOf(q, ids[i]), SPO.tuple(ids[i][q[0]], ids[i][q[1]], ids[i][q[2]]))] = true
		}
	}
	fresh, gone := map[dict.ID][]owned{}, map[dict.ID][]index.Tuple{}
	for r, stays := range there {
		if t := SPO.tuple(r.s, r.p, r.o); stays {
			fresh[r.g] = append(fresh[r.g], owned{Tuple: t})
		} else {
			gone[r.g] = append(gone[r.g], t)
		}
	}
	for g, ts := range fresh {
		if err := tx.addTo(g, ts, []int{0}, make([][]brought, 1)); err != nil {
			return err
		}
	}
	for g, ts := range gone {
		if _, err := tx.remove(g, ts); err != nil {
			return err
		}
	}
	return nil
}

func refOf(g dict.ID, t index.Tuple) quadRef {
	return quadRef{s: dict.ID(t[0]), p: dict.ID(t[1]), o: dict.ID(t[2]), g: g}
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
func readLate(tx *bolt.Tx) ([]*delta, error) {
	b := tx.Bucket(lateName)
	if b == nil {
		return nil, nil
	}
	var out []*delta
	err := b.ForEach(func(k, v []byte) error {
		text, err := openRecord(k, v)
		if err != nil {
			return err
		}
		d := &delta{}
		if text, err = cutDocument(text, &d.add); err == nil {
			text, err = cutDocument(text, &d.remove)
		}
		if err == nil {
			text, err = cutRecords(text, &d.records)
		}
		if err != nil || len(text) > 0 {
			return damagedRecord(slices.Clone(k))
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
	b = binary.AppendUvarint(b, uint64(len(d.Terms)))
	for _, t := range d.Terms {
		b = appendText(append(b, byte(t.Kind())), t.Value())
		if t.IsLiteral() {
			datatype := t.Datatype()
			if datatype == rdf.XSDString || t.Language() != "" {
				datatype = "" // which says as much
			}
			b = appendText(appendText(b, datatype), t.Language())
		}
	}
	b = binary.AppendUvarint(b, uint64(len(d.Quads)))
	for _, q := range d.Quads {
		for _, i := range q[:3] {
			b = binary.AppendUvarint(b, uint64(i))
		}
		b = binary.AppendUvarint(b, uint64(q[3]+1)) // NoGraph + 1 is 0
	}
	return b
}

// cutDocument decodes a document from the front of b.
func cutDocument(b []byte, d *store.Document) (rest []byte, err error) {
	in := lateReader{rest: b}
	for range in.number(len(b)) {
		switch kind := rdf.Kind(in.byte()); kind {
		case rdf.KindIRI:
			d.Terms = append(d.Terms, rdf.NewIRI(in.text()))
		case rdf.KindLiteral:
			value, datatype, language := in.text(), in.text(), in.text()
			if language != "" {
				d.Terms = append(d.Terms, rdf.NewLang(value, language))
			} else {
				d.Terms = append(d.Terms, rdf.NewLiteral(value, datatype))
			}
		default:
			in.bad = true
		}
	}
	for range in.number(len(b)) {
		var q [4]uint32
		for i := range q[:3] {
			q[i] = uint32(in.number(len(d.Terms) - 1))
		}
		q[3] = uint32(in.number(len(d.Terms))) - 1
		d.Quads = append(d.Quads, q)
	}
	if in.bad {
		return nil, errLate
	}
	return in.rest, nil
}

var errLate = errors.New("what is late can't be read")

// lateReader reads numbers and texts, and remembers that one could not be.
type lateReader struct {
	rest []byte
	bad  bool
}

// number reads a number of at most so much; 0 once something was bad.
func (r *lateReader) number(most int) int {
	n, size := binary.Uvarint(r.rest)
	if r.bad || size <= 0 || n > uint64(max(most, 0)) {
		r.bad = true
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *lateReader) byte() byte {
	if r.bad || len(r.rest) == 0 {
		r.bad = true
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *lateReader) text() string { return string(r.bytes(r.number(len(r.rest)))) }

// bytes reads so many bytes.
func (r *lateReader) bytes(n int) []byte {
	if r.bad || n > len(r.rest) { // which was shorter when the number was read
		r.bad = true
		return nil
	}
	b := append([]byte{}, r.rest[:n]...)
	r.rest = r.rest[n:]
	return b
}
