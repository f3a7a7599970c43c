package engine

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/text"
	"github.com/segraph/segraph/store/journal"
)

// Backup writes one moment of the whole file to w, beside writers, and tells which. What
// is written is a file that Open takes. The moment is held until all is written, so w
// should be a file and no slow client.
func (s *Store) Backup(ctx context.Context, w io.Writer) (m store.Moment, err error) {
	for copied := false; err == nil && !copied; {
		err = s.View(func(snap *Snapshot) error {
			moment, ok, err := s.file.Moment(snap.bolt, snap.end)
			if !ok || err != nil {
				return err // the log has moved on: another snapshot has other frames
			}
			m, copied = snap.moment(), true
			out := &interruptible{ctx: ctx, w: w}
			n, err := moment.WriteTo(out)
			if err == nil && n != m.Size {
				err = fmt.Errorf("%d of %d bytes were written", n, m.Size)
			}
			return cmp.Or(out.err, err) // bbolt does not always wrap
		})
	}
	if err != nil {
		return m, fmt.Errorf("backing the store up: %w", asDiskFull(err))
	}
	return m, nil
}

// Written returns how much was written to the file since it was opened.
func (s *Store) Written() file.Written { return s.file.Written() }

// Moment tells what Backup would write now.
func (s *Store) Moment() (m store.Moment, err error) {
	err = s.View(func(snap *Snapshot) error {
		m = snap.moment()
		return nil
	})
	return m, err
}

func (s *Snapshot) moment() store.Moment {
	m := store.Moment{Head: journal.HeadOf(s.KV()), Transaction: s.end.Sequence, Size: s.bolt.Size()}
	if s.end == (file.Mark{}) { // a file without a log
		m.Transaction = uint64(s.bolt.ID())
	}
	for _, g := range s.Graphs() {
		m.Triples += s.view(g).count(0)
	}
	return m
}

// interruptible is a writer that fails once its context has ended. It keeps its first
// error.
type interruptible struct {
	ctx context.Context
	w   io.Writer
	err error
}

func (i *interruptible) Write(p []byte) (n int, err error) {
	if err = i.ctx.Err(); err == nil {
		n, err = i.w.Write(p)
	}
	i.err = cmp.Or(i.err, err)
	return n, err
}

// CheckPages verifies the pages of the file, every one used or free exactly once and
// every key in its place, and the checksum of every block of the dictionary and the
// indexes. That reads the file once and decodes nothing; what the blocks say of each
// other is for Check. Damage ends writing, and makes the store not ready.
func (s *Store) CheckPages(ctx context.Context) error {
	err := s.file.Check(ctx)
	if err == nil {
		err = s.View(func(snap *Snapshot) error { return snap.checkBlocks(ctx) })
	}
	if err != nil && ctx.Err() == nil {
		s.stopWriting(isDamaged, err)
	}
	return err
}

// checkBlocks verifies the checksums of all blocks.
func (s *Snapshot) checkBlocks(ctx context.Context) error {
	n := 0
	each := func() error {
		if n++; n%1000 == 0 {
			return ctx.Err()
		}
		return nil
	}
	if err := dict.CheckBlocks(s.bolt.Bucket(dictName), each); err != nil {
		return err
	}
	if b := s.bolt.Bucket(trigramsName); b != nil {
		if err := b.ForEachBucket(func(k []byte) error { return text.Check(b.Bucket(k), each) }); err != nil {
			return err
		}
	}
	graphs := s.bolt.Bucket(graphsName)
	if graphs == nil {
		return nil
	}
	return graphs.ForEachBucket(func(g []byte) error {
		for _, name := range indexNames {
			if b := graphs.Bucket(g).Bucket(name); b != nil {
				if err := index.CheckBlocks(b, each); err != nil {
					return fmt.Errorf("graph %x: %w", g, err)
				}
			}
		}
		return nil
	})
}

// Compact writes all that the file holds to a new file at path, without what deletions
// left free. The new file usually takes less room, and may take more.
func (s *Store) Compact(path string) error {
	if err := s.Guard(func() error { return s.file.Compact(path) }); err != nil {
		return fmt.Errorf("compacting: %w", asDiskFull(err))
	}
	return nil
}
