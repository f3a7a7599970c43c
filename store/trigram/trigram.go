// Package trigram computes which trigrams a text must have for a condition to be true of
// it. A trigram is three bytes of a text without differences of case and accents (Fold). With an index of the
// trigrams of stored texts (store/engine/text), only a few texts need testing.
//
// A query never excludes a text for which the condition is true. It may include others,
// so its results must be tested. The package knows no store and no algebra.
package trigram

// Trigram is three bytes of a folded text, the first in the highest bits.
type Trigram uint32

// Limit is greater than every Trigram.
const Limit Trigram = 1 << 24

// Each calls f with the trigrams of a folded text, in order and with repetitions.
func Each(folded []byte, f func(Trigram)) {
	if len(folded) < 3 {
		return
	}
	t := Trigram(folded[0])<<8 | Trigram(folded[1])
	for _, c := range folded[2:] {
		t = (t<<8 | Trigram(c)) & (Limit - 1)
		f(t)
	}
}
