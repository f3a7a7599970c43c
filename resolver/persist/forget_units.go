package persist

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/retries"
)

// unitTime is about how long a unit of work of an erasure may take: other writers wait for it.
const unitTime = 2 * time.Millisecond

// inUnits runs do in units of work until nothing is left, with so many things at once that it takes about unitTime. do
// may run twice for a unit. It returns what to call once the unit is submitted.
func (x *erasing) inUnits(ctx context.Context, left func() int, do func(tx *engine.Tx, n int) (done func(), err error)) error {
	for size := 4; left() > 0; {
		var begin time.Time
		var done func()
		n := min(size, left())
		t, err := x.store.SubmitAfter(ctx, x.ticket, true, func(tx *engine.Tx) (err error) {
			begin = time.Now()
			done, err = do(tx, n)
			return err
		})
		if err != nil {
			return err
		}
		done()
		if x.store.eachUnit != nil {
			x.store.eachUnit()
		}
		if x.ticket = t; time.Since(begin) > unitTime/2 {
			size = max(1, n/2)
		} else {
			size = 2 * n
		}
	}
	return nil
}

// erase takes out what was found, and changes, which are of the resolver's records. The error is provenance.ErrAgain if contexts
// lose observations that the erasure did not find, unless it is the last try, or if others changed what it found before
// it began.
func (x *erasing) erase(ctx context.Context, changes []resolver.Change, f resolver.Forgotten, last bool, e *journal.Entry, also func(tx *engine.Tx) error) error {
	for uri := range f.URIs {
		if x.of.URIs[uri] {
			continue
		}
		if !last {
			return provenance.ErrAgain
		}
		if err := x.lookBeside(ctx, true); err != nil {
			return err
		}
	}
	if err := x.prepare(ctx); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	defer x.store.Together()()
	err := x.inUnits(ctx, func() int { return len(changes) }, func(tx *engine.Tx, n int) (func(), error) {
		for i := range changes[:n] {
			if err := apply(tx, &changes[i]); err != nil {
				return nil, err
			}
		}
		return func() { changes = changes[n:] }, nil
	})
	x.done.Observations, x.done.Contexts = x.done.Observations+f.Observations, x.done.Contexts+f.Contexts
	if err == nil {
		err = x.entries(ctx)
	}
	if err == nil {
		err = x.removeTexts(ctx)
	}
	for _, g := range x.graphs { // after the entries, of which the lists of their logs tell
		left := g.Left() // more may come as fast as these go
		if err == nil {
			err = x.inUnits(ctx, func() int { return left }, func(tx *engine.Tx, n int) (func(), error) {
				done, err := x.triples(tx, g, n)
				return func() { left -= n; done() }, err
			})
		}
	}
	if err == nil {
		err = x.finish(ctx, e, also)
	}
	return err
}

// prepare reads the lists that are newer than the look, and sees that no id that it found was collected since, because
// nothing used it.
func (x *erasing) prepare(ctx context.Context) error {
	ids := make([]dict.ID, len(x.terms))
	if err := x.store.Update(ctx, func(tx *engine.Tx) error { return tx.IDs(x.terms, ids) }); err != nil {
		return err
	}
	if !slices.Equal(ids, x.termIDs) {
		return provenance.ErrAgain
	}
	return x.store.View(func(snap *engine.Snapshot) (err error) {
		for _, g := range x.graphs {
			if x.snap = snap; err == nil {
				err = g.Advance(snap.KV())
			}
		}
		return err
	})
}

// removeTexts removes notes and kept answers.
func (x *erasing) removeTexts(ctx context.Context) error {
	return x.inUnits(ctx, func() int { return len(x.notes) + len(x.answers) }, func(tx *engine.Tx, n int) (func(), error) {
		some, answers := x.notes[:min(n, len(x.notes))], x.answers[:min(n, len(x.answers))]
		removed, err := notes.Forget(tx, some, x.list.In)
		if err != nil {
			return nil, err
		}
		dropped, err := retries.Forget(tx.KV(), answers)
		return func() {
			x.notes, x.answers = x.notes[len(some):], x.answers[len(answers):]
			x.done.Notes, x.done.Answers = x.done.Notes+removed, x.done.Answers+dropped
		}, err
	})
}

// triples takes triples out of a graph and of at most n lists, and of the entries of logs that state some again.
func (x *erasing) triples(tx *engine.Tx, g *erasingGraph, n int) (done func(), err error) {
	x.snap = tx.Snapshot()
	removed, did, err := g.Forget(tx, n)
	if err != nil {
		return nil, err
	}
	seqs, err := x.newer(tx)
	return func() {
		did()
		x.done.Triples, x.seqs = x.done.Triples+removed, append(x.seqs, seqs...)
	}, err
}

// newer takes the person out of the entries since those that entries changed, and returns which.
func (x *erasing) newer(tx *engine.Tx) (seqs []uint64, err error) {
	x.count()
	seqs, err = journal.Named(context.Background(), tx.KV(), x.last.Seq, x.names, x.about)
	if err == nil {
		seqs, err = journal.Forget(tx.KV(), seqs, x.names, x.about)
	}
	return seqs, err
}

// entries takes the person out of journal entries, also those since the look.
func (x *erasing) entries(ctx context.Context) error {
	var newer []uint64
	err := x.store.Unseen(func(snap *engine.Snapshot) (err error) {
		after := x.last.Seq
		x.last = journal.HeadOf(snap.KV())
		newer, err = journal.Named(ctx, snap.KV(), after, x.names, x.about)
		return err
	})
	if err != nil {
		return err
	}
	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(x.named, newer, slices.Collect(maps.Keys(x.logs))))))
	return x.inUnits(ctx, func() int { return len(all) }, func(tx *engine.Tx, n int) (func(), error) {
		seqs, err := journal.Forget(tx.KV(), all[:n], x.names, x.about)
		return func() { all, x.seqs = all[n:], append(x.seqs, seqs...) }, err
	})
}

// finish is the last unit of work: it takes out what came since the others, and enters the erasure.
func (x *erasing) finish(ctx context.Context, e *journal.Entry, also func(tx *engine.Tx) error) error {
	var done []func()
	last, err := x.store.SubmitAfter(ctx, x.ticket, false, func(tx *engine.Tx) error {
		done = nil
		x.out, x.snap = x.done, tx.Snapshot()
		for _, g := range x.graphs {
			removed, did, err := g.Forget(tx, math.MaxInt)
			if err != nil {
				return err
			}
			x.out.Triples, done = x.out.Triples+removed, append(done, did)
		}
		seqs, err := x.newer(tx)
		if err != nil {
			return err
		}
		if err := cmp.Or(tx.ForgetPrefixes(x.names), tx.WantCollection(), forgotten.SetApplied(tx, x.store.Forgotten.Len())); err != nil {
			return err
		}
		seqs = slices.Concat(x.seqs, seqs)
		slices.Sort(seqs)
		seqs = slices.Compact(seqs)
		x.out.Terms, x.out.Logs, x.out.Entries = len(x.ids), len(x.logs), len(seqs)
		e := *e
		e.Removed, e.Lessened = int64(x.out.Triples), journal.Indexes(seqs)
		if err := tx.Journal(e); err != nil || also == nil {
			return err
		}
		return also(tx)
	})
	if err == nil {
		for _, f := range done {
			f()
		}
		err = last.Wait()
	}
	return err
}
