package value

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// needed is plain text that every text that an expression matches contains: one text,
// all of several parts, or any of several parts. With the flag i, it applies to texts
// folded by appendFolded.
type needed struct {
	text  string
	parts []*needed
	any   bool // any one of parts is enough
}

const (
	maxNeeded       = 64 // texts in all
	maxNeededOfEach = 4  // parts that must all be there
	maxLetters      = 16 // of a class
	// Limits of the search for needed texts before an expression runs. They keep that
	// search cheaper than running the expression.
	maxSearched     = 16      // texts
	longestSearched = 1 << 16 // bytes of a text
)

// matched is what is known about the texts that an expression matches.
type matched struct {
	texts  []string // all texts that it matches, if there are few; otherwise nil
	only   bool     // it matches every text that contains one of texts
	needed *needed  // if texts is nil, what every match contains; nil if nothing is known
}

// neededBy returns what every text that tree matches contains, or nil if nothing is
// known. all reports whether every text that contains it matches. fold is set if tree
// has the flag i.
func neededBy(tree *syntax.Regexp, fold bool) (n *needed, all bool) {
	m := matchedBy(tree.Simplify(), fold)
	n = m.need()
	return n, n != nil && m.texts != nil && m.only
}

// need returns what every matching text contains, or nil if nothing is known. Of texts that
// contain each other, the shortest is enough.
func (m *matched) need() *needed {
	if m.texts == nil {
		return m.needed
	}
	if slices.Contains(m.texts, "") { // every text contains it
		return nil
	}
	n := &needed{any: true}
	for _, text := range m.texts {
		if !slices.ContainsFunc(m.texts, func(part string) bool { return part != text && strings.Contains(text, part) }) {
			n.parts = append(n.parts, &needed{text: text})
		}
	}
	return n.simple()
}

// simple returns n without needless nesting: nil if n has no parts, and the part if it
// has one.
func (n *needed) simple() *needed {
	switch len(n.parts) {
	case 0:
		return nil
	case 1:
		return n.parts[0]
	}
	return n
}

// matchedBy returns what a text must have if tree matches it. fold says that the whole
// expression ignores case: then the texts are folded. The functions below return it for one
// kind of tree each.
func matchedBy(tree *syntax.Regexp, fold bool) matched {
	m := matchedByTree(tree, fold)
	if m.needed.texts() > maxNeeded {
		m.needed = nil
	}
	return m
}

// matchedByTree is matchedBy before limits. Positions, such as ^, match no text of their own.
func matchedByTree(tree *syntax.Regexp, fold bool) matched {
	switch tree.Op {
	case syntax.OpEmptyMatch:
		return matched{texts: []string{""}, only: true}
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return matched{texts: []string{""}}
	case syntax.OpLiteral:
		return matchedLiteral(tree, fold)
	case syntax.OpCharClass:
		return matchedClass(tree, fold)
	case syntax.OpCapture:
		return matchedBy(tree.Sub[0], fold)
	case syntax.OpPlus:
		sub := matchedBy(tree.Sub[0], fold)
		return matched{needed: sub.need()}
	case syntax.OpQuest:
		return matchedAlternate([]*syntax.Regexp{{Op: syntax.OpEmptyMatch}, tree.Sub[0]}, fold)
	case syntax.OpConcat:
		return matchedConcat(tree, fold)
	case syntax.OpAlternate:
		return matchedAlternate(tree.Sub, fold)
	}
	return matched{}
}

// matchedLiteral returns the text of a literal.
func matchedLiteral(tree *syntax.Regexp, fold bool) matched {
	if slices.Contains(tree.Rune, utf8.RuneError) || fold != (tree.Flags&syntax.FoldCase != 0) {
		return matched{} // RuneError matches whatever is not UTF-8, and texts are either all folded or none
	}
	text := string(tree.Rune)
	if fold {
		text = string(appendFolded(nil, text))
	}
	return matched{texts: []string{text}, only: true}
}

// matchedClass returns the characters of a small class. With fold, case is ignored.
func matchedClass(tree *syntax.Regexp, fold bool) matched {
	out := matched{only: true}
	ranges := rangesOf(tree)
	for _, r := range ranges {
		lo, hi := r.lo, r.hi
		if hasBad := lo <= utf8.RuneError && utf8.RuneError <= hi; hasBad || int(hi-lo) >= maxLetters {
			return matched{}
		}
		for c := lo; c <= hi; c++ {
			text := string(c)
			if fold {
				text = string(appendFolded(nil, text))
				other := unicode.SimpleFold(c) // if the class has this for each of its characters, it has all that differ only in case
				out.only = out.only && slices.ContainsFunc(ranges, func(r runeRange) bool { return r.lo <= other && other <= r.hi })
			}
			if !slices.Contains(out.texts, text) {
				out.texts = append(out.texts, text)
			}
		}
	}
	if len(out.texts) > maxLetters {
		return matched{}
	}
	return out
}

// matchedConcat concatenates the texts of adjacent parts while there are few. Otherwise
// it requires what the parts need. fold is as in matchedClass.
func matchedConcat(tree *syntax.Regexp, fold bool) matched {
	all := &needed{}
	require := func(n *needed) {
		if n != nil && len(all.parts) < maxNeededOfEach {
			all.parts = append(all.parts, n)
		}
	}
	run, whole := matched{texts: []string{""}, only: true}, true
	for _, sub := range tree.Sub {
		m := matchedBy(sub, fold)
		if m.texts != nil && len(run.texts)*len(m.texts) <= maxNeeded {
			run = matched{texts: joined(run.texts, m.texts), only: run.only && m.only}
			continue
		}
		whole = false
		require(run.need())
		if m.texts == nil {
			require(m.needed)
			m = matched{texts: []string{""}}
		}
		run = m
	}
	if whole {
		return run
	}
	require(run.need())
	return matched{needed: all.simple()}
}

// joined returns every concatenation of one of heads and one of tails.
func joined(heads, tails []string) (out []string) {
	for _, head := range heads {
		for _, tail := range tails {
			out = append(out, head+tail)
		}
	}
	return out
}

// matchedAlternate returns the texts of all alternatives while there are few. Otherwise a match
// contains what one of them needs, if each needs something. fold is as in matchedClass.
func matchedAlternate(trees []*syntax.Regexp, fold bool) matched {
	out, each, few := matched{only: true}, &needed{any: true}, true
	for _, sub := range trees {
		m := matchedBy(sub, fold)
		out.texts, out.only = append(out.texts, m.texts...), out.only && m.only
		few = few && m.texts != nil && len(out.texts) <= maxNeeded
		n := m.need() // nil if a match may be empty; then only a list of all texts is of use
		if n == nil && !few {
			return matched{}
		}
		if !slices.ContainsFunc(each.parts, n.same) {
			each.parts = append(each.parts, n)
		}
		if len(each.parts) > maxNeeded {
			return matched{}
		}
	}
	if few {
		return out
	}
	if slices.Contains(each.parts, nil) {
		return matched{}
	}
	return matched{needed: each.simple()}
}

// same reports whether n and m need the same texts, in any order.
func (n *needed) same(m *needed) bool {
	if n == nil || m == nil {
		return n == m
	}
	return n.text == m.text && n.any == m.any && len(n.parts) == len(m.parts) &&
		!slices.ContainsFunc(n.parts, func(part *needed) bool { return !slices.ContainsFunc(m.parts, part.same) })
}

func (n *needed) texts() (count int) {
	if n == nil {
		return 0
	}
	for _, part := range n.parts {
		count += part.texts()
	}
	return max(1, count)
}

// usable reports whether to call in for s. A search cannot be stopped, so a long s is
// searched only for a single text and without folding.
func (n *needed) usable(s string, fold bool) bool {
	return n != nil && (len(s) <= longestSearched || n.parts == nil && !fold)
}

// in reports whether s contains what n needs.
func (n *needed) in(s string) bool {
	if n.parts == nil {
		return strings.Contains(s, n.text)
	}
	for _, part := range n.parts {
		if found := part.in(s); found == n.any { // this part decides: one of any is there, or one of all is missing
			return found
		}
	}
	return !n.any
}
