package engine

import (
	"context"
	"fmt"

	"github.com/segraph/segraph/store/journal"
)

// Audit is what an audit of the journal found.
type Audit struct {
	Head        journal.Head
	First, Last journal.Entry // both zero where there is none
}

// Audit verifies the journal's chain and, where noted is not zero, that it still holds
// all entries up to that head of an earlier time. The error is a *file.DamagedError or
// the context's.
func (s *Store) Audit(ctx context.Context, noted journal.Head) (out Audit, err error) {
	err = s.View(func(snap *Snapshot) error {
		found := noted.Seq == 0
		err := journal.Verify(snap.KV(), func(h journal.Head, stored []byte) error {
			out.Head = h
			if h.Seq == 1 {
				if out.First, err = journal.Parse(stored); err != nil {
					return err
				}
			}
			if h.Seq == noted.Seq {
				if found = h == noted; !found {
					return &journal.DamagedError{Seq: h.Seq, Detail: "is not the one that was noted as the head"}
				}
			}
			return ctx.Err()
		})
		if err == nil && !found {
			err = &journal.DamagedError{Seq: noted.Seq, Detail: fmt.Sprintf("was noted as the head and is missing: the journal ends with entry %d", out.Head.Seq)}
		}
		if err == nil && out.Head.Seq > 0 {
			out.Last, err = journal.Get(snap.KV(), out.Head.Seq)
		}
		return err
	})
	return out, err
}

// Note appends an entry to the journal that is of no write to a graph.
func (s *Store) Note(ctx context.Context, e journal.Entry) error {
	if err := s.Update(ctx, func(tx *Tx) error { return tx.Journal(e) }); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}
