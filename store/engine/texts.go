package engine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/text"
	"github.com/segraph/segraph/store/ids"
)

// The bucket "trigrams" holds an index of the trigrams of texts (package text). The index
// lists the blocks of the dictionary whose texts may meet a condition. The indexer writes
// it in steps, each in a transaction of its own, so a write waits only if it wants the
// disk at the same moment. Texts that are not in a segment yet are scanned.
//
// A program that does not know the bucket leaves it alone, and the index stays correct:
// the numbers of the dictionary only grow, and a number always stands for the same text.
// Deleting everything deletes the bucket too.
var trigramsName = []byte("trigrams")

// indexedTags lists the tags whose texts are indexed, in order.
var indexedTags = []int{ids.TagIRI, ids.TagLang, ids.TagString, ids.TagOtherNumber, ids.TagOtherTime, ids.TagOther}

// TextIndex selects what the store does with the index of texts.
type TextIndex int

const (
	TextIndexOn   TextIndex = iota // keep it up to date in the background
	TextIndexAsIs                  // use what there is and do not change it; for programs that end soon
	TextIndexOff                   // do not use it, and remove it in the background
)

// textSteps limits the steps of the indexer.
type textSteps struct {
	least  int // fewest blocks that make a segment; the texts of fewer are tested one by one
	most   int // about how many trigrams, counted once for each block, are indexed together
	merged int // how many bytes of a segment are merged together
	// byHand turns off indexing in the background.
	byHand bool
}

var usualTextSteps = textSteps{least: 32, most: maxIndexed, merged: 256 << 10}

const maxIndexed = 1 << 18

// indexing is the state of the indexer.
type indexing struct {
	TextIndex
	wake  chan struct{}
	steps textSteps

	mu      sync.Mutex    // held during a step
	builder *text.Builder // nil between runs
}

func newIndexing(o *Options) *indexing {
	return &indexing{TextIndex: o.TextIndex, wake: make(chan struct{}, 1), steps: cmp.Or(o.textSteps, usualTextSteps)}
}

// wantIndexing wakes the indexer.
func (s *Store) wantIndexing() {
	if s.indexing.steps.byHand || s.indexing.TextIndex == TextIndexAsIs {
		return
	}
	select {
	case s.indexing.wake <- struct{}{}:
	default:
	}
}

// indexRest is the indexer's rest between two runs. Each step is a commit, and a write at
// the same moment waits for the disk. While many small writes are flushed several times a
// second, the rest limits the indexer to one segment a second, so that few need merging.
const indexRest = time.Second

// indexLoop runs the indexer. It returns when the store is closing or can no longer
// write.
func (s *Store) indexLoop() {
	defer s.workers.Done()
	for {
		select {
		case <-s.indexing.wake:
		case <-s.closing:
			return
		}
		for more := true; more; {
			begin, head := time.Now(), s.queue.durable.Load().end
			var err error
			s.queue.set(&s.queue.indexes, true)
			more, err = s.indexStep()
			s.queue.set(&s.queue.indexes, false)
			wait := time.Duration(0)
			switch {
			case s.works() != nil:
				return
			case err != nil:
				s.log.Warn("indexing texts failed and will be retried", "error", err)
				more, wait = true, tidyAgain
			case s.queue.durable.Load().end != head: // others write
				wait = 3 * time.Since(begin)
			}
			select {
			case <-time.After(wait):
			case <-s.closing:
				return
			}
		}
		select {
		case <-time.After(indexRest):
		case <-s.closing:
			return
		}
		if len(s.indexing.wake) == 0 { // the next run may be far off
			s.indexing.mu.Lock()
			s.indexing.builder = nil
			s.indexing.mu.Unlock()
		}
	}
}

// IndexTexts indexes all texts in the buckets, or removes the index with TextIndexOff. It
// returns once this is done.
func (s *Store) IndexTexts(ctx context.Context) error {
	for more := !s.readOnly && s.indexing.TextIndex != TextIndexAsIs; more; {
		err := ctx.Err()
		if err == nil {
			err = s.works()
		}
		if err == nil {
			more, err = s.indexStep()
		}
		if err != nil {
			return fmt.Errorf("indexing texts: %w", err)
		}
	}
	return nil
}

// indexedTexts is the list of segments as it was read.
type indexedTexts struct {
	list    []text.Segment
	next    uint64
	known   bool
	encoded []byte
}

// indexedIn reads the list of segments.
func indexedIn(tx *bolt.Tx) (x indexedTexts, err error) {
	if b := tx.Bucket(trigramsName); b != nil {
		x.encoded = bytes.Clone(b.Get(text.ListKey))
	}
	x.list, x.next, x.known, err = text.ParseList(x.encoded)
	return x, err
}

// indexedEnd returns the number of the block after the last indexed one of a tag, or 0 if
// none is indexed.
func (x *indexedTexts) indexedEnd(tag int) (end uint64) {
	for _, s := range x.list {
		if s.Tag == tag && !s.Unfinished {
			end = max(end, s.To)
		}
	}
	return end
}

// indexStep does one step and reports whether there may be another.
func (s *Store) indexStep() (more bool, err error) {
	s.indexing.mu.Lock()
	defer s.indexing.mu.Unlock()
	err = s.guarded(func() error {
		seen, do, err := s.readIndex()
		if err != nil || do == nil {
			return err
		}
		more = true
		return s.writeIndex(&seen, do)
	})
	return more, err
}

// readIndex returns the list of segments and the next change, nil if there is none.
func (s *Store) readIndex() (seen indexedTexts, do *change, err error) {
	tx, err := s.file.Begin(false)
	if err != nil {
		return seen, nil, s.unready(fmt.Errorf("beginning to read: %w", err))
	}
	defer s.file.End(tx)
	if seen, err = indexedIn(tx); err == nil && seen.known {
		do, err = s.nextChange(tx, &seen)
	}
	return seen, do, err
}

// nextChange returns the next change, nil if there is none.
func (s *Store) nextChange(tx *bolt.Tx, seen *indexedTexts) (*change, error) {
	if s.indexing.TextIndex == TextIndexOff {
		return removal(tx, seen), nil
	}
	if name := unlistedSegment(tx, seen); name != nil {
		return &change{list: seen.list, next: seen.next, remove: name}, nil
	}
	for _, tag := range indexedTags {
		if do, err := s.build(tx, seen, tag); do != nil || err != nil {
			return do, err
		}
	}
	for i := range seen.list {
		if seen.list[i].Unfinished {
			return merge(tx, seen, i, s.indexing.steps.merged)
		}
	}
	for _, tag := range indexedTags {
		if merged, ok := text.ToMerge(seen.list, tag); ok {
			merged.Number = seen.next
			return &change{list: append(seen.list, merged), next: seen.next + 1}, nil
		}
	}
	return nil, nil
}

// unlistedSegment returns the name of a segment's bucket that is not listed, nil if all are.
func unlistedSegment(tx *bolt.Tx, seen *indexedTexts) (name []byte) {
	b := tx.Bucket(trigramsName)
	if b == nil {
		return nil
	}
	listed := map[string]bool{}
	for _, s := range seen.list {
		listed[string(s.Bucket())] = true
	}
	_ = b.ForEachBucket(func(k []byte) error {
		if !listed[string(k)] {
			name = bytes.Clone(k)
		}
		return nil
	})
	return name
}

// removal returns the next step of removing the index: one segment, or the bucket once it is
// empty. It returns nil if there is no index.
func removal(tx *bolt.Tx, seen *indexedTexts) *change {
	if tx.Bucket(trigramsName) == nil {
		return nil
	}
	if name := unlistedSegment(tx, &indexedTexts{}); name != nil {
		return &change{next: seen.next, remove: name}
	}
	return &change{removed: true}
}

// build makes a segment of texts of a tag that are not indexed yet. It returns nil if
// there are too few.
func (s *Store) build(tx *bolt.Tx, seen *indexedTexts, tag int) (*change, error) {
	terms := tx.Bucket(dictName)
	least, greatest, ok, err := dict.Stored(terms, tag)
	from := seen.indexedEnd(tag)
	if !ok || err != nil {
		return nil, err
	}
	if from*text.BlockSize <= least && from > 0 { // all indexed texts were deleted
		return dropTag(seen, tag), nil
	}
	from = max(from, least/text.BlockSize)
	end := (greatest + 1) / text.BlockSize
	if end < from+uint64(s.indexing.steps.least) {
		return nil, nil
	}
	if s.indexing.builder == nil {
		s.indexing.builder = text.NewBuilder()
	}
	b := s.indexing.builder
	b.Reset()
	if err := addBlocks(b, terms, tag, from, end, s.indexing.steps.most); err != nil {
		return nil, err
	}
	made := text.Segment{Number: seen.next, Tag: tag, From: from, To: from + uint64(b.Blocks())}
	return &change{put: map[uint64][]text.Pair{made.Number: b.Pairs()}, list: append(seen.list, made), next: seen.next + 1}, nil
}

// addBlocks adds the blocks [from, end) of a tag to b. It stops once b holds limit
// trigrams.
func addBlocks(b *text.Builder, terms *bolt.Bucket, tag int, from, end uint64, limit int) error {
	block := from
	err := dict.Values(terms, tag, from*text.BlockSize, func(number uint64, value []byte) bool {
		for ; block < number/text.BlockSize && block < end && b.Size() < limit; block++ {
			b.EndBlock()
		}
		if block < number/text.BlockSize || block >= end || b.Size() >= limit {
			return false
		}
		b.Add(string(value))
		return true
	})
	for ; block < end && b.Size() < limit; block++ {
		b.EndBlock()
	}
	return err
}

// dropTag removes all segments of a tag from the list. Tidying removes their buckets.
func dropTag(seen *indexedTexts, tag int) *change {
	do := &change{next: seen.next}
	for _, s := range seen.list {
		if s.Tag != tag {
			do.list = append(do.list, s)
		}
	}
	return do
}

// merge continues merging into segment i of the list. It writes about limit bytes.
func merge(tx *bolt.Tx, seen *indexedTexts, i, limit int) (*change, error) {
	b, merged := tx.Bucket(trigramsName), seen.list[i]
	var parts []text.Part
	for _, p := range text.Merging(seen.list, merged) {
		in := b.Bucket(p.Bucket())
		if in == nil {
			return nil, missing(p)
		}
		parts = append(parts, text.Part{Segment: p, Bucket: in})
	}
	pairs, done, err := text.Merge(parts, b.Bucket(merged.Bucket()), limit)
	if err != nil {
		return nil, err
	}
	do := &change{put: map[uint64][]text.Pair{merged.Number: pairs}, list: seen.list, next: seen.next}
	if done {
		do.list = nil
		for _, s := range seen.list {
			switch {
			case s == merged:
				s.Unfinished = false
			case s.Tag == merged.Tag && merged.From <= s.From && s.To <= merged.To:
				continue
			}
			do.list = append(do.list, s)
		}
	}
	return do, nil
}

func missing(s text.Segment) error {
	return &text.DamagedError{Detail: fmt.Sprintf("segment %d is missing", s.Number)}
}
