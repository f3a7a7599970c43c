package text

import (
	"math/bits"
	"slices"
)

// Similarity returns the similarity of two texts, from 0 to 1; 1 means the same normal
// form. It is the largest of three: the similarity of their letters; the mean of this and
// the similarity of their words, since correctly heard words count more than scattered
// letters; and the mean of the word similarity and how much of the shorter text is within
// the longer, since recognisers omit words and insert "um". It is raised if both are
// written in signs, which carry more information than letters.
func Similarity(a, b *Text) float64 {
	if a.Normal == b.Normal {
		return 1
	}
	if a.Normal > b.Normal { // otherwise words with several possible pairings would depend on the order
		a, b = b, a
	}
	letters := 1 - float64(distance(a.runes, b.runes))/float64(longer(a, b))
	words := wordLikeness(a, b)
	within := min(1, words*float64(a.total+b.total)/float64(2*min(a.total, b.total)))
	x := max(letters, (letters+words)/2, min(maxReordered, (words+within)/2))
	return x + signsSayMore*min(a.signs, b.signs)*x*(1-x)
}

// Continues reports whether text b begins with as many words as a has, nearly the same
// ones, and goes on.
func Continues(a, b *Text) bool {
	n := len(a.words)
	if n >= len(b.words) {
		return false
	}
	begin := b.runes[:b.words[n-1].to]
	return 1-float64(distance(a.runes, begin))/float64(max(len(a.runes), len(begin))) >= continued
}

// continued is the least similarity of the letters of a text to the beginning of another
// one that goes on.
const continued = 0.75

// signsSayMore is the factor for signs: in texts of signs alone, a similarity x becomes
// x + signsSayMore*x*(1-x). Of two different texts a fifth of the letters agree by chance,
// but hardly any signs, and a misheard sign is usually replaced by another one with nearly
// the same sound. So agreement of half of the signs means as much as that of two thirds of
// the letters.
const signsSayMore = 0.65

// maxReordered is the largest similarity of the same words in another order.
const maxReordered = 0.95

// longer returns the length of the longer text. A slip in a two-letter word leaves two
// thirds of it, since its boundary counts too.
func longer(a, b *Text) int {
	n := max(len(a.runes), len(b.runes))
	if n == 2 && min(len(a.runes), len(b.runes)) == 2 && a.Letters == 2 && b.Letters == 2 {
		return 3
	}
	return n
}

// minWordLikeness is the least similarity of two words that may be one misheard word.
const minWordLikeness = 0.6

// wordLikeness returns the fraction of letters in words that both texts share, at least
// nearly: a soft Dice coefficient. Every word is paired once, most similar first.
func wordLikeness(a, b *Text) float64 {
	usedA, usedB := make([]bool, len(a.words)), make([]bool, len(b.words))
	sum := 0.0
	left := len(a.words)
	for i := range a.words {
		w := &a.words[i]
		for j := range b.words { // they are few, so a map would cost more
			if b.words[j].letters == w.letters && !usedB[j] && slices.Equal(b.of(&b.words[j]), a.of(w)) {
				usedA[i], usedB[j] = true, true
				sum += float64(2 * w.len())
				left--
				break
			}
		}
	}
	if left > 0 && left < len(a.words)+len(b.words) {
		sum += nearWords(a, b, usedA, usedB)
	}
	return sum / float64(a.total+b.total)
}

// nearWords pairs the remaining words and returns their contribution.
func nearWords(a, b *Text, usedA, usedB []bool) float64 {
	type pair struct {
		i, j int
		s    float64
	}
	var pairs []pair
	for i := range a.words {
		if usedA[i] {
			continue
		}
		v := &a.words[i]
		for j := range b.words {
			w := &b.words[j]
			short, long := min(v.len(), w.len()), max(v.len(), w.len())
			if usedB[j] || float64(short) < minWordLikeness*float64(long) {
				continue
			}
			// Each letter that the other word lacks costs at least one change.
			least := max(bits.OnesCount64(v.letters&^w.letters), bits.OnesCount64(w.letters&^v.letters))
			if 1-float64(least)/float64(long) < minWordLikeness {
				continue
			}
			if s := 1 - float64(distance(a.of(v), b.of(w)))/float64(long); s >= minWordLikeness {
				pairs = append(pairs, pair{i, j, s})
			}
		}
	}
	sum := 0.0
	for len(pairs) > 0 {
		best := 0
		for k := range pairs {
			if pairs[k].s > pairs[best].s {
				best = k
			}
		}
		p := pairs[best]
		usedA[p.i], usedB[p.j] = true, true
		sum += p.s * float64(a.words[p.i].len()+b.words[p.j].len())
		kept := pairs[:0]
		for _, q := range pairs {
			if q.i != p.i && q.j != p.j {
				kept = append(kept, q)
			}
		}
		pairs = kept
	}
	return sum
}
