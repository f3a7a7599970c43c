package resolver

import (
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// merge merges source into target. Neither was merged before. It closes the cases that
// are about these two only, and returns their numbers.
func (u *unit) merge(source, target *shared) (closed []uint64, err error) {
	into := target.Context
	into.Count += source.Count
	into.Origins = slices.Concat(into.Origins, source.Origins)
	into.Members = slices.Concat(into.Members, source.Members)
	into.Members = into.Members[:min(len(into.Members), record.MaxMembers)]
	into.Separations = slices.Concat(into.Separations, source.Separations)
	into.Doubts = slices.Concat(into.Doubts, source.Doubts)
	from := source.Context
	from.Into = target.Number
	if _, err := u.setContext(from); err != nil {
		return nil, err
	}
	merged, err := u.setContext(into)
	if err != nil {
		return nil, err
	}
	return u.closeDecided(merged)
}

// closeDecided supersedes the cases whose source and targets are all in x, and returns
// their numbers.
func (u *unit) closeDecided(x *shared) (closed []uint64, err error) {
	for _, doubt := range x.Doubts {
		k, err := u.caseOf(doubt.Case)
		if err != nil {
			return nil, err
		}
		open, err := u.hasOtherTarget(k, x)
		if err != nil {
			return nil, err
		}
		if !open {
			closed = append(closed, k.Number)
		}
	}
	for _, number := range closed {
		if _, err := u.closeCase(number, record.Superseded, 0); err != nil {
			return nil, err
		}
	}
	return closed, nil
}

// hasOtherTarget reports whether a case with its source in x has a target other than x.
func (u *unit) hasOtherTarget(k *record.Case, x *shared) (bool, error) {
	for _, t := range k.Targets {
		root, err := u.root(t.Context)
		if err != nil || root.Number != x.Number {
			return true, err
		}
	}
	return false, nil
}

// closeCase closes a pending case. It returns the context of its source, which is no
// longer ambiguous.
func (u *unit) closeCase(number uint64, status record.CaseStatus, selected uint64) (*shared, error) {
	k, err := u.caseOf(number)
	if err != nil {
		return nil, err
	}
	after := *k
	after.Status, after.Decided, after.Selected = status, u.now(), selected
	if err := u.setCase(after); err != nil {
		return nil, err
	}
	root, err := u.root(k.Source)
	if err != nil {
		return nil, err
	}
	x := root.Context
	x.Doubts = slices.DeleteFunc(slices.Clone(x.Doubts), func(o record.Doubt) bool { return o.Case == number })
	return u.setContext(x)
}

// reopen makes a case pending again, and so the context of its source ambiguous.
func (u *unit) reopen(number uint64) error {
	k, err := u.caseOf(number)
	if err != nil {
		return err
	}
	after := *k
	after.Status, after.Decided, after.DecidedBy, after.Selected, after.Decision = record.Pending, 0, "", 0, 0
	if err := u.setCase(after); err != nil {
		return err
	}
	root, err := u.root(k.Source)
	if err != nil {
		return err
	}
	x := root.Context
	x.Doubts = append(slices.Clone(x.Doubts), record.Doubt{Own: k.Source, Case: number})
	_, err = u.setContext(x)
	return err
}

// unmerge separates a merged context, with everything of its own, from the contexts that
// it was merged into.
func (u *unit) unmerge(source *shared) error {
	root, err := u.root(source.Number)
	if err != nil {
		return err
	}
	own := func(origin uint64) bool { return slices.Contains(source.Origins, origin) }
	s := source.Context
	next := s.Into
	s.Into = 0
	s.Separations = slices.DeleteFunc(slices.Clone(root.Separations), func(a record.Separation) bool { return !own(a.Own) })
	s.Doubts = slices.DeleteFunc(slices.Clone(root.Doubts), func(o record.Doubt) bool { return !own(o.Own) })
	if _, err := u.setContext(s); err != nil {
		return err
	}
	for next != 0 {
		above, err := u.context(next)
		if err != nil {
			return err
		}
		x := above.Context
		x.Count -= s.Count
		x.Origins = slices.DeleteFunc(slices.Clone(x.Origins), own)
		x.Members = slices.DeleteFunc(slices.Clone(x.Members), func(m record.Member) bool { return own(m.Origin) })
		x.Separations = slices.DeleteFunc(slices.Clone(x.Separations), func(a record.Separation) bool { return own(a.Own) })
		x.Doubts = slices.DeleteFunc(slices.Clone(x.Doubts), func(o record.Doubt) bool { return own(o.Own) })
		if _, err := u.setContext(x); err != nil {
			return err
		}
		next = x.Into
	}
	return nil
}

// arrivedBy returns the members that had arrived at a time.
func arrivedBy(at int64, all []record.Member) []record.Member {
	return slices.DeleteFunc(slices.Clone(all), func(m record.Member) bool { return m.Received > at })
}

// membersBeside returns the members that a context had at a time, without those of another one that was merged into it then, if
// it was.
func membersBeside(x, merged *shared, at int64) []record.Member {
	origins := x.Origins
	if i := slices.Index(origins, merged.Number); i >= 0 {
		origins = origins[:i] // the next ones were merged later
	}
	return slices.DeleteFunc(arrivedBy(at, x.Members), func(m record.Member) bool {
		return !slices.Contains(origins, m.Origin) || slices.Contains(merged.Origins, m.Origin)
	})
}

// keepSeparate records that pairs of origins are different events, in the contexts that
// contain them now.
func (u *unit) keepSeparate(pairs []record.Separation) error {
	return u.editSeparations(pairs, func(list []record.Separation, a record.Separation) []record.Separation {
		return append(slices.Clone(list), a)
	})
}

// dropSeparations removes what keepSeparate recorded once. What it recorded more often stays.
func (u *unit) dropSeparations(pairs []record.Separation) error {
	return u.editSeparations(pairs, func(list []record.Separation, a record.Separation) []record.Separation {
		if i := slices.Index(list, a); i >= 0 {
			list = slices.Delete(slices.Clone(list), i, i+1)
		}
		return list
	})
}

// editSeparations applies change to the separations of both contexts of each pair, and of those that they were finally
// merged into.
func (u *unit) editSeparations(pairs []record.Separation, change func([]record.Separation, record.Separation) []record.Separation) error {
	for _, pair := range pairs {
		for _, a := range []record.Separation{pair, {Own: pair.Other, Other: pair.Own}} {
			root, err := u.root(a.Own)
			if err != nil {
				return err
			}
			for _, number := range slices.Compact([]uint64{root.Number, a.Own}) {
				s, err := u.context(number)
				if err != nil {
					return err
				}
				x := s.Context
				x.Separations = change(x.Separations, a)
				if _, err := u.setContext(x); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// separations returns the pairs of origins that keep two contexts separate.
func (u *unit) separations(a, b *shared) ([]record.Separation, error) {
	var out []record.Separation
	for _, pair := range a.Separations {
		other, err := u.root(pair.Other)
		if err != nil {
			return nil, err
		}
		if other.Number == b.Number {
			out = append(out, pair)
		}
	}
	return out, nil
}
