package resolver

import (
	"slices"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

// departed is what a unit of work removes, and memory must forget.
type departed struct {
	contexts []*shared
	cases    []*record.Case
	repeats  []record.Hash
	nodes    []rdf.Term
	clocks   []string // of robots
}

// expire removes a part, except for groups that got relations since the view, and reports whether any contexts
// went.
func (u *unit) expire(e *expiring, part *parting) (some bool, err error) {
	if err := u.lookSince(e); err != nil {
		return false, err
	}
	stay := func(n uint64) bool { return e.stays[e.root(n)] }
	contexts := slices.DeleteFunc(slices.Clone(part.contexts), stay)
	var observations []*record.Observation
	for _, n := range contexts {
		from, to := record.ObservationRange(n)
		if err := readAll(u, from, to, func(o *record.Observation) { observations = append(observations, o) }); err != nil {
			return false, err
		}
	}
	names, out := u.names(), Expired{}
	names.Said = func(rdf.Term) bool { return true } // leave out shared nodes: dropDecision removes those that nothing needs
	for _, n := range contexts {
		if err := u.dropContext(names, n); err != nil {
			return false, err
		}
		out.Contexts, out.Rules = append(out.Contexts, n), append(out.Rules, e.rules[n])
		out.Names, out.Entries = append(out.Names, e.uris[n]), append(out.Entries, e.entries[n]...)
	}
	for _, o := range observations {
		if err := u.dropObservation(names, o, &out); err != nil {
			return false, err
		}
	}
	for _, n := range part.cases {
		if stay(e.cases[n]) {
			continue
		}
		k, err := u.caseOf(n)
		if err != nil {
			return false, err
		}
		u.countCase(k, -1)
		u.remove = append(u.remove, names.OfCase(k)...)
		u.put(record.CaseKey(n), nil)
		u.put(record.PendingKey(n), nil)
		u.gone.cases, out.Names = append(u.gone.cases, k), append(out.Names, names.Case(n))
	}
	for _, n := range part.decisions {
		if stay(e.decisions[n]) {
			continue
		}
		if err := u.dropDecision(names, n, e); err != nil {
			return false, err
		}
	}
	u.also = e.Also(out)
	return len(contexts) > 0, u.err
}

// lookSince keeps the groups to which something was related since the view, or since the last call.
func (u *unit) lookSince(e *expiring) error {
	touch := func(all []uint64) {
		for _, n := range all {
			if _, within := e.group[n]; within {
				e.stays[e.root(n)] = true
			}
		}
	}
	after := func(key []byte) (from, to []byte) { return key, []byte{key[0] + 1} }
	from, to := after(record.ContextKey(e.seen.Contexts + 1))
	if err := readAll(u, from, to, func(x *record.Context) { touch(relatedToContext(x)) }); err != nil {
		return err
	}
	from, to = after(record.CaseKey(e.seen.Cases + 1))
	if err := readAll(u, from, to, func(k *record.Case) { touch(relatedToCase(k)) }); err != nil {
		return err
	}
	from, to = after(record.DecisionKey(e.seen.Decisions + 1))
	err := readAll(u, from, to, func(d *record.Decision) {
		e.shared[mirror.AssociationOf(d)]++
		touch(relatedToDecision(d, func(number uint64) uint64 { return e.cases[number] }))
	})
	e.seen = u.totals
	return err
}

// dropContext removes the record of a context and its quads.
func (u *unit) dropContext(names mirror.Names, number uint64) error {
	s, err := u.context(number)
	if err != nil {
		return err
	}
	u.countStatus(s.Status(), -1)
	u.remove = names.AppendContext(u.remove, &s.Context)
	u.put(record.ContextKey(number), nil)
	u.put(u.hashes().TimeKey(s.kindHash, record.Bucket(s.At), number), nil)
	u.gone.contexts = append(u.gone.contexts, s)
	return nil
}

// dropObservation removes an observation with its quads, its aliases and the key of its repeats. out gets the
// aliases.
func (u *unit) dropObservation(names mirror.Names, o *record.Observation, out *Expired) error {
	u.totals.Stored--
	u.remove = names.AppendObservation(u.remove, o)
	u.put(record.ObservationKey(o.Context, o.Number), nil)
	if o.Key != (record.Hash{}) {
		u.put(record.RepeatKey(o.Key), nil)
		u.gone.repeats = append(u.gone.repeats, o.Key)
	}
	for _, uri := range o.Aliases() {
		key := record.AliasKey(uri)
		a, err := recordOf[record.Alias](u, key)
		if err != nil {
			return err
		}
		if a == nil { // an observation before had it, too
			continue
		}
		u.totals.Aliases--
		u.remove = append(u.remove, names.OfAlias(a)...)
		u.put(key, nil)
		out.Names = append(out.Names, a.URI)
	}
	return nil
}

// dropDecision removes a decision with its quads, and the node of its author once no decision needs
// it.
func (u *unit) dropDecision(names mirror.Names, number uint64, e *expiring) error {
	d, err := u.decision(number)
	if err != nil {
		return err
	}
	u.countDecision(d)
	u.remove = names.AppendDecision(u.remove, d)
	u.put(record.DecisionKey(number), nil)
	u.put(record.VerdictKey(number), nil)
	for _, key := range e.batches[number] {
		u.put(key, nil)
	}
	of := mirror.AssociationOf(d)
	if e.shared[of]--; e.shared[of] == 0 {
		node, quads := names.OfAssociation(of)
		u.remove, u.gone.nodes = append(u.remove, quads...), append(u.gone.nodes, node)
	}
	return nil
}

// countDecision subtracts a decision that is removed from the totals.
func (u *unit) countDecision(d *record.Decision) {
	t := &u.totals
	switch {
	case d.Kind == record.Creation:
		t.Created--
	case d.Kind == record.Doubtful && d.Observation != 0: // a reconciliation does not count its own
		t.Doubted--
	case d.Kind == record.Match && d.Undone == 0:
		t.Matched--
	case d.Kind == record.Match: // it was counted as a creation since
		t.Created--
		t.Unmatched--
	case d.Kind == record.AutoMerge && d.Undone == 0:
		t.AutoMerges--
	case d.Kind == record.AcceptedMerge && d.Undone == 0:
		t.ManualMerges--
	}
}
