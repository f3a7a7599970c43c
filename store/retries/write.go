package retries

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/journal"
)

// stepsAtOnce limits how many records a write looks at to remove old ones, besides those
// above MaxRecords. A user with more than MaxOwned has at least every twentieth record, so
// removing keeps up.
const stepsAtOnce = 64

// entered stores the answer to a write with its journal entry. It removes what an entry
// about removed content makes obsolete.
func (r *Retries) entered(tx *engine.Tx, seq uint64, e *journal.Entry) (done func(), err error) {
	var before func()
	switch e.Action {
	case journal.Clear:
		before, err = r.changeSecret(tx.KV())
	case journal.Withdraw:
		before, err = r.withdraw(tx.KV(), e.Withdrawn)
	}
	t := e.Retry
	if err != nil || t == nil || t.Answer == nil && e.Action != journal.Insert {
		return before, err
	}
	after, err := r.put(tx.KV(), t, &record{time: e.Time.Unix(), last: seq, entered: true, status: t.Status, answer: t.Answer})
	if err != nil {
		return nil, err
	}
	return func() {
		if before != nil {
			before()
		}
		after()
		t.Entered = true
	}, nil
}

// put stores a request and its answer, and removes old records. done must be called once
// they are on the disk.
func (r *Retries) put(tx kv.Writer, t *journal.Retry, x *record) (done func(), err error) {
	w, err := openWriter(tx)
	if err != nil {
		return nil, err
	}
	x.id, x.user, x.byRequest, x.body = t.ID, t.User, t.ByRequest, bodyHash(w.content.secret, &t.Body)
	number, err := w.records.NextSequence()
	if err != nil {
		return nil, err
	}
	key := numberKey(number)
	if err := w.records.Put(key, x.encode(key)); err != nil {
		return nil, err
	}
	o, err := readOwner(w.users, x.user)
	if err != nil {
		return nil, err
	}
	if o.count++; o.count == 1 {
		o.from = number
	}
	if o.count == uint64(r.limits.owned)+1 {
		w.over = append(w.over, x.user)
		err = putState(w, w.state)
	}
	if err == nil {
		err = errors.Join(putOwner(w.users, x.user, o), w.users.SetSequence(w.users.Sequence()+1))
	}
	if err == nil {
		err = r.evict(w, x.time)
	}
	if err != nil {
		return nil, err
	}
	first := r.first.Load()
	if w.evicted {
		if first, err = w.dropBlocks(first, r.limits.block); err != nil {
			return nil, err
		}
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.loaded {
			r.recent.add(x.hash(), number)
			r.next = max(r.next, number)
		}
		r.first.Store(max(r.first.Load(), first))
	}, nil
}

// writer changes the kept answers in a transaction.
type writer struct {
	kv.Writer
	state
	records, users kv.Writable
	evicted        bool
}

func openWriter(tx kv.Writer) (w *writer, err error) {
	w = &writer{Writer: tx}
	if w.records, err = tx.Writable(recordsName); err == nil {
		w.users, err = tx.Writable(usersName)
	}
	if err == nil {
		w.state, err = readState(tx)
	}
	return w, err
}

// evict removes what need not be kept: of each user the oldest above MaxOwned that are older
// than KeepTime, a few at a time, and the oldest above MaxRecords.
func (r *Retries) evict(w *writer, now int64) error {
	before, steps := now-int64(r.limits.keep/time.Second), stepsAtOnce
	for _, u := range slices.Clone(w.over) {
		var err error
		if steps, err = r.evictOf(w, u, before, steps); err != nil {
			return err
		}
	}
	for w.users.Sequence() > uint64(r.limits.all) {
		k, v := w.records.Cursor().Seek(numberKey(r.first.Load()))
		if k == nil {
			return errRecord
		}
		x, err := decode(k, v)
		if err == nil {
			err = r.drop(w, bytes.Clone(k), x.user)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// evictOf removes records of a user who has more than MaxOwned, if they are older than
// before. It returns how many of the steps are left.
func (r *Retries) evictOf(w *writer, user [8]byte, before int64, steps int) (left int, err error) {
	o, err := readOwner(w.users, user)
	if err != nil {
		return 0, err
	}
	spare, at := int64(o.count)-int64(r.limits.owned), max(o.from, r.first.Load())
	var old [][]byte
	for k, v := range kv.From(w.records, numberKey(at)) {
		if steps == 0 || spare <= int64(len(old)) {
			break
		}
		x, err := decode(k, v)
		if err != nil {
			return 0, err
		}
		if x.user == user {
			if x.time >= before {
				break
			}
			old = append(old, bytes.Clone(k))
		}
		at = numberOf(k) + 1
		steps--
	}
	if at != o.from {
		o.from = at
		if err := putOwner(w.users, user, o); err != nil {
			return 0, err
		}
	}
	for _, k := range old {
		if err := r.drop(w, k, user); err != nil {
			return 0, err
		}
	}
	return steps, nil
}

// drop removes a record of a user.
func (r *Retries) drop(w *writer, key []byte, user [8]byte) error {
	w.evicted = true
	o, err := readOwner(w.users, user)
	if err != nil || o.count == 0 {
		return errors.Join(errRecord, err)
	}
	if o.count--; o.count == uint64(r.limits.owned) {
		w.over = slices.DeleteFunc(w.over, func(u [8]byte) bool { return u == user })
		err = putState(w, w.state)
	}
	return errors.Join(err, w.records.Delete(key), putOwner(w.users, user, o), w.users.SetSequence(w.users.Sequence()-1))
}

// dropBlocks removes the blocks of the index that have no record any more. from is a number
// that no record is below; dropBlocks returns the first number.
func (w *writer) dropBlocks(from, block uint64) (first uint64, err error) {
	first = w.records.Sequence() + 1
	if k, _ := w.records.Cursor().Seek(numberKey(from)); k != nil {
		first = numberOf(k)
	}
	var empty [][]byte
	for k := range kv.All(w.Bucket(indexName)) {
		if numberOf(k) >= first/block {
			break
		}
		empty = append(empty, bytes.Clone(k))
	}
	if len(empty) == 0 {
		return first, nil
	}
	b, err := w.Writable(indexName)
	for _, k := range empty {
		err = errors.Join(err, b.Delete(k))
	}
	return first, err
}

// ofEntry returns the record that was stored with a journal entry, or nil.
func ofEntry(b kv.Bucket, seq uint64) (key []byte, x *record, err error) {
	first, _ := b.Cursor().First()
	if first == nil {
		return nil, nil, nil
	}
	from := numberOf(first)
	at := func(i int) (k []byte, x *record) { // the first record from a number on
		k, v := b.Cursor().Seek(numberKey(from + uint64(i)))
		if k == nil || err != nil {
			return nil, nil
		}
		x, err = decode(k, v)
		return k, x
	}
	n := int(b.Sequence() + 1 - from)
	i := sort.Search(n, func(i int) bool {
		_, x := at(i)
		return x == nil || x.last >= seq
	})
	for k, x := at(i); x != nil && x.last == seq && err == nil; k, x = at(i) {
		if x.entered {
			return bytes.Clone(k), x, nil
		}
		i = int(numberOf(k)+1) - int(from)
	}
	return nil, nil, err
}

// withdraw removes what the record of a withdrawn log has of the log's content.
func (r *Retries) withdraw(tx kv.Writer, logID string) (done func(), err error) {
	entries, err := journal.Find(tx, logID, 1)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	key, x, err := ofEntry(tx.Bucket(recordsName), entries[0].Seq)
	if err != nil || x == nil {
		return nil, err
	}
	w, err := openWriter(tx)
	if err != nil {
		return nil, err
	}
	if x.byRequest { // only the body's hash tells the request from others
		x.answer = nil
		return func() { r.keepGone(numberOf(key), x) }, r.drop(w, key, x.user)
	}
	x.erased, x.body, x.answer = true, [16]byte{}, nil
	return nil, w.records.Put(key, x.encode(key))
}

// changeSecret makes the hashes of all bodies so far unusable.
func (r *Retries) changeSecret(tx kv.Writer) (done func(), err error) {
	if tx.Bucket(stateName).Get(stateKey) == nil {
		return nil, nil
	}
	s, err := readState(tx)
	if err != nil {
		return nil, err
	}
	e := epoch{newSecret(), tx.Bucket(recordsName).Sequence() + 1}
	s.content = e
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.loaded {
			r.former, r.content = append(r.former, r.content), e
		}
	}, putState(tx, s)
}

// clear removes all records. Numbers are not used again.
func (r *Retries) clear(tx *engine.Tx) error {
	last := tx.KV().Bucket(recordsName).Sequence()
	if last == 0 {
		return nil
	}
	s, err := readState(tx.KV())
	if err != nil {
		return err
	}
	s.over = nil
	err = putState(tx.KV(), s)
	for _, name := range []string{recordsName, usersName, indexName} {
		err = errors.Join(err, tx.KV().Remove(name))
	}
	if err != nil {
		return fmt.Errorf("removing the kept answers: %w", err)
	}
	w, err := openWriter(tx.KV())
	if err != nil {
		return err
	}
	return w.records.SetSequence(last)
}
