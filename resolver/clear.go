package resolver

import (
	"context"
	"errors"
	"slices"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

// Clear forgets contexts, cases and decisions, and keeps what was learnt of clocks, subjects and
// robots. It returns how many contexts there were. Names are never given again. apply clears the published graph and stores the
// change in one transaction.
func (r *Resolver) Clear(ctx context.Context, apply func(context.Context, Change) error) (contexts int64, err error) {
	err = r.alone(ctx, func() error {
		change, err := r.cleared()
		if err != nil {
			return err
		}
		contexts = r.totals.Active + r.totals.Ambiguous + r.totals.Merged
		if err := apply(ctx, change); err != nil {
			return err
		}
		return r.reread()
	})
	return contexts, err
}

// ClearPublished clears the published graph alone. Contexts, cases and decisions stay. apply is as in
// Clear.
func (r *Resolver) ClearPublished(ctx context.Context, apply func(context.Context, Change) error) error {
	return r.alone(ctx, func() error {
		totals, change := unpublished(r.totals)
		if err := apply(ctx, change); err != nil {
			return err
		}
		r.totals = totals
		return nil
	})
}

// Unpublished returns the change that goes with clearing the published graph, for a store that no
// Resolver uses.
func Unpublished(store Store) (Change, error) {
	r := &Resolver{store: store}
	totals, err := fetch[record.Totals](r, record.TotalsKey())
	if err != nil || totals == nil {
		return Change{}, err
	}
	_, change := unpublished(*totals)
	return change, nil
}

// unpublished notes which merges the published graph no longer tells, if there are any.
func unpublished(t record.Totals) (record.Totals, Change) {
	if t.AutoMerges+t.ManualMerges == 0 {
		return t, Change{}
	}
	t.Unpublished = t.Decisions
	return t, Change{Records: []Record{{record.TotalsKey(), record.Encode(&t)}}}
}

// alone runs do while nothing waits to be stored and nobody asks. After an error the memory is read again,
// because nobody knows what was stored.
func (r *Resolver) alone(ctx context.Context, do func() error) error {
	r.reconciling.Lock()
	defer r.reconciling.Unlock()
	r.lead <- struct{}{}
	defer func() { <-r.lead }()
	r.mu.Lock()
	for len(r.waiting) > 0 {
		r.mu.Unlock()
		r.storeWaiting(context.WithoutCancel(ctx))
		r.mu.Lock()
	}
	defer r.mu.Unlock()
	err := r.recall()
	if err == nil {
		err = do()
	}
	if err != nil {
		r.forget()
	}
	return err
}

// reread reads the memory again, after the store was changed behind its back.
func (r *Resolver) reread() error {
	r.forget()
	return r.recall()
}

// cleared gives the change that clears all, with the records that stay.
func (r *Resolver) cleared() (Change, error) {
	t := r.totals
	kept := record.Totals{Salt: t.Salt, Contexts: t.Contexts, Observations: t.Observations, Cases: t.Cases, Decisions: t.Decisions,
		Cleared: t.Contexts, Form: mirror.Form, Names: t.Names}
	change := Change{Clear: true, Records: []Record{
		{record.TotalsKey(), record.Encode(&kept)}, {record.ScaleKey(), record.Encode(&r.scale)},
	}}
	for _, learnt := range []func() (from, to []byte){record.SeriesRange, record.ClockRange, record.WatchedRange, record.PairRange} {
		from, to := learnt()
		err := r.scan(from, to, func(key, value []byte) bool {
			change.Records = append(change.Records, Record{append([]byte(nil), key...), append([]byte(nil), value...)})
			return true
		})
		if err != nil {
			return Change{}, err
		}
	}
	_, change.Add = r.mirrorLearnt()
	if err := r.everyClock(func(c record.Clock) { change.Add = append(change.Add, mirror.OfClock(&c)...) }); err != nil {
		return Change{}, err
	}
	return change, nil
}

// Fit says how a backup fits what the store has now.
type Fit struct {
	// Whole says that contexts were cleared after the backup was made, and nothing was resolved since. Then
	// the backup's records come back, except where the store has a record under the same key.
	Whole bool
	// Kept says that contexts were not cleared since the backup was made. They stay as they are.
	Kept bool
	// Stale are the quads by which the backup's published graph tells of merges that were undone since.
	// They do not come back.
	Stale []rdf.Quad
	// Change is applied once the rest is back.
	Change Change
}

// Regain brings back what a backup holds. apply calls fit with the backup's records, and brings back what
// the Fit says, with the published graph, in one transaction. What was learnt of clocks, subjects and robots
// stays.
func (r *Resolver) Regain(ctx context.Context, apply func(ctx context.Context, fit func(from Store) (Fit, error)) error) error {
	return r.alone(ctx, func() error {
		if err := apply(ctx, r.fit); err != nil {
			return err
		}
		return r.reread()
	})
}

// fit compares a backup's records with what is remembered.
func (r *Resolver) fit(from Store) (out Fit, err error) {
	value, err := from.Get(record.TotalsKey())
	if err != nil {
		return out, err
	}
	now, then := r.totals, &record.Totals{}
	if value != nil {
		if then, err = record.Decode[record.Totals](value); err != nil {
			return out, err
		}
		since := record.Totals{Salt: then.Salt, Contexts: then.Contexts, Observations: then.Observations, Cases: then.Cases, Decisions: then.Decisions,
			Cleared: then.Contexts, Form: now.Form, Names: then.Names}
		if now == since {
			out = Fit{Whole: true, Change: Change{Records: []Record{{record.TotalsKey(), value}}}}
			out.Change.Anew, out.Change.Add = r.mirrorLearnt() // which is known better now than in the backup
			return out, nil
		}
	}
	out.Kept = now.Cleared == then.Cleared
	out.Change, out.Stale, err = r.republished()
	return out, err
}

// republished returns the change after which the published graph tells of every merge that stands, and
// the quads of those that do not.
func (r *Resolver) republished() (change Change, stale []rdf.Quad, err error) {
	var all []*record.Decision
	var broken error
	from, to := record.DecisionRange()
	err = r.scan(from, to, func(_, value []byte) bool {
		var d *record.Decision
		if d, broken = record.Decode[record.Decision](value); broken == nil && mirror.IsMerge(d) {
			all = append(all, d)
		}
		return broken == nil
	})
	if err = errors.Join(err, broken); err != nil || len(all) == 0 {
		return Change{}, nil, err
	}
	t := r.totals
	t.Unpublished = 0
	names := namesOf(&t, r.series, r.context, &broken)
	change.Records = []Record{{record.TotalsKey(), record.Encode(&t)}}
	standing := map[rdf.Quad]bool{}
	for _, d := range all {
		for _, q := range names.Published(d) {
			standing[q] = true
			change.Add = append(change.Add, q)
		}
	}
	for _, d := range all {
		if d.Undone != 0 {
			d.Undone = 0 // as it was when it was published
			stale = append(stale, names.Published(d)...)
		}
	}
	stale = slices.DeleteFunc(stale, func(q rdf.Quad) bool { return standing[q] }) // of what was merged again
	return change, stale, broken
}
