package resolver

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// Expiry says which contexts Expire removes.
type Expiry struct {
	// View calls do with a state of the store's records that does not change meanwhile.
	View func(do func(Store) error) error
	// End is a time from which on no observation is too old. Zero means that there is none.
	End time.Time
	// Old sets Rule and Entry of observations. It is called within View, as Named is.
	Old func(all []Aged) error
	// Held, unless nil, reports whether a decision with an id, that somebody made at a time, must stay.
	Held func(by, decision string, at time.Time) bool
	// Named reports whether something that stays names a context by a URI.
	Named func(uri string) (bool, error)
	// Also returns what is stored with the removal; see Change.Also.
	Also func(Expired) any
	// Only, unless nil, are the numbers of the contexts that Expire looks at, with all that is related to them, instead of
	// every context.
	Only []uint64

	// Window is about how many observations are looked at together, without those of related contexts; 0 means 32,768. Each
	// takes about WindowRoom bytes of memory.
	Window int
}

// Aged is an observation whose age matters.
type Aged struct {
	Decision    string   // the id of the decision that placed it first, which the journal's entry names
	IRIs        []string // that it names
	Kind, Robot string
	Decided, At time.Time // when it was decided on, and its timestamp
	Rule        int       // the rule by which it is too old; negative if it stays
	Entry       uint64    // the number of its entry in the journal; 0 if there is none

	Number  uint64
	First   uint64 // the number of the context where it was placed first
	Context uint64 // where it is: First, or the one that it got when its match was undone
	Group   uint64 // the same for all contexts that go or stay together
}

// Expired is what one unit of work removes.
type Expired struct {
	Contexts []uint64 // their numbers
	Rules    []int    // for each context the rule by which it was too old
	Entries  []uint64 // numbers of the entries of their observations
	Names    []string // URIs of the contexts, those of other services that led to them, and ids of their cases
}

// WindowRoom is what an observation takes in a window of Expiry, in bytes, with its part of the context.
const WindowRoom = 1 << 10

// Limits of Expire: how many observations it looks at together, and about how many contexts it removes in a unit of work.
const (
	usualWindow = 1 << 15
	expirySlice = 4
)

// Expire removes each context whose observations are all too old, with these observations, its cases and decisions.
// Contexts that merges, cases, decisions or late reports relate stay together as long as one has a younger observation
// or is named elsewhere. What was learnt stays. It looks at a view, and then removes in small units of work, between
// which others get a turn.
func (r *Resolver) Expire(ctx context.Context, x Expiry) error {
	for after := uint64(0); after < math.MaxUint64; {
		var err error
		if after, err = r.expireWindow(ctx, &x, after); err != nil {
			return err
		}
	}
	return nil
}

// expireWindow does what Expire does for the contexts of a window, which begins after one, and returns the last, or
// after if it left others the turn before the end.
func (r *Resolver) expireWindow(ctx context.Context, x *Expiry, after uint64) (last uint64, err error) {
	end, err := r.alone(ctx) // otherwise cases get new targets meanwhile
	if err != nil {
		return after, err
	}
	defer end()
	e, looks := newExpiring(x), time.Now()
	if err := x.View(func(s Store) (err error) {
		last, err = e.find(ctx, readOnly(s), after)
		return err
	}); err != nil {
		return after, err
	}
	removes := time.Now()
	for _, part := range e.parts() {
		begin := time.Now()
		if err := r.untilStored(func(begin func() *unit) error {
			u := begin()
			some, err := u.expire(e, part)
			if some && err == nil {
				_, err = r.enter(u)
			}
			return err
		}); err != nil {
			return after, err
		}
		select {
		case <-time.After(time.Since(begin)): // others get the processor as long
		case <-ctx.Done():
			return after, ctx.Err()
		}
		if r.waiting.Load() > 0 && time.Since(removes) >= removes.Sub(looks) { // otherwise it would look all the time
			return after, nil
		}
	}
	return last, nil
}

// expiring is a search for contexts that go. Its maps have what refers to a context of the window, by one of these.
type expiring struct {
	*Expiry
	names     mirror.Names
	seen      record.Totals     // of the view, or of what was looked at since
	last      uint64            // the last context of the window
	outside   map[uint64]uint64 // context after the window -> one of the window to which it is related
	open      map[uint64]bool   // contexts that stay unless those outside join the window
	group     map[uint64]uint64 // context of the window, or after it and related -> another one that goes with it, or itself
	stays     map[uint64]bool   // contexts that stay, and so does their group
	uris      map[uint64]string
	cases     map[uint64]uint64
	decisions map[uint64]uint64
	aliases   map[string]uint64
	batches   map[uint64][][]byte        // keys, by decision
	placed    map[uint64]placed          // by observation
	shared    map[mirror.Association]int // how many decisions have each
	rules     map[uint64]int             // the rule of a context
	entries   map[uint64][]uint64        // of a context
}

// placed is the first decision on an observation.
type placed struct {
	decision, context uint64
	at                int64
}

func newExpiring(x *Expiry) *expiring {
	e := &expiring{Expiry: x, group: map[uint64]uint64{}, uris: map[uint64]string{}}
	e.reset()
	return e
}

// reset drops what was found, but for the contexts.
func (e *expiring) reset() {
	for n := range e.group {
		e.group[n] = n
	}
	e.outside, e.open, e.stays = map[uint64]uint64{}, map[uint64]bool{}, map[uint64]bool{}
	e.cases, e.decisions, e.aliases = map[uint64]uint64{}, map[uint64]uint64{}, map[string]uint64{}
	e.batches, e.placed, e.shared = map[uint64][][]byte{}, map[uint64]placed{}, map[mirror.Association]int{}
	e.rules, e.entries = map[uint64]int{}, map[uint64][]uint64{}
}

// root returns the context that names a group.
func (e *expiring) root(n uint64) uint64 {
	for e.group[n] != n {
		e.group[n] = e.group[e.group[n]]
		n = e.group[n]
	}
	return n
}

// join puts those of some contexts that are in the window into one group, and returns one of them, or 0 if there is none.
// If one is after the window, the group is open: find makes it stay unless widen adds that context. Any other unknown one
// is not old enough, or stayed with an earlier window, so the group stays. 0 is no context.
func (e *expiring) join(contexts ...uint64) (within uint64) {
	var outside []uint64
	for _, n := range contexts {
		switch _, known := e.group[n]; {
		case n == 0: // no context
		case !known:
			outside = append(outside, n)
		case within == 0:
			within = n
		default:
			e.group[e.root(n)] = e.root(within)
		}
	}
	if within == 0 {
		return 0
	}
	for _, n := range outside {
		if n > e.last { // widen decides
			e.open[within], e.outside[n] = true, within
		} else {
			e.stays[within] = true
		}
	}
	return within
}

// widen adds the contexts of e.outside that may be too old, and reports whether there are
// any.
func (e *expiring) widen(c *committed) (more bool, err error) {
	held := map[uint64]bool{} // the roots of groups that stay anyway
	for n, stays := range e.stays {
		if stays {
			held[e.root(n)] = true
		}
	}
	for n, within := range e.outside {
		if held[e.root(within)] {
			continue
		}
		x, err := fetch[record.Context](c, record.ContextKey(n))
		if err != nil {
			return false, err
		}
		if x != nil && (e.End.IsZero() || x.Created < e.End.UnixMicro()) {
			e.group[n], e.uris[n], more = n, x.URI, true
		}
	}
	return more, nil
}

// parting is what one unit of work removes, in whole groups.
type parting struct{ contexts, cases, decisions []uint64 }

// parts returns what goes, in parts of about expirySlice contexts. It is called after spread, so that a group goes or stays
// as a whole.
func (e *expiring) parts() (out []*parting) {
	of := map[uint64]*parting{} // by the root of a group
	for _, n := range slices.Sorted(maps.Keys(e.group)) {
		if e.stays[n] {
			continue
		}
		root := e.root(n)
		p := of[root]
		if p == nil {
			if len(out) == 0 || len(out[len(out)-1].contexts) >= expirySlice {
				out = append(out, &parting{})
			}
			p = out[len(out)-1]
			of[root] = p
		}
		p.contexts = append(p.contexts, n)
	}
	for _, k := range slices.Sorted(maps.Keys(e.cases)) {
		if p := of[e.root(e.cases[k])]; p != nil {
			p.cases = append(p.cases, k)
		}
	}
	for _, d := range slices.Sorted(maps.Keys(e.decisions)) {
		if p := of[e.root(e.decisions[d])]; p != nil {
			p.decisions = append(p.decisions, d)
		}
	}
	return out
}
