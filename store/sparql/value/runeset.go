package value

import (
	"cmp"
	"slices"
	"unicode"
)

// runeSet is a set of characters as ranges. In normal form, the ranges are sorted and do
// not touch.
type runeSet []runeRange

type runeRange struct{ lo, hi rune }

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

func (s runeSet) contains(c rune) bool {
	_, found := slices.BinarySearchFunc(s, c, func(r runeRange, c rune) int {
		switch {
		case r.hi < c:
			return -1
		case r.lo > c:
			return 1
		}
		return 0
	})
	return found
}

// folded returns s and all characters that differ from one in s only by case. s must be
// in normal form.
func (s runeSet) folded() runeSet {
	out := slices.Clone(s)
	for _, cased := range unicode.CaseRanges {
		for c := rune(cased.Lo); c <= rune(cased.Hi); c++ {
			if !s.contains(c) {
				continue
			}
			for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
				out = append(out, runeRange{other, other})
			}
		}
	}
	return out.normal()
}

// tableSet returns a table of package unicode as a set in normal form.
func tableSet(table *unicode.RangeTable) runeSet {
	var s runeSet
	for _, r := range table.R16 {
		s = s.addStride(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range table.R32 {
		s = s.addStride(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return s.normal()
}

func (s runeSet) addStride(lo, hi, stride rune) runeSet {
	if stride == 1 {
		return append(s, runeRange{lo, hi})
	}
	for c := lo; c <= hi; c += stride {
		s = append(s, runeRange{c, c})
	}
	return s
}
