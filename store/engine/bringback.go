package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
)

// What was deleted comes back from a backup into the file that is in use, beside what was published since: its
// published graph with what each log brought and, where nothing was resolved since, the resolver's records and
// their mirror. All of it is one transaction with an entry of the journal, which goes on. The terms get new numbers, since the
// dictionary was emptied; blank nodes keep theirs, which are never given twice, so bringing back twice adds nothing.

// maxBroughtBack is how many triples come back in one transaction, for which other writers have to wait.
const maxBroughtBack = 10_000_000

// BringBack adds what the backup at path holds to the file, with e as the journal's entry (it fills in
// e.Triples and e.Added). records, which may be nil, says how the records of the backup fit. A backup of
// another history, or of more than ten million triples, is a *store.UnfitError.
func (s *Store) BringBack(ctx context.Context, path string, e journal.Entry, records func(from resolver.Store) (resolver.Fit, error)) (out store.BroughtBack, err error) {
	old, err := Open(path, Options{ReadOnly: true, AsIs: true})
	if err != nil {
		return out, fmt.Errorf("opening the backup: %w", err)
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	err = old.View(func(snap *Snapshot) error {
		late, err := readLate(snap.bolt)
		if err != nil {
			return err
		}
		old.lateRecords.add(late) // for records to ask
		var fit resolver.Fit
		if records != nil {
			if fit, err = records(old.Contexts()); err != nil {
				return err
			}
		}
		return s.update(ctx, &write{do: func(tx *Tx, _ int) error {
			b := &bringer{ctx: ctx, tx: tx, old: snap, ids: map[dict.ID]dict.ID{}}
			if err := b.admit(); err != nil {
				return err
			}
			if err := b.leaveOut(fit.Stale); err != nil {
				return err
			}
			if out, err = b.graphs(fit.Whole); err != nil {
				return err
			}
			if fit.Whole {
				if err := b.records(late); err != nil {
					return err
				}
			}
			if err := tx.applyAlone(newDelta([]resolver.Change{fit.Change})); err != nil {
				return err
			}
			out.Contexts, out.Kept = fit.Whole, fit.Kept
			e.Triples, e.Added = int(out.Triples), int(out.Added)
			return tx.journal(e)
		}})
	})
	if err != nil {
		return out, fmt.Errorf("bringing a backup back: %w", err)
	}
	return out, nil
}

// bringer carries triples from a moment of another file into a transaction.
type bringer struct {
	ctx context.Context
	tx  *Tx
	old *Snapshot
	ids map[dict.ID]dict.ID  // of the old file's terms
	out map[index.Tuple]bool // triples of the published graph that stay away, as the new file numbers them
}

// admit refuses what can't come back.
func (b *bringer) admit() error {
	if !journal.Holds(b.tx.KV(), journal.HeadOf(b.old.KV())) {
		return &store.UnfitError{Detail: "the backup is not of an earlier moment of this file"}
	}
	if n := b.old.view(defaultGraph).count(0); n > maxBroughtBack {
		return &store.UnfitError{Detail: fmt.Sprintf("it has %d triples, and at most %d come back while the service runs; stop it, and run segraph restore", n, maxBroughtBack)}
	}
	return nil
}

// leaveOut keeps quads of the published graph from coming back.
func (b *bringer) leaveOut(quads []rdf.Quad) error {
	var d store.Document
	for _, q := range quads {
		d.Add(q)
	}
	ids := make([]dict.ID, len(d.Terms))
	if err := b.tx.dict.IDs(d.Terms, ids); err != nil {
		return err
	}
	b.out = map[index.Tuple]bool{}
	for _, q := range d.Quads {
		b.out[SPO.Tuple(ids[q[0]], ids[q[1]], ids[q[2]])] = true
	}
	return nil
}

// graphs brings the published graph back, and with whole the graph of contexts too.
func (b *bringer) graphs(whole bool) (out store.BroughtBack, err error) {
	prefixes, err := readPrefixes(b.old.bolt)
	if err == nil {
		err = b.tx.addPrefixes(prefixes)
	}
	if err == nil {
		out.Triples, out.Added, err = b.graph(defaultGraph, defaultGraph)
	}
	from, known, unread := b.old.ID(contextsGraph)
	if err = errors.Join(err, unread); err != nil || !whole || !known {
		return out, err
	}
	to, err := b.convert([]dict.ID{from})
	if err == nil {
		_, _, err = b.graph(from, to[0])
	}
	return out, err
}

// broughtAtOnce is how many triples are converted and stored at once.
const broughtAtOnce = 100_000

// graph brings a graph back, and what each log brought to it.
func (b *bringer) graph(from, to dict.ID) (triples, added int64, err error) {
	scan := b.old.Match(0, 0, 0, from)
	var some []index.Tuple
	for more := true; more; {
		tuples := scan.Next()
		for _, t := range tuples {
			some = append(some, SPO.Tuple(scan.Order.Triple(t)))
		}
		if more = len(tuples) > 0; more && len(some) < broughtAtOnce {
			continue
		}
		if err := errors.Join(scan.Err(), b.ctx.Err()); err != nil {
			return 0, 0, err
		}
		fresh, err := b.tuples(some)
		if err != nil {
			return 0, 0, err
		}
		if from == defaultGraph {
			fresh = slices.DeleteFunc(fresh, func(t index.Tuple) bool { return b.out[t] })
		}
		count := []int{0}
		owners := make([]owned, len(fresh))
		for i, t := range fresh {
			owners[i].Tuple = t
		}
		if err := b.tx.addTo(to, owners, count, make([][]brought, 1)); err != nil {
			return 0, 0, err
		}
		triples, added, some = triples+int64(len(fresh)), added+int64(count[0]), some[:0]
	}
	return triples, added, b.logs(from, to)
}

// logs brings back what each log brought to a graph. Those that came since have numbers of their own.
func (b *bringer) logs(from, to dict.ID) error {
	v := b.old.view(from)
	if v.logs == nil {
		return nil
	}
	g, err := b.tx.graph(to)
	if err != nil {
		return err
	}
	if from == defaultGraph {
		if err := b.heirs(); err != nil {
			return err
		}
	}
	pieces := map[uint64]uint64{}
	return v.logs.ForEach(func(key, value []byte) error {
		if g.logs.Get(key) != nil {
			return b.ctx.Err() // it is back already
		}
		return b.log(g, v, key, value, pieces)
	})
}

// heirs brings back what logs came by as others were taken back.
func (b *bringer) heirs() error {
	from := b.old.bolt.Bucket(graphsName).Bucket(idKey(defaultGraph)).Bucket(heirsName)
	if from == nil {
		return nil
	}
	to, err := b.tx.heirs()
	if err != nil {
		return err
	}
	return from.ForEach(func(key, value []byte) error { return to.Put(key, slices.Clone(value)) })
}

// log brings one list back. pieces has the numbers of the pieces that came back before.
func (b *bringer) log(g *graphBuckets, v *view, key, value []byte, pieces map[uint64]uint64) error {
	var own []index.Tuple
	var err error
	parts, err := listPieces(value)
	if err != nil {
		return err
	}
	known := func(piece uint64) bool { _, ok := pieces[piece]; return ok }
	err = list(v.pieces, key, value, known, func(run []index.Tuple, piece uint64) error {
		fresh, err := b.tuples(run)
		if err != nil || piece == 0 {
			own = fresh
			return err
		}
		pieces[piece], err = g.keepPiece(index.Pack(fresh))
		return err
	})
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		return g.keepList(key, append([]byte{listed}, index.Pack(own)...))
	}
	for i, p := range parts {
		parts[i] = pieces[p]
	}
	return g.keepPieces(key, parts)
}

// tuples gives triples of the old file as the new one numbers them, in the order of the SPO index.
func (b *bringer) tuples(ts []index.Tuple) ([]index.Tuple, error) {
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
		out[i] = SPO.Tuple(ids[3*i], ids[3*i+1], ids[3*i+2])
	}
	slices.SortFunc(out, index.Compare)
	return out, nil
}

// convert gives the new ids of old ones.
func (b *bringer) convert(old []dict.ID) ([]dict.ID, error) {
	var missing []dict.ID
	for _, id := range old {
		if _, ok := b.ids[id]; ok {
			continue
		}
		b.ids[id] = id
		if !id.IsBlank() {
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
		if err := b.tx.dict.IDs(terms, fresh); err != nil {
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

// records brings the resolver's records back where there are none, and settles what was late in the
// backup, which may have been left amid that.
func (b *bringer) records(late []*delta) error {
	if there := b.tx.bolt.Bucket(recordsName); there != nil {
		for _, d := range late {
			d.records = slices.DeleteFunc(d.records, func(r resolver.Record) bool { return there.Get(r.Key) != nil })
		}
	}
	if err := b.settledRecords(); err != nil {
		return err
	}
	return b.tx.settleLate(late)
}

// settledRecords brings back those that were not late.
func (b *bringer) settledRecords() error {
	from := b.old.bolt.Bucket(recordsName)
	if from == nil {
		return nil
	}
	to, err := b.tx.bolt.CreateBucketIfNotExists(recordsName)
	if err != nil {
		return fmt.Errorf("opening the resolver's records: %w", err)
	}
	return from.ForEach(func(key, sealed []byte) error {
		if _, err := kv.Unseal(key, sealed); err != nil || to.Get(key) != nil {
			return err
		}
		if err := to.Put(slices.Clone(key), slices.Clone(sealed)); err != nil {
			return fmt.Errorf("writing the resolver's records: %w", err)
		}
		return nil
	})
}
