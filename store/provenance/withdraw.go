package provenance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
)

// Gone is what a unit of work withdrew of a log: all of it, or one of its parts.
type Gone struct {
	LogID string
	Seq   uint64 // number of its entry
	Entry journal.Entry
	store.Withdrawn
	Triples map[dict.ID][]index.Tuple // that it contributed, by graph
}

// Withdrawal says how WithdrawAll withdraws.
type Withdrawal struct {
	// Unit is how many entries of logs a unit of work withdraws at most; 0 means usualUnit. A log
	// of several parts takes several units if its parts are large.
	Unit int
	// Patient, unless nil, makes WithdrawAll rest about a hundred times as long as it works, while others write and none of them
	// needs Alone, but only as long as the entries that are left can then all go in time.
	Patient *Patience
	// Enter is called at the end of each unit of work, before it is stored. It may be called
	// twice for the same unit.
	Enter func(tx *engine.Tx, gone []Gone) error
	// Done, unless nil, is called once a unit is on the disk.
	Done func(gone []Gone)
	// Refused is called for each log that can't be withdrawn, with store.ErrNoLog,
	// store.ErrNotKept or a *store.UnfitError. If it returns an error, WithdrawAll ends.
	Refused func(logID string, err error) error
}

const (
	usualUnit = 20
	// unitTime is about how long a unit may take: other writers wait for it.
	unitTime = 3 * time.Millisecond
	// unitTriples and passTriples are about how many triples a unit withdraws, and for how
	// many one pass looks for other logs: fewer with less memory, of which each triple takes passRoom bytes.
	unitTriples = 4096
	passTriples = 1 << 18
	passRoom    = 96
)

// Withdraw withdraws one log like WithdrawLogs, and returns its error. e is the journal's entry.
func (p *Provenance) Withdraw(ctx context.Context, logID string, e journal.Entry) (out store.Withdrawn, err error) {
	var refused error
	err = p.WithdrawLogs(ctx, []string{logID}, e, func(l store.WithdrawnLog) {
		refused = cmp.Or(refused, l.Refused)
		out.Removed, out.Stayed, out.Contexts = out.Removed+l.Removed, out.Stayed+l.Stayed, append(out.Contexts, l.Contexts...)
	})
	if err = cmp.Or(err, refused); err != nil {
		return store.Withdrawn{}, fmt.Errorf("withdrawing a log: %w", err)
	}
	return out, nil
}

// WithdrawLogs withdraws logs with WithdrawAll. Each has a copy of e as the journal's entry, with
// Removed and Withdrawn set; a log of several parts has one for each. each is called once a log, or
// a part of one, is withdrawn and on the disk, and for each log that is refused.
func (p *Provenance) WithdrawLogs(ctx context.Context, logIDs []string, e journal.Entry, each func(store.WithdrawnLog)) error {
	return p.WithdrawAll(ctx, logIDs, Withdrawal{
		Enter: func(tx *engine.Tx, gone []Gone) error { return p.enter(tx, gone, len(logIDs), e) },
		Done: func(gone []Gone) {
			for _, g := range gone {
				each(store.WithdrawnLog{LogID: g.LogID, Withdrawn: g.Withdrawn})
			}
		},
		Refused: func(id string, err error) error {
			each(store.WithdrawnLog{LogID: id, Refused: err})
			return nil
		},
	})
}

// enter appends the journal's entries of what a unit of work withdrew of some logs.
func (p *Provenance) enter(tx *engine.Tx, gone []Gone, logs int, e journal.Entry) error {
	if p.withdrawn != nil {
		if err := p.withdrawn(tx, gone); err != nil {
			return err
		}
	}
	for i, g := range gone {
		e := e
		if logs > 1 || i < len(gone)-1 {
			e.LogID, e.Retry = "", nil
		}
		if g.Entry.Part != 0 { // the answer is known only after the other parts
			e.Retry = nil
		}
		if err := e.Retry.Keep(g.Withdrawn); err != nil {
			return err
		}
		e.Removed, e.Withdrawn = int64(g.Removed), g.LogID
		if err := tx.Journal(e); err != nil {
			return err
		}
	}
	return nil
}

// Preview returns what WithdrawAll would remove. If it needs several passes, it may count a
// triple that logs of two passes share as one that stays.
func (p *Provenance) Preview(ctx context.Context, logIDs []string) (out store.Withdrawn, err error) {
	chosen, err := p.choose(ctx, logIDs, func(string, error) error { return nil })
	for err == nil && len(chosen) > 0 {
		n := p.passOf(chosen)
		r := newRun(p, nil, chosen[:n])
		err = p.store.View(func(snap *engine.Snapshot) error {
			if err := r.pass(ctx, snap, nil); err != nil || p.named == nil {
				return err
			}
			triples := map[dict.ID][]index.Tuple{}
			for _, h := range r.graphs {
				triples[h.graph] = slices.Collect(maps.Keys(h.at))
			}
			named, err := p.named(snap, triples)
			out.Contexts = append(out.Contexts, named...)
			return err
		})
		going := map[uint64]bool{}
		for _, c := range chosen[:n] {
			going[c.Seq] = true
		}
		for _, h := range r.graphs {
			for i := range h.by {
				_, next := h.by[i].without(going)
				gone := 0
				if next == 0 {
					gone = 1
				}
				out.Removed, out.Stayed = out.Removed+gone, out.Stayed+len(h.by[i].chosen)-gone
			}
		}
		chosen = chosen[n:]
	}
	return out, err
}

// WithdrawAll removes, for each of some logs, the triples that only it contributed, from all graphs, and its address,
// request id and content from the journal. It begins with the newest log, and takes a few in each unit of work. A
// triple of several of the logs goes with the oldest. Triples that were written without a list look like a log's own,
// so a log whose number of new triples does not match the lists is refused.
//
// For as many triples at a time as Options.Lookup allows, passTriples at most, it reads the lists of all logs once, in a read snapshot. Each unit then reads
// only lists that were written since. The second of two withdrawals of few triples within lookupSoon makes a lookup
// instead, which later ones use. After an error, the units for which Done was called stay withdrawn.
func (p *Provenance) WithdrawAll(ctx context.Context, logIDs []string, w Withdrawal) error {
	w.Unit = cmp.Or(w.Unit, usualUnit)
	chosen, err := p.choose(ctx, logIDs, w.Refused)
	for err == nil && len(chosen) > 0 {
		n := p.passOf(chosen)
		err = p.Alone(ctx, func() error { return p.withdrawSome(ctx, chosen[:n:n], &w) }) // what another removes would not be seen
		if errors.Is(err, ErrAgain) {
			left := slices.DeleteFunc(chosen[:n:n], func(c *chosenLog) bool { return c.done })
			chosen, err = append(left, chosen[n:]...), nil
			continue
		}
		chosen = chosen[n:]
	}
	return err
}

// passOf returns how many of the entries one pass takes.
func (p *Provenance) passOf(chosen []*chosenLog) (n int) {
	most := min(p.room/passRoom, passTriples)
	for sum := 0; n < len(chosen) && (n == 0 || int64(sum+chosen[n].Triples) <= most); n++ {
		sum += chosen[n].Triples
	}
	return n
}

// chosenLog is an entry of a log that is to be withdrawn. It has little of the entry, because very many may be chosen at once.
type chosenLog struct {
	LogID   string
	Seq     uint64
	Triples int
	done    bool
}

// choose is like chosen, in a read snapshot of its own.
func (p *Provenance) choose(ctx context.Context, logIDs []string, refused func(string, error) error) ([]*chosenLog, error) {
	return engine.Read(p.store, func(snap *engine.Snapshot) ([]*chosenLog, error) { return p.chosen(ctx, snap, logIDs, refused) })
}

// contributes reports whether an entry has a list in some graph.
func contributes(snap *engine.Snapshot, seq uint64) bool {
	key := number(seq)
	return slices.ContainsFunc(snap.Graphs(), func(g dict.ID) bool { return bucket(snap.KV(), g, logsName).Get(key) != nil })
}

// chosen returns the entries of logs, newest first. It calls refused with those that can't be withdrawn, and why.
func (p *Provenance) chosen(ctx context.Context, snap *engine.Snapshot, logIDs []string, refused func(string, error) error) (out []*chosenLog, err error) {
	have := make(map[string]bool, len(logIDs))
	for _, id := range logIDs {
		if have[id] {
			continue
		}
		have[id] = true
		entries, err := journal.Find(snap.KV(), id, maxLogParts)
		if err == nil {
			err = cmp.Or(ctx.Err(), fitting(entries))
		}
		if isRefusal(err) {
			if err = refused(id, err); err == nil {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		parts := 0
		for _, e := range entries {
			if contributes(snap, e.Seq) {
				out, parts = append(out, &chosenLog{LogID: id, Seq: e.Seq, Triples: e.Triples}), parts+1
			}
		}
		if parts == 0 {
			if err := refused(id, store.ErrNotKept); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(out, func(a, b *chosenLog) int { return cmp.Compare(b.Seq, a.Seq) })
	return out, nil
}

func fitting(entries []journal.Numbered) error {
	switch {
	case len(entries) == 0:
		return store.ErrNoLog
	case entries[0].Action != journal.Insert:
		return &store.UnfitError{Detail: "only a log can be withdrawn"}
	case len(entries) == maxLogParts:
		return &store.UnfitError{Detail: fmt.Sprintf("a log of more than %d parts can't be withdrawn", maxLogParts-1)}
	}
	return nil
}

// isRefusal reports whether an error is about one log.
func isRefusal(err error) bool {
	_, unfit := errors.AsType[*store.UnfitError](err)
	return unfit || errors.Is(err, store.ErrNoLog) || errors.Is(err, store.ErrNotKept)
}

// ErrAgain means that lists changed that a pass over a snapshot has read, so that it must be repeated.
var ErrAgain = errors.New("the lists of logs changed meanwhile")

// maxPending is how many units may wait for the disk together.
const maxPending = 4

// withdrawSome withdraws entries, newest first, with one pass over the lists. It waits for all units of work that it has
// submitted, also if one fails.
func (p *Provenance) withdrawSome(ctx context.Context, chosen []*chosenLog, w *Withdrawal) error {
	r := newRun(p, w, chosen)
	r.units, r.flushed = p.store.Units(), p.store.FlushTime()
	triples := 0
	for _, c := range chosen {
		triples += c.Triples
	}
	err := p.store.View(func(snap *engine.Snapshot) error {
		known, err := p.lookupFor(ctx, snap, triples)
		if err != nil {
			return err
		}
		return r.pass(ctx, snap, known)
	})
	if err != nil {
		return err
	}
	size := 1 // of the next unit
	var pending []func() error
	var wait func() error
	await := func(most int) (err error) {
		for len(pending) > most && err == nil {
			err = pending[0]()
			pending = pending[1:]
		}
		return err
	}
	for len(chosen) > 0 {
		n, sum := 1, chosen[0].Triples // at least one
		for n < min(size, len(chosen)) && sum+chosen[n].Triples <= unitTriples {
			sum += chosen[n].Triples
			n++
		}
		p.store.AwaitDocuments(ctx)
		err := p.store.GiveWay(ctx)
		if err == nil {
			p.store.AwaitUpkeep() // a flush and this together would leave posts no processor
			begin := time.Now()
			wait, err = r.submit(ctx, chosen[:n])
			took := time.Since(begin)
			if size++; took > unitTime {
				size /= 2
			}
			size = min(max(size, 1), w.Unit)
			if w.Patient != nil && err == nil {
				r.rest(ctx, took, n)
			}
		}
		if err != nil {
			return cmp.Or(await(0), err)
		}
		pending, chosen = append(pending, wait), chosen[n:]
		if err := await(maxPending - 1); err != nil {
			return err
		}
	}
	return await(0)
}

// submit withdraws entries in one unit of work. wait returns once that is on the disk, and reports what went and what
// was refused.
func (r *run) submit(ctx context.Context, some []*chosenLog) (wait func() error, err error) {
	done := &unit{}
	ticket, err := r.p.store.Submit(ctx, func(tx *engine.Tx) (err error) {
		if done, err = r.withdraw(tx, some); err != nil {
			return err
		}
		if len(done.gone) == 0 {
			return nil
		}
		return r.w.Enter(tx, done.gone)
	})
	if err != nil {
		return nil, fmt.Errorf("withdrawing logs: %w", err)
	}
	r.apply(done)
	for _, c := range some {
		c.done = true
	}
	return func() error {
		if err := ticket.Wait(); err != nil {
			return err
		}
		if r.w.Done != nil && len(done.gone) > 0 {
			r.w.Done(done.gone)
		}
		for _, refusal := range done.refused {
			if err := r.w.Refused(refusal.logID, refusal.err); err != nil {
				return err
			}
		}
		return nil
	}, nil
}
