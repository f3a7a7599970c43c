package resolver

import (
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// merge makes one context of two that stand for themselves: target has then what source had, and source
// leads to it. Cases within the new context have nothing left to ask and are closed; closed names them.
func (d *draft) merge(source, target *shared) (merged *shared, closed []uint64, err error) {
	t := target.Context
	t.Count += source.Count
	t.Origins = slices.Concat(t.Origins, source.Origins)
	t.Members = slices.Concat(t.Members, source.Members)
	t.Members = t.Members[:min(len(t.Members), record.MaxMembers)]
	t.Apart = slices.Concat(t.Apart, source.Apart)
	t.Doubts = slices.Concat(t.Doubts, source.Doubts)
	s := source.Context
	s.Into = target.Number
	if _, err := d.setContext(s); err != nil {
		return nil, nil, err
	}
	if merged, err = d.setContext(t); err != nil {
		return nil, nil, err
	}
	return d.closeDecided(merged)
}

// closeDecided supersedes the cases whose source a context has and whose targets it all has too.
func (d *draft) closeDecided(x *shared) (after *shared, closed []uint64, err error) {
	for _, doubt := range x.Doubts {
		k, err := d.caseOf(doubt.Case)
		if err != nil {
			return nil, nil, err
		}
		open, err := d.asks(k, x)
		if err != nil {
			return nil, nil, err
		}
		if !open {
			closed = append(closed, k.Number)
		}
	}
	for _, number := range closed {
		if x, err = d.settle(number, record.Superseded, 0); err != nil {
			return nil, nil, err
		}
	}
	return x, closed, nil
}

// asks tells whether a case whose source is in x still offers something else.
func (d *draft) asks(k *record.Case, x *shared) (bool, error) {
	for _, t := range k.Targets {
		root, err := d.root(t.Context)
		if err != nil || root.Number != x.Number {
			return true, err
		}
	}
	return false, nil
}

// settle ends a pending case and gives the context that has its source, without the doubt.
func (d *draft) settle(number uint64, status record.CaseStatus, selected uint64) (*shared, error) {
	k, err := d.caseOf(number)
	if err != nil {
		return nil, err
	}
	after := *k
	after.Status, after.Decided, after.Selected = status, d.now, selected
	if err := d.setCase(after); err != nil {
		return nil, err
	}
	root, err := d.root(k.Source)
	if err != nil {
		return nil, err
	}
	x := root.Context
	x.Doubts = slices.DeleteFunc(slices.Clone(x.Doubts), func(o record.Doubt) bool { return o.Case == number })
	return d.setContext(x)
}

// reopen makes a case pending again.
func (d *draft) reopen(number uint64) error {
	k, err := d.caseOf(number)
	if err != nil {
		return err
	}
	after := *k
	after.Status, after.Decided, after.DecidedBy, after.Selected, after.Decision = record.Pending, 0, "", 0, 0
	if err := d.setCase(after); err != nil {
		return err
	}
	root, err := d.root(k.Source)
	if err != nil {
		return err
	}
	x := root.Context
	x.Doubts = append(slices.Clone(x.Doubts), record.Doubt{Own: k.Source, Case: number})
	_, err = d.setContext(x)
	return err
}

// unmerge gives a merged context back what is its own: of it and of all that it has led to.
func (d *draft) unmerge(source *shared) error {
	root, err := d.root(source.Number)
	if err != nil {
		return err
	}
	own := func(origin uint64) bool { return slices.Contains(source.Origins, origin) }
	s := source.Context
	next := s.Into
	s.Into = 0
	s.Apart = slices.DeleteFunc(slices.Clone(root.Apart), func(a record.Apart) bool { return !own(a.Own) })
	s.Doubts = slices.DeleteFunc(slices.Clone(root.Doubts), func(o record.Doubt) bool { return !own(o.Own) })
	if _, err := d.setContext(s); err != nil {
		return err
	}
	for next != 0 {
		above, err := d.context(next)
		if err != nil {
			return err
		}
		x := above.Context
		x.Count -= s.Count
		x.Origins = slices.DeleteFunc(slices.Clone(x.Origins), own)
		x.Members = slices.DeleteFunc(slices.Clone(x.Members), func(m record.Member) bool { return own(m.Origin) })
		x.Apart = slices.DeleteFunc(slices.Clone(x.Apart), func(a record.Apart) bool { return own(a.Own) })
		x.Doubts = slices.DeleteFunc(slices.Clone(x.Doubts), func(o record.Doubt) bool { return own(o.Own) })
		if _, err := d.setContext(x); err != nil {
			return err
		}
		next = x.Into
	}
	return nil
}

// keepApart remembers that pairs of origins are different events, with the contexts that have them now.
func (d *draft) keepApart(pairs []record.Apart) error {
	return d.editApart(pairs, func(list []record.Apart, a record.Apart) []record.Apart {
		if slices.Contains(list, a) {
			return list
		}
		return append(slices.Clone(list), a)
	})
}

// forgiveApart forgets it.
func (d *draft) forgiveApart(pairs []record.Apart) error {
	return d.editApart(pairs, func(list []record.Apart, a record.Apart) []record.Apart {
		return slices.DeleteFunc(slices.Clone(list), func(b record.Apart) bool { return a == b })
	})
}

func (d *draft) editApart(pairs []record.Apart, change func([]record.Apart, record.Apart) []record.Apart) error {
	for _, pair := range pairs {
		for _, a := range []record.Apart{pair, {Own: pair.Other, Other: pair.Own}} {
			root, err := d.root(a.Own)
			if err != nil {
				return err
			}
			for _, number := range slices.Compact([]uint64{root.Number, a.Own}) {
				s, err := d.context(number)
				if err != nil {
					return err
				}
				x := s.Context
				x.Apart = change(x.Apart, a)
				if _, err := d.setContext(x); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// apart gives the pairs of origins by which a person has kept two contexts apart.
func apartOf(context func(uint64) (*shared, error), a, b *shared) ([]record.Apart, error) {
	var out []record.Apart
	for _, pair := range a.Apart {
		other, err := rootOf(context, pair.Other)
		if err != nil {
			return nil, err
		}
		if other.Number == b.Number {
			out = append(out, pair)
		}
	}
	return out, nil
}
