package resolver

import (
	"context"

	"github.com/segraph/segraph/resolver/record"
)

// Clear forgets contexts, cases and decisions, and keeps what was learnt of clocks. Names are never given
// again. The change is given to apply, so that it can be stored in one transaction with
// what else is cleared; a nil apply is the store's own.
func (r *Resolver) Clear(ctx context.Context, apply func(context.Context, Change) error) error {
	if apply == nil {
		apply = func(ctx context.Context, c Change) error { return r.store.Apply(ctx, []Change{c}) }
	}
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
	change, err := r.cleared()
	if err != nil {
		return err
	}
	if err := apply(ctx, change); err != nil {
		r.forget() // nobody knows what was stored
		return err
	}
	r.forget()
	return r.recall()
}

// cleared gives the change that clears all, with the records that stay.
func (r *Resolver) cleared() (Change, error) {
	if err := r.recall(); err != nil {
		return Change{}, err
	}
	t := r.totals
	kept := record.Totals{Salt: t.Salt, Contexts: t.Contexts, Observations: t.Observations, Cases: t.Cases, Decisions: t.Decisions,
		Cleared: t.Contexts}
	change := Change{Clear: true, Records: []Record{
		{record.TotalsKey(), record.Encode(&kept)}, {record.ScaleKey(), record.Encode(&r.scale)},
	}}
	from, to := record.ClockRange()
	err := r.scan(from, to, func(key, value []byte) bool {
		change.Records = append(change.Records, Record{append([]byte(nil), key...), append([]byte(nil), value...)})
		return true
	})
	return change, err
}
