package engine

import (
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/text"
)

// checkTexts verifies that each segment of the index of texts has the trigrams of its texts, and no others unless
// texts were removed since.
func (c *Checker) checkTexts() error {
	x, err := indexedIn(c.tx())
	if err != nil || !x.known || len(x.list) == 0 {
		return err
	}
	terms, b, removed := c.tx().Bucket(dictName), text.NewBuilder(), c.tx().Bucket(metaName).Get(removedKey) != nil
	for _, s := range x.list {
		least, _, ok, err := dict.Stored(terms, s.Tag)
		if err != nil {
			return err
		}
		if s.Unfinished || !ok || s.To*text.BlockSize <= least { // or a program that does not know the index deleted its texts
			continue
		}
		if err := c.checkSegment(s, terms, b, removed); err != nil {
			return fmt.Errorf("segment %d: %w", s.Number, err)
		}
	}
	return nil
}

// checkSegment compares a segment with its texts by sums that do not depend on order. With removed, the segment may have
// more trigrams.
func (c *Checker) checkSegment(s text.Segment, terms *bolt.Bucket, b *text.Builder, removed bool) error {
	in := c.tx().Bucket(trigramsName).Bucket(s.Bucket())
	if in == nil {
		return missing(s)
	}
	stored, err := s.Sum(in)
	if err != nil {
		return err
	}
	var sum uint64
	for at := s.From; at < s.To; at += uint64(b.Blocks()) {
		b.Reset()
		if err := addBlocks(b, terms, s.Tag, at, s.To, maxIndexed); err != nil {
			return err
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		sum += b.Sum(at)
		if removed {
			if err := s.Covers(in, b, at); err != nil {
				return err
			}
		}
	}
	if sum != stored && !removed {
		return &text.DamagedError{Detail: "it does not have the trigrams of its texts"}
	}
	return nil
}
