package value

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/suite"
)

// regexRows lists texts that a pattern matches, as a part of a text, and texts that
// it does not match.
var regexRows = []struct {
	pattern, flags string
	matches, not   []string
}{
	// The W3C tests regex-*.
	{"a[b\n]c", "", []string{"abc", "a\nc"}, []string{"ac", "a.c"}},
	{`a[b\n]c`, "", []string{"abc", "a\nc"}, []string{"anc"}},
	{"a.c", "", []string{"abc", "a.c"}, []string{"a\nc"}},
	{"a.c", "s", []string{"a\nc"}, nil},
	{" a\n\r\t[\\n]c ", "x", []string{"a\nc"}, []string{"ac", " a\n\r\t\nc "}},
	{"a?+*.{}()[]c", "q", []string{"xa?+*.{}()[]cy"}, []string{"A?+*.{}()[]C", "ac"}},
	{"a?+*.{}()[]C", "iq", []string{"A?+*.{}()[]c"}, []string{"ac"}},
	{"ab{2}c", "", []string{"abbc"}, []string{"abc", "abbbc"}},
	{"ab{2,}c", "", []string{"abbc", "abbbc"}, []string{"abc"}},
	{"ab{1,2}c", "", []string{"abc", "abbc"}, []string{"ac", "abbbc"}},
	{"^b$", "m", []string{"b", "a\nb\nc"}, []string{"abc"}},
	{"^b$", "", []string{"b"}, []string{"a\nb\nc", "b\n"}},
	{`example\.com`, "", []string{"mail@example.com"}, []string{"exampleXcom"}},
	// XPath Functions and Operators 3.1, section 5.6.
	{"^a.*a$", "", []string{"abracadabra"}, []string{"abra cad"}},
	{`^[\p{Lu}]$`, "i", []string{"A"}, []string{"a"}},
	{`^[a\p{Lu}]$`, "i", []string{"a", "A", "B"}, []string{"b"}},
	{`^[^\p{Lu}q]$`, "i", []string{"a", "1"}, []string{"A", "q", "Q"}},
	{`[ab-[\p{Ll}]]`, "i", []string{"A", "B"}, []string{"a", "b"}},
	{`(?-i:[ab])`, "i", []string{"a"}, []string{"A"}},
	{`^[\p{L}-[i\p{Lu}]]$`, "i", []string{"a"}, []string{"A", "i", "I"}},
	{"hello world", "x", []string{"helloworld"}, []string{"hello world"}},
	{`hello[ ]world`, "x", []string{"hello world"}, []string{"helloworld"}},
	{`hel lo\sworld`, "x", []string{"hello world"}, nil},
	{"(?:ab)+?c", "", []string{"ababc"}, []string{"c"}},
	{"^(a|b)*$", "", []string{"", "abba"}, []string{"abc"}},
	// Sets of characters, XSD 1.1 part 2, appendix G.4.
	{`^\d+$`, "", []string{"12", "٣"}, []string{"", "x", "½"}},
	{`^\w+$`, "", []string{"Änderung1", "a+b", "日本"}, []string{"a b", "a.b", "a\u0378"}},
	{`^\W$`, "", []string{".", " ", "\u0378"}, []string{"a", "+"}},
	{`^[\w.]+$`, "", []string{"a.b"}, []string{"a-b"}},
	{`^[^\w]$`, "", []string{"."}, []string{"x"}},
	{`^[^\W]$`, "", []string{"x"}, []string{"."}},
	{`^\S\s$`, "", []string{"a\t", "b "}, []string{"a\u00a0", " a"}},
	{`^[\S]$`, "", []string{"a", "\v"}, []string{"\n"}},
	{`^\i\c*$`, "", []string{"_a-1.", ":x", "été"}, []string{"1a", "-", "a b"}},
	{`^\I\C$`, "", []string{"1 "}, []string{"a1"}},
	{`^\p{Lu}\P{Lu}$`, "", []string{"Äb"}, []string{"ab", "AB"}},
	{`^\p{IsGreek}+$`, "", []string{"αβγ"}, []string{"abc"}},
	{`^\P{IsBasicLatin}$`, "", []string{"é"}, []string{"e"}},
	{`^[a-z-[aeiou]]+$`, "", []string{"xyz"}, []string{"xaz", "-"}},
	{`^[a-z-[b-y-[m]]]+$`, "", []string{"amz"}, []string{"b", "n"}},
	{`^[^a-z-[0-9]]$`, "", []string{"A"}, []string{"a", "5"}},
	{`[a-[a]]`, "", nil, []string{"a", "", "b"}},
	{`^[-a]+$`, "", []string{"-a"}, []string{"b"}},
	{`^[a-]+$`, "", []string{"-a"}, []string{"b"}},
	{`^[\-\]\[\\^]+$`, "", []string{`]-[\^`}, []string{"a"}},
	// Ignoring case.
	{"DeFghI", "i", []string{"abcdefghijkl"}, nil},
	{"[a-c]", "i", []string{"B", "b"}, []string{"d"}},
	{"^[^q]$", "i", []string{"a"}, []string{"q", "Q"}},
	{"^[A-Z-[IO]]+$", "i", []string{"ab"}, []string{"i", "O", "x1"}},
	{`^\p{Lu}$`, "i", []string{"A"}, []string{"a"}},
	{"k", "i", []string{"\u212a"}, nil},   // the Kelvin sign
	{"[k]", "i", []string{"\u212a"}, nil}, // and in brackets
	{"straße", "i", []string{"STRAßE"}, []string{"STRASSE"}},
	// Not in the grammar, but harmless.
	{`a\/b\:"]}`, "", []string{`a/b:"]}`}, nil},
	{"", "", []string{"", "x"}, nil},
	{"👪.$", "", []string{"x👪é"}, []string{"👪"}},
}

func TestRegexMatchesAsXPathHasIt(t *testing.T) {
	for _, c := range regexRows {
		r, err := CompileRegex(c.pattern, c.flags)
		if err != nil {
			t.Errorf("%q, %q: %v", c.pattern, c.flags, err)
			continue
		}
		for i, list := range [][]string{c.not, c.matches} {
			for _, s := range list {
				if got, err := r.Match(s, nil); err != nil || got != (i == 1) {
					t.Errorf("%q, %q matches %q: %v, %v (as %s)", c.pattern, c.flags, s, got, err, r.program)
				}
			}
		}
	}
}

func TestRegexExplainsItsErrors(t *testing.T) {
	for _, c := range []struct{ pattern, flags, want string }{
		{`(a)\1`, "", "back-references"},
		{`(?=a)b`, "", "look-ahead"},
		{`(?!a)b`, "", "look-ahead"},
		{`(?<=a)b`, "", "look-behind"},
		{`(?i`, "", "flags such as"},
		{`(?u)b`, "", "flags such as"},
		{`[\b]word`, "", "inside brackets"},
		{`\x41`, "", `\x is not an escape`},
		{`\`, "", "at the end"},
		{`[\`, "", "at the end"},
		{"a{", "", "number of times"},
		{"a{x}", "", "number of times"},
		{"a{2,1}", "", "invalid repeat count"},
		{"a{2000}", "", "invalid repeat count"},
		{"a**", "", "nested repetition"},
		{"+a", "", "missing argument"},
		{"(a", "", "missing closing )"},
		{"a)", "", "unexpected )"},
		{"[a", "", "[ without ]"},
		{"[]", "", "empty"},
		{"[^]", "", "empty"},
		{"[z-a]", "", "wrong order"},
		{"[a-z-[aeiou]x]", "", "subtraction"},
		{"[a[b]", "", "inside a character class"},
		{`\p{Xx}`, "", "no category"},
		{`\p{IsNowhere}`, "", "no block"},
		{`\pL`, "", "category or block"},
		{"a", "g", "unknown flag"},
		{"a\xff", "", "UTF-8"},
		{strings.Repeat("a", maxPattern+1), "", "longer than"},
		{"(abcdefghijklmnopqrst){1000}", "", "instructions"},
		{strings.Repeat(`\w`, 1000), "", "large sets"},
		{"[" + strings.Repeat(`\w`, 1000) + "]", "", "large sets"},
		{strings.Repeat("[a]", 2000), "i", "large sets"},
		{strings.Repeat("[a-", 100), "", "nested too deep"},
	} {
		_, err := CompileRegex(c.pattern, c.flags)
		var wrong *RegexError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q, %q: %v; want an error with %q", c.pattern, c.flags, err, c.want)
		}
	}
}

// Syntax of other languages that XPath lacks has the same meaning as there, and
// Foreign returns it.
func TestRegexTakesWordBoundariesAndInlineFlags(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
		foreign       string
	}{
		{`\bcat\b`, "a cat.", true, `\b \b`},
		{`\bcat`, "concat", false, `\b`},
		{`\Bcat`, "concat", true, `\B`},
		{`(?i)Cat`, "CAT", true, `(?i)`},
		{`(?i:C)at`, "cAT", false, `(?i:`},
		{`((?i)a)B`, "Ab", false, `(?i)`},
		{`((?i)a)B`, "AB", true, `(?i)`},
		{`(?i)[a-c](?-i)x`, "BX", false, `(?i) (?-i)`},
		{`(?i)[a-c](?-i)x`, "Bx", true, `(?i) (?-i)`},
		{`(?x) a b (?-x) c`, "ab c", true, `(?x) (?-x)`},
		{`(?s)a.b`, "a\nb", true, `(?s)`},
		{`(?:a)b`, "ab", true, ""},
	} {
		r, err := CompileRegex(c.pattern, "")
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if got, err := r.Match(c.text, nil); got != c.want || err != nil {
			t.Errorf("%s in %q: %v, %v", c.pattern, c.text, got, err)
		}
		if got := strings.Join(r.Foreign(), " "); got != c.foreign {
			t.Errorf("%s: foreign is %s", c.pattern, got)
		}
	}
}

func TestCompilingAnyPatternIsQuick(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	for _, pattern := range []string{
		strings.Repeat(`\w`, 130), strings.Repeat(`[\w]`, 130), strings.Repeat("[a-c]", 1000), strings.Repeat("(", maxPattern),
		strings.Repeat("a|", maxPattern/2), strings.Repeat("a?", 5000), "(((a{30}){30}){30}){30}", strings.Repeat("x*", 8000),
	} {
		for _, flags := range []string{"", "i"} {
			start := time.Now()
			CompileRegex(pattern, flags)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%.20q, %q took %v", pattern, flags, took)
			}
		}
	}
}

func TestRegexCanBeStopped(t *testing.T) {
	r, err := CompileRegex("^(.*a.*b.*c)*z$", "s")
	if err != nil {
		t.Fatal(err)
	}
	stopped, asked := errors.New("stopped"), 0
	text := "z" + strings.Repeat("abc", 1<<20)
	_, err = r.Match(text, func() error {
		if asked++; asked == 3 {
			return stopped
		}
		return nil
	})
	if err != stopped || asked != 3 {
		t.Errorf("%v after %d questions", err, asked)
	}
	if matched, err := r.Match(text[:301]+"z", func() error { return stopped }); !matched || err != nil {
		t.Errorf("a short text: %v, %v", matched, err)
	}
}

func TestRegexOfALongTextIsTheSameInPieces(t *testing.T) {
	text := strings.Repeat("é\nx", 1<<18) + "end"
	for _, c := range []struct {
		pattern, flags string
		want           bool
	}{{"end$", "", true}, {"^end", "", false}, {"^xend$", "m", true}, {"[q]$", "", false}, {"x(e|f)nd", "", true}} {
		r, err := CompileRegex(c.pattern, c.flags)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Match(text, func() error { return nil }); got != c.want || err != nil {
			t.Errorf("%q: %v, %v", c.pattern, got, err)
		}
	}
}

// The search for needed texts changes no answer, in either case, and also for
// non-ASCII letters with other cases.
func TestNeededTextsChangeNoMatch(t *testing.T) {
	suite.NotShort(t)
	r := rand.New(rand.NewPCG(7, 7))
	letters := []string{"a", "b", "k", "s", "i", "A", "K", "S", "I", "\u212a", "ſ", "İ", "ı", "é", "É", "ß", " ", "1", "@", "`", "[", "中", "\ufffd", "\xff"}
	text := func(n int) (out string) {
		for range r.IntN(n) {
			out += letters[r.IntN(len(letters))]
		}
		return out
	}
	var pattern func(depth int) string
	pattern = func(depth int) string {
		if depth == 0 || r.IntN(3) == 0 {
			return regexp.QuoteMeta(strings.ToValidUTF8(text(4), ""))
		}
		inner := pattern(depth - 1)
		switch r.IntN(8) {
		case 0:
			return "(" + inner + "|" + pattern(depth-1) + ")"
		case 1:
			return "(" + inner + ")*"
		case 2:
			return "(" + inner + ")+"
		case 3:
			return "(" + inner + "){" + []string{"0", "0,1", "1,2", "2"}[r.IntN(4)] + "}"
		case 4:
			return inner + ".*" + pattern(depth-1)
		case 5:
			return "[ab]" + inner
		case 6:
			return inner + pattern(depth-1) + "$"
		}
		return "(" + inner + ")?" + pattern(depth-1)
	}
	filtered, plain := 0, 0
	for range suite.Size(60_000, 6_000) {
		p, flags, s := pattern(3), []string{"", "i", "s", "q", "iq"}[r.IntN(5)], text(12)
		re, err := CompileRegex(p, flags)
		if err != nil {
			continue
		}
		got, err := re.Match(s, nil)
		if want := re.program.MatchString(s); got != want || err != nil {
			t.Fatalf("%q with %q matches %q: %v, %v; want %v", p, flags, s, got, err, want)
		}
		if re.isPlain {
			plain++
		} else if searched := s; re.needed.usable(s, re.fold) {
			if re.fold {
				searched = string(appendFolded(nil, s))
			}
			if !re.needed.in(searched) {
				filtered++
			}
		}
	}
	if few := suite.Size(1000, 100); filtered < few || plain < few {
		t.Errorf("%d texts are filtered, and %d found without the expression", filtered, plain)
	}
}

// The search for needed texts is bounded. If there are many of them, or the text is
// long, the expression runs alone, because it can be stopped.
func TestNeededTextsAreFew(t *testing.T) {
	for pattern, want := range map[string]int{
		"abc": 1, "ab.*cd": 2, "(ab|cd)ef": 2, "a*b?[cd]": 2, "(ab)?": 0, "[a-z]b": 1, "x(a|b)[cd]y": 4, "a(b|c)+d": 4, "^ab$": 1, "a.b.c.d.e.f.g.h.i": maxNeededOfEach,
		"(ab.*cd|ef)": 3, "ab.*cd|cd.*ab": 2, "ab|.": 0, "a.b.c|d.e.f|g.h.i|j.k.l|m.n.o|p.q.r": 0, "[ab][ab][ab][ab]": 16, "[ab][ab][ab][ab][ab]": 0,
	} {
		re, err := CompileRegex(pattern, "")
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		if re.search {
			got = re.needed.texts()
		}
		if got != want {
			t.Errorf("%s needs %d texts, want %d", pattern, got, want)
		}
	}
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprintf("%d.%d", i, i/2)
	}
	if re, err := CompileRegex(strings.Join(many, "|"), ""); err != nil || re.needed != nil {
		t.Errorf("a thousand alternatives need some texts, %v", err)
	}
	stopped := errors.New("stopped")
	for _, pattern := range []string{"a{20}b.*c{20}d", strings.Repeat("a", 17) + "b"} {
		re, err := CompileRegex(pattern, "i")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := re.Match(strings.Repeat("a", 1<<22), func() error { return stopped }); err != stopped {
			t.Errorf("%.20s in a long text: %v", pattern, err)
		}
	}
}

// Folding maps characters to the same one if and only if the flag i equates them.
func TestFoldingIsThatOfTheFlagI(t *testing.T) {
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if foldedRune(c) != smallestFold(c) {
			t.Fatalf("%U becomes %U, want %U", c, foldedRune(c), smallestFold(c))
		}
	}
	rng := rand.New(rand.NewPCG(4, 4))
	for range 5000 {
		var b []byte
		want := []byte{'<'}
		for range rng.IntN(30) {
			c := []rune{rune(rng.IntN(0x80)), 'é', 'ſ', 'K', '水', 'Σ', rune(rng.IntN(0x20000))}[rng.IntN(7)]
			b, want = utf8.AppendRune(b, c), utf8.AppendRune(want, smallestFold(c))
			if rng.IntN(9) == 0 {
				b, want = append(b, 0xC3), append(want, 0xC3)
			}
		}
		if got := appendFolded([]byte{'<'}, string(b)); !bytes.Equal(got, want) {
			t.Fatalf("%q becomes %q, want %q", b, got, want)
		}
	}
}

// TestBlocksAreApart checks that blocks do not overlap, unless they are one block
// with two names.
func TestBlocksAreApart(t *testing.T) {
	for name, r := range blocks() {
		if r.lo%16 != 0 || r.hi%16 != 15 || r.hi < r.lo {
			t.Errorf("%s is %x to %x", name, r.lo, r.hi)
		}
		for other, s := range blocks() {
			if r != s && r.lo <= s.hi && s.lo <= r.hi {
				t.Errorf("%s and %s overlap", name, other)
			}
		}
	}
}

func FuzzRegex(f *testing.F) {
	for _, c := range regexRows {
		f.Add(c.pattern, c.flags, "abc")
	}
	f.Add(`[a-z-[aeiou]]{2,3}?(?:\p{Lu}|\i)`, "ix", "$1")
	f.Fuzz(func(t *testing.T, pattern, flags, s string) {
		r, err := CompileRegex(pattern, flags)
		if err != nil {
			if wrong := (*RegexError)(nil); !errors.As(err, &wrong) {
				t.Fatalf("%v is no RegexError", err)
			}
			return
		}
		matched, err := r.Match(s, func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if want := r.program.MatchString(s); matched != want {
			t.Fatalf("%q matches %q: %v, package regexp says %v", pattern, s, matched, want)
		}
		r.Replace(s, s, 1000, nil)
	})
}

// Texts are folded eight bytes at a time where they are ASCII, and otherwise a character at a time.
func TestFoldedTextsAreFoldedCharacterByCharacter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text, want []byte
		for range random.IntN(40) {
			c := rune(random.IntN(0x80))
			if random.IntN(12) == 0 {
				c = rune(random.IntN(0x500))
			}
			text, want = utf8.AppendRune(text, c), utf8.AppendRune(want, smallestFold(c))
		}
		if got := appendFolded([]byte("x"), string(text)); string(got) != "x"+string(want) {
			t.Fatalf("%q is folded to %q, want %q", text, got[1:], want)
		}
	}
}
