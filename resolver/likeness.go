package resolver

import (
	"math/bits"

	"github.com/segraph/segraph/resolver/text"
)

// likenesses remembers how alike texts are, because neighbouring intervals compare
// the same reports. Each slot holds the last of its pairs. The type cache would not
// help: its look-ups cost as much as some comparisons. The same text may be prepared
// more than once, so pairs are identified by their normal forms.
type likenesses struct {
	slots []likeness // nil before the first
	bits  int        // of their number
}

// newLikenesses returns likenesses that take about room bytes, with the texts that they keep in memory.
func newLikenesses(room int64) likenesses {
	return likenesses{bits: min(bits.Len64(uint64(room>>10)), 14)}
}

type likeness struct {
	a, b  *text.Text
	value float64
}

// of returns the similarity of two texts.
func (l *likenesses) of(a, b *text.Text) float64 {
	if a.Fingerprint() > b.Fingerprint() {
		a, b = b, a
	}
	if l.slots == nil {
		l.slots = make([]likeness, 1<<l.bits)
	}
	// The factor, 2^64 divided by the golden ratio, mixes the bits.
	slot := &l.slots[(a.Fingerprint()^b.Fingerprint()*0x9E3779B97F4A7C15)>>(64-l.bits)]
	if slot.a == nil || slot.a.Normal != a.Normal || slot.b.Normal != b.Normal {
		*slot = likeness{a, b, text.Similarity(a, b)}
	}
	return slot.value
}
