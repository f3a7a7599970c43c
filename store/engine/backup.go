package engine

import (
	"cmp"
	"context"
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/text"
	"github.com/segraph/segraph/store/log/journal"
)

// Backup writes a consistent snapshot of the whole file to w, concurrently with writers,
// and returns its version. Open can open the result. The snapshot stays open until
// everything is written, so w should be a file rather than a slow client.
func (s *Store) Backup(ctx context.Context, w io.Writer) (m store.Version, err error) {
	for copied := false; err == nil && !copied; {
		err = s.View(func(snap *Snapshot) error {
			moment, ok, err := s.file.Snapshot(ctx, snap.tx(), snap.end)
			if !ok || err != nil {
				return err // nil: what the snapshot needs was overwritten, so take a new one
			}
			m, copied = snap.version(), true
			out := &interruptible{ctx: ctx, w: w}
			n, err := moment.WriteTo(out)
			if err == nil && n != m.Size {
				err = fmt.Errorf("%d of %d bytes were written", n, m.Size)
			}
			return cmp.Or(out.err, err) // bbolt does not always wrap
		})
	}
	if err != nil {
		return m, fmt.Errorf("backing up the store: %w", asDiskFull(err))
	}
	return m, nil
}

// Written returns the counts of writes to the file since it was opened.
func (s *Store) Written() file.Written { return s.file.Written() }

// Version identifies the state that Backup would write now.
func (s *Store) Version() (store.Version, error) {
	return Read(s, func(snap *Snapshot) (store.Version, error) { return snap.version(), nil })
}

// Holds reports whether the journal still has the entry of a head, which is in the form of its String. It returns an
// error for another form.
func (s *Store) Holds(head string) (bool, error) {
	h, err := journal.ParseHead(head)
	if err != nil {
		return false, err
	}
	return Read(s, func(snap *Snapshot) (bool, error) { return journal.Holds(snap.KV(), h), nil })
}

// version returns what identifies the snapshot's state, with its size.
func (s *Snapshot) version() store.Version {
	m := store.Version{Head: journal.HeadOf(s.KV()), Transaction: s.end.Sequence, Size: s.tx().Size()}
	if s.end == (file.Mark{}) { // a file without a log
		m.Transaction = uint64(s.tx().ID())
	}
	for _, g := range s.Graphs() {
		m.Triples += s.view(g).count(0)
	}
	return m
}

// interruptible is a writer that fails once its context ends. It keeps its first error.
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

// CheckPages verifies that each page of the file is used or free exactly once, that each key is in its
// place, and the checksum of each block of the dictionary and the indexes. It reads the file once and
// decodes nothing, unlike Check. Damage stops writing and makes the store not ready.
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
	if err := dict.CheckBlocks(s.tx().Bucket(dictName), each); err != nil {
		return err
	}
	if b := s.tx().Bucket(trigramsName); b != nil {
		if err := b.ForEachBucket(func(k []byte) error { return text.Check(b.Bucket(k), each) }); err != nil {
			return err
		}
	}
	graphs := s.tx().Bucket(graphsName)
	if graphs == nil {
		return nil
	}
	return graphs.ForEachBucket(func(g []byte) error {
		b := graphs.Bucket(g)
		err := checkIndexes(b, each)
		if parts := b.Bucket(partsName); parts != nil && err == nil {
			err = parts.ForEachBucket(func(k []byte) error { return checkIndexes(parts.Bucket(k), each) })
		}
		if err != nil {
			return fmt.Errorf("graph %x: %w", g, err)
		}
		return nil
	})
}

// checkIndexes verifies the checksums of the indexes in b, of a graph or a part.
func checkIndexes(b *bolt.Bucket, each func() error) error {
	for _, name := range indexNames {
		if in := b.Bucket(name); in != nil {
			if err := index.CheckBlocks(in, each); err != nil {
				return err
			}
		}
	}
	return nil
}

// Compact writes the content of the file to a new file at path, without the space that
// deletions freed. The new file is usually smaller, but may be larger.
func (s *Store) Compact(path string) error {
	if !s.readOnly && s.Deferred() > 0 { // so that the log region has nothing that counts
		if err := s.direct(context.Background(), directly{do: func(*Tx) error { return nil }}); err != nil {
			return fmt.Errorf("compacting: %w", err)
		}
	}
	if err := s.Guard(func() error { return s.file.Compact(path) }); err != nil {
		return fmt.Errorf("compacting: %w", asDiskFull(err))
	}
	return nil
}
