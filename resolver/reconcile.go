package resolver

import (
	"cmp"
	"context"
	"slices"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/store/journal"
)

const (
	// recent is how long ago, in microseconds, a context was made that is looked at again.
	recent = 24 * 3600 * second
	// slice is how many contexts or cases are looked at while others wait.
	slice = 64
	// forgotten is the probability below which a case is not worth a person's time any more.
	forgotten = 0.10
)

// Reconcile looks again at the contexts of the last 24 hours and at those that are unresolved, with what was
// learnt since: it merges what is sure now, renews what pending cases offer, closes those that
// have become pointless and opens those that are missing. A second run changes nothing. It never
// splits, and never touches what a person decided. Every merge has an entry in the journal, and the first
// change of a run that merges nothing.
func (r *Resolver) Reconcile(ctx context.Context, e journal.Entry) (*Reconciliation, error) {
	r.reconciling.Lock()
	defer r.reconciling.Unlock()
	begin := r.now()
	run := &reconciliation{Resolver: r, entry: e, skipped: map[[2]uint64]bool{}, out: &Reconciliation{ResolverVersion: Version, Mappings: map[string]string{}}}
	if err := run.gather(ctx); err != nil {
		return nil, err
	}
	for merged := -1; merged != run.out.MergedCount; {
		merged = run.out.MergedCount
		if err := run.mergeRound(ctx); err != nil {
			return nil, err
		}
	}
	if err := run.each(ctx, run.pending, run.renew); err != nil {
		return nil, err
	}
	if err := run.each(ctx, run.contexts, run.openMissing); err != nil {
		return nil, err
	}
	r.mu.Lock()
	run.out.PendingCases = int(r.totals.Pending)
	r.mu.Unlock()
	run.out.DurationMS = r.now().Sub(begin).Milliseconds()
	return run.out, nil
}

// reconciliation is one run.
type reconciliation struct {
	*Resolver
	entry    journal.Entry
	contexts []uint64 // to look at, in order
	pending  []uint64 // cases
	entered  bool     // the journal has an entry
	proposed []proposal
	skipped  map[[2]uint64]bool
	out      *Reconciliation
}

// proposal is a pair that seems to be one event.
type proposal struct {
	a, b uint64
	odds float64
}

// each calls do for every number, in slices between which others get their turn, and waits until what
// was changed is stored.
func (run *reconciliation) each(ctx context.Context, numbers []uint64, do func(number uint64) error) error {
	for part := range slices.Chunk(numbers, slice) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := run.flushed(ctx, func() error {
			for _, n := range part {
				if err := do(n); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// flushed runs do under the lock and returns when all that was decided is stored.
func (r *Resolver) flushed(ctx context.Context, do func() error) error {
	r.mu.Lock()
	err := r.recall()
	if err == nil {
		err = do()
	}
	var last *commit
	if len(r.waiting) > 0 {
		last = r.waiting[len(r.waiting)-1]
	}
	r.mu.Unlock()
	if last != nil {
		if stored := r.await(ctx, last); err == nil {
			err = stored
		}
	}
	return err
}

// gather finds what to look at.
func (run *reconciliation) gather(ctx context.Context) error {
	return run.flushed(ctx, func() error {
		from, to := record.PendingRange(0)
		if err := run.scan(from, to, func(key, _ []byte) bool {
			run.pending = append(run.pending, record.Number(key))
			return true
		}); err != nil {
			return err
		}
		run.out.ScannedAmbiguous = len(run.pending)
		first, err := run.firstSince(run.now().UnixMicro() - recent)
		if err != nil {
			return err
		}
		for _, n := range run.pending {
			k, err := run.caseOf(n)
			if err != nil {
				return err
			}
			if k.Source < first {
				run.contexts = append(run.contexts, k.Source)
			}
		}
		for n := first; n <= run.totals.Contexts; n++ {
			run.contexts = append(run.contexts, n)
		}
		return nil
	})
}

// firstSince gives the number of the first context that was made since a time. Those before the last
// Clear are gone.
func (r *Resolver) firstSince(at int64) (uint64, error) {
	low, high := r.totals.Cleared+1, r.totals.Contexts+1
	for low < high {
		middle := low + (high-low)/2
		s, err := r.context(middle)
		if err != nil {
			return 0, err
		}
		if s.Created < at {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// mergeRound proposes pairs and merges them, the surest first.
func (run *reconciliation) mergeRound(ctx context.Context) error {
	run.proposed = nil
	scanned := run.out.ScannedContexts
	run.out.ScannedContexts = 0
	if err := run.each(ctx, run.contexts, run.propose); err != nil {
		return err
	}
	run.out.ScannedContexts = max(scanned, run.out.ScannedContexts)
	slices.SortFunc(run.proposed, func(a, b proposal) int {
		return cmp.Or(cmp.Compare(b.odds, a.odds), cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
	})
	for part := range slices.Chunk(run.proposed, slice) {
		if err := run.flushed(ctx, func() error {
			for _, p := range part {
				if err := run.mergeSure(p); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// propose notes the context that one surely is the same event with.
func (run *reconciliation) propose(number uint64) error {
	s, err := run.context(number)
	if err != nil || s.Into != 0 {
		return err
	}
	run.out.ScannedContexts++
	best, odds, err := run.sure(s)
	if err == nil && best != nil {
		run.proposed = append(run.proposed, proposal{number, best.Number, odds})
	}
	return err
}

// sure gives the context that s surely is the same event with, by what competes for s.
func (run *reconciliation) sure(s *shared) (*shared, float64, error) {
	candidates, err := run.neighbours(s)
	if err != nil {
		return nil, 0, err
	}
	rules := run.rules
	rules.ClearMatch = rules.Match
	d, err := run.weigh(candidates, rules, run.window(), weigh.Decide)
	if err != nil || d.Outcome != weigh.Matched {
		return nil, 0, err
	}
	return candidates[d.Best].shared, candidates[d.Best].Sum(), nil
}

// neighbours gives the candidates of a context, with those that a person has kept apart from it marked.
func (run *reconciliation) neighbours(s *shared) ([]candidate, error) {
	candidates, err := run.candidates(s.side(run.window()), s.Number)
	if err != nil || len(s.Apart) == 0 {
		return candidates, err
	}
	for i, c := range candidates {
		apart, err := apartOf(run.context, s, c.shared)
		if err != nil {
			return nil, err
		}
		if len(apart) > 0 {
			candidates[i].KeptApart = true
			if pair := [2]uint64{min(s.Number, c.Number), max(s.Number, c.Number)}; !run.skipped[pair] {
				run.skipped[pair] = true
				run.out.SkippedRejectedPairs++
			}
		}
	}
	return candidates, nil
}

// mergeSure merges a pair if each is still what the other surely is.
func (run *reconciliation) mergeSure(p proposal) error {
	a, err := run.root(p.a)
	if err != nil {
		return err
	}
	b, err := run.root(p.b)
	if err != nil || a.Number == b.Number {
		return err
	}
	for _, pair := range [][2]*shared{{a, b}, {b, a}} {
		best, _, err := run.sure(pair[0])
		if err != nil || best == nil || best.Number != pair[1].Number {
			return err
		}
	}
	if a.Number < b.Number {
		a, b = b, a
	}
	d := run.draft()
	_, closed, err := d.merge(a, b)
	if err != nil {
		return err
	}
	d.totals.AutoMerges++
	n := d.decide(record.Decision{Kind: record.AutoMerge, By: run.entry.Actor, Source: a.Number, Target: b.Number, LogOdds: p.odds, Closed: closed})
	e := run.entry
	e.Decision, e.Source, e.Target = d.names().Decision(n), a.URI, b.URI
	d.entry, run.entered = &e, true
	if _, err := d.enter(); err != nil {
		return err
	}
	run.out.MergedCount++
	run.out.ClosedCases += len(closed)
	run.out.Mappings[a.URI] = b.URI
	return nil
}

// doubtful weighs a context against those made before it, as a new case of it would.
func (run *reconciliation) doubtful(s *shared) ([]candidate, weigh.Decision, error) {
	candidates, err := run.neighbours(s)
	if err != nil {
		return nil, weigh.Decision{}, err
	}
	candidates = slices.DeleteFunc(candidates, func(c candidate) bool { return c.Number > s.Number })
	decision, err := run.weigh(candidates, run.rules, run.window(), weigh.Review)
	return candidates, decision, err
}

// renew writes anew what a pending case offers, or closes it.
func (run *reconciliation) renew(number uint64) error {
	d := run.draft()
	k, err := d.caseOf(number)
	if err != nil || k.Status != record.Pending {
		return err
	}
	s, err := d.root(k.Source)
	if err != nil {
		return err
	}
	candidates, decision, err := run.doubtful(s)
	if err != nil {
		return err
	}
	after := *k
	after.Any, after.Weighed, after.Targets, after.Reason = decision.Any, d.weighed(), run.targets(candidates, decision), string(reasons[decision.Reason])
	if decision.Any < forgotten || len(after.Targets) == 0 {
		if _, err := d.settle(number, record.Superseded, 0); err != nil {
			return err
		}
		closed := *d.cases[0].after
		closed.Decision = d.decide(record.Decision{Kind: record.Supersession, By: run.entry.Actor, Source: s.Number, Case: number, Probability: decision.Any})
		if err := d.setCase(closed); err != nil {
			return err
		}
		run.out.ClosedCases++
		return run.enter(d)
	}
	if sameOffer(k, &after) {
		return nil
	}
	if err := d.setCase(after); err != nil {
		return err
	}
	run.out.UpdatedCases++
	return run.enter(d)
}

// sameOffer reports whether two states of a case say the same to a person, but for when they were weighed.
func sameOffer(a, b *record.Case) bool {
	before, after := a.Weighed, b.Weighed
	after.At = before.At
	return before.At != 0 && before == after && a.Reason == b.Reason && a.Any == b.Any && slices.EqualFunc(a.Targets, b.Targets, func(a, b record.Target) bool {
		return a.Context == b.Context && a.Probability == b.Probability && a.LogOdds == b.LogOdds && a.Gap == b.Gap && a.Gates == b.Gates && slices.Equal(a.Parts, b.Parts)
	})
}

// openMissing opens a case for a context that has none and should.
func (run *reconciliation) openMissing(number uint64) error {
	s, err := run.context(number)
	if err != nil || s.Status() != record.Active || run.ofRelays(s) {
		return err
	}
	candidates, decision, err := run.doubtful(s)
	if err != nil || decision.Any < run.rules.Review || len(decision.Targets) == 0 {
		return err
	}
	d := run.draft()
	k := d.open(s.Number, candidates, decision)
	x := s.Context
	x.Doubts = []record.Doubt{{Own: s.Number, Case: k.Number}}
	if err := d.setCase(k); err != nil {
		return err
	}
	if _, err := d.setContext(x); err != nil {
		return err
	}
	d.decide(record.Decision{Kind: record.Doubtful, By: run.entry.Actor, Target: s.Number, Case: k.Number, Probability: decision.Any})
	run.out.OpenedCases++
	return run.enter(d)
}

// enter enters a draft that merges nothing.
func (run *reconciliation) enter(d *draft) error {
	if !run.entered {
		run.entered = true
		d.entry = &run.entry
	}
	_, err := d.enter()
	return err
}

// window is the greatest gap of a candidate, in microseconds, where no request says another.
func (r *Resolver) window() int64 { return int64(2 * r.settings.TimeWindow * second) }
