package resolver

import (
	"bytes"
	"context"
	"slices"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/store/rdf"
)

// Forgotten says what Forget changed.
type Forgotten struct {
	Observations, Contexts int             // that were about or by somebody
	URIs                   map[string]bool // of the contexts of these observations
}

// Forget takes people out of all records. of reports whether an IRI is theirs, and what
// replaces it, "" if nothing does. Observations and contexts stay, without their texts. What
// was learnt of the people goes. apply stores the change. The error may be of's store's.
func (r *Resolver) Forget(ctx context.Context, of func(iri string) (to string, found bool), apply func(context.Context, Change, Forgotten) error) error {
	return r.exclusive(ctx, func() error {
		f := forgetting{now: &r.committed, of: of, out: Forgotten{URIs: map[string]bool{}}, gone: map[string]bool{}}
		if err := f.all(); err != nil {
			return err
		}
		if err := apply(ctx, f.change, f.out); err != nil {
			return err
		}
		return r.reread()
	})
}

// Forgettable returns what Forget would change in a store that does not change meanwhile, such as a snapshot.
func Forgettable(store Store, of func(iri string) (to string, found bool)) (Forgotten, error) {
	c, f := readOnly(store), Forgotten{URIs: map[string]bool{}}
	totals, err := fetch[record.Totals](c, record.TotalsKey())
	if err != nil || totals == nil {
		return f, err
	}
	c.totals, c.hasher = *totals, record.NewHasher(totals.Secret)
	if c.series, err = c.storedSeries(); err != nil {
		return f, err
	}
	looking := forgetting{now: c, of: of, out: f, gone: map[string]bool{}}
	err = looking.all()
	return looking.out, err
}

type forgetting struct {
	now    *committed
	of     func(iri string) (string, bool)
	names  mirror.Names
	change Change
	out    Forgotten
	gone   map[string]bool // keys of records that are removed
}

// all rewrites every record, and collects the changes.
func (f *forgetting) all() (err error) {
	var failed error
	f.names = namesOf(&f.now.totals, f.now.hasher, f.now.series, f.now.context, &failed)
	if err = each(f.now.store, f.record); err == nil {
		err = failed
	}
	for key := range f.gone {
		f.change.Records = append(f.change.Records, Record{Key: []byte(key)})
	}
	slices.SortFunc(f.change.Records, func(a, b Record) int { return bytes.Compare(a.Key, b.Key) })
	return err
}

// replaced replaces an IRI if it is somebody's who is forgotten, and reports whether it is.
func (f *forgetting) replaced(iri *string) bool {
	to, found := f.of(*iri)
	if found {
		*iri = to
	}
	return found
}

// record adds to the change what becomes of one record: names in contexts, observations and decisions are replaced,
// and records of what was learnt of a person go.
func (f *forgetting) record(key, value []byte) error {
	switch key[0] {
	case record.ContextKey(0)[0]:
		return rewrite(f, key, value, f.member, f.names.OfContext)
	case record.ObservationKey(0, 0)[0]:
		return rewrite(f, key, value, f.observation, f.names.OfObservation)
	case record.DecisionKey(0)[0]:
		return rewrite(f, key, value, func(d *record.Decision) bool { return f.agent(&d.Robot) }, f.names.OfDecision)
	case record.ClockLetter:
		return learnt(f, key, value, func(x *record.Clock) []string {
			all := []string{x.Robot}
			for _, c := range x.Claims {
				all = append(all, c.Partner)
			}
			return all
		}, f.names.OfClock)
	case record.WatchedLetter:
		return learnt(f, key, value, func(x *record.Subject) []string { return []string{x.Subject} }, f.names.OfSubject)
	case record.PersonLetter:
		return learnt(f, key, value, func(x *record.Person) []string { return []string{x.First, x.Second} }, f.names.OfPerson)
	case record.RelayLetter:
		return learnt(f, key, value, func(x *record.Relay) []string { return []string{x.Robot, x.Of} }, f.names.OfRelay)
	case record.PairLetter:
		return learnt(f, key, value, func(x *record.Pair) []string { return []string{x.First, x.Second} }, nil)
	case record.AliasLetter:
		return learnt(f, key, value, func(x *record.Alias) []string { return []string{x.URI} }, f.names.OfAlias)
	case record.ReuseLetter:
		return learnt(f, key, value, func(x *record.Reuse) []string { return []string{x.Robot} }, nil)
	}
	return nil
}

// agent replaces the robot of a record, with nobody if nothing replaces it. It reports whether the robot is
// forgotten.
func (f *forgetting) agent(robot *string) bool {
	found := f.replaced(robot)
	if found && *robot == "" {
		*robot = nobody
	}
	return found
}

// nobody is the robot of what an erased agent reported.
const nobody = "urn:segraph:nobody"

// member replaces names in a context, and removes the texts of the members that have them. It reports whether there
// were some.
func (f *forgetting) member(x *record.Context) (changed bool) {
	kind := text.Fingerprint(x.Kind)
	for i := range x.Members {
		member := &x.Members[i]
		before := *member
		if !slices.Contains([]bool{f.replaced(&member.Subject), f.agent(&member.Robot), f.replaced(&member.Location)}, true) {
			continue
		}
		member.Text, changed = "", true
		f.uncount(ofText, frequencyName{kind, text.Fingerprint(before.Text)})
		f.uncount(ofSubject, frequencyName{kind, text.Fingerprint(before.Subject)})
	}
	if changed {
		f.out.Contexts++
		f.out.URIs[x.URI] = true
	}
	return changed
}

// uncount removes the count of a text or a subject, whose key a guess could be tested with.
func (f *forgetting) uncount(of frequencyKind, name frequencyName) {
	f.gone[string(of.key(f.now.hasher, name))] = true
}

// observation replaces names in an observation, takes out its text, and reports whether it had such a name.
func (f *forgetting) observation(o *record.Observation) bool {
	if !slices.Contains([]bool{f.replaced(&o.Subject), f.replaced(&o.URI), f.agent(&o.Robot), f.replaced(&o.Location), f.replaced(&o.Alias)}, true) {
		return false
	}
	if o.Key != (record.Hash{}) {
		f.gone[string(record.RepeatKey(o.Key))] = true
	}
	o.Text, o.Key, o.Salt = "", record.Hash{}, record.Salt{}
	f.out.Observations++
	f.out.URIs[f.names.Context(o.Context)] = true
	return true
}

// rewrite decodes a record, applies change, and stores the result and its quads if change returns true.
func rewrite[T any, P interface {
	*T
	record.Coded
}](f *forgetting, key, value []byte, change func(P) bool, quads func(P) []rdf.Quad) error {
	before, err := record.Decode[T, P](value)
	if err != nil {
		return err
	}
	after, err := record.Decode[T, P](value)
	if err != nil || !change(after) {
		return err
	}
	remove, add := mirror.Difference(quads(before), quads(after))
	f.change.Records = append(f.change.Records, Record{bytes.Clone(key), record.Encode(P(after))})
	f.change.Remove, f.change.Add = append(f.change.Remove, remove...), append(f.change.Add, add...)
	return nil
}

// learnt removes a record, and its quads, if one of the IRIs that it is about is forgotten.
func learnt[T any, P interface {
	*T
	record.Coded
}](f *forgetting, key, value []byte, about func(P) []string, quads func(P) []rdf.Quad) error {
	x, err := record.Decode[T, P](value)
	if err != nil || !slices.ContainsFunc(about(x), func(iri string) bool { _, found := f.of(iri); return found }) {
		return err
	}
	f.gone[string(key)] = true
	if quads != nil {
		f.change.Remove = append(f.change.Remove, quads(x)...)
	}
	return nil
}
