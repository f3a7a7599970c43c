package value

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/segraph/segraph/store/sparql/budget"
)

func TestReplaceAsXPathHasIt(t *testing.T) {
	for _, c := range []struct{ s, pattern, replacement, flags, want string }{
		// XPath Functions and Operators 3.1, section 5.6.4.
		{"abracadabra", "bra", "*", "", "a*cada*"},
		{"abracadabra", "a.*a", "*", "", "*"},
		{"abracadabra", "a.*?a", "*", "", "*c*bra"},
		{"abracadabra", "a", "", "", "brcdbr"},
		{"abracadabra", "a(.)", "a$1$1", "", "abbraccaddabbra"},
		{"abracadabra", ".*?", "$1", "", "error"},
		{"AAAA", "A+", "b", "", "b"},
		{"AAAA", "A+?", "b", "", "bbbb"},
		{"darted", "^(.*?)d(.*)$", "$1c$2", "", "carted"},
		{"reluctant", "r.*?t", "X", "", "Xant"},
		{"a\\b\\c", "\\", "\\\\", "q", "a\\\\b\\\\c"},
		{"a/b/c", "/", "$", "q", "a$b$c"},
		{"abcd", "(ab)|(a)", "[1=$1][2=$2]", "", "[1=ab][2=]cd"},
		{"aAbBaC", "a", "~/", "i", "~/~/bB~/C"},
		{"banana", "ana", "*", "", "b*na"},
		{"abc", "b", `\$1\\`, "", `a$1\c`},
		{"abc", "b", "$", "", "error"},
		{"abc", "b", "$x", "", "error"},
		{"abc", "b", `\`, "", "error"},
		{"abc", "b", `\n`, "", "error"},
		{"abc", "b", "[$0]", "", "a[b]c"},
		{"abc", "(b)", "$12", "", "ab2c"},
		{"abc", "b", "$5", "", "ac"},
		{"abc", "b", "$55", "", "a5c"},
		{"abc", "(b)", "${1}", "", "error"},
		{"abc", "(b)", "$1x", "", "abxc"},
		{"a\nb", "^", "x", "m", "error"}, {"naïve", "ï", "i", "", "naive"}, {"", "a", "b", "", ""},
	} {
		r, err := CompileRegex(c.pattern, c.flags)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Replace(c.s, c.replacement, 0, nil)
		if wrong := (*RegexError)(nil); errors.As(err, &wrong) {
			got, err = "error", nil
		}
		if err != nil || got != c.want {
			t.Errorf("replace(%q, %q, %q, %q) = %q, %v; want %q", c.s, c.pattern, c.replacement, c.flags, got, err, c.want)
		}
	}
}

// TestStringsHaveALimit checks that a function that makes a string too long ends the
// query at once.
func TestStringsHaveALimit(t *testing.T) {
	c := &Context{MaxLength: 10}
	for _, row := range []callRow{
		{"concat", list(`"123456"`, `"12345"`), ""},
		{"encode_for_uri", list(`"食食"`), ""},
		{"ucase", list(`"ﬃﬃﬃﬃ"`), ""},
		{"lcase", list(`"` + strings.Repeat("Ⱥ", 6) + `"`), ""},
		{"iri", list(`"urn:1234567"`), ""},
		{"replace", list(`"aaaa"`, `"a"`, `"xxx"`), ""}, {"replace", list(`"aaaaaa"`, `"(a+)"`, `"$1$1"`), ""},
	} {
		_, err := call(t, c, row.name, row.args...)
		var limit *budget.LimitError
		if !errors.As(err, &limit) || !strings.Contains(err.Error(), "10 bytes") {
			t.Errorf("%s(%s): %v", row.name, row.args, err)
		}
	}
	checkCalls(t, c, []callRow{{"concat", list(`"12345"`, `"12345"`), `"1234512345"`}, {"replace", list(`"aaaaa"`, `"a"`, `"x"`), `"xxxxx"`}, {"replace", list(`"abc"`, `"b"`, `"xxxxxxx"`), `"axxxxxxxc"`}, {"encode_for_uri", list(`"食"`), `"%E9%A3%9F"`}})
}

func TestAReplaceThatWouldTakeLongIsRefused(t *testing.T) {
	r, err := CompileRegex("(a|b){500}c", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Replace(strings.Repeat("ab", 1<<17), "", 0, nil)
	if limit := (*budget.LimitError)(nil); !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}
}

func TestARegexIsCompiledOnce(t *testing.T) {
	c := &Context{}
	for i := range 3 * maxPatterns {
		pattern := strings.Repeat("a", i%(maxPatterns+1)+1)
		first, _ := c.regex(pattern, "")
		if again, err := c.regex(pattern, ""); first == nil || again != first || err != nil {
			t.Fatalf("%s is compiled again", pattern)
		}
		if len(c.patterns) > maxPatterns {
			t.Fatalf("%d patterns", len(c.patterns))
		}
	}
	if wrong, err := c.regex("(", ""); wrong != nil || err != nil {
		t.Errorf("a wrong pattern: %v, %v", wrong, err)
	}
	stopped := errors.New("stopped")
	if _, err := (&Context{Stop: func() error { return stopped }}).regex("a", ""); err != stopped {
		t.Errorf("a pattern is compiled though the query must end: %v", err)
	}
	var held, most int64
	c = &Context{Grow: func(bytes int64) { held += bytes; most = max(most, held) }}
	for i := range 3*maxPatterns + 1 {
		c.regex(`[\w-[0]]{10}`+strings.Repeat("x", i), "")
	}
	if held < 8<<10 || held > 1<<20 || most < (maxPatterns-8)*held || most > maxPatterns*held {
		t.Errorf("a pattern with some 700 ranges is counted as %d bytes, and %d as %d", held, maxPatterns, most)
	}
}

func TestStopEndsAFunction(t *testing.T) {
	stopped := errors.New("stopped")
	f, _ := Lookup("REGEX")
	_, err := f.Call(&Context{Stop: func() error { return stopped }}, []Value{String(strings.Repeat("ab", 1<<20) + "dc"), String("^(a.|b)*c")})
	if err != stopped {
		t.Error(err)
	}
}

// A search for the pattern below reads the rest of the text, and finds one letter: without Stop, this takes minutes.
func TestStopEndsAReplace(t *testing.T) {
	stopped := errors.New("stopped")
	calls := 0
	c := &Context{Stop: func() error {
		if calls++; calls > 10 {
			return stopped
		}
		return nil
	}}
	f, _ := Lookup("REPLACE")
	if _, err := f.Call(c, []Value{String(strings.Repeat("a", 1<<17)), String("a*b|a"), String("x")}); err != stopped {
		t.Error(err)
	}
}

// TestFoldingAddsTheOtherCases compares the characters of a class under the flag i with those that package regexp finds.
func TestFoldingAddsTheOtherCases(t *testing.T) {
	for _, set := range []runeSet{{{'a', 'c'}}, {{'K', 'K'}, {'ſ', 'ſ'}}, {{'B', 0x1E941}}, {{0, unicode.MaxRune}}, {{'0', '9'}, {0x10400, 0x10427}}, nil} {
		r := regexp.MustCompile("(?i)" + set.class())
		folded := set.folded()
		for c := range rune(0x20000) {
			if c >= 0xD800 && c < 0xE000 {
				continue
			}
			has := slices.ContainsFunc(folded, func(r runeRange) bool { return r.lo <= c && c <= r.hi })
			if has != r.MatchString(string(c)) {
				t.Fatalf("%v has %U: %t", set, c, has)
			}
		}
	}
}
