package value

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"
)

// maxClassDepth limits the nesting of subtractions.
const maxClassDepth = 50

// class parses a character class after its "[" (XSD 1.1 part 2, appendix G.4.1) with its
// subtractions, as in [a-z-[aeiou]].
func (t *translator) class(depth int) (runeSet, error) {
	if depth > maxClassDepth {
		return nil, errors.New("character classes are nested too deep")
	}
	negative := t.accept("^")
	if strings.HasPrefix(t.rest, "]") {
		return nil, errors.New(`[] is empty; a bracket is \]`)
	}
	var set, escaped, minus runeSet
	for !t.accept("]") {
		if t.rest == "" {
			return nil, errors.New("[ without ]")
		}
		if t.accept("-[") {
			var err error
			if minus, err = t.class(depth + 1); err != nil {
				return nil, err
			}
			if !t.accept("]") {
				return nil, errors.New("expected ] after a subtraction -[…]")
			}
			break
		}
		to, parse := &set, t.classItem
		if len(t.rest) > 1 && t.rest[0] == '\\' && strings.IndexByte("sSdDwWiIcCpP", t.rest[1]) >= 0 {
			t.next()
			to, parse = &escaped, t.classEscape
		}
		item, err := parse()
		if err != nil {
			return nil, err
		}
		*to = append(*to, item...)
	}
	set = set.normal()
	if t.fold {
		if err := t.spend(256); err != nil { // letters of all cases
			return nil, err
		}
		set = set.folded()
	}
	set = append(set, escaped...).normal() // the flag i does not apply to escapes
	if negative {
		set = set.complement()
	}
	return set.minus(minus), nil
}

// classItem parses a character or a range.
func (t *translator) classItem() (runeSet, error) {
	if err := t.spend(1); err != nil {
		return nil, err
	}
	lo, err := t.classChar()
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(t.rest, "-") || strings.HasPrefix(t.rest, "-]") || strings.HasPrefix(t.rest, "-[") {
		return runeSet{{lo, lo}}, nil
	}
	t.next()
	hi, err := t.classChar()
	if err != nil {
		return nil, err
	}
	if hi < lo {
		return nil, fmt.Errorf("the range %c-%c is in the wrong order", lo, hi)
	}
	return runeSet{{lo, hi}}, nil
}

// classChar reads one character of a class, perhaps escaped.
func (t *translator) classChar() (rune, error) {
	if t.rest == "" {
		return 0, errors.New("[ without ]")
	}
	switch c := t.next(); {
	case c == '[':
		return 0, errors.New(`[ inside a character class: write \[`)
	case c == '\\' && t.rest == "":
		return 0, errors.New(`\ at the end`)
	case c == '\\':
		return t.singleEscape()
	default:
		return c, nil
	}
}

// classEscape parses an escape for a set of characters, after its backslash (XSD 1.1 part
// 2, appendix G.4.2).
func (t *translator) classEscape() (runeSet, error) {
	set, err := t.escapedSet()
	if err != nil {
		return nil, err
	}
	return set, t.spend(1 + len(set))
}

// escapedSet reads the rest of an escape that stands for a set (XSD 1.1 part 2, appendix G.4.2).
// The upper-case letter stands for all other characters.
func (t *translator) escapedSet() (runeSet, error) {
	c := t.next()
	var set runeSet
	switch c {
	case 's', 'S':
		set = runeSet{{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}}
	case 'd', 'D':
		set = parsedSet(`\p{Nd}`)
	case 'w', 'W':
		set = parsedSet(`[^\pP\pZ\pC]`)
	case 'i', 'I':
		set = nameStart
	case 'c', 'C':
		set = append(append(runeSet{}, nameStart...), nameMore...).normal()
	default:
		return t.property(c == 'P')
	}
	if unicode.IsUpper(c) {
		return set.complement(), nil
	}
	return set, nil
}

// nameStart is NameStartChar of XML 1.1. nameMore has the characters that NameChar adds
// to it.
var (
	nameStart = runeSet{{':', ':'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D},
		{0x37F, 0x1FFF}, {0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF}}
	nameMore = runeSet{{'-', '.'}, {'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}}
)

//go:embed regex_blocks.txt
var blockList string

// blocks maps the name of a Unicode block, as in \p{IsGreek}, to its range. It has the
// blocks of XSD 1.0 part 2, appendix F.1.1, and their newer names, without spaces.
var blocks = sync.OnceValue(func() map[string]runeRange {
	all := map[string]runeRange{}
	for line := range strings.Lines(blockList) {
		var r runeRange
		if _, err := fmt.Sscanf(line, "%x %x ", &r.lo, &r.hi); err != nil {
			panic(err) // the list is part of the program
		}
		all[strings.Fields(line)[2]] = r
	}
	return all
})

// property parses the name of a category or block in braces, as in \p{Lu} and
// \p{IsGreek}. With negative, as in \P{Lu}, it returns all other characters. XML Schema lacks the categories LC and Cs.
func (t *translator) property(negative bool) (runeSet, error) {
	name, rest, closed := strings.Cut(t.rest, "}")
	name, opened := strings.CutPrefix(name, "{")
	if !opened || !closed {
		return nil, errors.New(`after \p there must be a category or block, as in \p{Lu} or \p{IsGreek}`)
	}
	t.rest = rest
	var set runeSet
	if block, ok := strings.CutPrefix(name, "Is"); ok {
		r, known := blocks()[block]
		if !known {
			return nil, fmt.Errorf("there is no block %q", block)
		}
		set = runeSet{r}
	} else {
		if _, known := unicode.Categories[name]; !known || name == "LC" || name == "Cs" {
			return nil, fmt.Errorf("there is no category %q", name)
		}
		set = parsedSet(`\p{` + name + `}`)
	}
	if negative {
		return set.complement(), nil
	}
	return set, nil
}
