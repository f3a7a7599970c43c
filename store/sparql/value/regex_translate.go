package value

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// translator translates a regular expression of XPath into one of package regexp, from
// left to right. Package regexp checks groups and quantifiers.
type translator struct {
	rest      string   // not translated yet
	fold      bool     // flag i
	skipSpace bool     // flag x
	around    []modes  // one per open group
	foreign   []string // parts that XPath lacks; see Regex.Foreign
	out       strings.Builder
	ranges    int // of characters, in all sets so far
}

// modes holds the flags i and x to restore at the end of a group.
type modes struct{ fold, skipSpace bool }

// maxRanges limits the work of compiling. It allows a pattern with a hundred large sets
// such as \w.
const maxRanges = 1 << 18

func (t *translator) spend(ranges int) error {
	if t.ranges += ranges; t.ranges > maxRanges {
		return errors.New("too many large sets of characters")
	}
	return nil
}

func (t *translator) next() rune {
	c, size := utf8.DecodeRuneInString(t.rest)
	t.rest = t.rest[size:]
	return c
}

func (t *translator) accept(prefix string) (found bool) {
	rest, ok := strings.CutPrefix(t.rest, prefix)
	t.rest = rest
	return ok
}

// translate translates the whole pattern to the syntax of package regexp.
func (t *translator) translate() error {
	for t.rest != "" {
		var err error
		switch c := t.next(); c {
		case '\\':
			err = t.escape()
		case '[':
			var set runeSet
			if set, err = t.class(0); err == nil {
				t.writeSet(set)
			}
		case '(':
			err = t.group()
		case '{':
			err = t.quantity()
		case ')':
			if n := len(t.around); n > 0 {
				t.fold, t.skipSpace, t.around = t.around[n-1].fold, t.around[n-1].skipSpace, t.around[:n-1]
			}
			t.out.WriteRune(c)
		case '.', '^', '$', '|', '*', '+', '?':
			t.out.WriteRune(c)
		case ' ', '\t', '\n', '\r':
			if !t.skipSpace {
				t.out.WriteRune(c)
			}
		default: // also ] and }, which the grammar requires to be escaped, but few patterns do
			t.out.WriteString(regexp.QuoteMeta(string(c)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// group translates what follows "(". Flags in it hold until its ")"; t.around keeps what held
// before.
func (t *translator) group() error {
	outer := modes{t.fold, t.skipSpace}
	if !strings.HasPrefix(t.rest, "?") {
		t.around = append(t.around, outer)
		t.out.WriteByte('(')
		return nil
	}
	if flags := inlineFlags.FindStringSubmatch(t.rest); flags != nil && flags[1]+flags[2] != "" {
		t.rest = t.rest[len(flags[0]):]
		t.inline(flags[1], flags[2])
		if flags[3] == ":" {
			t.around = append(t.around, outer)
		}
		t.foreign = append(t.foreign, "("+flags[0])
		t.out.WriteString("(?" + goFlags(flags[1]))
		if off := goFlags(flags[2]); off != "" {
			t.out.WriteString("-" + off)
		}
		t.out.WriteString(flags[3])
		return nil
	}
	switch {
	case t.accept("?:"):
		t.around = append(t.around, outer)
		t.out.WriteString("(?:")
		return nil
	case strings.HasPrefix(t.rest, "?=") || strings.HasPrefix(t.rest, "?!"):
		return errors.New("(?= or (?! is look-ahead, which SPARQL does not have")
	case strings.HasPrefix(t.rest, "?<=") || strings.HasPrefix(t.rest, "?<!"):
		return errors.New("(?<= or (?<! is look-behind, which SPARQL does not have")
	}
	return errors.New("( is followed by ? only in (?: and in flags such as (?i)")
}

// inlineFlags matches flags inside a pattern, which XPath lacks: for one group, or for
// the rest of a group.
var inlineFlags = regexp.MustCompile(`^\?([imsx]*)(?:-([imsx]+))?([:)])`)

// inline sets and unsets flags from here on.
func (t *translator) inline(on, off string) {
	t.fold = (t.fold || strings.Contains(on, "i")) && !strings.Contains(off, "i")
	t.skipSpace = (t.skipSpace || strings.Contains(on, "x")) && !strings.Contains(off, "x")
}

// goFlags returns the flags without x, which package regexp lacks and the translator
// implements.
func goFlags(flags string) string { return strings.ReplaceAll(flags, "x", "") }

// quantity parses {n}, {n,} or {n,m} after its brace.
func (t *translator) quantity() error {
	inside, rest, closed := strings.Cut(t.rest, "}")
	from, to, ranged := strings.Cut(inside, ",")
	_, errFrom := strconv.ParseUint(from, 10, 16)
	_, errTo := strconv.ParseUint(to, 10, 16)
	if !closed || errFrom != nil || errTo != nil && to != "" {
		return errors.New(`after { there must be a number of times, as in {2}, {2,} or {2,5}; a brace is \{`)
	}
	t.rest = rest
	t.out.WriteString("{" + from)
	if ranged {
		t.out.WriteString("," + to)
	}
	t.out.WriteByte('}')
	return nil
}

// escape translates an escape outside brackets, after its backslash.
func (t *translator) escape() error {
	if t.rest == "" {
		return errors.New(`\ at the end`)
	}
	before := t.rest
	c := t.next()
	switch c {
	case 's':
		t.out.WriteString(`[\t\n\r ]`)
	case 'S':
		t.out.WriteString(`[^\t\n\r ]`)
	case 'd':
		t.out.WriteString(`\p{Nd}`)
	case 'D':
		t.out.WriteString(`\P{Nd}`)
	case 'b', 'B':
		t.foreign = append(t.foreign, `\`+string(c))
		t.out.WriteString(`\` + string(c))
	case 'w', 'W', 'i', 'I', 'c', 'C', 'p', 'P':
		t.rest = before
		set, err := t.classEscape()
		if err != nil {
			return err
		}
		t.writeSet(set)
	default:
		t.rest = before
		single, err := t.singleEscape()
		if err != nil {
			return err
		}
		t.out.WriteString(regexp.QuoteMeta(string(single)))
	}
	return nil
}

// singleEscape parses an escape of one character. It accepts those of the grammar, and
// other punctuation, which stands for itself, as in package regexp.
func (t *translator) singleEscape() (rune, error) {
	switch c := t.next(); {
	case c == 'n':
		return '\n', nil
	case c == 'r':
		return '\r', nil
	case c == 't':
		return '\t', nil
	case '0' <= c && c <= '9':
		return 0, fmt.Errorf(`back-references such as \%c can't be matched in linear time and are not supported`, c)
	case c == 'b' || c == 'B':
		return 0, fmt.Errorf(`\%c is not an escape inside brackets`, c)
	case c >= utf8.RuneSelf || 'a' <= c|0x20 && c|0x20 <= 'z':
		return 0, fmt.Errorf(`\%c is not an escape in SPARQL`, c)
	default:
		return c, nil
	}
}

// writeSet writes a set of characters. The set already contains both cases if the flag i
// is set.
func (t *translator) writeSet(set runeSet) {
	if t.fold {
		t.out.WriteString("(?-i:")
	}
	t.out.WriteString(set.class())
	if t.fold {
		t.out.WriteByte(')')
	}
}
