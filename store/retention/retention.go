// Package retention withdraws logs once they are older than a rule allows, and has what is kept
// elsewhere follow. Once a day it looks for such logs in a read snapshot and withdraws them in
// small units, for which no post waits. What legal holds name stays. A unit appends no journal
// entry; it adds to a tally, which is a note, and the day ends with one entry of the whole tally.
// So the entry is exact after a kill too: the next day goes on with the tally.
//
// A clock that jumps ahead would make all logs too old. So if the last day, or without one the last journal entry before the
// start, is more than maxGap ago, nothing goes for a day, in which somebody can set the clock; an error in the server log says so.
// A service that was off for so long waits that day too. Or the clock was behind until then, as after a start without a battery: what
// the service wrote since, or in the last two days, may be as much younger, so its age counts by the clock that was set.
package retention

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
)

// Options configure a Retention.
type Options struct {
	Rules      []Rule // a log obeys the first whose conditions it meets
	Store      *engine.Store
	Provenance *provenance.Provenance
	Times      []rdf.Term // predicates of the times of what logs report
	Forwarded  bool       // boxes forward logs
	// Contexts, unless nil, removes shared contexts that are too old and not held, in units of work. Each calls enter with
	// the rule of each context, by its index, and with the numbers of the entries of their observations, ascending.
	Contexts func(ctx context.Context, x store.Expiry, held []holds.Hold, enter func(tx *engine.Tx, rules []int, entries []uint64) error) error
	// Names, unless nil, returns IRIs and the others that are now known to be the same person's. A hold keeps all of them.
	Names func(ctx context.Context, iris ...string) ([]string, error)
	// Renames, unless nil, counts what may have given somebody more names.
	Renames func() uint64
	// Snapshots, unless nil, removes snapshots that were made before a time.
	Snapshots func(before time.Time) (int, error)
	Log       *slog.Logger
	Now       func() time.Time // nil means time.Now
}

// Retention withdraws what is too old.
type Retention struct {
	options Options
	held    []holds.Hold // when the day's pass began
	renames uint64       // a bit before then
	began   uint64       // the number of the newest entry when the service started; 0 if there was none
	days    [2]uint64    // of the newest entry after the last day but one, and after the last one; began before these
}

// New returns a Retention.
func New(o Options) *Retention {
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &Retention{options: o}
	_ = o.Store.View(func(snap *engine.Snapshot) error { r.began = journal.HeadOf(snap.KV()).Seq; return nil })
	r.days = [2]uint64{r.began, r.began}
	return r
}

// Rules returns the rules.
func (r *Retention) Rules() []Rule { return r.options.Rules }

// SnapshotDays is how many days a snapshot stays once rules remove something: it has what was
// removed since.
const SnapshotDays = 7

const (
	day   = 24 * time.Hour
	kind  = notes.Retention
	owner = "segraph"
	first = time.Minute      // from the start to the first day, so that starts are not slowed down
	again = 10 * time.Minute // after a failure

	maxGap   = 30 * day // between two days, unless the clock may be wrong
	maxJumps = 100      // that are remembered
)

// Run removes what is too old, once a day, until ctx ends. It logs failures and tries again.
func (r *Retention) Run(ctx context.Context) {
	wait := first
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		t, err := r.Tally()
		if wait = t.Last.Add(day).Sub(r.options.Now()); err == nil && wait > 0 && wait <= day {
			continue
		}
		if err == nil {
			_, err = r.Day(ctx)
		}
		if wait = day; err != nil && ctx.Err() == nil {
			r.options.Log.ErrorContext(ctx, "what is too old could not be removed; it is tried again", "error", err)
			wait = again
		}
	}
}

const (
	passLogs = 4000           // how many logs are found and withdrawn at once; these take less than 1 MiB
	dayLogs  = 12 * time.Hour // until all logs that are too old are withdrawn, so that more can't pile up from day to day
)

// Day removes what is too old now, and returns what was removed, also since a day that was
// interrupted.
func (r *Retention) Day(ctx context.Context) (done Tally, err error) {
	o, now := &r.options, r.options.Now().UTC()
	if jumped, err := r.jumped(ctx, now); jumped || err != nil {
		return done, err
	}
	x, held, err := r.expiry(ctx, now)
	if err != nil {
		return done, err
	}
	r.held = held
	refused, err := r.withdrawExpired(ctx, x)
	if err != nil {
		return done, err
	}
	if o.Contexts != nil {
		x.Now = o.Now().UTC() // hours may have passed, and the journal's times must not go back
		err := o.Contexts(ctx, x, held, func(tx *engine.Tx, rules []int, entries []uint64) error {
			return r.add(tx, entries, func(t *Tally) {
				for _, rule := range rules {
					t.Contexts = increased(t.Contexts, o.Rules[rule])
				}
			})
		})
		if err != nil {
			return done, err
		}
	}
	removed := 0
	if done, err = r.Tally(); err != nil {
		return done, err
	}
	if o.Snapshots != nil && slices.ContainsFunc(o.Rules, func(r Rule) bool { return !r.Forever }) {
		if removed, err = o.Snapshots(now.Add(-SnapshotDays * day)); err != nil {
			return done, fmt.Errorf("removing snapshots that are too old: %w", err)
		}
	}
	var head uint64
	err = o.Store.Update(ctx, func(tx *engine.Tx) error {
		if done, err = tallyIn(tx.KV()); err != nil {
			return err
		}
		done.Snapshots, done.Refused = done.Snapshots+removed, refused
		if err := done.enter(tx, o.Now()); err != nil {
			return err
		}
		isOver := func(j store.ClockJump) bool { // what was written before is too old by all rules
			return !slices.ContainsFunc(o.Rules, func(r Rule) bool { return !r.Forever && !j.At.Before(now.Add(-r.Keep)) })
		}
		head = journal.HeadOf(tx.KV()).Seq
		return (&Tally{Last: now, Refused: refused, Jumps: slices.DeleteFunc(done.Jumps, isOver)}).put(tx)
	})
	if err != nil {
		return done, fmt.Errorf("entering what was too old: %w", err)
	}
	r.days = [2]uint64{r.days[1], head}
	o.Log.InfoContext(ctx, "what was too old was removed", "logs", sum(done.Logs), "contexts", sum(done.Contexts), "triples", done.Triples, "snapshots", done.Snapshots, "refused", refused,
		"ms", o.Now().Sub(now).Milliseconds())
	return done, nil
}

// withdrawExpired withdraws the logs that are too old, and returns how many could not be withdrawn. It counts them first, so that
// it can rest as long as dayLogs allows.
func (r *Retention) withdrawExpired(ctx context.Context, x store.Expiry) (refused int, err error) {
	pace := &provenance.Patience{End: time.Now().Add(dayLogs)}
	err = r.eachExpired(ctx, x, func(found []store.Expired) error { pace.Left += len(found); return nil })
	if err != nil {
		return 0, err
	}
	err = r.eachExpired(ctx, x, func(found []store.Expired) error { return r.withdraw(ctx, found, pace, &refused) })
	return refused, err
}

// eachExpired calls f with the logs that are too old, some at a time.
func (r *Retention) eachExpired(ctx context.Context, x store.Expiry, f func([]store.Expired) error) error {
	for search := r.options.Provenance.Expired(x); ; {
		found, err := search.Next(ctx, passLogs)
		if err != nil || len(found) == 0 {
			return err
		}
		if err := f(found); err != nil {
			return fmt.Errorf("withdrawing what is too old: %w", err)
		}
	}
}

// jumped reports whether the clock may have jumped ahead less than a day ago. It notes when that was found first.
func (r *Retention) jumped(ctx context.Context, now time.Time) (is bool, err error) {
	var t Tally
	var last time.Time
	set := false // the clock was set back since the doubt, so it was wrong then
	err = r.options.Store.View(func(snap *engine.Snapshot) (err error) {
		if t, err = tallyIn(snap.KV()); err != nil {
			return err
		}
		if !t.Doubted.IsZero() {
			p, err := journal.List(ctx, snap.KV(), journal.Filter{Oldest: true, After: t.DoubtedAt, Until: t.Doubted.Add(-provenance.ClockStep), Limit: 1, Look: math.MaxUint64})
			if set = len(p.Entries) > 0; err != nil {
				return err
			}
		}
		last = t.Last
		if at := cmp.Or(r.began, journal.HeadOf(snap.KV()).Seq); last.IsZero() && at > 0 {
			newest, err := journal.Get(snap.KV(), at)
			last = newest.Time
			return err
		}
		return nil
	})
	since := now.Sub(t.Doubted)
	noted := since >= 0 && since <= maxGap && !set
	waiting := noted && since < day-first
	found := !noted && now.Sub(last) > maxGap
	if err != nil || last.IsZero() || !waiting && !found {
		return false, err
	}
	r.options.Log.ErrorContext(ctx, "the clock may have jumped ahead, so nothing that is too old is removed now; that begins in a day unless the clock is set", "last", last, "now", now)
	if waiting {
		return true, nil
	}
	return true, r.options.Store.Update(ctx, func(tx *engine.Tx) error {
		t, err := tallyIn(tx.KV())
		if t.Doubted, t.DoubtedAt = now, journal.HeadOf(tx.KV()).Seq; err != nil {
			return err
		}
		if t.DoubtedAt > r.days[0] {
			t.Jumps = append(t.Jumps, store.ClockJump{After: r.days[0], UpTo: t.DoubtedAt, At: now, By: now.Sub(last)})
			t.Jumps = t.Jumps[max(0, len(t.Jumps)-maxJumps):]
		}
		return t.put(tx)
	})
}

// expiry returns which logs are too old and not held, and the legal holds.
func (r *Retention) expiry(ctx context.Context, now time.Time) (x store.Expiry, held []holds.Hold, err error) {
	if r.options.Renames != nil {
		r.renames = r.options.Renames()
	}
	held, err = holds.Of(r.options.Store).All(now)
	if err != nil {
		return x, nil, err
	}
	t, err := r.Tally()
	if err != nil {
		return x, nil, err
	}
	x = expiry(r.options.Rules, now)
	x.Jumps = t.Jumps
	x.Times, x.Forwarded = r.options.Times, r.options.Forwarded
	for i := range held {
		h := &held[i]
		if len(h.People) > 0 && r.options.Names != nil {
			if h.People, err = r.options.Names(ctx, h.People...); err != nil {
				return x, nil, err
			}
		}
		x.People = append(x.People, h.People...)
		if h.Log != "" || !h.To.IsZero() {
			x.Held = func(id string, first, last time.Time) bool {
				return slices.ContainsFunc(held, func(h holds.Hold) bool { return h.OfLog(id, first, last) })
			}
		}
	}
	return x, held, nil
}

// withdraw withdraws logs, and adds them to the tally.
func (r *Retention) withdraw(ctx context.Context, found []store.Expired, pace *provenance.Patience, refused *int) error {
	ids, rules := make([]string, len(found)), make(map[string]int, len(found))
	for i, l := range found {
		ids[i], rules[l.LogID] = l.LogID, l.Rule
	}
	return r.options.Provenance.WithdrawAll(ctx, ids, provenance.Withdrawal{
		Patient: pace,
		Enter: func(tx *engine.Tx, gone []provenance.Gone) error {
			var seqs []uint64
			for _, g := range gone {
				seqs = append(seqs, g.Seq)
			}
			return r.add(tx, seqs, func(t *Tally) {
				for _, g := range gone {
					if t.Triples += int64(g.Removed); g.Entry.Part <= 1 {
						t.Logs = increased(t.Logs, r.options.Rules[rules[g.LogID]])
					}
				}
			})
		},
		Refused: func(string, error) error { *refused++; return nil },
	})
}

// add adds the numbers of entries that lose something to the tally, and what count counts.
func (r *Retention) add(tx *engine.Tx, entries []uint64, count func(*Tally)) error {
	renamed := r.options.Renames != nil && r.options.Renames() != r.renames
	if err := holds.NoneSince(tx.KV(), r.held, r.options.Now(), renamed); err != nil {
		return err
	}
	t, err := tallyIn(tx.KV())
	if err != nil {
		return err
	}
	count(&t)
	full := false
	if t.Indexes, full, err = journal.AddIndexes(t.Indexes, entries); err == nil && full {
		if err = t.enter(tx, r.options.Now()); err == nil {
			t = *t.ended()
		}
	}
	if err != nil {
		return err
	}
	return t.put(tx)
}
