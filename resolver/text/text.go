package text

import (
	"hash/fnv"
	"strings"
	"unicode"
)

// Text is a text in normal form, prepared for comparisons. It is immutable.
type Text struct {
	Normal string
	// Letters is the length in letters of an alphabet: a sign that stands for more counts
	// as 2.5.
	Letters float64

	fingerprint uint64

	runes []rune
	words []word  // in text order
	total int     // letters of all words
	signs float64 // fraction of signs among all signs and letters
}

// word is a word, or two neighbouring signs of a script without spaces between words. It
// has no pointers, because the resolver keeps many texts in memory.
type word struct {
	from, to int32  // its runes in the text
	letters  uint64 // set of its letters, one bit for every 64th code point
}

// len returns the number of runes of a word.
func (w *word) len() int { return int(w.to - w.from) }

// of returns the runes of a word of the text.
func (t *Text) of(w *word) []rune { return t.runes[w.from:w.to] }

// New prepares a text in normal form. It returns nil for an empty one.
func New(normal string) *Text {
	if normal == "" {
		return nil
	}
	t := &Text{Normal: normal, fingerprint: Fingerprint(normal), runes: []rune(normal)}
	t.words = make([]word, 0, strings.Count(normal, " ")+1)
	from := 0
	for i, r := range t.runes {
		if r == ' ' {
			t.add(from, i)
			from = i + 1
		}
	}
	t.add(from, len(t.runes))
	t.Letters = Letters(normal)
	signs, spaces := 0, 0
	for _, r := range t.runes {
		switch {
		case r == ' ':
			spaces++
		case isSign(r):
			signs++
		}
	}
	t.signs = float64(signs) / float64(len(t.runes)-spaces)
	for i := range t.words {
		t.total += t.words[i].len()
	}
	return t
}

const signLetters = 2.5

// isSign reports whether a rune of a normal form stands for a word or a syllable and is
// not composed of letters. Syllables of Hangul are composed of letters.
func isSign(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// Letters returns Text.Letters for a text in normal form.
func Letters(normal string) float64 {
	n := 0.0
	for _, r := range normal {
		switch {
		case r < 0x1100:
			if r != ' ' {
				n++
			}
		case isSign(r), unicode.Is(unicode.Hangul, r):
			n += signLetters
		default:
			n++
		}
	}
	return n
}

// add appends the word of the runes [from, to), split into overlapping pairs if its
// script has no spaces.
func (t *Text) add(from, to int) {
	if to-from <= 2 || !unspaced(t.runes[from:to]) {
		t.addWord(from, to)
		return
	}
	for i := from; i < to-1; i++ {
		t.addWord(i, i+2)
	}
}

// addWord adds the word from one rune to another, with a set of its letters: a bit for each, which
// others may share.
func (t *Text) addWord(from, to int) {
	if from == to {
		return
	}
	w := word{from: int32(from), to: int32(to)}
	for _, r := range t.of(&w) {
		w.letters |= 1 << (r % 64)
	}
	t.words = append(t.words, w)
}

// unspaced reports whether the script of a word has no spaces between words.
func unspaced(w []rune) bool {
	for _, r := range w {
		if r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan) {
			return true
		}
	}
	return false
}

// Fingerprint returns a number that is equal for texts with the same normal form, and
// almost always different for others.
func (t *Text) Fingerprint() uint64 { return t.fingerprint }

// Fingerprint returns the same number for any string.
func Fingerprint(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64()
}

// Grams returns the keys under which a text can be found: its distinct words, or pairs of
// signs, and the trigrams within its words. No key is both.
func (t *Text) Grams() (words, threes []string) {
	seen := make(map[string]bool, 4*len(t.words))
	add := func(to []string, gram string) []string {
		if seen[gram] {
			return to
		}
		seen[gram] = true
		return append(to, gram)
	}
	for i := range t.words {
		w := t.of(&t.words[i])
		words = add(words, string(w))
		for i := 0; i+3 <= len(w) && len(w) > 3; i++ {
			threes = add(threes, "~"+string(w[i:i+3]))
		}
	}
	return words, threes
}
