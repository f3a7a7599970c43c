package engine

import (
	"context"
	"time"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/journal/tree"
)

// treeStep is how many entries growTree adds in one write.
const treeStep = 16384

// growTree adds entries of the journal that its tree lacks, because a program that knows
// no tree wrote them. It works in steps, between other writes. After a kill, the next
// start continues. While entries are missing, flushes add none.
func (s *Store) growTree() {
	defer s.workers.Done()
	if !s.journaled {
		return
	}
	for {
		more := false
		err := s.guarded(func() (err error) {
			more, err = s.growTreeOnce(treeStep)
			return err
		})
		if err == nil && !more {
			return
		}
		wait := time.Duration(0)
		if err != nil {
			if s.works() != nil {
				return
			}
			s.log.Warn("building the journal's tree failed and will be retried", "error", err)
			wait = tidyAgain
		}
		select {
		case <-time.After(wait):
		case <-s.closing:
			return
		}
	}
}

// growTreeOnce adds up to most entries, and reports whether there may be more.
func (s *Store) growTreeOnce(most uint64) (more bool, err error) {
	var g *tree.Growth
	err = s.View(func(snap *Snapshot) error {
		g, err = tree.Build(snap.KV(), journal.Count(kv.OnBolt(snap.bolt)), most)
		return err
	})
	if err != nil || g == nil {
		return false, err
	}
	return true, s.Update(context.Background(), func(tx *Tx) error { return g.Put(tx.KV()) })
}
