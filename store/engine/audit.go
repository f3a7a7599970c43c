package engine

import (
	"cmp"
	"context"
	"fmt"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/tree"
)

// Audit is the result of an audit of the journal.
type Audit struct {
	Head        journal.Head
	Tree        tree.Head     // of the tree over all entries; the stored one may lack those that wait for a flush
	First, Last journal.Entry // both zero if the journal is empty
}

// Audit verifies the journal's chain and its tree. Unless noted is zero, it also verifies
// that the journal still has all entries up to that earlier head. The error is a
// *file.DamagedError or the context's.
func (s *Store) Audit(ctx context.Context, noted journal.Head) (out Audit, err error) {
	err = s.View(func(snap *Snapshot) error {
		found := noted.Seq == 0
		v, err := tree.NewVerifier(snap.KV())
		if err != nil {
			return err
		}
		err = journal.Verify(snap.KV(), func(h journal.Head, stored []byte) error {
			out.Head = h
			if h.Seq == 1 {
				if out.First, err = journal.Get(snap.KV(), h.Seq); err != nil {
					return err
				}
			}
			if h.Seq == noted.Seq {
				found = h == noted
				if !found {
					return &journal.DamagedError{Seq: h.Seq, Detail: "differs from the entry noted as the head"}
				}
			}
			return cmp.Or(v.Add(stored), ctx.Err())
		})
		if err == nil && !found {
			err = &journal.DamagedError{Seq: noted.Seq, Detail: fmt.Sprintf("was noted as the head but is missing: the journal ends with entry %d", out.Head.Seq)}
		}
		if err == nil {
			out.Tree, err = v.End()
		}
		if err == nil && out.Head.Seq > 0 {
			out.Last, err = journal.Get(snap.KV(), out.Head.Seq)
		}
		return err
	})
	return out, err
}

// Note appends a journal entry that belongs to no write to a graph.
func (s *Store) Note(ctx context.Context, e journal.Entry) error {
	if err := s.Update(ctx, func(tx *Tx) error { return tx.Journal(e) }); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}
