package resolver

import (
	"context"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// Clear forgets contexts, cases and decisions, and keeps what was learnt of clocks, subjects and robots. Names are
// never given again. The change is given to apply, so that it can be stored in one transaction with
// what else is cleared; a nil apply is the store's own.
func (r *Resolver) Clear(ctx context.Context, apply func(context.Context, Change) error) error {
	if apply == nil {
		apply = func(ctx context.Context, c Change) error { return r.store.Apply(ctx, []Change{c}) }
	}
	return r.alone(ctx, func() error {
		change, err := r.cleared()
		if err != nil {
			return err
		}
		return apply(ctx, change)
	})
}

// alone runs what changes the store behind the memory's back, while nothing waits and nobody asks. The memory is
// read anew then, also after an error: nobody knows what was stored.
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
	err := do()
	r.forget()
	if err != nil {
		return err
	}
	return r.recall()
}

// cleared gives the change that clears all, with the records that stay.
func (r *Resolver) cleared() (Change, error) {
	if err := r.recall(); err != nil {
		return Change{}, err
	}
	t := r.totals
	kept := record.Totals{Salt: t.Salt, Contexts: t.Contexts, Observations: t.Observations, Cases: t.Cases, Decisions: t.Decisions,
		Cleared: t.Contexts, Form: mirror.Form}
	change := Change{Clear: true, Records: []Record{
		{record.TotalsKey(), record.Encode(&kept)}, {record.ScaleKey(), record.Encode(&r.scale)},
	}}
	for _, learnt := range []func() (from, to []byte){record.ClockRange, record.WatchedRange, record.PairRange} {
		from, to := learnt()
		err := r.scan(from, to, func(key, value []byte) bool {
			change.Records = append(change.Records, Record{append([]byte(nil), key...), append([]byte(nil), value...)})
			return true
		})
		if err != nil {
			return Change{}, err
		}
	}
	for _, s := range r.watched {
		change.Add = append(change.Add, mirror.OfSubject(&s)...)
	}
	return change, nil
}

// mirrorWatched mirrors anew what is known of subjects, after the graph has got what it said at another time.
func (r *Resolver) mirrorWatched(ctx context.Context) error {
	var c Change
	for _, s := range r.watched {
		c.Anew = append(c.Anew, mirror.Subject(s.Subject))
		c.Add = append(c.Add, mirror.OfSubject(&s)...)
	}
	if len(c.Anew) == 0 {
		return nil
	}
	return r.store.Apply(ctx, []Change{c})
}

// Regain takes back what a store held before everything was cleared, where nothing was resolved since. apply gets
// what decides that, and is to bring the records of from back, all but those that there are, and then those that it
// is given, in one transaction; whole says that this may be. What was learnt of clocks, subjects and robots stays.
func (r *Resolver) Regain(ctx context.Context, apply func(ctx context.Context, fit func(from Store) (replaced []Record, whole bool, err error)) error) error {
	return r.alone(ctx, func() error {
		if err := r.recall(); err != nil {
			return err
		}
		now := r.totals
		err := apply(ctx, func(from Store) ([]Record, bool, error) {
			value, err := from.Get(record.TotalsKey())
			if err != nil || value == nil {
				return nil, false, err
			}
			then, err := record.Decode[record.Totals](value)
			if err != nil {
				return nil, false, err
			}
			since := record.Totals{Salt: now.Salt, Contexts: then.Contexts, Observations: then.Observations, Cases: then.Cases, Decisions: then.Decisions,
				Cleared: then.Contexts, Form: now.Form}
			return []Record{{record.TotalsKey(), value}}, then.Salt == now.Salt && now == since, nil
		})
		if err != nil {
			return err
		}
		return r.mirrorWatched(ctx)
	})
}
