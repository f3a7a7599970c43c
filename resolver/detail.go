package resolver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// Context returns the context with a URI, or the one that it was merged into, with a page
// of its observations. It skips offset observations and returns at most limit, but no more
// than maxShown, each with the decision that placed it. The error is an *Error with code ContextNotFound.
func (r *Resolver) Context(ctx context.Context, uri string, limit, offset int) (*ContextDetail, error) {
	limit = min(limit, maxShown)
	out := &ContextDetail{Limit: limit, Offset: offset, KeptSeparate: []string{}, PendingCases: []string{}}
	var page []*record.Observation
	var doubts []record.Doubt
	err := r.reading(func(u *unit) error {
		root, err := u.contextNamed(uri)
		if err != nil {
			return err
		}
		out.Context, doubts = describe(root), root.Doubts
		first, err := u.observations(root, 1, 0)
		if err != nil {
			return err
		}
		for _, o := range first {
			out.Context.ObservedAt = o.ObservedAt
		}
		if page, err = u.observations(root, limit, offset); err != nil {
			return err
		}
		return u.relations(root, out)
	})
	if err != nil {
		return nil, err
	}
	for _, o := range page {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v := viewOf(o)
		v.Doubted = slices.ContainsFunc(doubts, func(d record.Doubt) bool { return d.Own == o.Context })
		err := r.reading(func(u *unit) error { return u.showDecision(&v, o) }) // release the lock between chunks
		if errors.Is(err, errMissing) {
			return nil, noContext(uri) // it has become too old meanwhile
		} else if err != nil {
			return nil, err
		}
		if out.Context.CanonicalText == nil {
			out.Context.CanonicalText = v.Text
		}
		out.Context.Observations = append(out.Context.Observations, v)
	}
	return out, nil
}

func noContext(uri string) error {
	return &Error{Code: ContextNotFound, Detail: fmt.Sprintf("there is no context %q", uri)}
}

// contextNamed returns the context with a URI, or the one that it was finally merged
// into.
func (u *unit) contextNamed(uri string) (*shared, error) {
	if n := mirror.Number(uri); n > u.totals.Cleared && n <= u.totals.Contexts {
		s, err := u.context(n)
		if err != nil && !errors.Is(err, errMissing) { // it was too old
			return nil, err
		}
		if err == nil && s.URI == uri {
			return u.root(n)
		}
	}
	a, err := recordOf[record.Alias](u, record.AliasKey(uri))
	if err == nil && a == nil {
		err = noContext(uri)
	}
	if err != nil {
		return nil, err
	}
	return u.root(a.Context)
}

// observations returns a page of a context's observations, in the order of the contexts that it was merged from.
func (u *unit) observations(s *shared, limit, offset int) (page []*record.Observation, err error) {
	for _, origin := range s.Origins {
		if len(page) == limit {
			break
		}
		from, to := record.ObservationRange(origin)
		var failed error
		if err := u.scan(from, to, func(_, value []byte) bool {
			if offset--; offset >= 0 { // skip without decoding
				return true
			}
			var o *record.Observation
			if o, failed = record.Decode[record.Observation](value); failed != nil {
				return false
			}
			page = append(page, o)
			return len(page) < limit
		}); err != nil {
			return nil, err
		}
		if failed != nil {
			return nil, failed
		}
	}
	return page, nil
}

// relations adds the contexts that are kept separate from a context, and the pending
// cases about it.
func (u *unit) relations(s *shared, out *ContextDetail) error {
	for _, pair := range s.Separations {
		other, err := u.root(pair.Other)
		if err != nil {
			return err
		}
		if !slices.Contains(out.KeptSeparate, other.URI) {
			out.KeptSeparate = append(out.KeptSeparate, other.URI)
		}
	}
	groups, err := u.groups()
	if err != nil {
		return err
	}
	var cases []uint64
	for _, doubt := range s.Doubts {
		cases = append(cases, doubt.Case)
	}
	for _, origin := range s.Origins {
		cases = append(cases, groups.cases[origin]...)
	}
	slices.Sort(cases)
	for _, n := range slices.Compact(cases) {
		out.PendingCases = append(out.PendingCases, u.names().Case(n))
	}
	return nil
}

var outcomes = map[record.DecisionKind]Outcome{record.Creation: Created, record.Match: Matched, record.Doubtful: Ambiguous, record.Undoing: Created}

// showDecision adds the decision that placed an observation in its origin.
func (u *unit) showDecision(v *ObservationView, o *record.Observation) error {
	x, err := u.decision(o.Decision)
	if err != nil {
		return err
	}
	v.DecisionID, v.Outcome = u.names().Decision(x.Number), outcomes[x.Kind]
	if x.Kind == record.Match {
		v.Confidence, v.Undoable = &x.Probability, x.Undone == 0
	}
	return nil
}
