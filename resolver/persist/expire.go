package persist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
)

// ExpireContexts removes shared contexts of which all observations are too old, as retention.Options.Contexts describes.
// See resolver.Resolver.Expire for what is removed with a context; notes about it are, too. A context stays if a triple
// outside the graph of contexts has its URI, as of a log that stays. Observations that a centre has not confirmed stay.
// enter is called in each unit of work, with the rules that applied and the entries that go. WithdrawContexts follows, because logs
// that kept contexts may be gone.
func (g ResolvedGraph) ExpireContexts(ctx context.Context, x store.Expiry, held []holds.Hold, enter func(tx *engine.Tx, rules []int, entries []uint64) error) error {
	e := &expiringContexts{Expiry: &x, held: held}
	for _, r := range x.Rules {
		if r.Before.After(e.end) {
			e.end = r.Before
		}
	}
	if e.end.IsZero() {
		return nil
	}
	if x.Forwarded || slices.ContainsFunc(x.Rules, func(r store.ExpiryRule) bool { return r.ByEvent }) {
		e.end = time.Time{} // the arrival here says nothing
	}
	err := g.expire(ctx, e, resolver.Expiry{
		End: e.end,
		Old: func(all []resolver.Aged) error {
			return e.old(ctx, all, func(o *resolver.Aged, entry *journal.Numbered) (int, error) { return e.rule(o, entry), nil })
		},
		Also: func(gone resolver.Expired) any {
			return func(tx *engine.Tx) error { return expired(tx, gone, enter) }
		},
	})
	if err != nil {
		return fmt.Errorf("removing shared contexts that are too old: %w", err)
	}
	_, err = g.WithdrawContexts(ctx, nil, journal.Entry{Time: x.Now, Actor: "segraph"})
	return err
}

// expire removes contexts as x says. It sets Window, View, Held and Named of x, which are the same for retention and
// withdrawals.
func (g ResolvedGraph) expire(ctx context.Context, e *expiringContexts, x resolver.Expiry) error {
	e.group, e.waiting, x.Window = map[uint64]uint64{}, map[uint64]bool{}, g.Store.window
	x.View = func(do func(resolver.Store) error) error {
		return g.Store.View(func(snap *engine.Snapshot) error {
			e.snap, e.heldDecisions = snap, map[string]bool{}
			for _, h := range e.held {
				found, err := journal.Find(snap.KV(), h.Log, 1)
				if err != nil {
					return err
				}
				for _, n := range found {
					if n.Decision != "" {
						e.heldDecisions[n.Decision] = true
					}
				}
			}
			return do(records{snap.Records()})
		})
	}
	x.Held = func(by, decision string, at time.Time) bool {
		held := e.heldDecisions[decision] || slices.ContainsFunc(e.held, func(h holds.Hold) bool {
			return h.OfPerson(by) || h.OfLog("", at, at) // a decision has no log: only the hold's period counts
		})
		e.decisionHeld = e.decisionHeld || held
		return held
	}
	x.Named = e.named
	return g.Resolver.Expire(ctx, x)
}

// errNamed ends a pass: since it looked, something was stored that names a context that was to go. The next pass keeps
// that context.
var errNamed = errors.New("a context that was to go is named now")

// expired does the store's part of a unit of work that lets contexts expire, and then calls enter. The resolver's records
// are not part of it. The error is errNamed if something has named one of the contexts again.
func expired(tx *engine.Tx, gone resolver.Expired, enter func(tx *engine.Tx, rules []int, entries []uint64) error) error {
	now := expiringContexts{snap: tx.Snapshot()}
	for _, name := range gone.Names {
		if named, err := now.named(name); err != nil {
			return err
		} else if named {
			return errNamed
		}
	}
	for _, seq := range gone.Entries {
		if err := journal.Erase(tx.KV(), seq, journal.GroupsOf(journal.Client, journal.Content)); err != nil {
			return err
		}
	}
	names := map[string]bool{}
	for _, name := range gone.Names {
		names[name] = true
	}
	says := func(n *notes.Note) bool {
		var about struct{ About string }
		return json.Unmarshal([]byte(n.Text), &about) == nil && names[about.About]
	}
	found, err := notes.Naming(tx.KV(), says)
	if err == nil {
		_, err = notes.Forget(tx, found, func(n *notes.Note) bool { return !says(n) })
	}
	if err != nil {
		return err
	}
	if err := tx.WantCollection(); err != nil {
		return err
	}
	if err := dropWithdrawn(tx, gone.Contexts); err != nil {
		return err
	}
	slices.Sort(gone.Entries)
	return enter(tx, gone.Rules, gone.Entries)
}

// expiringContexts decides which observations are too old.
type expiringContexts struct {
	*store.Expiry
	held          []holds.Hold
	renames       uint64 // before the names of held people were read
	end           time.Time
	snap          *engine.Snapshot
	heldDecisions map[string]bool // ids of the decisions that are held by their entries

	// The following say what stays though a rule would remove it.
	group        map[uint64]uint64 // of a context
	waiting      map[uint64]bool   // groups with an observation that is held, or that a centre lacks
	decisionHeld bool
}

// old is resolver.Expiry.Old. rule returns the rule by which an observation goes, or -1.
func (e *expiringContexts) old(ctx context.Context, all []resolver.Aged, rule func(o *resolver.Aged, entry *journal.Numbered) (int, error)) error {
	confirmed, err := box.Confirmed(e.snap.KV())
	if err != nil {
		return err
	}
	decide := func(o *resolver.Aged, entry *journal.Numbered) (err error) {
		o.Entry = entry.Seq
		if entry.Seq == 0 { // it has no entry
			entry.Time = o.Decided
		}
		if o.Rule, err = rule(o, entry); err != nil {
			return err
		}
		if o.Rule >= 0 && (entry.Seq > confirmed || e.holds(o, entry)) {
			o.Rule, e.waiting[o.Group] = -1, true
		}
		e.group[o.Context] = o.Group
		return nil
	}
	if err := e.entries(ctx, all, decide); err != nil {
		return err
	}
	for i := range all {
		if o := &all[i]; o.Entry == 0 {
			if err := decide(o, &journal.Numbered{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// entries calls f with each observation that has a journal entry, and with that.
func (e *expiringContexts) entries(ctx context.Context, all []resolver.Aged, f func(o *resolver.Aged, entry *journal.Numbered) error) error {
	if len(all) == 0 {
		return nil
	}
	of := make(map[string]*resolver.Aged, len(all)) // by decision
	for i := range all {
		of[all[i].Decision] = &all[i]
	}
	byTime := func(a, b resolver.Aged) int { return a.Decided.Compare(b.Decided) }
	first := slices.MinFunc(all, byTime).Decided.Add(-provenance.ClockStep)
	last := slices.MaxFunc(all, byTime).Decided.Add(provenance.ClockStep)
	seq, err := provenance.FirstSince(e.snap.KV(), first)
	if err != nil {
		return err
	}
	err = e.scan(ctx, seq-1, last, of, f)
	if err == nil && len(of) > 0 { // the clock was set, or they have no entries
		err = e.scan(ctx, 0, time.Time{}, of, f)
	}
	return err
}

// scan calls f with each observation of some, by decision, that has a journal entry, and removes it from of. It reads the journal
// after the entry with number after and, unless last is zero, stops at an entry later than last.
func (e *expiringContexts) scan(ctx context.Context, after uint64, last time.Time, of map[string]*resolver.Aged, f func(o *resolver.Aged, entry *journal.Numbered) error) error {
	look := journal.Filter{Oldest: true, After: after, Action: journal.Resolve, Limit: 100, Look: 10_000}
	for more := true; more; {
		page, err := journal.List(ctx, e.snap.KV(), look)
		if err != nil {
			return err
		}
		for i := range page.Entries {
			n := &page.Entries[i]
			more = last.IsZero() || !n.Time.After(last)
			if o := of[n.Decision]; o != nil {
				delete(of, n.Decision)
				if err := f(o, n); err != nil {
					return err
				}
			}
		}
		look.After, more = page.Next, more && page.Next != 0 && len(of) > 0
	}
	return nil
}

// holds reports whether a legal hold forbids to remove an observation.
func (e *expiringContexts) holds(o *resolver.Aged, entry *journal.Numbered) bool {
	first, last := span(entry.Time, o.At, entry.BoxTime)
	return slices.ContainsFunc(e.held, func(h holds.Hold) bool {
		return h.OfLog(entry.LogID, first, last) || slices.ContainsFunc(o.IRIs, func(iri string) bool { return iri != "" && h.OfPerson(iri) })
	})
}

// rule returns the rule by which an observation is too old, or -1.
func (e *expiringContexts) rule(o *resolver.Aged, entry *journal.Numbered) int {
	for i, r := range e.Rules {
		if !r.Wants(&entry.Entry) || !r.Robot.IsZero() && r.Robot.Value() != o.Robot || !r.Kind.IsZero() && strings.ToLower(r.Kind.Value()) != o.Kind {
			continue
		}
		if e.TooOld(i, entry, o.At) {
			return i
		}
		break // only the first rule that wants the observation counts
	}
	return -1
}

// named is resolver.Expiry.Named: whether a graph other than that of contexts has the URI as its name, or in a triple that the
// resolver did not publish.
func (e *expiringContexts) named(uri string) (bool, error) {
	id, ok, err := e.snap.ID(rdf.NewIRI(uri))
	if err != nil || !ok {
		return false, err
	}
	all, err := e.snap.Nested([]dict.ID{id})
	if err != nil {
		return false, err
	}
	all = append(all, id)
	keep := make([]dict.ID, len(decided))
	for i, p := range decided {
		if keep[i], _, err = e.snap.ID(p); err != nil {
			return false, err
		}
	}
	contexts, _, err := e.snap.ID(contextsGraph)
	if err != nil {
		return false, err
	}
	for _, g := range e.snap.Graphs() {
		if g == contexts {
			continue
		}
		for _, id := range all {
			if found, err := e.within(g, id, keep); err != nil || found || g == id {
				return true, err
			}
		}
	}
	return false, nil
}

// within reports whether a graph has a triple with an id. In the published graph, those with the predicates of keep,
// which the resolver published, do not count.
func (e *expiringContexts) within(g, id dict.ID, keep []dict.ID) (found bool, err error) {
	for _, p := range withID(id) {
		scan := e.snap.Match(p[0], p[1], p[2], g)
		for batch := scan.Next(); batch != nil; batch = scan.Next() {
			for _, t := range batch {
				if _, pred, _ := scan.Order.Triple(t); g != 0 || !slices.Contains(keep, pred) {
					return true, nil
				}
			}
		}
		if err := scan.Err(); err != nil {
			return false, err
		}
	}
	return false, nil
}
