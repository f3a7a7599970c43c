package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/errno"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
)

// Bounds of what shares one transaction.
const (
	maxGroup      = 256
	maxGroupQuads = 100_000
	// maxLinger is how long a group waits for those that were just answered and will be back at
	// once, as robots that publish one log after the other are. Without it, two halves of them
	// would take turns, each paying for a whole fsync.
	maxLinger = 500 * time.Microsecond
)

// write is what one caller wants done. doc, which may be nil, is stored first, together with
// those of the group; then delta is applied and do runs, which may be nil too.
type write struct {
	ctx     context.Context
	doc     *store.Document
	blanks  map[string]dict.ID
	delta   *Delta
	settles bool         // nothing is to be late any more
	aside   bool         // do is about what is late neither by its journal entry nor by what it reads
	before  func() error // runs first, while nothing is written
	do      func(tx *Tx, added int) error
	after   func() // runs once it is on disk, before anything else is written

	added       int
	contributed []contribution
	done        chan error
}

// update hands a write to the writer and waits until it is on disk. Once it is handed over, the
// context's end stops it only until its transaction begins; the answer tells the truth either way.
func (s *Store) update(ctx context.Context, w *write) error {
	w.ctx, w.done = ctx, make(chan error, 1)
	if err := s.accept(ctx, w); err != nil {
		return err
	}
	return <-w.done
}

// Update runs do in a transaction, and returns once that is on disk. On an error nothing of it is stored.
func (s *Store) Update(ctx context.Context, do func(*Tx) error) error {
	return s.update(ctx, &write{do: func(tx *Tx, _ int) error { return do(tx) }})
}

// accept puts a write into the queue. Close waits for it, so the writer answers whatever was accepted.
func (s *Store) accept(ctx context.Context, w *write) error {
	s.gate.RLock()
	defer s.gate.RUnlock()
	if err := s.works(); err != nil {
		return err
	}
	if s.readOnly {
		return ErrReadOnly
	}
	select {
	case s.queue <- w:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeLoop is the writer: it takes what waits, stores it in one transaction, and answers.
func (s *Store) writeLoop() {
	defer s.writer.Done()
	for {
		select {
		case w := <-s.queue:
			s.writeGroup(s.gather(w))
		case <-s.untidy():
			s.tidy()
		case <-s.closing:
			for { // what was accepted is still written
				select {
				case w := <-s.queue:
					s.writeGroup(s.gather(w))
				default:
					s.settleRest()
					s.listFree()
					return
				}
			}
		}
	}
}

// gather adds to the first write those that wait behind it, up to the bounds of a group. Where
// writers are many it lingers, for an eighth of what the last transaction took at most.
func (s *Store) gather(first *write) []*write {
	group := []*write{first}
	if first.alone() {
		return group
	}
	quads := first.quads()
	expected := min(len(s.queue)+1+s.lastGroup, maxGroup)
	var linger <-chan time.Time
	for len(group) < maxGroup && quads < maxGroupQuads {
		var w *write
		select {
		case w = <-s.queue:
		default:
			if s.lastGroup < 2 || len(group) >= expected {
				return group
			}
			if linger == nil {
				timer := time.NewTimer(min(s.lastTook/8, maxLinger))
				defer timer.Stop()
				linger = timer.C
			}
			select {
			case w = <-s.queue:
			case <-linger:
				return group
			}
		}
		if w.alone() {
			s.writeGroup(group)
			return []*write{w}
		}
		group = append(group, w)
		quads += w.quads()
	}
	return group
}

// alone tells whether a write can't share a transaction. In a group the documents come first, so
// what is no document would be done, and entered in the journal, in another order.
func (w *write) alone() bool { return w.blanks != nil || w.do != nil && w.doc == nil }

func (w *write) quads() int {
	n := 0
	if w.doc != nil {
		n = len(w.doc.Quads)
	}
	if w.delta != nil {
		n += w.delta.quads()
	}
	return n
}

func (w *write) rank() int {
	if w.delta != nil {
		return 1
	}
	return 0
}

// writeGroup stores a group and answers each. Where the group fails, each write is tried
// alone, so that one that can't be stored does not take others with it.
func (s *Store) writeGroup(group []*write) {
	live := group[:0]
	for _, w := range group {
		if err := w.ctx.Err(); err != nil {
			w.done <- err
			continue
		}
		live = append(live, w)
	}
	begin := time.Now()
	err := s.commit(live)
	s.lastGroup, s.lastTook = len(live), time.Since(begin)
	if err != nil && len(live) > 1 && s.broken.Load() == nil {
		for _, w := range live {
			w.done <- s.commit([]*write{w})
		}
		return
	}
	for _, w := range live {
		w.done <- err
	}
}

// commit runs writes in one transaction. Damage that is met on the way ends writing until the file
// was restored: what is written beside damaged pages could not be trusted. So does a panic, after
// which nobody knows what else is not as it should be.
func (s *Store) commit(group []*write) (err error) {
	if len(group) == 0 {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("a write panicked", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			s.stopWriting(isBroken, fmt.Errorf("a write panicked: %v", r))
			err = inDoubt(*s.broken.Load()) // nobody knows how far it came
		}
		s.met(err)
	}()
	if before := group[0].before; before != nil { // which is then alone
		if err := s.unready(s.file.InPlace()); err != nil {
			return err
		}
		if err := s.commit([]*write{{settles: true}}); err != nil {
			return err
		}
		if err := before(); err != nil {
			return err
		}
	}
	if len(s.late) > 0 || slices.ContainsFunc(group, func(w *write) bool { return w.doc != nil || w.delta != nil || w.do != nil }) {
		if err := s.transact(group); err != nil {
			return err
		}
	}
	for _, w := range group {
		if w.after != nil {
			w.after()
		}
	}
	return nil
}

// transact runs writes in one transaction, and takes it back on an error or a panic.
func (s *Store) transact(group []*write) (err error) {
	b, err := s.file.Begin(true)
	if err != nil {
		return s.unready(fmt.Errorf("beginning a write: %w", err))
	}
	s.moved.Store(false)
	whole := false
	defer func() {
		if !whole {
			s.known.Reset() // the ids given in this transaction will be given again
			s.failedDeltas()
			_ = b.Rollback() // an error where Commit has done so
			err = asDiskFull(err)
		}
	}()
	err = s.Guard(func() error { return s.write(b, group) })
	whole = err == nil
	return err
}

// Why nothing is written any more, in words for everybody.
const (
	isDamaged = "the file of the store is damaged, and nothing more is written to it: whoever runs the service has to restore a backup"
	isBroken  = "a write broke down, and nothing more is written until the service is started again"
	hasFailed = "the disk failed, and nothing more is written until the service is started again"
	isMoved   = "the file of the store is not in its place: it was removed, moved or replaced, and nothing more is written; whoever runs the service " +
		"has to put it back, or to save what is still read with `segraph backup --url` and restore that"
)

// stopWriting makes the store not ready, and refuses writes, for as long as it is open.
func (s *Store) stopWriting(words string, why error) {
	var broken error = &store.UnreadyError{Detail: words, Err: why}
	if s.broken.CompareAndSwap(nil, &broken) {
		s.log.Error("writing has stopped", "error", broken)
	}
}

// unready turns a *file.MovedError into words for everybody. Writing goes on once the file is back in its place.
func (s *Store) unready(err error) error {
	var moved *file.MovedError
	if !errors.As(err, &moved) {
		return err
	}
	if !s.moved.Swap(true) {
		s.log.Error("writing has stopped", "error", moved)
	}
	return &store.UnreadyError{Detail: isMoved, Err: moved}
}

// inDoubt adds to an error that the write may be stored.
func inDoubt(err error) error { return fmt.Errorf("%w: %w", store.ErrInDoubt, err) }

// write does what commit does, but for what is left behind on an error.
func (s *Store) write(b *bolt.Tx, group []*write) error {
	tx, err := newTx(b, s.known, s.editor)
	if err != nil {
		return err
	}
	if tx.variants, err = s.variantsIn(b); err != nil {
		return err
	}
	tx.extensions, tx.triples, tx.watched = s.extensions, s.wantTriples(), len(s.staging) > 0
	var docs []*store.Document
	var owners []*write
	for _, w := range group {
		w.added, w.contributed = 0, nil
		if w.doc != nil {
			docs, owners = append(docs, w.doc), append(owners, w)
		}
	}
	if len(docs) > 0 {
		added, lists, err := tx.add(docs, group[0].blanks)
		if err != nil {
			return err
		}
		for i, w := range owners {
			w.added, w.contributed = added[i], lists[i]
		}
	}
	// What the resolver decided comes after the documents, in the journal too: it may remove quads.
	slices.SortStableFunc(group, func(a, b *write) int { return cmp.Compare(a.rank(), b.rank()) })
	kept, all, err := s.writeDeltas(tx, group)
	if err != nil {
		return err
	}
	for _, w := range group {
		tx.contributed = w.contributed
		if w.delta != nil {
			if err := tx.enter(w.delta); err != nil {
				return err
			}
		}
		if w.do != nil {
			if err := w.do(tx, w.added); err != nil {
				return err
			}
		}
	}
	if err := tx.finish(); err != nil {
		return err
	}
	if err := s.commitFile(b); err != nil {
		return s.failedCommit(fmt.Errorf("writing to disk: %w", err))
	}
	s.wroteDeltas(kept, all)
	s.tellStaged(tx)
	for _, done := range tx.done {
		done()
	}
	return nil
}

// listFree has the list of free pages in the file, without which the next one to open it looks at all pages.
func (s *Store) listFree() {
	if s.readOnly || s.broken.Load() != nil {
		return
	}
	if err := s.Guard(s.file.WriteFreelist); err != nil {
		s.log.Warn("the next start will look for the free pages", "error", err)
	}
}

// failedCommit decides what a transaction that could not be written out leaves behind. Where there was no room, and
// nothing of it is stored, nothing is lost and writing goes on. Else the disk can't be trusted: the system may have
// dropped pages that it could not write, also of transactions to come. Then nothing more is written until the file is
// opened again.
func (s *Store) failedCommit(err error) error {
	var failed *file.CommitError
	doubt := !errors.As(err, &failed) || failed.InDoubt
	if full := errno.DiskFull(err) || file.IsAtLimit(err); full && !doubt {
		return asDiskFull(err)
	}
	s.stopWriting(hasFailed, err)
	if s.failed != nil {
		s.failed()
		s.failed = nil
	}
	if doubt {
		return inDoubt(*s.broken.Load())
	}
	return *s.broken.Load()
}

// asDiskFull names the errors that mean that there is no room, on the disk or for a 32-bit program.
func asDiskFull(err error) error {
	switch {
	case errors.Is(err, store.ErrInDoubt):
	case errno.DiskFull(err):
		return fmt.Errorf("%w: %w", store.ErrDiskFull, err)
	case file.IsAtLimit(err):
		return fmt.Errorf("%w: %w", store.ErrAtLimit, err)
	}
	return err
}
