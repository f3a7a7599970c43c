package resolver

import (
	"errors"
	"fmt"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/store/rdf"
)

// Bounds of what is kept in memory, in entries of one generation. A context takes about 2 KiB.
const (
	maxContexts    = 32_768
	maxBuckets     = 4096
	maxFrequencies = 131_072
	maxCases       = 8192
	maxClocks      = 4096
	maxKinds       = 4096
	maxRepeats     = 65_536
	maxSaid        = 32_768
)

// remembered is what the resolver has in memory: what is on its way into the store, and parts of what
// is there.
type remembered struct {
	unsaved  unsaved
	contexts cache[uint64, *shared]
	cases    cache[uint64, *record.Case]
	buckets  cache[bucketName, *bucket]
	kinds    cache[uint64, record.Kind]
	texts    cache[frequencyName, record.Frequency]
	subjects cache[frequencyName, record.Frequency]
	places   cache[frequencyName, record.Frequency]
	clocks   cache[string, record.Clock]
	repeats  cache[record.Hash, record.Repeat]
	said     cache[rdf.Term, struct{}] // nodes of many records, whose quads are stored or on their way

	groups       groups                    // of pending cases
	watched      map[string]record.Subject // all of them
	pairs        map[pairName]record.Pair  // all of them
	relays       map[string]record.Relay   // all of them
	placeholders []string                  // names of those that are watched and taken for placeholders

	renewed []byte // the last record that Renew has mirrored anew
	middle  middle // of the clocks' offsets

	fresh   bool            // the rest has to be read
	series  []record.Series // of names, oldest first; the last one is drawn, and stored with the first number from it
	named   bool            // it is stored
	totals  record.Totals
	scale   record.Scale
	spread  float64 // what scale says, in seconds
	reviews record.Reviews
	rules   weigh.Rules
}

// frequencyName is the hash of a kind and the fingerprint of a text, a subject or a place.
type frequencyName struct{ kind, of uint64 }

// shared is a context in memory. It is never changed: a change makes another.
type shared struct {
	record.Context
	texts []*text.Text // the different ones of its members, maxTexts at most
	hash  uint64       // of its kind
}

// maxTexts is how many different texts of a context are compared.
const maxTexts = 6

// newShared takes a context apart; like may hold texts that it shares.
func newShared(x record.Context, like *shared) *shared {
	s := &shared{Context: x, hash: text.Fingerprint(x.Kind)}
	for _, m := range x.Members {
		if m.Text != "" && !hasText(s.texts, m.Text) && len(s.texts) < maxTexts {
			s.texts = append(s.texts, like.text(m.Text))
		}
	}
	return s
}

func hasText(texts []*text.Text, normal string) bool {
	for _, t := range texts {
		if t.Normal == normal {
			return true
		}
	}
	return false
}

func (s *shared) text(normal string) *text.Text {
	if s != nil {
		for _, t := range s.texts {
			if t.Normal == normal {
				return t
			}
		}
	}
	return text.New(normal)
}

// forget empties the memory. What is used next is read from the store.
func (r *Resolver) forget() {
	r.remembered = remembered{
		unsaved:  unsaved{},
		rules:    r.settings.rules(),
		contexts: newCache[uint64, *shared](maxContexts),
		cases:    newCache[uint64, *record.Case](maxCases),
		buckets:  newCache[bucketName, *bucket](maxBuckets),
		kinds:    newCache[uint64, record.Kind](maxKinds),
		texts:    newCache[frequencyName, record.Frequency](maxFrequencies),
		subjects: newCache[frequencyName, record.Frequency](maxFrequencies),
		places:   newCache[frequencyName, record.Frequency](maxFrequencies),
		clocks:   newCache[string, record.Clock](maxClocks),
		repeats:  newCache[record.Hash, record.Repeat](maxRepeats),
		said:     newCache[rdf.Term, struct{}](maxSaid),
		watched:  map[string]record.Subject{},
		pairs:    map[pairName]record.Pair{},
		relays:   map[string]record.Relay{},
		fresh:    true,
	}
}

// recall reads what is always in memory.
func (r *Resolver) recall() error {
	if !r.fresh {
		return nil
	}
	totals, err := fetch[record.Totals](r, record.TotalsKey())
	if err != nil {
		return err
	}
	if totals == nil {
		totals = &record.Totals{}
	}
	if totals.Stored == 0 { // nothing is mirrored yet
		totals.Form = mirror.Form
	}
	if totals.Form > mirror.Form {
		return ErrForm
	}
	scale, err := fetch[record.Scale](r, record.ScaleKey())
	if err != nil {
		return err
	}
	reviews, err := fetch[record.Reviews](r, record.ReviewsKey())
	if err != nil {
		return err
	}
	if err := r.recallNames(totals); err != nil {
		return err
	}
	r.totals = *totals
	if scale != nil {
		r.scale = *scale
	}
	if reviews != nil {
		r.reviews = *reviews
	}
	if err := r.recallWatched(); err != nil {
		return err
	}
	if err := r.everyClock(r.noteClock); err != nil {
		return err
	}
	r.learnt()
	r.fresh = false
	if isDated(totals) {
		select {
		case r.dated <- struct{}{}:
		default: // who receives looks for himself
		}
	}
	return nil
}

// fetch reads a record, nil if there is none.
func fetch[T any, P interface {
	*T
	record.Coded
}](r *Resolver, key []byte) (*T, error) {
	value, err := r.get(key)
	if err != nil || value == nil {
		return nil, err
	}
	x, err := record.Decode[T, P](value)
	if err != nil {
		return nil, fmt.Errorf("reading record %x: %w", key, err)
	}
	return x, nil
}

// errMissing says that the store lacks a record that another one names.
var errMissing = errors.New("a record of the resolver is missing")

// context gives the context of a number.
func (r *Resolver) context(number uint64) (*shared, error) {
	if s, ok := r.contexts.get(number); ok {
		return s, nil
	}
	x, err := fetch[record.Context](r, record.ContextKey(number))
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, fmt.Errorf("%w: context %d", errMissing, number)
	}
	s := newShared(*x, nil)
	r.contexts.put(number, s)
	return s, nil
}

// caseOf gives the case of a number.
func (r *Resolver) caseOf(number uint64) (*record.Case, error) {
	if k, ok := r.cases.get(number); ok {
		return k, nil
	}
	k, err := fetch[record.Case](r, record.CaseKey(number))
	if err != nil {
		return nil, err
	}
	if k == nil {
		return nil, fmt.Errorf("%w: case %d", errMissing, number)
	}
	r.cases.put(number, k)
	return k, nil
}

// decision gives the decision of a number.
func (r *Resolver) decision(number uint64) (*record.Decision, error) {
	x, err := fetch[record.Decision](r, record.DecisionKey(number))
	if err == nil && x == nil {
		err = fmt.Errorf("%w: decision %d", errMissing, number)
	}
	return x, err
}

// clock gives what is known of a robot's clock.
func (r *Resolver) clock(robot string) (record.Clock, error) {
	return read(r, &r.clocks, robot, record.Clock{Robot: robot}, func() []byte { return record.ClockKey(robot) })
}

// kind gives the counts of a kind.
func (r *Resolver) kind(hash uint64) (record.Kind, error) {
	return read(r, &r.kinds, hash, record.Kind{}, func() []byte { return record.KindKey(hash) })
}

// repeat gives what a repeated observation is answered with, nothing if it is new.
func (r *Resolver) repeat(key record.Hash) (record.Repeat, error) {
	return read(r, &r.repeats, key, record.Repeat{}, func() []byte { return record.RepeatKey(key) })
}

// read gives a small record from the cache or from the store; absent stands for what is in neither.
func read[K comparable, T any, P interface {
	*T
	record.Coded
}](r *Resolver, c *cache[K, T], k K, absent T, key func() []byte) (T, error) {
	if v, ok := c.get(k); ok {
		return v, nil
	}
	v, err := fetch[T, P](r, key())
	if err != nil {
		return absent, err
	}
	if v == nil {
		v = &absent
	}
	c.put(k, *v)
	return *v, nil
}
