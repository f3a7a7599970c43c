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
)

// The bucket "trigrams" holds an index of the trigrams of texts (package text). It says
// which blocks of the dictionary have the texts of which a condition may be true. The
// indexer writes it in steps, in transactions of its own: no write waits for it but for
// the one that happens to want the disk at the same moment. Texts that are not in a
// segment yet are scanned.
//
// A program that does not know the bucket leaves it alone, and it stays right: numbers of
// the dictionary only grow, and a number always stands for the same text. If all is
// deleted, the bucket goes, too.
var trigramsName = []byte("trigrams")

// indexedTags are those of which the texts are indexed, in order.
var indexedTags = []int{dict.TagIRI, dict.TagLang, dict.TagString, dict.TagOtherNumber, dict.TagOtherTime, dict.TagOther}

// TextIndex says what becomes of the index of texts.
type TextIndex int

const (
	TextIndexOn   TextIndex = iota // it is kept up to date in the background
	TextIndexAsIs                  // it is used as far as it goes, and not changed: for programs that soon end
	TextIndexOff                   // it is not used, and if there is one it is removed in the background
)

// textSteps says how much the indexer does at once.
type textSteps struct {
	least  int // how many blocks are worth a segment; the texts of fewer are tested one by one
	most   int // about how many trigrams, counted once for each block, are indexed together
	merged int // how many bytes of a segment are merged together
	// byHand says that nothing is indexed in the background.
	byHand bool
}

var usualTextSteps = textSteps{least: 32, most: mostIndexed, merged: 256 << 10}

const mostIndexed = 1 << 18

// indexing is the indexer's.
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

// wantIndexing has the indexer look for what there is to do.
func (s *Store) wantIndexing() {
	if s.indexing.steps.byHand || s.indexing.TextIndex == TextIndexAsIs {
		return
	}
	select {
	case s.indexing.wake <- struct{}{}:
	default:
	}
}

// indexLoop is the indexer.
func (s *Store) indexLoop() {
	defer s.workers.Done()
	for {
		select {
		case <-s.indexing.wake:
		case <-s.closing:
			return
		}
		for more := true; more; {
			begin, head := time.Now(), s.durable.Load().end
			var err error
			more, err = s.indexStep()
			wait := time.Duration(0)
			switch {
			case s.works() != nil:
				return
			case err != nil:
				s.log.Warn("texts could not be indexed; it will be tried again", "error", err)
				more, wait = true, tidyAgain
			case s.durable.Load().end != head: // others write
				wait = time.Since(begin)
			}
			select {
			case <-time.After(wait):
			case <-s.closing:
				return
			}
		}
		s.indexing.mu.Lock()
		s.indexing.builder = nil
		s.indexing.mu.Unlock()
	}
}

// IndexTexts indexes all texts that are in the buckets, or removes the index if it is
// off, and returns once that is done.
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

// indexedTexts is the list of segments, as it was read.
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

// behind returns the number of the block behind the last one of a tag that is indexed, 0
// for none.
func (x *indexedTexts) behind(tag int) (end uint64) {
	for _, s := range x.list {
		if s.Tag == tag && !s.Unfinished {
			end = max(end, s.To)
		}
	}
	return end
}

// indexStep does a step, and reports whether there may be another.
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

// readIndex returns the list of segments and the next thing to do, nil for nothing.
func (s *Store) readIndex() (seen indexedTexts, do *change, err error) {
	tx, err := s.file.Begin(false)
	if err != nil {
		return seen, nil, s.unready(fmt.Errorf("beginning to read: %w", err))
	}
	defer s.file.EndRead(tx)
	if seen, err = indexedIn(tx); err == nil && seen.known {
		do, err = s.nextChange(tx, &seen)
	}
	return seen, do, err
}

// nextChange returns the next thing to do, nil for nothing.
func (s *Store) nextChange(tx *bolt.Tx, seen *indexedTexts) (*change, error) {
	if s.indexing.TextIndex == TextIndexOff {
		return removal(tx, seen), nil
	}
	if name := litter(tx, seen); name != nil {
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

// litter returns the name of a segment's bucket that is not in the list, nil for none.
func litter(tx *bolt.Tx, seen *indexedTexts) (name []byte) {
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

// removal removes the index, a segment at a time.
func removal(tx *bolt.Tx, seen *indexedTexts) *change {
	if tx.Bucket(trigramsName) == nil {
		return nil
	}
	if name := litter(tx, &indexedTexts{}); name != nil {
		return &change{next: seen.next, remove: name}
	}
	return &change{removed: true}
}

// build makes a segment of the texts of a tag that are not in one yet. It returns nil if
// there are few.
func (s *Store) build(tx *bolt.Tx, seen *indexedTexts, tag int) (*change, error) {
	terms := tx.Bucket(dictName)
	least, greatest, ok, err := dict.Stored(terms, tag)
	from := seen.behind(tag)
	if !ok || err != nil {
		return nil, err
	}
	if from*text.BlockSize <= least && from > 0 { // all that is indexed was deleted
		return forget(seen, tag), nil
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

// addBlocks adds the blocks of a tag from one on, and before another, to b, until it has
// so many trigrams.
func addBlocks(b *text.Builder, terms *bolt.Bucket, tag int, from, end uint64, most int) error {
	block := from
	err := dict.Values(terms, tag, from*text.BlockSize, func(number uint64, value []byte) bool {
		for ; block < number/text.BlockSize && block < end && b.Size() < most; block++ {
			b.EndBlock()
		}
		if block < number/text.BlockSize || block >= end || b.Size() >= most {
			return false
		}
		b.Add(string(value))
		return true
	})
	for ; block < end && b.Size() < most; block++ {
		b.EndBlock()
	}
	return err
}

// forget takes all segments of a tag out of the list. Their buckets are litter then.
func forget(seen *indexedTexts, tag int) *change {
	do := &change{next: seen.next}
	for _, s := range seen.list {
		if s.Tag != tag {
			do.list = append(do.list, s)
		}
	}
	return do
}

// merge goes on with the merging of a segment of the list, for so many bytes.
func merge(tx *bolt.Tx, seen *indexedTexts, i, most int) (*change, error) {
	b, merged := tx.Bucket(trigramsName), seen.list[i]
	var parts []text.Part
	for _, p := range text.Merging(seen.list, merged) {
		in := b.Bucket(p.Bucket())
		if in == nil {
			return nil, missing(p)
		}
		parts = append(parts, text.Part{Segment: p, Bucket: in})
	}
	pairs, done, err := text.Merge(parts, b.Bucket(merged.Bucket()), most)
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
