// Package trigram says which texts a condition may be true of, by the trigrams that they
// must have: all runs of three bytes of a text that is folded to one case. An index of
// the trigrams of stored texts (store/engine/text) then finds the few texts that are
// worth testing.
//
// Rules: a query never leaves out a text that the condition is true of. It may keep
// others, so whoever uses it tests what it keeps. The package knows no store and no
// algebra.
package trigram

// Trigram is three bytes of a folded text, the first one the highest.
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
