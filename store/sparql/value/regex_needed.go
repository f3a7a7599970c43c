package value

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// needed is plain text that whatever matches an expression contains: a text, or all or
// one of several others.
type needed struct {
	text  string
	fold  string // for each byte of text that is a letter of either case 0x20, else 0; "" where case matters
	parts []*needed
	any   bool // one of parts is enough
}

// Bounds of what is looked for before an expression runs, so that it costs little beside
// that.
const (
	mostNeeded       = 16      // texts in all
	mostNeededOfEach = 4       // parts of what must all be there
	longestFolded    = 16      // bytes of a text without regard to case
	longestSearched  = 1 << 16 // bytes of a text that is searched
)

// neededBy finds what must be in a text that tree matches; nil for nothing. It is all if
// containing it is enough to match.
func neededBy(tree *syntax.Regexp) (n *needed, all bool) {
	switch tree.Op {
	case syntax.OpLiteral:
		return neededLiteral(tree)
	case syntax.OpCapture, syntax.OpPlus:
		return neededBy(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			n, _ = neededBy(tree.Sub[0])
		}
	case syntax.OpConcat:
		n = &needed{}
		for _, sub := range tree.Sub {
			if part, _ := neededBy(sub); part != nil && len(n.parts) < mostNeededOfEach {
				n.parts = append(n.parts, part)
			}
		}
		if len(n.parts) == 0 {
			return nil, false
		}
	case syntax.OpAlternate:
		n, all = &needed{any: true}, true
		for _, sub := range tree.Sub {
			part, isAll := neededBy(sub)
			if part == nil {
				return nil, false
			}
			n.parts, all = append(n.parts, part), all && isAll
		}
	}
	if n.texts() > mostNeeded {
		return nil, false
	}
	return n, all
}

// texts counts what is looked for.
func (n *needed) texts() (count int) {
	if n == nil {
		return 0
	}
	for _, part := range n.parts {
		count += part.texts()
	}
	return max(1, count)
}

// neededLiteral returns the text of a literal, or without regard to case its longest
// piece of characters that have no other case outside of ASCII, as k (K, the sign of
// Kelvin) and s (ſ) have.
func neededLiteral(tree *syntax.Regexp) (n *needed, all bool) {
	if slices.Contains(tree.Rune, utf8.RuneError) {
		return nil, false // which matches whatever is not UTF-8
	}
	if tree.Flags&syntax.FoldCase == 0 {
		return &needed{text: string(tree.Rune)}, true
	}
	longest, piece := "", ""
	for _, c := range tree.Rune {
		if piece += string(c); !foldsInASCII(c) {
			piece = ""
		}
		if len(piece) > len(longest) && len(piece) <= longestFolded {
			longest = piece
		}
	}
	if longest == "" {
		return nil, false
	}
	n = &needed{text: strings.ToLower(longest)}
	fold := make([]byte, len(longest))
	for i := range fold {
		if c := n.text[i]; 'a' <= c && c <= 'z' {
			fold[i] = 'a' - 'A'
		}
	}
	n.fold = string(fold)
	return n, len(longest) == len(tree.Rune)
}

func foldsInASCII(c rune) bool {
	for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
		if f >= utf8.RuneSelf {
			return false
		}
	}
	return c < utf8.RuneSelf
}

// tells reports whether in is to be asked of a text. It cannot be stopped.
func (n *needed) tells(s string) bool {
	return n != nil && (len(s) <= longestSearched || n.parts == nil && n.fold == "")
}

// in reports whether s has what is needed.
func (n *needed) in(s string) bool {
	for _, part := range n.parts {
		if part.in(s) == n.any {
			return n.any
		}
	}
	switch {
	case n.parts != nil:
		return !n.any
	case n.fold == "":
		return strings.Contains(s, n.text)
	}
	return n.inFolded(s)
}

func (n *needed) inFolded(s string) bool {
	text, fold := n.text, n.fold[:len(n.text)]
	first, mask := text[0], fold[0]
search:
	for at := 0; at+len(text) <= len(s); at++ {
		if s[at]|mask != first {
			continue
		}
		for i := 1; i < len(text); i++ {
			if s[at+i]|fold[i] != text[i] {
				continue search
			}
		}
		return true
	}
	return false
}
