package resolver

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/store/rdf"
)

// usualRoom is the memory of the caches, in bytes, unless Options say another.
const usualRoom = 256 << 20

// readRoom is that of a state that is only read: records come in order, so few are needed again.
const readRoom = 4 << 20

// leastClocks is how many clocks a generation has at least: those that a unit of work reads must stay until it is remembered.
const leastClocks = 4096

// committed is the state from which units of work start. It includes changes that are
// still being stored, and is a cache of the store. During a decision only the unit of
// work reads it, because the unit has to see its own changes first. A test restricts the
// files that use it.
type committed struct {
	store  Store
	policy *policy
	room   int64 // of the caches, in bytes

	contexts    cache[uint64, *shared]
	cases       cache[uint64, *record.Case]
	buckets     cache[bucketName, *bucket]
	kinds       cache[uint64, record.Kind]
	frequencies [frequencyKinds]cache[frequencyName, record.Frequency]
	clocks      cache[string, record.Clock]
	repeats     cache[record.Hash, record.Repeat]
	likenesses  likenesses
	said        cache[rdf.Term, struct{}] // nodes shared by many records, with quads that are stored or being stored

	groups groups // groups of pending cases
	learnt knowledge

	unread  bool            // the memory is empty and must be read
	series  []record.Series // series of names, oldest first; the last one is new, and is stored with its first number
	named   bool            // it is stored
	totals  record.Totals
	hasher  *record.Hasher        // of totals.Secret
	robots  cache[string, uint32] // their fingerprints
	scale   record.Scale
	reviews record.Reviews
}

// shared is a context in memory. It is immutable: a change makes a copy.
type shared struct {
	record.Context
	texts    []*text.Text // different texts of its members, at most maxTexts
	kindHash uint64
}

// maxTexts is how many different texts of a context are compared.
const maxTexts = 6

// newShared prepares a context for comparisons. like may hold texts to reuse.
func newShared(x record.Context, like *shared) *shared {
	s := &shared{Context: x, kindHash: text.Fingerprint(x.Kind)}
	for _, m := range x.Members {
		if m.Text != "" && !hasText(s.texts, m.Text) && len(s.texts) < maxTexts {
			s.texts = append(s.texts, like.text(m.Text))
		}
	}
	return s
}

// hasText reports whether a text has the normal form.
func hasText(texts []*text.Text, normal string) bool {
	for _, t := range texts {
		if t.Normal == normal {
			return true
		}
	}
	return false
}

// text returns the context's text with a normal form, which is analysed already, or analyses it.
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

// reset empties the memory. Entries are read from the store again when used.
func (c *committed) reset() {
	part := c.room / 64
	*c = committed{
		store:      c.store,
		policy:     c.policy,
		room:       c.room,
		contexts:   newCache(24*part, func(_ uint64, s *shared) int { return s.size() }),
		cases:      newCache(8*part, sizeOfCase),
		buckets:    newCache(16*part, func(_ bucketName, b *bucket) int { return b.size }),
		kinds:      newCache(part, func(_ uint64, k record.Kind) int { return 192 + len(k.Name) + 8*len(k.Open) }),
		clocks:     newCache(part, func(_ string, k record.Clock) int { return 512 + len(k.Robot) + 48*len(k.Steps) + 128*len(k.Claims) }),
		robots:     newCache(part, func(robot string, _ uint32) int { return 64 + len(robot) }),
		repeats:    newCache(4*part, func(record.Hash, record.Repeat) int { return 160 }),
		said:       newCache(part, func(node rdf.Term, _ struct{}) int { return 96 + len(node.Value()) }),
		likenesses: newLikenesses(4 * part),
		learnt:     newKnowledge(c.policy),
		unread:     true,
	}
	c.clocks.least = leastClocks
	for i := range c.frequencies {
		c.frequencies[i] = newCache(4*part/int64(frequencyKinds), func(frequencyName, record.Frequency) int { return 112 })
	}
}

// size returns about how many bytes a context takes.
func (s *shared) size() int {
	n := 512 + len(s.URI) + len(s.Kind) + 8*len(s.Origins) + 16*(len(s.Separations)+len(s.Doubts))
	for _, m := range s.Members {
		n += 160 + len(m.Subject) + len(m.Modality) + len(m.Text) + len(m.Robot) + len(m.Location)
	}
	for _, t := range s.texts {
		n += 160 + 8*len(t.Normal) // its runes and words
	}
	return n
}

// sizeOfCase returns about how many bytes a case takes.
func sizeOfCase(_ uint64, k *record.Case) int {
	n := 384 + len(k.Reason) + len(k.DecidedBy)
	for _, t := range k.Targets {
		n += 160
		for _, p := range t.Parts {
			n += 64 + len(p.Value)
		}
	}
	return n
}

// readOnly returns the committed state of a store that no Resolver uses.
func readOnly(store Store) *committed {
	c := &committed{store: store, policy: newPolicy(Defaults()), room: readRoom}
	c.reset()
	return c
}

// recall reads what is always in memory, and draws the bits of new names, and the secret
// of a new store, from random or, if shared is not "", from that; see Options.Shared.
func (c *committed) recall(random io.Reader, shared string) error {
	totals, err := fetch[record.Totals](c, record.TotalsKey())
	if err != nil {
		return err
	}
	if totals == nil {
		totals = &record.Totals{}
	}
	scale, err := fetch[record.Scale](c, record.ScaleKey())
	if err != nil {
		return err
	}
	reviews, err := fetch[record.Reviews](c, record.ReviewsKey())
	if err != nil {
		return err
	}
	if shared != "" {
		if totals.Secret == (record.Secret{}) {
			totals.Secret = sha256.Sum256([]byte(shared))
		}
		names := sha256.Sum256(append([]byte("names"), totals.Secret[:]...))
		random = bytes.NewReader(names[:])
	}
	if err := c.recallNames(totals, random); err != nil {
		return err
	}
	if err := c.recallSecret(totals, random); err != nil {
		return err
	}
	c.totals = *totals
	if scale != nil {
		c.scale = *scale
	}
	if reviews != nil {
		c.reviews = *reviews
	}
	if err := c.learnt.recall(c); err != nil {
		return err
	}
	c.learnt.derive(&c.scale, &c.reviews)
	c.unread = false
	return nil
}

// recallSecret draws a secret from random if t has none yet, and makes the hasher of keys
// with it.
func (c *committed) recallSecret(t *record.Totals, random io.Reader) error {
	if t.Secret == (record.Secret{}) {
		if _, err := io.ReadFull(random, t.Secret[:]); err != nil {
			return fmt.Errorf("drawing the secret of the resolver's records: %w", err)
		}
	}
	c.hasher = record.NewHasher(t.Secret)
	return nil
}

// fingerprint returns a short hash of a robot.
func (c *committed) fingerprint(robot string) uint32 {
	if f, ok := c.robots.get(robot); ok {
		return f
	}
	f := fingerprintOf(c.hasher, robot)
	c.robots.put(robot, f)
	return f
}

// fingerprintOf returns a short hash of a robot, a subject or a text.
func fingerprintOf(h *record.Hasher, name string) uint32 {
	return uint32(h.Of("fingerprint", name).Number())
}

func (c *committed) scan(from, to []byte, yield func(key, value []byte) bool) error {
	return c.store.Scan(from, to, yield)
}

// fetch reads a record. It returns nil if there is none.
func fetch[T any, P interface {
	*T
	record.Coded
}](c *committed, key []byte) (*T, error) {
	return load[T, P](c.store, key)
}

// load decodes the record with a key, or returns nil if there is none. It needs no Resolver.
func load[T any, P interface {
	*T
	record.Coded
}](store Store, key []byte) (*T, error) {
	value, err := store.Get(key)
	if err != nil || value == nil {
		return nil, err
	}
	x, err := record.Decode[T, P](value)
	if err != nil {
		return nil, fmt.Errorf("reading record %x: %w", key, err)
	}
	return x, nil
}

// errMissing reports that the store lacks a record that another one refers to.
var errMissing = errors.New("a record of the resolver is missing")

// context returns the context with a number. It is cached, so callers must not change it.
func (c *committed) context(number uint64) (*shared, error) {
	if s, ok := c.contexts.get(number); ok {
		return s, nil
	}
	x, err := fetch[record.Context](c, record.ContextKey(number))
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, fmt.Errorf("%w: context %d", errMissing, number)
	}
	s := newShared(*x, nil)
	c.contexts.put(number, s)
	return s, nil
}

// caseOf returns the case with a number. It is cached, so callers must not change it.
func (c *committed) caseOf(number uint64) (*record.Case, error) {
	if k, ok := c.cases.get(number); ok {
		return k, nil
	}
	k, err := fetch[record.Case](c, record.CaseKey(number))
	if err != nil {
		return nil, err
	}
	if k == nil {
		return nil, fmt.Errorf("%w: case %d", errMissing, number)
	}
	c.cases.put(number, k)
	return k, nil
}

func (c *committed) decision(number uint64) (*record.Decision, error) {
	x, err := fetch[record.Decision](c, record.DecisionKey(number))
	if err == nil && x == nil {
		err = fmt.Errorf("%w: decision %d", errMissing, number)
	}
	return x, err
}

func (c *committed) clock(robot string) (record.Clock, error) {
	return read(c, &c.clocks, robot, record.Clock{Robot: robot}, func() []byte { return c.hasher.ClockKey(robot) })
}

func (c *committed) kind(hash uint64) (record.Kind, error) {
	return read(c, &c.kinds, hash, record.Kind{}, func() []byte { return c.hasher.KindKey(hash) })
}

// frequency returns how often contexts of a kind have a value.
func (c *committed) frequency(of frequencyKind, name frequencyName) (record.Frequency, error) {
	return read(c, &c.frequencies[of], name, record.Frequency{}, func() []byte { return of.key(c.hasher, name) })
}

// repeat returns the answer to a repeated observation, or the zero Repeat if the
// observation is new.
func (c *committed) repeat(key record.Hash) (record.Repeat, error) {
	return read(c, &c.repeats, key, record.Repeat{}, func() []byte { return record.RepeatKey(key) })
}

// read returns a small record from a cache or from the store, or absent if neither has
// it.
func read[K comparable, T any, P interface {
	*T
	record.Coded
}](c *committed, in *cache[K, T], k K, absent T, key func() []byte) (T, error) {
	if v, ok := in.get(k); ok {
		return v, nil
	}
	v, err := fetch[T, P](c, key())
	if err != nil {
		return absent, err
	}
	if v == nil {
		v = &absent
	}
	in.put(k, *v)
	return *v, nil
}

// scanner is the committed state or a unit of work.
type scanner interface {
	scan(from, to []byte, yield func(key, value []byte) bool) error
}

// readAll calls yield with every record in a range of keys.
func readAll[T any, P interface {
	*T
	record.Coded
}](in scanner, from, to []byte, yield func(P)) error {
	return readUntil(in, from, to, func(x P) bool {
		yield(x)
		return true
	})
}

// readUntil calls yield with the records in a range of keys until it returns false.
func readUntil[T any, P interface {
	*T
	record.Coded
}](in scanner, from, to []byte, yield func(P) bool) error {
	var failed error
	err := in.scan(from, to, func(_, value []byte) bool {
		var x *T
		if x, failed = record.Decode[T, P](value); failed != nil {
			return false
		}
		return yield(x)
	})
	if err != nil {
		return err
	}
	return failed
}

// numbersIn returns the numbers in the keys of a range, at most limit. number extracts a
// key's number; record.Number does, for example.
func numbersIn(in scanner, from, to []byte, limit int, number func(key []byte) uint64) (numbers []uint64, err error) {
	err = in.scan(from, to, func(key, _ []byte) bool {
		if len(numbers) < limit {
			numbers = append(numbers, number(key))
		}
		return len(numbers) < limit
	})
	return numbers, err
}
