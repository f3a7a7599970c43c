package text

import (
	"slices"

	"github.com/segraph/segraph/store/trigram"
)

// maxBlockTrigrams is the largest number of distinct trigrams of a block. A block with more is
// treated as having all trigrams, so that a few huge texts take no more room than others.
const maxBlockTrigrams = 1 << 13

// Builder builds a segment in memory. It takes 2 MiB, and 8 bytes for each trigram of
// each block.
type Builder struct {
	seen   []uint64 // one bit for each trigram, set if the block has it
	folded []byte
	block  []trigram.Trigram
	pairs  []uint64 // a trigram in the high 32 bits, a block in the low ones
	n      int      // number of blocks
}

// NewBuilder returns a Builder for an empty segment.
func NewBuilder() *Builder { return &Builder{seen: make([]uint64, trigram.Limit/64)} }

// Reset starts another segment.
func (b *Builder) Reset() {
	b.EndBlock() // a failed build may leave an unfinished block
	b.pairs, b.n = b.pairs[:0], 0
}

// Add adds a text to the current block.
func (b *Builder) Add(text string) {
	if len(b.block) > maxBlockTrigrams {
		return
	}
	b.folded = trigram.Fold(b.folded[:0], text)
	trigram.Each(b.folded, func(t trigram.Trigram) {
		if bit := uint64(1) << (t % 64); b.seen[t/64]&bit == 0 {
			b.seen[t/64] |= bit
			b.block = append(b.block, t)
		}
	})
	if cap(b.folded) > 1<<20 {
		b.folded = nil
	}
}

// EndBlock ends the current block.
func (b *Builder) EndBlock() {
	for _, t := range b.block {
		b.seen[t/64] = 0
	}
	if len(b.block) > maxBlockTrigrams {
		b.block = append(b.block[:0], anyTrigram)
	}
	for _, t := range b.block {
		b.pairs = append(b.pairs, uint64(t)<<32|uint64(b.n))
	}
	b.block = b.block[:0]
	b.n++
}

// Blocks returns the number of ended blocks.
func (b *Builder) Blocks() int { return b.n }

// Size returns the total number of trigrams of the blocks.
func (b *Builder) Size() int { return len(b.pairs) }

// Pairs returns the content of the segment's bucket.
func (b *Builder) Pairs() []Pair {
	slices.Sort(b.pairs)
	p := newPacker(b.n)
	var list []byte
	set := newBlocks(b.n)
	for at := 0; at < len(b.pairs); {
		t := b.pairs[at] >> 32
		clear(set)
		for ; at < len(b.pairs) && b.pairs[at]>>32 == t; at++ {
			set.add(int(uint32(b.pairs[at])))
		}
		list = appendPosting(list[:0], set, b.n)
		p.add(trigram.Trigram(t), list)
	}
	p.flush()
	return p.pairs
}

// Sum returns a checksum of the blocks' trigrams that does not depend on order. first is
// the number of the first block. See Segment.Sum.
func (b *Builder) Sum(first uint64) (sum uint64) {
	for _, p := range b.pairs {
		sum += hash(trigram.Trigram(p>>32), first+uint64(uint32(p)))
	}
	return sum
}

// hash hashes a trigram and the number of a block (the finalizer of SplitMix64).
func hash(t trigram.Trigram, block uint64) uint64 {
	x := uint64(t)<<40 ^ block
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
