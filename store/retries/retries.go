// Package retries keeps the answers to requests that clients may send again, so that a retry
// gets the first answer and changes nothing. The answer to a write is stored in the unit of
// work that appends the write's journal entry. Other answers are stored on their own.
//
//	retries     number -> the request and its answer (record); its sequence is the last number
//	retryindex  number of a block -> hashes and numbers of the block's records (see index.go)
//	retryusers  hash of a user -> how many records the user had at the end of the last block; its sequence counts removed records
//	retrystate  the secret
//
// Users, keys and bodies are kept as HMAC-SHA-256 with a secret in the file. What a log's body
// or answer says lies beside its journal entry and goes with its content. Memory still knows
// the hashes of the newest bodies of this process.
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
	"hash"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
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
	indexName   = "retryindex"
	usersName   = "retryusers"
	stateName   = "retrystate"
)

var secretKey = []byte("secret")

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
	Entry    *journal.Numbered // of the write, or nil
	Observed *journal.Entry    // of the observation of a log, or nil; see journal.Retry
	Status   int
	Answer   []byte // the body, or for a log what the entries lack
}

// limits are the package's constants, except in tests.
type limits struct {
	owned, all uint64
	keep       time.Duration
	block      uint64 // numbers in a block of the index
}

// Retries are the kept answers of a file. Its methods are safe for concurrent use.
type Retries struct {
	store  *engine.Store
	limits limits
	first  atomic.Uint64 // a number that no record is below; only a hint
	swept  swept

	loading sync.Mutex
	secret  []byte    // set by load
	macs    sync.Pool // *macs with the secret

	mu      sync.Mutex // guards the fields below
	recent  recent
	indexed bool // the file has an index
	users   map[[5]byte]uint64
	pending []counted // puts that are not on the disk yet, or were lost
}

// counted is how many records a user had before the one with a number.
type counted struct {
	number uint64
	user   [5]byte
	before uint64
}

// New returns the retries of a file that is opened with their Extension.
func New() *Retries {
	return &Retries{limits: limits{MaxOwned, MaxRecords, KeepTime, blockSize}, recent: recent{}, users: map[[5]byte]uint64{}}
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

// load reads the secret and the end of the records, once. A file without a secret gets one.
func (r *Retries) load(ctx context.Context) error {
	r.loading.Lock()
	defer r.loading.Unlock()
	if r.secret != nil {
		return nil
	}
	err := r.store.View(r.read)
	if err == nil && r.secret == nil {
		if err = r.store.Update(ctx, putSecret); err == nil {
			err = r.store.View(r.read)
		}
	}
	if err != nil {
		return fmt.Errorf("reading the kept answers: %w", err)
	}
	return nil
}

// putSecret makes the secret with which users, keys and bodies are hashed.
func putSecret(tx *engine.Tx) error {
	secret := make([]byte, sha256.Size)
	_, _ = rand.Read(secret) // never fails
	b, err := tx.KV().Writable(stateName)
	if err != nil {
		return err
	}
	return b.Put(secretKey, kv.Seal(secretKey, secret))
}

// read reads the secret, and the records that are not in the index yet, into memory.
func (r *Retries) read(s *engine.Snapshot) error {
	tx := s.KV()
	secret, err := kv.GetSealed(tx.Bucket(stateName), secretKey)
	if secret == nil || err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	from := uint64(0)
	if k, _ := tx.Bucket(indexName).Cursor().Last(); k != nil {
		r.indexed, from = true, (numberOf(k)+1)*r.limits.block
	}
	for k, v := range kv.From(tx.Bucket(recordsName), numberKey(from)) {
		x, err := decode(k, v)
		if err != nil {
			return err
		}
		r.recent.add(x, recentRecord{number: numberOf(k)})
		r.users[x.user] = x.ordinal
	}
	if k, _ := tx.Bucket(recordsName).Cursor().First(); k != nil {
		r.first.Store(numberOf(k))
	}
	r.secret = bytes.Clone(secret)
	return nil
}

// macs computes HMACs. It is made for each request, but its hash is used again.
type macs struct {
	hash hash.Hash
	text []byte
}

// of returns the HMAC of texts, each preceded by its length. It is valid until the next call.
func (m *macs) of(texts ...string) []byte {
	m.text = m.text[:0]
	for _, t := range texts {
		m.text = append(binary.AppendUvarint(m.text, uint64(len(t))), t...)
	}
	m.hash.Reset()
	_, _ = m.hash.Write(m.text)
	m.text = m.hash.Sum(m.text[:0])
	return m.text
}

const bodySize = len(journal.Retry{}.Hash)

// Identify returns what identifies a request in the file. The caller sets the other fields,
// which are about the answer.
func (r *Retries) Identify(ctx context.Context, q *Request) (*journal.Retry, error) {
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	kind, size := "key", ""
	if q.ByRequest { // the size keeps records apart if a client always sends the same id
		kind, size = "request", strconv.FormatInt(q.Size, 10)
	}
	m, ok := r.macs.Get().(*macs)
	if !ok {
		m = &macs{hash: hmac.New(sha256.New, r.secret)}
	}
	defer r.macs.Put(m)
	t := &journal.Retry{Body: q.Body, ByRequest: q.ByRequest}
	t.ID = [len(t.ID)]byte(m.of(kind, q.User, q.Method, q.Path, q.Query, q.Key, size))
	t.User = [len(t.User)]byte(m.of("user", q.User))
	t.Hash = [bodySize]byte(m.of("body", string(q.Body[:])))
	t.Content = func() string { return string(content(t)) } // called when t has the answer
	return t, nil
}

// maxCandidates limits how many records with one id and size are compared with a request.
const maxCandidates = 64

// Find returns the kept answer to a request, or nil. t is Identify's result for it. The error
// is ErrOtherBody if the key was used with another body.
func (r *Retries) Find(t *journal.Retry) (kept *Kept, err error) {
	r.mu.Lock()
	recent, indexed := slices.Clone(r.recent[hashOf(t.ID)]), r.indexed
	r.mu.Unlock()
	if len(recent) == 0 && !indexed {
		return nil, nil
	}
	// The snapshot is opened after that: what left recent since is in its index.
	err = r.store.View(func(s *engine.Snapshot) error {
		more, looked := true, 0
		for c := range r.candidates(s.KV(), recent, hashOf(t.ID)) {
			kept, more, err = r.compare(s.KV(), c, t)
			if looked++; !more || err != nil || looked == maxCandidates {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrOtherBody) {
		return nil, fmt.Errorf("looking up a kept answer: %w", err)
	}
	return kept, err
}

// compare compares a record with a request. more means that another record may fit.
func (r *Retries) compare(tx kv.Reader, c recentRecord, t *journal.Retry) (kept *Kept, more bool, err error) {
	key := numberKey(c.number)
	sealed := tx.Bucket(recordsName).Get(key)
	if sealed == nil { // it was removed
		return nil, true, nil
	}
	x, err := decode(key, sealed)
	if err != nil || x.id != t.ID {
		return nil, err == nil, err
	}
	kept, hash, err := x.kept(tx)
	if hash == nil && c.body != [bodySize]byte{} {
		hash = c.body[:]
	}
	switch same := bytes.Equal(hash, t.Hash[:]); {
	case err != nil:
		return nil, false, err
	case t.ByRequest && !same:
		return nil, true, nil
	case hash != nil && !same:
		return nil, false, ErrOtherBody
	}
	return kept, false, nil
}

// Keep stores an answer that no journal entry comes with.
func (r *Retries) Keep(ctx context.Context, t *journal.Retry, status int, answer []byte, now time.Time) error {
	var done func()
	t.Answer = answer
	err := r.store.Update(ctx, func(tx *engine.Tx) (err error) {
		done, err = r.put(tx.KV(), t, &record{time: now.Unix(), last: journal.Count(tx.KV()), status: status, content: content(t)})
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
		out.Records = count(s.KV())
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

// count returns the number of records.
func count(tx kv.Reader) uint64 {
	return tx.Bucket(recordsName).Sequence() - tx.Bucket(usersName).Sequence()
}

// check verifies the checksums and the number of all records.
func (r *Retries) check(c *engine.Checker) error {
	tx, total := c.KV(), uint64(0)
	for k, v := range kv.All(tx.Bucket(recordsName)) {
		if _, err := decode(k, v); err != nil {
			return fmt.Errorf("kept answer %d: %w", numberOf(k), err)
		}
		if total++; total%4096 == 0 && c.Context().Err() != nil {
			return c.Context().Err()
		}
	}
	if total != count(tx) {
		return errors.New("the number of kept answers is wrong")
	}
	for _, name := range []string{usersName, indexName} {
		for k, v := range kv.All(tx.Bucket(name)) {
			if _, err := kv.Unseal(k, v); err != nil {
				return fmt.Errorf("the index of kept answers: %w", err)
			}
		}
	}
	return nil
}
