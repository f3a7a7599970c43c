package value

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Limits of regular expressions. Matching takes time proportional to the length of the
// text times the size of the compiled program, so both are limited.
const (
	maxPattern     = 1 << 16 // bytes
	maxProgram     = 1 << 14 // instructions
	quickSteps     = 1 << 20 // of matching; some milliseconds at worst
	maxReplaceCost = 1 << 26 // steps; some tenths of a second at worst
)

// RegexError reports an error in a regular expression, its flags or a replacement.
type RegexError struct {
	Pattern string
	Msg     string
}

func (e *RegexError) Error() string {
	pattern := e.Pattern
	if len(pattern) > 100 {
		pattern = strings.ToValidUTF8(pattern[:100], "") + "…"
	}
	return fmt.Sprintf("regular expression %q: %s", pattern, e.Msg)
}

// Regex is a compiled regular expression of XPath and XQuery Functions and Operators
// 3.1, section 5.6, as SPARQL's REGEX and REPLACE take. Matching takes linear time, so
// there are no back-references. A Regex is safe for concurrent use.
//
// It differs from the standard in three ways. With the flag m, ^ also matches after a
// newline at the end of the text. Without the flag s, . matches a carriage return, as in
// version 2.0, which SPARQL 1.1 cites. Some syntax that XPath lacks is accepted (see Foreign).
type Regex struct {
	pattern string
	program *regexp.Regexp
	size    int // about how many instructions
	quoted  bool
	fold    bool    // the flag i
	needed  *needed // what every matching text contains; nil if nothing is known
	search  bool    // it is worth searching for needed first
	isPlain bool    // every text that contains needed matches

	foreign []string
}

// Foreign returns the parts of the pattern that XPath lacks, as written: the word
// boundaries \b and \B, and flags such as (?i). They mean the same as in package
// regexp. A word consists of ASCII letters, digits and _.
func (r *Regex) Foreign() []string { return r.foreign }

// MatchesEmpty reports whether the pattern matches the empty text, so that Replace fails
// for every text.
func (r *Regex) MatchesEmpty() bool { return r.program.MatchString("") }

// CompileRegex compiles a pattern. The flags are s (. matches a newline), m (^ and $
// match at line ends), i (ignore case), x (ignore white space in the pattern) and q (the
// pattern is plain text). An error is a *RegexError.
func CompileRegex(pattern, flags string) (*Regex, error) {
	fail := func(format string, args ...any) (*Regex, error) {
		return nil, &RegexError{Pattern: pattern, Msg: fmt.Sprintf(format, args...)}
	}
	if len(pattern) > maxPattern {
		return fail("longer than %d bytes", maxPattern)
	}
	if !utf8.ValidString(pattern) {
		return fail("not UTF-8")
	}
	for _, flag := range flags {
		if !strings.ContainsRune("smixq", flag) {
			return fail("unknown flag %q; the flags are s, m, i, x and q", flag)
		}
	}
	fold := strings.Contains(flags, "i")
	r := &Regex{pattern: pattern, quoted: strings.Contains(flags, "q"), fold: fold}
	translated := regexp.QuoteMeta(pattern)
	if !r.quoted {
		t := translator{rest: pattern, fold: fold, skipSpace: strings.Contains(flags, "x")}
		if err := t.translate(); err != nil {
			return fail("%v", err)
		}
		translated, r.foreign = t.out.String(), t.foreign
	}
	modes := ""
	for _, mode := range "smi" {
		if strings.ContainsRune(flags, mode) && (mode == 'i' || !r.quoted) {
			modes += string(mode)
		}
	}
	if modes != "" {
		translated = "(?" + modes + ")" + translated
	}
	tree, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		return fail("%s", parseErrorText(err))
	}
	if r.size = programSize(tree); r.size > maxProgram {
		return fail("it compiles to %d instructions; the limit is %d", r.size, maxProgram)
	}
	if r.program, err = regexp.Compile(translated); err != nil {
		return fail("%s", parseErrorText(err))
	}
	r.needed, r.isPlain = neededBy(tree, fold)
	r.search = r.needed != nil && r.needed.texts() <= maxSearched
	return r, nil
}

// parseErrorText returns an error message without the translated pattern, which the user
// did not write.
func parseErrorText(err error) string {
	if e, ok := err.(*syntax.Error); ok {
		return e.Code.String()
	}
	return err.Error()
}

// programSize returns roughly how many instructions tree compiles to, at most
// math.MaxInt32.
func programSize(tree *syntax.Regexp) int {
	size := 1
	for _, sub := range tree.Sub {
		size += programSize(sub)
	}
	switch tree.Op {
	case syntax.OpLiteral:
		size += len(tree.Rune)
	case syntax.OpRepeat:
		size *= max(tree.Min+1, tree.Max)
	case syntax.OpCapture:
		size++
	}
	return min(size, math.MaxInt32)
}

// Match reports whether some part of s matches. If s is long and stop is not nil, Match
// calls stop from time to time and returns its error.
func (r *Regex) Match(s string, stop func() error) (bool, error) {
	matched, _, err := r.match(nil, s, stop)
	return matched, err
}

// match implements Match. If it pays, it first searches for text that every match contains,
// which may decide. For that it folds s into room, and returns room for the next call.
func (r *Regex) match(room []byte, s string, stop func() error) (matches bool, folded []byte, err error) {
	if r.search && r.needed.usable(s, r.fold) {
		searched := s
		if r.fold {
			room = appendFolded(room[:0], s)
			searched = unsafe.String(unsafe.SliceData(room), len(room)) // only until room is reused
		}
		if has := r.needed.in(searched); r.isPlain || !has {
			return has, room, nil
		}
	}
	if stop == nil || r.cost(s) <= quickSteps {
		return r.program.MatchString(s), room, nil
	}
	reader := stoppableReader{text: s, stop: stop, every: max(1, quickSteps/r.size)}
	matched := r.program.MatchReader(&reader)
	return matched && reader.err == nil, room, reader.err
}

// cost returns an upper bound of the steps that matching s takes.
func (r *Regex) cost(s string) int64 { return int64(len(s)) * int64(r.size) }

// stoppableReader returns the characters of a text until stop returns an error.
type stoppableReader struct {
	text  string
	stop  func() error
	every int // characters between two calls of stop
	count int
	err   error
}

// ReadRune implements io.RuneReader. The text seems to end once stop returns an error, which ends
// the match.
func (r *stoppableReader) ReadRune() (c rune, size int, err error) {
	if r.count++; r.count%r.every == 0 && r.err == nil {
		r.err = r.stop()
	}
	if r.err != nil || r.text == "" {
		return 0, 0, io.EOF
	}
	c, size = utf8.DecodeRuneInString(r.text)
	r.text = r.text[size:]
	return c, size, nil
}

type patternKey struct{ pattern, flags string }

// compiled is a cached pattern. regex is nil if the pattern is invalid.
type compiled struct {
	key   patternKey // has its own copies of the texts
	regex *Regex
}

// bytes returns about how many bytes a cached pattern takes. A program keeps its own text and, in
// about half that space, the ranges of its sets of characters.
func (p compiled) bytes() int64 {
	n := len(p.key.pattern) + 256
	if p.regex != nil {
		n += 2*len(p.regex.program.String()) + p.regex.size*int(unsafe.Sizeof(syntax.Inst{}))
	}
	return int64(n)
}

// grow accounts for compiled patterns.
func (c *Context) grow(bytes int64) {
	if c.patternBytes += bytes; c.Grow != nil {
		c.Grow(bytes)
	}
}

// maxPatterns limits the patterns that a query caches. Most queries have one.
const maxPatterns = 64

// regex returns a compiled pattern, from the cache if possible. It returns nil if the
// pattern is invalid. Its error is that of Stop, which it calls before it compiles one.
func (c *Context) regex(pattern, flags string) (*Regex, error) {
	key := patternKey{pattern, flags}
	known, ok := c.patterns[key]
	if !ok {
		if err := c.stopped(); err != nil {
			return nil, err
		}
		if c.patterns == nil || len(c.patterns) >= maxPatterns {
			c.patterns = make(map[patternKey]compiled)
			c.grow(-c.patternBytes)
		}
		known.key = patternKey{strings.Clone(pattern), strings.Clone(flags)}
		known.regex, _ = CompileRegex(known.key.pattern, known.key.flags) // an error is a type error
		c.patterns[known.key] = known
		c.grow(known.bytes())
	}
	return known.regex, nil
}

// stopped returns the error of Stop, if that is set.
func (c *Context) stopped() error {
	if c.Stop == nil {
		return nil
	}
	return c.Stop()
}

// flagsOf returns the text of the optional argument at a position.
func flagsOf(args []Value, at int) (flags string, ok bool) {
	if len(args) <= at {
		return "", true
	}
	return args[at].text(), args[at].kind == KindString
}

// regexMatch is REGEX (SPARQL 1.1, section 17.4.3.14).
func regexMatch(c *Context, args []Value) (Value, error) {
	flags, ok := flagsOf(args, 2)
	if !ok || !args[0].isString() || args[1].kind != KindString {
		return Error(), nil
	}
	r, err := c.regex(args[1].text(), flags)
	if r == nil {
		return Error(), err
	}
	matched, err := r.Match(args[0].text(), c.Stop)
	return Boolean(matched), err
}

// regexTest returns REGEX with a pattern and flags as a predicate of a text.
func regexTest(c *Context, rest []Value) func(text string) (bool, error) {
	flags, ok := flagsOf(rest, 1)
	if !ok || rest[0].kind != KindString {
		return nil
	}
	r, err := c.regex(rest[0].text(), flags)
	if err != nil {
		return func(string) (bool, error) { return false, err }
	}
	if r == nil {
		return nil
	}
	var room []byte
	return func(text string) (matched bool, err error) {
		matched, room, err = r.match(room, text, c.Stop)
		return matched, err
	}
}
