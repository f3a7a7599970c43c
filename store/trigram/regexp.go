package trigram

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// Limits on the number and size of the texts that are computed for an expression.
const (
	maxTexts   = 64
	maxLetters = 16 // letters of a class
)

// Regexp returns the query for texts that contain a match of an expression.
func Regexp(tree *syntax.Regexp) *Query { return partOf(tree.Simplify()).query() }

// part describes the matches of a part of an expression.
type part struct {
	// texts has all matches, folded, if isExact; otherwise needs is true for all matches.
	texts   []string
	isExact bool
	needs   *Query
}

var (
	anything = part{}
	nothing  = part{texts: []string{""}, isExact: true} // the empty text
)

func (p part) query() *Query {
	if !p.isExact {
		return p.needs
	}
	queries := make([]*Query, len(p.texts))
	for i, s := range p.texts {
		queries[i] = containsFolded(s)
	}
	return Or(queries...)
}

func partOf(tree *syntax.Regexp) part {
	switch tree.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return nothing
	case syntax.OpLiteral:
		if slices.Contains(tree.Rune, utf8.RuneError) {
			return anything // it also matches invalid UTF-8
		}
		return part{texts: []string{string(Fold(nil, string(tree.Rune)))}, isExact: true}
	case syntax.OpCharClass:
		return letters(tree.Rune)
	case syntax.OpCapture:
		return partOf(tree.Sub[0])
	case syntax.OpPlus:
		return part{needs: partOf(tree.Sub[0]).query()}
	case syntax.OpQuest:
		return oneOf([]part{nothing, partOf(tree.Sub[0])})
	case syntax.OpConcat:
		return concat(tree.Sub)
	case syntax.OpAlternate:
		parts := make([]part, len(tree.Sub))
		for i, sub := range tree.Sub {
			parts[i] = partOf(sub)
		}
		return oneOf(parts)
	}
	return anything
}

// letters returns a character class, given as pairs of the first and last character of a
// range.
func letters(ranges []rune) part {
	n := 0
	for i := 0; i < len(ranges); i += 2 {
		n += int(min(ranges[i+1]-ranges[i], maxLetters)) + 1
	}
	if n > maxLetters {
		return anything
	}
	p := part{isExact: true}
	for i := 0; i < len(ranges); i += 2 {
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			if c == utf8.RuneError {
				return anything
			}
			p.texts = append(p.texts, string(Fold(nil, string(c))))
		}
	}
	p.tidy()
	return p
}

// tidy sorts the texts and removes duplicates.
func (p *part) tidy() {
	slices.Sort(p.texts)
	p.texts = slices.Compact(p.texts)
}

// oneOf returns an alternative.
func oneOf(parts []part) part {
	all, queries := part{isExact: true}, make([]*Query, len(parts))
	for i, p := range parts {
		all.isExact = all.isExact && p.isExact
		all.texts = append(all.texts, p.texts...)
		queries[i] = p.query()
	}
	all.tidy()
	if all.isExact && len(all.texts) <= maxTexts {
		return all
	}
	return part{needs: Or(queries...)}
}

// concat returns the concatenation of parts. It combines the texts of adjacent parts.
func concat(trees []*syntax.Regexp) part {
	run, isExact := nothing, true
	var needs []*Query
	for _, tree := range trees {
		p := partOf(tree)
		if p.isExact && len(run.texts)*len(p.texts) <= maxTexts {
			run = run.followedBy(p)
			continue
		}
		needs, isExact = append(needs, run.query()), false
		if run = p; !p.isExact {
			needs, run = append(needs, p.needs), nothing
		}
	}
	if isExact {
		return run
	}
	return part{needs: And(append(needs, run.query())...)}
}

func (p part) followedBy(q part) part {
	out := part{isExact: true}
	for _, a := range p.texts {
		for _, b := range q.texts {
			out.texts = append(out.texts, a+b)
		}
	}
	out.tidy()
	return out
}
