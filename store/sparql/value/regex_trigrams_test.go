package value

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/trigram"
)

// expressions has parts of random expressions.
var expressions = []string{"a", "s", "K", "İ", "ſs", "ab", "[a-c]", "[ks]", "[^a]", ".", "b*", "c+", "(?:ab|cd)", "(?:ſ|kk)?", "a{2,3}", "^", "$", `\b`, "(?i:sk)", "x?", "\uFFFD", "中", `\d`, "(?:)"}

// TestRegexpLeavesNothingOut compares random expressions, over random texts, with the trigrams that they need.
func TestRegexpLeavesNothingOut(t *testing.T) {
	suite.NotShort(t)
	random := rand.New(rand.NewPCG(3, 3))
	letters := []string{"a", "b", "c", "d", "s", "k", "S", "ſ", "K", "İ", "i", "中", "x", "1", " ", "\n", "\xff", "\uFFFD"}
	kept, matched := 0, 0
	for range 3000 {
		pattern, flags := "", ""
		if random.IntN(2) == 0 {
			flags = "i"
		}
		for range 1 + random.IntN(6) {
			pattern += expressions[random.IntN(len(expressions))]
			if random.IntN(6) == 0 {
				pattern += "|"
			}
		}
		re, err := CompileRegex(pattern, flags)
		if err != nil {
			continue // as **
		}
		q := re.Trigrams()
		for range 20 {
			text := ""
			for range random.IntN(10) {
				text += letters[random.IntN(len(letters))]
			}
			keeps := hasTrigrams(q, text)
			if keeps {
				kept++
			}
			if re.program.MatchString(text) {
				if matched++; !keeps {
					t.Fatalf("the query %+v for %q leaves %q out", q, pattern, text)
				}
			}
		}
	}
	if matched < 1000 || kept > 58000 {
		t.Errorf("of 60000 texts %d matched and %d were kept: too few for a test", matched, kept)
	}
}

// manyWords returns an alternative of n words.
func manyWords(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%dabcdefg", i*7919)
	}
	return strings.Join(words, "|")
}

func TestRegexpsNarrow(t *testing.T) {
	for _, tt := range []struct {
		pattern, flags string
		in, out        []string
	}{
		{"window", "i", []string{"the WINDOW"}, []string{"widow"}},
		{"help.*please|please.*help", "", []string{"help me please", "please help"}, []string{"help", "please"}},
		{"colou?rs", "", []string{"colors", "colours"}, []string{"colous"}},
		{"wor[dt]x", "", []string{"wordx", "wortx"}, []string{"worx"}},
		{"^hello$", "", []string{"hello"}, []string{"hell"}},
		{"(abc){2}d+", "", []string{"abcabcd"}, []string{"abcd"}},
		{manyWords(40), "", []string{"7919abcdefg"}, []string{"abcdefg"}},
	} {
		re, err := CompileRegex(tt.pattern, tt.flags)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range tt.in {
			if !hasTrigrams(re.Trigrams(), text) {
				t.Errorf("%s: %q is left out", tt.pattern, text)
			}
		}
		for _, text := range tt.out {
			if hasTrigrams(re.Trigrams(), text) {
				t.Errorf("%s: %q is kept", tt.pattern, text)
			}
		}
	}
	for _, pattern := range []string{"(abc)*", "abc|", "....", manyWords(1000)} {
		if re, err := CompileRegex(pattern, ""); err != nil || re.Trigrams() != nil {
			t.Errorf("%.20s: the query is %+v, not nil, %v", pattern, re.Trigrams(), err)
		}
	}
}

func hasTrigrams(q *trigram.Query, text string) bool {
	var ts []trigram.Trigram
	trigram.Each(trigram.Fold(nil, text), func(t trigram.Trigram) { ts = append(ts, t) })
	return q.Matches(func(t trigram.Trigram) bool { return slices.Contains(ts, t) })
}
