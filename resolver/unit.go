package resolver

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// unit is a unit of work: the state as one operation sees it, and the operation's
// changes. Its methods return the unit's own version of a record, or else the committed
// one. Nobody else sees its changes before enter, so an operation that fails halfway
// leaves no trace.
//
// Everything that reads state uses a unit, even to display it. A unit embeds nothing, and
// only this file and enter.go use its field committed, so no other function can overlook
// the unit's changes.
type unit struct {
	committed *committed
	policy    *policy
	known     *knowledge // as of the unit's start
	began     record.Totals
	current   func() time.Time
	random    io.Reader
	at        int64 // result of now; 0 before the first call

	contexts   changed[uint64, edit[shared]]
	cases      changed[uint64, edit[record.Case]]
	decisions  changed[uint64, record.Decision]
	kindOf     *record.Kind // of kindHash
	kindHash   uint64
	counts     changed[counted, record.Frequency]
	clocks     changed[string, record.Clock]
	repeats    changed[record.Hash, record.Repeat]
	subjects   lessons[string, record.Subject]
	pairs      lessons[pairName, record.Pair]
	relays     lessons[string, record.Relay]
	persons    lessons[pairName, record.Person]
	newScale   *record.Scale
	newReviews *record.Reviews
	totals     record.Totals

	records []Record
	said    []rdf.Term // nodes of many records whose quads are in this change
	remove  []rdf.Quad
	add     []rdf.Quad
	entry   *journal.Entry
	gone    departed
	also    any    // Change.Also; see Alongside
	seen    string // see AsSeen
	err     error  // of a look-up that could not return one

	named mirror.Names // see names; without Context before the first call
	spare spare
}

// edit is a record before the change, nil if it is new, and after it.
type edit[T any] struct{ before, after *T }

// counted names a frequency.
type counted struct {
	of   frequencyKind
	name frequencyName
}

// changed holds a unit's versions of some records by their keys. There are few, so it searches the keys one after the other.
type changed[K comparable, V any] struct {
	keys   []K
	values []V
}

func (c *changed[K, V]) get(k K) (v V, ok bool) {
	if i := slices.Index(c.keys, k); i >= 0 {
		return c.values[i], true
	}
	return v, false
}

func (c *changed[K, V]) set(k K, v V) {
	if i := slices.Index(c.keys, k); i >= 0 {
		c.values[i] = v
	} else {
		c.keys, c.values = append(c.keys, k), append(c.values, v)
	}
}

// empty returns c without its content, but with its memory.
func (c *changed[K, V]) empty() changed[K, V] { return changed[K, V]{c.keys[:0], c.values[:0]} }

// now returns the time of the unit's decisions, in microseconds.
func (u *unit) now() int64 {
	if u.at == 0 {
		u.at = u.current().UnixMicro()
	}
	return u.at
}

// context returns the context with a number, as this unit has changed it.
func (u *unit) context(number uint64) (*shared, error) {
	if e, ok := u.contexts.get(number); ok {
		return e.after, nil
	}
	return u.committed.context(number)
}

// root returns the context into which a context was finally merged, or that context
// itself.
func (u *unit) root(number uint64) (*shared, error) { return rootOf(number, u.context) }

// rootOf is like root, with a function that returns the context with a number.
func rootOf(number uint64, context func(uint64) (*shared, error)) (*shared, error) {
	for {
		s, err := context(number)
		if err != nil || s.Into == 0 {
			return s, err
		}
		number = s.Into
	}
}

// setContext replaces or adds a context in the unit. It returns what later calls of the unit see.
func (u *unit) setContext(x record.Context) (*shared, error) {
	e, ok := u.contexts.get(x.Number)
	if !ok && x.Number <= u.began.Contexts {
		before, err := u.committed.context(x.Number)
		if err != nil {
			return nil, err
		}
		e = edit[shared]{before, before}
	}
	e.after = newShared(x, e.after)
	u.contexts.set(x.Number, e)
	return e.after, nil
}

func (u *unit) caseOf(number uint64) (*record.Case, error) {
	if e, ok := u.cases.get(number); ok {
		return e.after, nil
	}
	return u.committed.caseOf(number)
}

// setCase replaces or adds a case.
func (u *unit) setCase(k record.Case) error {
	e, ok := u.cases.get(k.Number)
	if !ok && k.Number <= u.began.Cases {
		var err error
		if e.before, err = u.committed.caseOf(k.Number); err != nil {
			return err
		}
	}
	u.cases.set(k.Number, edit[record.Case]{e.before, &k})
	return nil
}

// decide records a decision and returns its number.
func (u *unit) decide(x record.Decision) uint64 {
	u.totals.Decisions++
	x.Number, x.At, x.Plan = u.totals.Decisions, u.now(), u.policy.plan
	u.setDecision(x)
	switch x.Kind {
	case record.AutoMerge, record.AcceptedMerge, record.Rejection, record.Undoing:
		u.put(record.VerdictKey(x.Number), []byte{})
	}
	u.add = u.names().AppendDecision(u.add, &x)
	return x.Number
}

// setDecision replaces or adds a decision.
func (u *unit) setDecision(x record.Decision) {
	u.decisions.set(x.Number, x)
	u.put(record.DecisionKey(x.Number), record.Encode(&x))
}

func (u *unit) decision(number uint64) (*record.Decision, error) {
	if x, ok := u.decisions.get(number); ok {
		return &x, nil
	}
	return u.committed.decision(number)
}

func (u *unit) clock(robot string) (record.Clock, error) {
	if c, ok := u.clocks.get(robot); ok {
		return c, nil
	}
	return u.committed.clock(robot)
}

// setClock replaces or adds the clock of a robot.
func (u *unit) setClock(c record.Clock) { u.clocks.set(c.Robot, c) }

func (u *unit) kind(hash uint64) (record.Kind, error) {
	if u.kindOf != nil && u.kindHash == hash {
		return *u.kindOf, nil
	}
	return u.committed.kind(hash)
}

// frequency returns how often contexts of a kind have a value.
func (u *unit) frequency(of frequencyKind, name frequencyName) (record.Frequency, error) {
	if f, ok := u.counts.get(counted{of, name}); ok {
		return f, nil
	}
	return u.committed.frequency(of, name)
}

// setFrequency replaces or adds a frequency.
func (u *unit) setFrequency(of frequencyKind, name frequencyName, f record.Frequency) {
	u.counts.set(counted{of, name}, f)
}

// repeat returns the answer to a repeated observation, or the zero Repeat if the
// observation is new.
func (u *unit) repeat(key record.Hash) (record.Repeat, error) {
	if x, ok := u.repeats.get(key); ok {
		return x, nil
	}
	return u.committed.repeat(key)
}

func (u *unit) setRepeat(key record.Hash, x record.Repeat) { u.repeats.set(key, x) }

// scale returns the residuals of anchors, from which the spread of timestamps is learnt.
func (u *unit) scale() record.Scale {
	if u.newScale != nil {
		return *u.newScale
	}
	return u.committed.scale
}

// reviews returns people's decisions.
func (u *unit) reviews() record.Reviews {
	if u.newReviews != nil {
		return *u.newReviews
	}
	return u.committed.reviews
}

// subject returns what was learnt of a subject, including by this unit, and whether
// anything was.
func (u *unit) subject(name string) (s record.Subject, learnt bool) {
	return u.subjects.get(u.known.watched, name)
}

// pair returns what was learnt of two robots, including by this unit.
func (u *unit) pair(name pairName) record.Pair {
	p, _ := u.pairs.get(u.known.pairs, name)
	return p
}

// relay returns what was learnt of a possible relay, including by this unit.
func (u *unit) relay(robot string) record.Relay {
	k, _ := u.relays.get(u.known.relays, robot)
	return k
}

// observation returns an observation of a context, or nil.
func (u *unit) observation(context, number uint64) (*record.Observation, error) {
	return recordOf[record.Observation](u, record.ObservationKey(context, number))
}

// recordOf returns a record that has no accessor of its own, so that only put changes it.
func recordOf[T any, P interface {
	*T
	record.Coded
}](u *unit, key []byte) (*T, error) {
	for _, r := range slices.Backward(u.records) {
		if string(r.Key) == string(key) {
			if r.Value == nil {
				return nil, nil
			}
			return record.Decode[T, P](r.Value)
		}
	}
	return fetch[T, P](u.committed, key)
}

// put sets the value of a key. nil removes the key.
func (u *unit) put(key, value []byte) { u.records = append(u.records, Record{key, value}) }

// scan reads the records in a range of keys, like Store.Scan. A unit must scan before it
// changes anything, because most of its changes are not records yet.
func (u *unit) scan(from, to []byte, yield func(key, value []byte) bool) error {
	if u.changed() {
		return errScanned
	}
	return u.committed.scan(from, to, yield)
}

var errScanned = errors.New("a unit of work can't scan records after it has changed any")

// changed reports whether the unit has changed any records.
func (u *unit) changed() bool {
	return len(u.records)+len(u.contexts.keys)+len(u.cases.keys)+len(u.counts.keys)+len(u.clocks.keys)+len(u.repeats.keys)+
		len(u.subjects.changed)+len(u.pairs.changed)+len(u.relays.changed)+len(u.persons.changed) > 0 || u.kindOf != nil || u.newScale != nil || u.newReviews != nil
}

// bucket returns a bucket, without the contexts that this unit creates.
func (u *unit) bucket(name bucketName) (*bucket, error) { return u.committed.bucket(name) }

// likeness returns the similarity of two texts.
func (u *unit) likeness(a, b *text.Text) float64 { return u.committed.likenesses.of(a, b) }

// crowd builds the additional indexes of a crowded bucket.
func (u *unit) crowd(b *bucket) error { return b.crowd(u.committed) }

// groups returns the groups of the cases that were pending when the unit began.
func (u *unit) groups() (*groups, error) {
	err := u.committed.makeGroups()
	return &u.committed.groups, err
}

// nameBits returns the random bits of new names.
func (u *unit) nameBits() [16]byte {
	series := u.committed.series
	return series[len(series)-1].Bits
}

// names returns the names of the records that the unit knows.
func (u *unit) names() mirror.Names {
	if u.named.Context == nil {
		u.named = namesOf(&u.totals, u.committed.hasher, u.committed.series, u.context, &u.err)
		u.named.Said = u.saidBefore
	}
	names := u.named
	names.Unpublished = u.totals.Unpublished // which the unit may have changed
	return names
}

// saidBefore reports whether the quads of a node that many records share are stored or in this change.
// If not, the caller adds them.
func (u *unit) saidBefore(node rdf.Term) bool {
	if _, ok := u.committed.said.get(node); ok || slices.Contains(u.said, node) {
		return true
	}
	u.said = append(u.said, node)
	return false
}

// hashes returns what computes the hashes of names and texts.
func (u *unit) hashes() *record.Hasher { return u.committed.hasher }

// fingerprint returns a short hash of a robot.
func (u *unit) fingerprint(robot string) uint32 { return u.committed.fingerprint(robot) }
