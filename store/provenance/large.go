package provenance

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
)

// large is the contribution of a large document to the published graph. Its pieces are
// stored while the document is being stored. The scratch bucket lists new pieces, which
// can't be found by their hashes yet: step -> their numbers. If the document is
// abandoned, these pieces are removed.
type large struct {
	// numbers and piece exist for lasting and for fleeting triples; see parted.
	numbers [2][]uint64
	piece   [2][]index.Tuple // being gathered
	made    []uint64         // numbers of new pieces since the last Flush
	open    lists            // of tx
	tx      *engine.Tx
}

// Large implements engine.Contributions.
func (*Provenance) Large() engine.LargeContribution { return &large{} }

// Add implements engine.LargeContribution.
func (d *large) Add(tx *engine.Tx, t index.Tuple) error {
	i := 0
	if is, err := isFleeting(tx, t); err != nil {
		return err
	} else if is {
		i = 1
	}
	d.piece[i] = append(d.piece[i], t)
	if !endsPiece(t, len(d.piece[i])) {
		return nil
	}
	return d.endPiece(tx, i)
}

// endPiece stores d.piece[i], unless it is empty, and begins a new piece. i is 0 for lasting triples, or 1 for
// fleeting ones.
func (d *large) endPiece(tx *engine.Tx, i int) (err error) {
	if len(d.piece[i]) == 0 {
		return nil
	}
	if d.tx != tx {
		if d.open, err = openLists(tx.KV(), published); err != nil {
			return err
		}
		d.tx = tx
	}
	n, fresh, err := d.open.storePiece(index.Pack(d.piece[i]))
	if err != nil {
		return err
	}
	if fresh {
		d.made = append(d.made, n)
	}
	d.numbers[i], d.piece[i] = append(d.numbers[i], n), d.piece[i][:0]
	return nil
}

// Flush implements engine.LargeContribution. It notes the new pieces in the document's scratch bucket, so that they
// can be removed if the document is not stored. end says that the document has no more triples.
func (d *large) Flush(tx *engine.Tx, scratch []string, end bool) error {
	if end {
		for i := range d.piece {
			if err := d.endPiece(tx, i); err != nil {
				return err
			}
		}
	}
	if len(d.made) == 0 {
		return nil
	}
	b, err := tx.KV().Writable(scratch...)
	if err != nil {
		return fmt.Errorf("recording a document's contribution: %w", err)
	}
	n, err := b.NextSequence()
	if err == nil {
		value := []byte{}
		for _, n := range d.made {
			value = varint.Append(value, n)
		}
		err = b.Put(number(n), kv.Seal(number(n), value))
	}
	if err != nil {
		return fmt.Errorf("recording a document's contribution: %w", err)
	}
	d.made = d.made[:0]
	return nil
}

// Publish implements engine.LargeContribution.
func (d *large) Publish(tx *engine.Tx, seq uint64) error {
	l, err := openLists(tx.KV(), published)
	if err != nil {
		return err
	}
	return l.keepPieces(number(seq), slices.Concat(d.numbers[0], d.numbers[1]))
}

// Tidy implements engine.Contributions. It handles the pieces of one step: it makes them
// available by their hashes or, if the document was not stored, removes them.
func (*Provenance) Tidy(tx *engine.Tx, scratch []string, stored bool) (more bool, err error) {
	k, v := tx.KV().Bucket(scratch...).Cursor().First()
	if k == nil {
		return false, nil
	}
	numbers, err := readMade(k, v)
	if err != nil {
		return false, err
	}
	made, err := tx.KV().Writable(scratch...)
	if err == nil {
		err = made.Delete(slices.Clone(k))
	}
	if err != nil {
		return false, fmt.Errorf("recording a document's contribution: %w", err)
	}
	l, err := openLists(tx.KV(), published)
	if err != nil {
		return false, err
	}
	for _, n := range numbers {
		if err := l.tidy(n, stored); err != nil {
			return false, err
		}
	}
	return true, nil
}

// tidy makes a piece available by its hash or, if its document was not stored, removes it.
func (l lists) tidy(n uint64, stored bool) error {
	if !stored {
		if err := l.pieces.Delete(number(n)); err != nil {
			return fmt.Errorf("removing a document that was not stored: %w", err)
		}
		return nil
	}
	if run := l.pieces.Get(number(n)); run != nil { // nil if the log was withdrawn
		return l.findPiece(n, run)
	}
	return nil
}

// readMade decodes the numbers of the pieces that a large document has made.
func readMade(key, sealed []byte) (numbers []uint64, err error) {
	value, err := kv.Unseal(key, sealed)
	if err != nil {
		return nil, err
	}
	numbers, ok := varint.All(value)
	if !ok {
		return nil, errList
	}
	return numbers, nil
}
