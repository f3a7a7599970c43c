package value

import (
	"cmp"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// runeSet is a set of characters as ranges. In normal form, the ranges are sorted and do
// not touch.
type runeSet []runeRange

type runeRange struct{ lo, hi rune }

// normal returns the set with its ranges sorted and merged. It changes s.
func (s runeSet) normal() runeSet {
	slices.SortFunc(s, func(a, b runeRange) int { return cmp.Compare(a.lo, b.lo) })
	out := s[:0]
	for _, r := range s {
		if last := len(out) - 1; last >= 0 && r.lo <= out[last].hi+1 {
			out[last].hi = max(out[last].hi, r.hi)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// complement returns all other characters. s must be in normal form.
func (s runeSet) complement() runeSet {
	out := make(runeSet, 0, len(s)+1)
	from := rune(0)
	for _, r := range s {
		if r.lo > from {
			out = append(out, runeRange{from, r.lo - 1})
		}
		from = r.hi + 1
	}
	if from <= unicode.MaxRune {
		out = append(out, runeRange{from, unicode.MaxRune})
	}
	return out
}

// minus returns s without t. Both must be in normal form.
func (s runeSet) minus(t runeSet) runeSet {
	if len(t) == 0 {
		return s
	}
	return append(s.complement(), t...).normal().complement()
}

// folded returns s and all characters that differ from one in s only by case. s must be
// in normal form.
func (s runeSet) folded() runeSet {
	out, cased := slices.Clone(s), cased()
	for _, r := range s {
		first, _ := slices.BinarySearch(cased, r.lo)
		for _, c := range cased[first:] {
			if c > r.hi {
				break
			}
			for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
				out = append(out, runeRange{other, other})
			}
		}
	}
	return out.normal()
}

// cased returns the characters that have another case, in order.
var cased = sync.OnceValue(func() (all []rune) {
	for c := range unicode.MaxRune + 1 {
		if unicode.SimpleFold(c) != c {
			all = append(all, c)
		}
	}
	return all
})

// class returns s as a character class of package regexp.
func (s runeSet) class() string {
	if len(s) == 0 {
		return `[^\x00-\x{10FFFF}]`
	}
	var b strings.Builder
	b.WriteByte('[')
	for _, r := range s {
		fmt.Fprintf(&b, `\x{%X}-\x{%X}`, r.lo, r.hi)
	}
	b.WriteByte(']')
	return b.String()
}

// parsedSet returns the characters of a valid class of package regexp.
func parsedSet(class string) runeSet {
	tree, err := syntax.Parse(class, syntax.Perl)
	switch {
	case err != nil: // never
	case tree.Op == syntax.OpLiteral: // the class has one character
		return runeSet{{tree.Rune[0], tree.Rune[0]}}
	}
	return rangesOf(tree)
}

// rangesOf returns the characters of a parsed class.
func rangesOf(class *syntax.Regexp) (s runeSet) {
	for i := 0; i < len(class.Rune); i += 2 {
		s = append(s, runeRange{class.Rune[i], class.Rune[i+1]})
	}
	return s
}
