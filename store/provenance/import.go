package provenance

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Importing a backup adds deleted graphs, and the contributions of logs to them, to the
// file in use. Everything published since stays. It is one transaction with a journal
// entry. Terms get new ids, because the dictionary may have been emptied. Numbered blank nodes
// keep their ids, which are never assigned again, so importing twice adds nothing.

// maxImported limits the triples imported in one transaction. Other writers wait for it.
const maxImported = 10_000_000

// Import copies triples from a snapshot of a backup into a transaction of the file.
type Import struct {
	ctx context.Context
	tx  *engine.Tx
	old *engine.Snapshot
	ids map[dict.ID]dict.ID  // old ids of terms to new ones
	out map[index.Tuple]bool // triples of the published graph to leave out, with new ids
}

// NewImport returns an Import of a snapshot of a backup. It returns a *store.UnfitError
// for a backup that is not an earlier state of this file, or that has more than ten
// million triples.
func NewImport(ctx context.Context, tx *engine.Tx, old *engine.Snapshot) (*Import, error) {
	if !journal.Holds(tx.KV(), journal.HeadOf(old.KV())) {
		return nil, &store.UnfitError{Detail: "the backup is not an earlier state of this file"}
	}
	n, err := old.Count(0, 0, 0, published)
	if err != nil {
		return nil, err
	}
	if n > maxImported {
		return nil, &store.UnfitError{Detail: fmt.Sprintf("it has %d triples, but at most %d can be imported while the service runs; stop the service and run segraph restore", n, maxImported)}
	}
	return &Import{ctx: ctx, tx: tx, old: old, ids: map[dict.ID]dict.ID{}}, nil
}

// LeaveOut excludes quads of the published graph from the import.
func (b *Import) LeaveOut(quads []rdf.Quad) error {
	var d store.Document
	for _, q := range quads {
		d.Add(q)
	}
	ids := make([]dict.ID, len(d.Terms))
	if err := b.tx.IDs(d.Terms, ids); err != nil {
		return err
	}
	b.out = map[index.Tuple]bool{}
	for _, q := range d.Quads {
		b.out[engine.SPO.Tuple(ids[q[0]], ids[q[1]], ids[q[2]])] = true
	}
	return nil
}

// Published imports the published graph and its prefixes. It returns how many triples it
// imported, and how many of them are new.
func (b *Import) Published() (triples, added int64, err error) {
	prefixes, err := b.old.Prefixes()
	if err == nil {
		err = b.tx.AddPrefixes(prefixes)
	}
	if err != nil {
		return 0, 0, err
	}
	return b.graph(published, published)
}

// Graph imports a named graph, if the backup has it.
func (b *Import) Graph(name rdf.Term) error {
	from, known, err := b.old.ID(name)
	if err != nil || !known {
		return err
	}
	to, err := b.convert([]dict.ID{from})
	if err == nil {
		_, _, err = b.graph(from, to[0])
	}
	return err
}

// importedAtOnce is about how many triples are converted and stored together.
const importedAtOnce = 100_000

// graph imports a graph and the contributions of logs to it.
func (b *Import) graph(from, to dict.ID) (triples, added int64, err error) {
	scan := b.old.Match(0, 0, 0, from)
	var some []index.Tuple
	for more := true; more; {
		tuples := scan.Next()
		for _, t := range tuples {
			some = append(some, engine.SPO.Tuple(scan.Order.Triple(t)))
		}
		more = len(tuples) > 0
		if more && len(some) < importedAtOnce {
			continue
		}
		if err := errors.Join(scan.Err(), b.ctx.Err()); err != nil {
			return 0, 0, err
		}
		fresh, err := b.tuples(some)
		if err != nil {
			return 0, 0, err
		}
		if from == published {
			fresh = slices.DeleteFunc(fresh, func(t index.Tuple) bool { return b.out[t] })
		}
		triples += int64(len(fresh))
		n, err := b.tx.AddTuples(to, fresh)
		if err != nil {
			return 0, 0, err
		}
		added, some = added+int64(n), some[:0]
	}
	return triples, added, b.logs(from, to)
}

// logs imports the contributions of logs to a graph. Logs newer than the backup keep
// theirs, because their entries have other numbers.
func (b *Import) logs(from, to dict.ID) error {
	old := bucket(b.old.KV(), from, logsName)
	if k, _ := old.Cursor().First(); k == nil {
		return nil
	}
	l, err := openLists(b.tx.KV(), to)
	if err != nil {
		return err
	}
	if from == published {
		if err := b.inherited(); err != nil {
			return err
		}
	}
	numbers := map[uint64]uint64{}
	for key, value := range kv.All(old) {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		if l.logs.Get(key) != nil {
			continue // already imported
		}
		if err := b.log(l, bucket(b.old.KV(), from, piecesName), key, value, numbers); err != nil {
			return err
		}
		seq := binary.BigEndian.Uint64(key)
		if err := b.forgotten(seq, from, to); err != nil {
			return err
		}
		if err := journal.RestoreErased(b.tx.KV(), b.old.KV(), seq); err != nil {
			return err
		}
	}
	return nil
}

// forgotten imports how much shorter erasures had made a list, because those since will do so again.
func (b *Import) forgotten(seq uint64, from, to dict.ID) error {
	removed, fresh, err := forgotten(b.old.KV(), forgottenKey(seq, from))
	if err != nil {
		return err
	}
	return keepForgotten(b.tx, forgottenKey(seq, to), removed, fresh)
}

// inherited imports the inherited counts of logs: see openInherited.
func (b *Import) inherited() error {
	to, err := openInherited(b.tx, published)
	if err != nil {
		return err
	}
	for key, value := range kv.All(bucket(b.old.KV(), published, inheritedName)) {
		if err := to.Put(slices.Clone(key), slices.Clone(value)); err != nil {
			return err
		}
	}
	return nil
}

// log imports one list. numbers maps pieces imported before to their new numbers.
func (b *Import) log(l lists, old kv.Bucket, key, value []byte, numbers map[uint64]uint64) error {
	var own []index.Tuple
	parts, err := listPieces(value)
	if err != nil {
		return err
	}
	known := func(piece uint64) bool { _, ok := numbers[piece]; return ok }
	err = list(old, key, value, known, func(run []index.Tuple, piece uint64) error {
		fresh, err := b.tuples(run)
		if err != nil || piece == 0 {
			own = fresh
			return err
		}
		numbers[piece], err = l.keepPiece(index.Pack(fresh))
		return err
	})
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		return l.keepList(slices.Clone(key), append([]byte{listed}, index.Pack(own)...))
	}
	for i, p := range parts {
		parts[i] = numbers[p]
	}
	return l.keepPieces(key, parts)
}

// tuples returns triples of the old file with new ids, sorted, in SPO order.
func (b *Import) tuples(ts []index.Tuple) ([]index.Tuple, error) {
	flat := make([]dict.ID, 0, 3*len(ts))
	for _, t := range ts {
		flat = append(flat, dict.ID(t[0]), dict.ID(t[1]), dict.ID(t[2]))
	}
	ids, err := b.convert(flat)
	if err != nil {
		return nil, err
	}
	out := make([]index.Tuple, len(ts))
	for i := range out {
		out[i] = engine.SPO.Tuple(ids[3*i], ids[3*i+1], ids[3*i+2])
	}
	slices.SortFunc(out, index.Compare)
	return out, nil
}

// convert returns the ids that terms of the backup have in this file, and assigns new ones.
func (b *Import) convert(old []dict.ID) ([]dict.ID, error) {
	var missing []dict.ID
	for _, id := range old {
		if _, ok := b.ids[id]; ok {
			continue
		}
		b.ids[id] = id
		if _, numbered := id.BlankNumber(); !numbered { // others keep their ids
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		terms, fresh := make([]rdf.Term, len(missing)), make([]dict.ID, len(missing))
		for i, id := range missing {
			var err error
			if terms[i], err = b.old.Term(id); err != nil {
				return nil, err
			}
		}
		if err := b.tx.IDs(terms, fresh); err != nil {
			return nil, err
		}
		for i, id := range missing {
			b.ids[id] = fresh[i]
		}
	}
	out := make([]dict.ID, len(old))
	for i, id := range old {
		out[i] = b.ids[id]
	}
	return out, nil
}
