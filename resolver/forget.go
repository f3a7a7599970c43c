package resolver

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/store/rdf"
)

// Forgotten says what Forget changed.
type Forgotten struct {
	Observations, Contexts int             // that were about or by somebody
	URIs                   map[string]bool // of the contexts of these observations
	Deciders               map[string]bool // who decided on what goes
}

func forgotten() Forgotten { return Forgotten{URIs: map[string]bool{}, Deciders: map[string]bool{}} }

// Forget takes people out of all records. of reports whether an IRI is theirs, and what
// replaces it, "" if nothing does. Observations, contexts and decisions stay, without their texts. What
// was learnt of the people goes. blank takes their IRIs out of a text. apply stores the change.
func (r *Resolver) Forget(ctx context.Context, of func(iri string) (to string, found bool), blank func(text string) string, apply func(context.Context, Change, Forgotten) error) error {
	return r.exclusive(ctx, func() error {
		f := forgetting{now: &r.committed, of: of, blank: blank, out: forgotten()}
		if err := f.all(ctx); err != nil {
			return err
		}
		if err := apply(ctx, f.change, f.out); err != nil {
			return err
		}
		return r.reread()
	})
}

// Forgettable returns what Forget would change in a store that does not change meanwhile, such as a snapshot.
func Forgettable(ctx context.Context, store Store, of func(iri string) (to string, found bool), blank func(text string) string) (Change, Forgotten, error) {
	c := readOnly(store)
	looking := forgetting{now: c, of: of, blank: blank, out: forgotten()}
	totals, err := fetch[record.Totals](c, record.TotalsKey())
	if err != nil || totals == nil {
		return looking.change, looking.out, err
	}
	c.totals, c.hasher = *totals, record.NewHasher(totals.Secret)
	if c.series, err = c.storedSeries(); err == nil {
		err = c.learnt.recall(c)
	}
	if err == nil {
		err = looking.all(ctx)
	}
	return looking.change, looking.out, err
}

type forgetting struct {
	now    *committed
	of     func(iri string) (string, bool)
	blank  func(text string) string
	names  mirror.Names
	change Change
	out    Forgotten
	said   map[saying]bool // what observations said that lose their texts
	gone   map[string]bool // keys of records that go because they count what went
	nobody map[string]bool // of subjects: they identify no person
}

// saying identifies the text of an observation in contexts.
type saying struct {
	origin      uint64
	at          int64
	robot, text string
}

// all rewrites every record, and collects the change.
func (f *forgetting) all(ctx context.Context) (err error) {
	var failed error
	f.said, f.gone, f.nobody = map[saying]bool{}, map[string]bool{}, map[string]bool{"": true}
	f.names = namesOf(&f.now.totals, f.now.hasher, f.now.series, f.now.context, &failed)
	letter := record.ObservationKey(0, 0)[0]
	look := func(from, to []byte, record func(key, value []byte) error) {
		if err == nil {
			err = each(f.now.store, from, to, func(key, value []byte) error { return cmp.Or(ctx.Err(), record(key, value)) })
		}
	}
	look([]byte{letter}, []byte{letter + 1}, f.record)
	sameEvent, failedEvent := f.sameEvent()
	if err = cmp.Or(err, failedEvent); sameEvent != nil {
		look([]byte{letter}, []byte{letter + 1}, sameEvent)
	}
	look([]byte{0}, []byte{letter}, f.record) // contexts follow what was said in them
	look([]byte{letter + 1}, nil, f.record)
	for key := range f.gone {
		f.change.Records = append(f.change.Records, Record{Key: []byte(key)})
	}
	slices.SortFunc(f.change.Records, func(a, b Record) int { return bytes.Compare(a.Key, b.Key) })
	return cmp.Or(err, failed)
}

// uncount removes what was counted under a key, with which a guess could be tested.
func (f *forgetting) uncount(key []byte) { f.gone[string(key)] = true }

// replaced replaces an IRI if it is somebody's who is forgotten, and reports whether it is.
func (f *forgetting) replaced(iri *string) bool {
	to, found := f.of(*iri)
	if found {
		*iri = to
	}
	return found
}

// record adds to the change what becomes of one record: names in contexts, observations and decisions are replaced,
// and records of what was learnt of a person go. Records of other kinds hold no names.
func (f *forgetting) record(key, value []byte) error {
	switch key[0] {
	case record.ContextKey(0)[0]:
		return rewrite(f, key, value, f.member, f.names.OfContext)
	case record.ObservationKey(0, 0)[0]:
		return rewrite(f, key, value, f.observation, f.names.OfObservation)
	case record.DecisionKey(0)[0]:
		return rewrite(f, key, value, func(d *record.Decision) bool { return anyOf(f.agent(&d.Robot), f.user(&d.By)) }, f.names.OfDecision)
	case record.CaseKey(0)[0]:
		return rewrite(f, key, value, func(k *record.Case) bool { return f.user(&k.DecidedBy) }, none)
	case record.ClockLetter:
		return learnt(f, key, value, func(x *record.Clock) (*string, []string) { return &x.DecidedBy, []string{x.Robot} }, f.clock, f.names.OfClock)
	case record.WatchedLetter:
		return learnt(f, key, value, func(x *record.Subject) (*string, []string) { return &x.DecidedBy, []string{x.Subject} },
			func(x *record.Subject) bool {
				return removed(&x.Pairs, func(p record.SubjectPair) bool { return f.has(p.First, p.Second) })
			}, f.names.OfSubject)
	case record.PersonLetter:
		return learnt(f, key, value, func(x *record.Person) (*string, []string) { return &x.DecidedBy, []string{x.First, x.Second} },
			func(x *record.Person) bool {
				before := x.Reason
				x.Reason = f.blank(before)
				return x.Reason != before
			}, f.names.OfPerson)
	case record.RelayLetter:
		return learnt(f, key, value, func(x *record.Relay) (*string, []string) { return &x.DecidedBy, []string{x.Robot, x.Of} },
			func(x *record.Relay) bool {
				return removed(&x.Sources, func(s record.RelaySource) bool { return f.has(s.Robot) })
			}, f.names.OfRelay)
	case record.PairLetter:
		return learnt(f, key, value, func(x *record.Pair) (*string, []string) { return new(string), []string{x.First, x.Second} }, whole, none)
	case record.AliasLetter:
		return learnt(f, key, value, func(x *record.Alias) (*string, []string) { return new(string), []string{x.URI} }, whole, f.names.OfAlias)
	case record.ReuseLetter:
		return learnt(f, key, value, func(x *record.Reuse) (*string, []string) { return new(string), []string{x.Robot} }, whole, none)
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

// user is like agent for the name of a user, who is somebody's only if it is an IRI.
func (f *forgetting) user(name *string) bool { return rdf.IsIRI(*name) && f.agent(name) }

// nobody is the robot of what an erased agent reported.
const nobody = "urn:segraph:nobody"

// member replaces names in a context, and removes the texts of the members that have them, or whose observations lost their
// texts. It reports whether there were some.
func (f *forgetting) member(x *record.Context) (changed bool) {
	kind := text.Fingerprint(x.Kind)
	for i := range x.Members {
		member := &x.Members[i]
		before := *member
		said := before.Text != "" && f.said[saying{before.Origin, before.At, before.Robot, before.Text}]
		place := f.replaced(&member.Location)
		if !anyOf(f.replaced(&member.Subject), f.agent(&member.Robot), place, said) {
			continue
		}
		if place {
			f.uncount(ofPlace.key(f.now.hasher, frequencyName{kind, text.Fingerprint(before.Location)}))
		}
		member.Text, changed = "", true
		f.uncount(ofText.key(f.now.hasher, frequencyName{kind, text.Fingerprint(before.Text)}))
		f.uncount(ofSubject.key(f.now.hasher, frequencyName{kind, text.Fingerprint(before.Subject)}))
	}
	if changed {
		f.out.Contexts++
		f.out.URIs[x.URI] = true
	}
	return changed
}

// observation replaces names in an observation, takes out its text, and reports whether it had such a name.
func (f *forgetting) observation(o *record.Observation) bool {
	said := saidBy(o)
	if !anyOf(f.replaced(&o.Subject), f.replaced(&o.URI), f.agent(&o.Robot), f.replaced(&o.Location), f.aliases(o)) {
		return false
	}
	f.silence(o, said)
	return true
}

func saidBy(o *record.Observation) saying {
	return saying{o.Context, o.At, o.Robot, text.Normal(o.Text)}
}

// silence takes the text out of an observation. said is what it says.
func (f *forgetting) silence(o *record.Observation, said saying) {
	if o.Key != (record.Hash{}) {
		f.uncount(record.RepeatKey(o.Key))
	}
	f.uncount(ofText.key(f.now.hasher, frequencyName{text.Fingerprint(o.Kind), text.Fingerprint(said.text)})) // it may be no member
	f.said[said] = true
	o.Text, o.Key, o.Salt = "", record.Hash{}, record.Salt{}
	f.out.Observations++
	f.out.URIs[f.names.Context(o.Context)] = true
}

// sameEvent returns a function that rewrites the record of an observation, if it identifies nobody and is of the same event as
// one that lost its text: somebody who is forgotten said it. Call sameEvent after all observations were seen. It returns nil if
// none lost its text.
func (f *forgetting) sameEvent() (func(key, value []byte) error, error) {
	lost, done := map[uint64]bool{}, map[string]bool{}
	for s := range f.said {
		event, err := f.event(s.origin)
		if err != nil {
			return nil, err
		}
		lost[event] = true
	}
	if len(lost) == 0 {
		return nil, nil
	}
	for _, r := range f.change.Records {
		done[string(r.Key)] = true
	}
	return func(key, value []byte) error {
		if done[string(key)] {
			return nil
		}
		o, err := record.Decode[record.Observation](value)
		if err != nil || o.Text == "" {
			return err
		}
		if unnamed, err := f.aboutNobody(o); err != nil || !unnamed {
			return err
		}
		if event, err := f.event(o.Context); err != nil || !lost[event] {
			return err
		}
		return rewrite(f, key, value, func(o *record.Observation) bool { f.silence(o, saidBy(o)); return true }, f.names.OfObservation)
	}, nil
}

// event returns the number of the context that a context is in now or, if that has late reports, of the one that they repeat.
func (f *forgetting) event(number uint64) (uint64, error) {
	for seen := map[uint64]bool{}; ; {
		root, err := rootOf(number, f.now.context)
		if err != nil {
			return 0, err
		}
		if root.LateOf == 0 || seen[root.Number] {
			return root.Number, nil
		}
		seen[root.Number], number = true, root.LateOf
	}
}

// aboutNobody reports whether an observation identifies no person. One beyond record.MaxMembers counts as about a person.
func (f *forgetting) aboutNobody(o *record.Observation) (bool, error) {
	if is, known := f.nobody[o.Subject]; known {
		return is, nil
	}
	in, err := rootOf(o.Context, f.now.context)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(in.Members, func(m record.Member) bool { return m.Subject == o.Subject })
	if i < 0 {
		return false, nil
	}
	f.nobody[o.Subject] = f.now.learnt.isNobody(in.Members[i])
	return f.nobody[o.Subject], nil
}

// aliases replaces names in the aliases of an observation, and reports whether there were some.
func (f *forgetting) aliases(o *record.Observation) (found bool) {
	all := o.Aliases()
	for i := range all {
		found = f.replaced(&all[i]) || found
	}
	o.Alias = strings.Join(slices.DeleteFunc(all, func(uri string) bool { return uri == "" }), "\n")
	return found
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

// none returns no quads: the graph of contexts does not show the record, or not the part of it that changes.
func none[P any](P) []rdf.Quad { return nil }

// has reports whether any of the IRIs belongs to somebody who is forgotten.
func (f *forgetting) has(iris ...string) bool {
	return slices.ContainsFunc(iris, func(iri string) bool { _, found := f.of(iri); return found })
}

// clock removes a clock's claims on people, the fingerprints of its friends, and those of the subjects and texts of other claims,
// and reports whether there were any. A guess could be tested with a fingerprint, and nothing shows whose it is, so all of them go.
func (f *forgetting) clock(x *record.Clock) bool {
	changed := removed(&x.Claims, func(c record.Claim) bool { return f.has(c.Partner) }) || len(x.Friends) > 0
	x.Friends = nil
	for i := range x.Claims {
		c := &x.Claims[i]
		changed = changed || len(c.Subjects)+len(c.Texts) > 0
		c.Subjects, c.Texts = nil, nil
	}
	return changed
}

// removed removes from a list the elements for which of returns true, and reports whether there were any.
func removed[T any](list *[]T, of func(T) bool) bool {
	before := len(*list)
	*list = slices.DeleteFunc(*list, of)
	return len(*list) < before
}

// anyOf reports whether one of the arguments is true. Unlike operands of ||, all are evaluated.
func anyOf(list ...bool) bool { return slices.Contains(list, true) }

// whole changes nothing: the record has no list, so it goes or stays as a whole.
func whole[P any](P) bool { return false }

// learnt removes a record that is about somebody who is forgotten. In any other record it replaces such a person as the one
// who decided, and calls less, which removes the parts about such a person and reports whether it found one.
func learnt[T any, P interface {
	*T
	record.Coded
}](f *forgetting, key, value []byte, about func(P) (decidedBy *string, iris []string), less func(P) bool, quads func(P) []rdf.Quad) error {
	x, err := record.Decode[T, P](value)
	if err != nil {
		return err
	}
	by, iris := about(x)
	if !f.has(iris...) {
		return rewrite(f, key, value, func(x P) bool { by, _ := about(x); return anyOf(f.user(by), less(x)) }, quads)
	}
	if *by != "" {
		f.out.Deciders[*by] = true
	}
	f.change.Records, f.change.Remove = append(f.change.Records, Record{Key: bytes.Clone(key)}), append(f.change.Remove, quads(x)...)
	return nil
}
