package retries

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// entered stores the answer to a write with its journal entry. done must be called once both are on the disk.
func (r *Retries) entered(tx *engine.Tx, seq uint64, e *journal.Entry) (done func(), err error) {
	t, log := e.Retry, e.Action == journal.Insert
	if t == nil || t.Answer == nil && !log {
		return nil, nil
	}
	x := &record{time: e.Time.Unix(), last: seq, kind: withLog, status: t.Status}
	if !log {
		x.kind, x.content = withEntry, content(t)
	}
	stored, err := r.put(tx.KV(), t, x)
	if err != nil {
		return nil, err
	}
	return func() { stored(); t.Entered = true }, nil
}

// put stores a request and its answer, and removes old records. done must be called once
// they are on the disk.
func (r *Retries) put(tx kv.Writer, t *journal.Retry, x *record) (done func(), err error) {
	records, err := tx.Writable(recordsName)
	if err != nil {
		return nil, err
	}
	number, err := records.NextSequence()
	if err != nil {
		return nil, err
	}
	x.id, x.user = t.ID, t.User
	r.uncount(number)
	if x.ordinal, err = r.latest(tx, x.user); err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.pending = append(r.pending, counted{number, x.user, x.ordinal})
	x.ordinal++
	r.users[x.user] = x.ordinal
	r.mu.Unlock()
	key, sealed := numberKey(number), func() {}
	if err := records.Put(key, x.encode(key)); err != nil {
		return nil, err
	}
	if number%r.limits.block == 0 { // the numbers below make a full block
		if sealed, err = r.seal(tx, number); err != nil {
			return nil, err
		}
	}
	first, err := r.evict(tx, records, x.time)
	if err != nil {
		return nil, err
	}
	return func() {
		sealed()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.recent.add(x, recentRecord{number, t.Hash})
		for len(r.pending) > 0 && r.pending[0].number <= number {
			r.pending = r.pending[1:]
		}
		r.first.Store(max(r.first.Load(), first))
	}, nil
}

// uncount restores the counts of users from before the records from a number on. If there are any, these are not
// in the file: the number would have been used.
func (r *Retries) uncount(from uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := len(r.pending) - 1; n >= 0 && r.pending[n].number >= from; n-- {
		r.users[r.pending[n].user] = r.pending[n].before
		r.pending = r.pending[:n]
	}
}

// latest returns how many records a user has had.
func (r *Retries) latest(tx kv.Reader, user [5]byte) (uint64, error) {
	r.mu.Lock()
	n, ok := r.users[user]
	r.mu.Unlock()
	if ok {
		return n, nil
	}
	v, err := kv.GetSealed(tx.Bucket(usersName), user[:])
	if v == nil {
		return 0, err
	}
	return numberOf(v), nil
}

// seal moves the records below a number from memory to the index, and the counts of users
// to their bucket. done removes them from memory.
func (r *Retries) seal(tx kv.Writer, number uint64) (done func(), err error) {
	if err := r.index(tx, number/r.limits.block-1); err != nil {
		return nil, err
	}
	b, err := tx.Writable(usersName)
	if err != nil {
		return nil, err
	}
	written := map[[5]byte]uint64{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for user, n := range r.users {
		if err := b.Put(bytes.Clone(user[:]), kv.SealInPlace(user[:], numberKey(n))); err != nil {
			return nil, err
		}
		written[user] = n
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for user, n := range written {
			if r.users[user] == n {
				delete(r.users, user)
			}
		}
		r.recent.remove(number)
		r.indexed = true
	}, nil
}

// swept is where evict goes on. Only writes use it, one at a time.
type swept struct {
	at   uint64 // number
	left int    // records that stay in its block
}

// sweepSteps is how many records each write looks at, to remove those that need not be kept.
// A user with more than MaxOwned has at least every twentieth record, so few stay longer.
const sweepSteps = 16

// evict removes records that need not be kept: of each user those before the newest MaxOwned
// that are older than KeepTime, a few at a time, and the oldest above MaxRecords. It returns a
// number that no record is below.
func (r *Retries) evict(tx kv.Writer, records kv.Writable, now int64) (first uint64, err error) {
	first = r.first.Load()
	steps, total := sweepSteps, count(tx)
	if total <= r.limits.owned {
		return first, nil
	}
	if total >= r.limits.all { // find more of them before others must go
		steps *= 16
	}
	for more := true; more && steps > 0; steps-- {
		if more, err = r.sweep(tx, records, now-int64(r.limits.keep/time.Second)); err != nil {
			return first, err
		}
	}
	for count(tx) > r.limits.all {
		k, _ := records.Cursor().Seek(numberKey(first))
		if k == nil {
			return first, errRecord
		}
		first = numberOf(k) + 1
		if err := drop(tx, records, k); err != nil {
			return first, err
		}
	}
	return first, nil
}

// fromStart makes the sweep go on at the first block. No record has this number.
const fromStart = 0

// sweep looks at the next record and removes it if it need not be kept. It returns false after
// the last record, and at the first one that was stored at before, in seconds since 1970, or
// later; the next sweep then starts from the first block.
func (r *Retries) sweep(tx kv.Writer, records kv.Writable, before int64) (more bool, err error) {
	k, v := records.Cursor().Seek(numberKey(max(r.swept.at, r.first.Load())))
	if k == nil {
		return false, r.leave(tx, r.swept.at, fromStart)
	}
	x, err := decode(k, v)
	if err != nil {
		return false, err
	}
	if x.time >= before {
		return false, r.leave(tx, numberOf(k), fromStart)
	}
	if err := r.leave(tx, numberOf(k), numberOf(k)+1); err != nil {
		return false, err
	}
	latest, err := r.latest(tx, x.user)
	if err != nil || latest < x.ordinal+r.limits.owned {
		r.swept.left++
		return true, err
	}
	return true, drop(tx, records, k)
}

// leave rewrites the index of the blocks that the sweep has passed, before the block of
// number, if records are gone from them. The sweep goes on at next, which is the number of a
// record, or fromStart.
func (r *Retries) leave(tx kv.Writer, number, next uint64) error {
	for block := r.swept.at / r.limits.block; block < number/r.limits.block; block++ {
		marks := tx.Bucket(indexName).Get(numberKey(block))
		if marks != nil && len(marks) != r.swept.left*markSize+4 {
			if err := r.index(tx, block); err != nil {
				return err
			}
		}
		r.swept.left = 0
	}
	r.swept.at = next
	if next == fromStart {
		k, _ := tx.Bucket(indexName).Cursor().First()
		r.swept = swept{at: numberOf(k) * r.limits.block}
	}
	return nil
}

func drop(tx kv.Writer, records kv.Writable, key []byte) error {
	return errors.Join(records.Delete(bytes.Clone(key)), setSequence(tx, usersName, tx.Bucket(usersName).Sequence()+1))
}

// Naming returns the numbers greater than after of the kept answers for which mentions returns true, and the last
// number. Answers of logs are beside their journal entries.
func Naming(r kv.Reader, after uint64, mentions func(text string) bool) (found []uint64, last uint64, err error) {
	last = after
	for k, v := range kv.From(r.Bucket(recordsName), numberKey(after+1)) {
		last = numberOf(k)
		x, err := decode(k, v)
		if err != nil {
			return nil, 0, err
		}
		if len(x.content) <= bodySize {
			continue
		}
		answer, err := unpack(x.content[bodySize:])
		if err != nil {
			return nil, 0, err
		}
		if mentions(string(answer)) {
			found = append(found, last)
		}
	}
	return found, last, nil
}

// Forget removes kept answers in a unit of work, and returns how many of them were still there.
func Forget(tx kv.Writer, some []uint64) (removed int, err error) {
	records, err := tx.Writable(recordsName)
	for _, n := range some {
		if key := numberKey(n); err == nil && records.Get(key) != nil {
			err = drop(tx, records, key)
			removed++
		}
	}
	if err != nil {
		return 0, fmt.Errorf("removing a kept answer: %w", err)
	}
	return removed, nil
}

func setSequence(tx kv.Writer, name string, n uint64) error {
	b, err := tx.Writable(name)
	if err != nil {
		return err
	}
	return b.SetSequence(n)
}

// clear removes all records. Numbers are not used again.
func (r *Retries) clear(tx *engine.Tx) (err error) {
	last := tx.KV().Bucket(recordsName).Sequence()
	if last == 0 {
		return nil
	}
	for _, name := range []string{recordsName, usersName, indexName} {
		err = errors.Join(err, tx.KV().Remove(name), setSequence(tx.KV(), name, last))
	}
	if err != nil {
		return fmt.Errorf("removing the kept answers: %w", err)
	}
	return nil
}
