// Package retries keeps the answers to requests that clients may send again, so that a retry
// gets the first answer and changes nothing. The answer to a write is stored in the unit of
// work that appends the write's journal entry. Other answers are stored on their own.
//
//	retries      number -> the request and its answer (record); its sequence is the last number
//	retryusers   hash of a user -> how many records the user has, and a number before the oldest; its sequence counts all records
//	retryindex   number of a block -> hashes and numbers of the records in the block (see index.go)
//	retrystate   the secrets, and the users with more than MaxOwned records
//
// Users, keys and bodies are kept as HMAC-SHA-256 with secrets in the file. A body's hash goes
// with the content: with a withdrawn log, and with the published graph.
package retries

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/journal"
)

// Limits. A user's newest MaxOwned records and all of the last KeepTime are kept, but at most
// MaxRecords, of which the oldest go first.
const (
	MaxOwned   = 100_000
	MaxRecords = 2_000_000
	KeepTime   = time.Hour
)

const (
	recordsName = "retries"
	usersName   = "retryusers"
	indexName   = "retryindex"
	stateName   = "retrystate"
)

// Keys of the bucket retrystate.
var (
	secretKey = []byte("secret") // for users and keys
	stateKey  = []byte("state")  // the secret for bodies, the number of the first record that uses it, and then state.over
)

// ErrOtherBody means that the key was used with another body.
var ErrOtherBody = errors.New("the key was used with another body")

// A Request is what identifies a request that may be sent again.
type Request struct {
	User, Method, Path, Query string
	// Key is the client's key. If ByRequest, it is the request's id, which counts only
	// together with the body.
	Key       string
	ByRequest bool
	Size      int64             // of the body
	Body      [sha256.Size]byte // SHA-256 of the body
}

// Kept is the first answer to a request.
type Kept struct {
	Entry  *journal.Numbered // of the write, or nil
	Status int
	Answer []byte // the body, or for a log what its entry lacks
}

// limits are the package's constants, except in tests.
type limits struct {
	owned, all int
	keep       time.Duration
	block      uint64 // numbers in a block of the index
}

// Retries are the kept answers of a file. Its methods are safe for concurrent use.
type Retries struct {
	store  *engine.Store
	limits limits
	first  atomic.Uint64 // a number that no record is below; only a hint

	sealing sync.Mutex // held while a block of the index is written

	mu      sync.Mutex // guards the fields below
	loaded  bool
	secret  []byte
	content epoch
	former  []epoch // of bodies, while this process runs
	recent  recent
	next    uint64 // number of the last record
	sealed  uint64 // number of the next block of the index
	gone    gone
}

// epoch is a secret for bodies, with the number of the first record that uses it.
type epoch struct {
	secret []byte
	since  uint64
}

// New returns the retries of a file that is opened with their Extension.
func New() *Retries {
	return &Retries{limits: limits{MaxOwned, MaxRecords, KeepTime, blockSize}, gone: gone{}}
}

// Extension returns the engine's hooks for kept answers.
func (r *Retries) Extension() engine.Extension {
	return engine.Extension{
		Opened:  func(s *engine.Store) error { r.store = s; return nil },
		Entered: r.entered,
		Clear:   r.clear,
		Check:   r.check,
	}
}

// load reads the secrets and the end of the records, once.
func (r *Retries) load(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.loaded {
		return nil
	}
	if err := r.makeSecrets(ctx); err != nil {
		return err
	}
	err := r.store.View(func(s *engine.Snapshot) (err error) {
		tx := s.KV()
		secret, err := unsealed(tx, secretKey)
		if err != nil {
			return err
		}
		now, err := readState(tx)
		if err != nil {
			return err
		}
		r.secret, r.content = bytes.Clone(secret), now.content
		r.recent = newRecent()
		r.next, r.sealed = tx.Bucket(recordsName).Sequence(), 0
		if k, _ := tx.Bucket(indexName).Cursor().Last(); k != nil {
			r.sealed = numberOf(k) + 1
		}
		for k, v := range kv.From(tx.Bucket(recordsName), numberKey(r.sealed*r.limits.block)) {
			x, err := decode(k, v)
			if err != nil {
				return err
			}
			r.recent.add(x.hash(), numberOf(k))
		}
		if k, _ := tx.Bucket(recordsName).Cursor().First(); k != nil {
			r.first.Store(numberOf(k))
			r.sealed = max(r.sealed, numberOf(k)/r.limits.block)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the kept answers: %w", err)
	}
	r.loaded = true
	return nil
}

// makeSecrets makes the secrets of a file that has none.
func (r *Retries) makeSecrets(ctx context.Context) error {
	have := false
	err := r.store.View(func(s *engine.Snapshot) error {
		have = s.KV().Bucket(stateName).Get(secretKey) != nil
		return nil
	})
	if have || err != nil {
		return err
	}
	err = r.store.Update(ctx, func(tx *engine.Tx) error {
		if tx.KV().Bucket(stateName).Get(secretKey) != nil {
			return nil
		}
		if err := putSealed(tx.KV(), secretKey, newSecret()); err != nil {
			return err
		}
		return putState(tx.KV(), state{content: epoch{newSecret(), 0}})
	})
	if err != nil {
		return fmt.Errorf("making the secrets of kept answers: %w", err)
	}
	return nil
}

func newSecret() []byte {
	secret := make([]byte, sha256.Size)
	_, _ = rand.Read(secret) // never fails
	return secret
}

// state is what the bucket retrystate has for writes.
type state struct {
	content epoch
	over    [][8]byte // hashes of the users with more than MaxOwned records
}

func readState(tx kv.Reader) (s state, err error) {
	v, err := unsealed(tx, stateKey)
	if err != nil || len(v) < sha256.Size+8 {
		return s, errors.Join(errRecord, err)
	}
	s.content, v = epoch{bytes.Clone(v[:sha256.Size]), binary.BigEndian.Uint64(v[sha256.Size:])}, v[sha256.Size+8:]
	for ; len(v) >= 8; v = v[8:] {
		s.over = append(s.over, [8]byte(v))
	}
	return s, nil
}

func putState(tx kv.Writer, s state) error {
	v := binary.BigEndian.AppendUint64(bytes.Clone(s.content.secret), s.content.since)
	for _, u := range s.over {
		v = append(v, u[:]...)
	}
	return putSealed(tx, stateKey, v)
}

func unsealed(tx kv.Reader, key []byte) ([]byte, error) {
	v := tx.Bucket(stateName).Get(key)
	if v == nil {
		return nil, nil
	}
	return kv.Unseal(key, v)
}

func putSealed(tx kv.Writer, key, value []byte) error {
	b, err := tx.Writable(stateName)
	if err != nil {
		return err
	}
	return b.Put(key, kv.Seal(key, value))
}

// mac returns the HMAC of texts, each preceded by its length.
func mac(secret []byte, texts ...string) []byte {
	h := hmac.New(sha256.New, secret)
	for _, t := range texts {
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(t))))
		_, _ = h.Write([]byte(t))
	}
	return h.Sum(nil)
}

func userHash(secret []byte, user string) [8]byte { return [8]byte(mac(secret, "user", user)) }

func bodyHash(secret []byte, body *[sha256.Size]byte) [16]byte {
	return [16]byte(mac(secret, string(body[:])))
}

// Identify returns what identifies a request in the file. Its remaining fields are the
// caller's.
func (r *Retries) Identify(ctx context.Context, q *Request) (*journal.Retry, error) {
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	r.mu.Lock()
	secret := r.secret
	r.mu.Unlock()
	t := &journal.Retry{User: userHash(secret, q.User), Body: q.Body, ByRequest: q.ByRequest}
	if q.ByRequest {
		// The size keeps records apart if a client always sends the same id.
		t.ID = [16]byte(mac(secret, "request", q.User, q.Method, q.Path, q.Query, q.Key, strconv.FormatInt(q.Size, 10)))
	} else {
		t.ID = [16]byte(mac(secret, "key", q.User, q.Method, q.Path, q.Query, q.Key))
	}
	return t, nil
}

// candidates limits how many records with one id and size are compared with a request.
const candidates = 64

// Find returns the kept answer to a request, or nil. t is Identify's result for q. The error
// is ErrOtherBody if the key was used with another body.
func (r *Retries) Find(ctx context.Context, t *journal.Retry, q *Request) (kept *Kept, err error) {
	r.seal(ctx)
	r.mu.Lock()
	numbers := r.recent.find(hashOf(t.ID))
	indexed, withdrawn := r.sealed > r.first.Load()/r.limits.block, len(r.gone) > 0
	r.mu.Unlock()
	if len(numbers) == 0 && !indexed && !withdrawn {
		return nil, nil
	}
	// The snapshot is opened after that: what left recent since is in its index.
	err = r.store.View(func(s *engine.Snapshot) error {
		looked := 0
		look := func(number uint64) (more bool, err error) {
			kept, more, err = r.compare(s, number, t, q)
			looked++
			return more && looked < candidates, err
		}
		for i := len(numbers) - 1; i >= 0; i-- {
			if more, err := look(numbers[i]); !more || err != nil {
				return err
			}
		}
		return find(s.KV().Bucket(indexName), hashOf(t.ID), r.limits.block, look)
	})
	if err == nil && kept == nil && q.ByRequest {
		kept, err = r.findGone(t.ID, q)
	}
	if err != nil && !errors.Is(err, ErrOtherBody) {
		return nil, fmt.Errorf("looking up a kept answer: %w", err)
	}
	return kept, err
}

// compare compares a record with a request. more means that another record may fit.
func (r *Retries) compare(s *engine.Snapshot, number uint64, t *journal.Retry, q *Request) (kept *Kept, more bool, err error) {
	key := numberKey(number)
	sealed := s.KV().Bucket(recordsName).Get(key)
	if sealed == nil { // it was removed
		return nil, true, nil
	}
	x, err := decode(key, sealed)
	if err != nil || x.id != t.ID {
		return nil, err == nil, err
	}
	same, known := r.sameBody(x, number, q)
	switch {
	case q.ByRequest && !same:
		return nil, true, nil
	case !q.ByRequest && known && !same:
		return nil, false, ErrOtherBody
	}
	kept, err = x.kept(s.KV())
	return kept, false, err
}

// sameBody reports whether a record has the body of a request. known is false if the
// record's hash was removed.
func (r *Retries) sameBody(x *record, number uint64, q *Request) (same, known bool) {
	if x.erased {
		return false, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if number >= r.content.since {
		return bodyHash(r.content.secret, &q.Body) == x.body, true
	}
	for i := len(r.former) - 1; i >= 0; i-- {
		if e := r.former[i]; number >= e.since {
			return bodyHash(e.secret, &q.Body) == x.body, true
		}
	}
	return false, false
}

// Keep stores an answer that no journal entry comes with.
func (r *Retries) Keep(ctx context.Context, t *journal.Retry, status int, answer []byte, now time.Time) error {
	var done func()
	err := r.store.Update(ctx, func(tx *engine.Tx) (err error) {
		done, err = r.put(tx.KV(), t, &record{time: now.Unix(), last: journal.Count(tx.KV()), status: status, answer: answer})
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping an answer: %w", err)
	}
	done()
	return nil
}

// Stats describes the kept answers.
type Stats struct {
	Records uint64
	Oldest  time.Time // when the oldest was stored; zero if there is none
}

// Stats returns the number and the age of the kept answers.
func (r *Retries) Stats() (out Stats, err error) {
	err = r.store.View(func(s *engine.Snapshot) error {
		out.Records = s.KV().Bucket(usersName).Sequence()
		k, v := s.KV().Bucket(recordsName).Cursor().Seek(numberKey(r.first.Load()))
		if k == nil {
			return nil
		}
		x, err := decode(k, v)
		if err == nil {
			out.Oldest = time.Unix(x.time, 0)
		}
		return err
	})
	return out, err
}
