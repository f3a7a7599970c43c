package resolver

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/store/log/journal"
)

const (
	// recent is the age, in microseconds, up to which a context is reconciled.
	recent = 24 * 3600 * second
	// slice is how many contexts or cases are processed before other operations get a
	// turn.
	slice = 64
	// unlikely is the probability below which a case is closed.
	unlikely = 0.10
)

// alone waits until nothing else reconciles, removes contexts or clears them. The caller calls end.
func (r *Resolver) alone(ctx context.Context) (end func(), err error) {
	r.waiting.Add(1)
	defer r.waiting.Add(-1)
	select {
	case r.reconciling <- struct{}{}:
		return func() { <-r.reconciling }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Reconcile compares the contexts of the last 24 hours and those that await review again,
// with what was learnt since. It merges contexts that now surely match, updates the
// targets of pending cases, closes cases that have become pointless and opens missing
// ones. It also merges what decisions on relays left because they were cut off. A second
// run changes nothing. It never splits contexts, and never changes a person's decision.
// Every merge gets a journal entry. If a run merges nothing, its first change gets one.
func (r *Resolver) Reconcile(ctx context.Context, e journal.Entry) (*Reconciliation, error) {
	end, err := r.alone(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	begin := r.now()
	run := r.newRun(e)
	if err := run.gather(ctx); err != nil {
		return nil, err
	}
	if err := inUnits(ctx, r, run.contexts, func(u *unit, number uint64) error { return run.joinLate(u, number, "") }); err != nil {
		return nil, err
	}
	for merged := -1; merged != run.out.MergedCount; {
		merged = run.out.MergedCount
		if err := run.mergeRound(ctx); err != nil {
			return nil, err
		}
	}
	if err := inUnits(ctx, run.r, run.pending, run.renew); err != nil {
		return nil, err
	}
	if err := inUnits(ctx, run.r, run.contexts, run.openMissing); err != nil {
		return nil, err
	}
	err = r.reading(func(u *unit) error {
		run.out.PendingCases = int(u.totals.Pending)
		return nil
	})
	if err != nil {
		return nil, err
	}
	run.out.DurationMS = r.now().Sub(begin).Milliseconds()
	return run.out, nil
}

// reconciliation is one run.
type reconciliation struct {
	r        *Resolver
	entry    journal.Entry
	contexts []uint64 // numbers to process, in order
	pending  []uint64 // numbers of cases
	entered  bool     // the journal has an entry of the run
	proposed []proposal
	skipped  map[[2]uint64]bool
	out      *Reconciliation
}

func (r *Resolver) newRun(e journal.Entry) *reconciliation {
	return &reconciliation{r: r, entry: e, skipped: map[[2]uint64]bool{}, out: &Reconciliation{ResolverVersion: Version, Mappings: map[string]string{}}}
}

// proposal is a pair that seems to be one event.
type proposal struct {
	a, b       uint64
	odds, sure float64 // log odds and probability
}

// inUnits calls do with every item, in a unit of work of its own. It releases the lock
// between slices, and waits until all changes are stored.
func inUnits[T any](ctx context.Context, r *Resolver, items []T, do func(*unit, T) error) error {
	for part := range slices.Chunk(items, slice) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.untilStored(func(begin func() *unit) error {
			for _, x := range part {
				if err := do(begin(), x); err != nil {
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

// gather collects the pending cases, and the contexts to compare again: the recent ones, and the sources of those
// cases.
func (run *reconciliation) gather(ctx context.Context) error {
	return run.r.untilStored(func(begin func() *unit) error {
		u := begin()
		from, to := record.PendingRange(0)
		var err error
		if run.pending, err = numbersIn(u, from, to, math.MaxInt, record.Number); err != nil {
			return err
		}
		run.out.ScannedAmbiguous = len(run.pending)
		first, err := u.firstSince(run.r.now().UnixMicro() - recent)
		if err != nil {
			return err
		}
		for _, n := range run.pending {
			k, err := u.caseOf(n)
			if err != nil {
				return err
			}
			if k.Source < first {
				run.contexts = append(run.contexts, k.Source)
			}
		}
		from, to = record.ContextKey(first), record.ContextKey(u.totals.Contexts+1)
		all, err := numbersIn(u, from, to, math.MaxInt, record.Number)
		run.contexts = append(run.contexts, all...)
		return err
	})
}

// firstSince returns, by a binary search, the number from which on contexts were created since a time. If the clock was set
// back, so that they are not in order, some that follow may be older. It searches none before the last Clear, because these do
// not exist.
func (u *unit) firstSince(at int64) (uint64, error) {
	low, high := u.totals.Cleared+1, u.totals.Contexts+1
	for low < high {
		middle := low + (high-low)/2
		next := high // the first context from middle on; there are gaps
		older := false
		if err := readUntil(u, record.ContextKey(middle), record.ContextKey(high), func(x *record.Context) bool {
			next, older = x.Number, x.Created < at
			return false
		}); err != nil {
			return 0, err
		}
		if older {
			low = next + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// mergeRound proposes pairs and merges them, surest first. A merge may make others sure, so rounds follow until none
// merges.
func (run *reconciliation) mergeRound(ctx context.Context) error {
	run.proposed = nil
	scanned := run.out.ScannedContexts
	run.out.ScannedContexts = 0
	if err := inUnits(ctx, run.r, run.contexts, run.propose); err != nil {
		return err
	}
	run.out.ScannedContexts = max(scanned, run.out.ScannedContexts) // all rounds scan the same
	slices.SortFunc(run.proposed, func(a, b proposal) int {
		return cmp.Or(cmp.Compare(b.odds, a.odds), cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
	})
	return inUnits(ctx, run.r, run.proposed, run.mergeCertain)
}

// propose records the context that is surely the same event as another one.
func (run *reconciliation) propose(u *unit, number uint64) error {
	s, err := u.context(number)
	if err != nil || s.Into != 0 {
		return err
	}
	run.out.ScannedContexts++
	best, p, err := run.certainMatch(u, s)
	if err == nil && best != nil {
		p.a, p.b = number, best.Number
		run.proposed = append(run.proposed, p)
	}
	return err
}

// certainMatch returns the context that is surely the same event as s, among its competing candidates, or nil, and
// how sure that is. Unlike when an observation arrives, a clear match needs the full probability, too.
func (run *reconciliation) certainMatch(u *unit, s *shared) (match *shared, how proposal, err error) {
	candidates, err := run.neighbours(u, s)
	if err != nil {
		return nil, how, err
	}
	rules := u.known.rules
	rules.ClearMatch = rules.Match
	d, err := u.weigh(s.side(u.policy.window()), candidates, rules, weigh.Decide)
	if err != nil || d.Outcome != weigh.Matched {
		return nil, how, err
	}
	return candidates[d.Best].shared, proposal{odds: candidates[d.Best].Sum(), sure: d.Match}, nil
}

// neighbours returns the candidates of a context, and marks those that a person decided
// to keep separate from it.
func (run *reconciliation) neighbours(u *unit, s *shared) ([]candidate, error) {
	candidates, err := u.candidates(s.side(u.policy.window()), s.Number)
	if err != nil || len(s.Separations) == 0 {
		return candidates, err
	}
	for i, c := range candidates {
		apart, err := u.separations(s, c.shared)
		if err != nil {
			return nil, err
		}
		if len(apart) > 0 {
			candidates[i].KeptSeparate = true
			if pair := [2]uint64{min(s.Number, c.Number), max(s.Number, c.Number)}; !run.skipped[pair] {
				run.skipped[pair] = true
				run.out.SkippedRejectedPairs++
			}
		}
	}
	return candidates, nil
}

// mergeCertain merges a pair if each is still the sure match of the other.
func (run *reconciliation) mergeCertain(u *unit, p proposal) error {
	a, err := u.root(p.a)
	if err != nil {
		return err
	}
	b, err := u.root(p.b)
	if err != nil || a.Number == b.Number {
		return err
	}
	var how proposal
	for _, pair := range [][2]*shared{{b, a}, {a, b}} {
		var best *shared
		if best, how, err = run.certainMatch(u, pair[0]); err != nil || best == nil || best.Number != pair[1].Number {
			return err
		}
	}
	if a.Number < b.Number { // merge the younger into the older
		a, b = b, a
	}
	closed, err := u.merge(a, b)
	if err != nil {
		return err
	}
	u.totals.AutoMerges++
	n := u.decide(record.Decision{Kind: record.AutoMerge, By: run.entry.Actor, Source: a.Number, Target: b.Number, LogOdds: how.odds, Probability: how.sure,
		Closed: closed})
	e := run.entry
	e.Decision, e.Source, e.Target = u.names().Decision(n), a.URI, b.URI
	u.entry = &e
	return run.merged(u, a, b)
}

// merged enters a unit that merges a into b, and counts the cases that this closes.
func (run *reconciliation) merged(u *unit, a, b *shared) error {
	for _, e := range u.cases.values {
		if e.after.Status != record.Pending {
			run.out.ClosedCases++
		}
	}
	if _, err := run.r.enter(u); err != nil {
		return err
	}
	run.entered = true
	run.out.MergedCount++
	run.out.Mappings[a.URI] = b.URI
	return nil
}

// doubtful weighs a context against older ones, as for a new case. Younger ones are weighed against it in their own turn. Those
// of offered that have no turn in this run count here.
func (run *reconciliation) doubtful(u *unit, s *shared, offered ...uint64) (candidates []candidate, decision weigh.Decision, err error) {
	candidates, err = run.neighbours(u, s)
	if err != nil {
		return nil, weigh.Decision{}, err
	}
	candidates = slices.DeleteFunc(candidates, func(c candidate) bool {
		return c.Number > s.Number && (!slices.Contains(offered, c.Number) || slices.Contains(run.contexts, c.Number))
	})
	decision, err = u.weigh(s.side(u.policy.window()), candidates, u.known.rules, weigh.Review)
	return candidates, decision, err
}

// renew updates the targets of a pending case, or closes it.
func (run *reconciliation) renew(u *unit, number uint64) error {
	k, err := u.caseOf(number)
	if err != nil || k.Status != record.Pending {
		return err
	}
	s, err := u.root(k.Source)
	if err != nil {
		return err
	}
	var offered []uint64
	for _, t := range k.Targets {
		root, err := u.root(t.Context)
		if err != nil {
			return err
		}
		offered = append(offered, root.Number)
	}
	candidates, decision, err := run.doubtful(u, s, offered...)
	if err != nil {
		return err
	}
	after := *k
	after.Any, after.Weighed, after.Targets, after.Reason = decision.Any, u.weighed(), u.targets(candidates, decision), string(decision.Reason)
	if decision.Any < unlikely || len(after.Targets) == 0 {
		if _, err := u.closeCase(number, record.Superseded, 0); err != nil {
			return err
		}
		closed := *u.cases.values[0].after // the only case of this unit
		closed.Decision = u.decide(record.Decision{Kind: record.Supersession, By: run.entry.Actor, Source: s.Number, Case: number, Probability: decision.Any})
		if err := u.setCase(closed); err != nil {
			return err
		}
		run.out.ClosedCases++
		return run.enter(u)
	}
	if sameOffer(k, &after) {
		return nil
	}
	if err := u.setCase(after); err != nil {
		return err
	}
	run.out.UpdatedCases++
	return run.enter(u)
}

// sameOffer reports whether two states of a case are equal for a person, ignoring when
// they were weighed.
func sameOffer(a, b *record.Case) bool {
	before, after := a.Weighed, b.Weighed
	after.At = before.At
	return before.At != 0 && before == after && a.Reason == b.Reason && a.Any == b.Any && slices.EqualFunc(a.Targets, b.Targets, func(a, b record.Target) bool {
		return a.Context == b.Context && a.Probability == b.Probability && a.LogOdds == b.LogOdds && a.Gap == b.Gap && a.Gates == b.Gates && slices.Equal(a.Parts, b.Parts)
	})
}

// openMissing opens a case for a context that needs one and has none.
func (run *reconciliation) openMissing(u *unit, number uint64) error {
	s, err := u.context(number)
	if err != nil || s.Status() != record.Active || u.known.ofRelays(s) {
		return err
	}
	candidates, decision, err := run.doubtful(u, s)
	if err != nil || decision.Any < u.known.rules.Review || len(decision.Targets) == 0 {
		return err
	}
	k := u.open(s.Number, candidates, decision)
	x := s.Context
	x.Doubts = []record.Doubt{{Own: s.Number, Case: k.Number}}
	if err := u.setCase(k); err != nil {
		return err
	}
	if _, err := u.setContext(x); err != nil {
		return err
	}
	u.decide(record.Decision{Kind: record.Doubtful, By: run.entry.Actor, Target: s.Number, Case: k.Number, Probability: decision.Any})
	run.out.OpenedCases++
	return run.enter(u)
}

// enter commits a unit of work that merges nothing. The first unit has the journal's entry of the reconciliation.
func (run *reconciliation) enter(u *unit) error {
	if !run.entered {
		run.entered = true
		u.entry = &run.entry
	}
	_, err := run.r.enter(u)
	return err
}
