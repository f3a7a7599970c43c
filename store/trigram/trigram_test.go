package trigram_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/segraph/segraph/store/trigram"
)

func fold(s string) string { return string(trigram.Fold(nil, s)) }

// TestFoldingAgreesWithEveryCase compares the folding of all of Unicode's characters with
// LCASE, UCASE, (?i) and the normal forms.
func TestFoldingAgreesWithEveryCase(t *testing.T) {
	lower, upper := cases.Lower(language.Und), cases.Upper(language.Und)
	buf := make([]byte, 0, 16)
	for r := rune(0); r <= 0xE01EF; r++ {
		if r == 0x30000 {
			r = 0xE0000 // nothing between has another form
		}
		if !utf8.ValidRune(r) {
			continue
		}
		s := string(utf8.AppendRune(buf, r))
		want := fold(s)
		for what, other := range map[string]string{"LCASE": lower.String(s), "UCASE": upper.String(s), "(?i)": string(unicode.SimpleFold(r)), "folding": want,
			"NFC": norm.NFC.String(s), "NFD": norm.NFD.String(s), "NFKC": norm.NFKC.String(s), "NFKD": norm.NFKD.String(s)} {
			if got := fold(other); got != want {
				t.Errorf("%U %q: %q is folded to %q, and its %s %q to %q", r, s, s, want, what, other, got)
			}
		}
	}
}

// odd are texts with letters whose cases are no pairs.
var odd = []string{"İ", "i", "I", "ı", "i\u0307", "ſ", "s", "S", "K", "k", "K", "ß", "ẞ", "ss", "Σ", "σ", "ς", "ΑΣ", "ﬁ", "FI", "ŉ", "ᾳ", "ΑΙ", "\u0345", "ǆ", "ǅ",
	"Å", "A\u030A", "각", "가", "ᄀ", "ᅡ", "ᆨ", "ﬀ", "ｆ", "e\u0327\u0301", "é\u0327", "नी", "ﷺ", "❤\ufe0f", "❤", "中文", "字", "🤖", " ", "a", "É", "e\u0301", "\xff", "\xc3", "\u0301"}

func oddText(random *rand.Rand, n int) string {
	var b strings.Builder
	for range random.IntN(n) {
		b.WriteString(odd[random.IntN(len(odd))])
	}
	return b.String()
}

func TestFoldingAgreesWithEveryCaseOfTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	lower, upper := cases.Lower(language.Und), cases.Upper(language.Und)
	for range 5000 {
		s := oddText(random, 12)
		if !utf8.ValidString(s) {
			continue
		}
		if a, b, c := fold(s), fold(lower.String(s)), fold(upper.String(s)); a != b || a != c {
			t.Fatalf("%q is folded to %q, its lower case to %q, and its upper case to %q", s, a, b, c)
		}
	}
}

// variants returns texts that differ from s in case, accents and forms only.
func variants(s string) []string {
	var bare strings.Builder
	for _, r := range norm.NFD.String(s) {
		if norm.NFD.PropertiesString(string(r)).CCC() == 0 || r == 0x345 { // which has an upper case of its own
			bare.WriteRune(r)
		}
	}
	return []string{s, norm.NFC.String(s), norm.NFD.String(s), norm.NFKC.String(s), norm.NFKD.String(s), cases.Lower(language.Und).String(s),
		cases.Upper(language.Und).String(s), cases.Fold().String(s), bare.String(), strings.ReplaceAll(s, "k", "\u212a"), strings.ReplaceAll(s, "s", "ſ")}
}

// Whatever has the same fold is found by the query for any of it, also as a part of a
// longer text.
func TestQueriesFindAllTextsOfOneFold(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	tried := 0
	for range 4000 {
		s, before, after := oddText(random, 8), oddText(random, 4), oddText(random, 4)
		if !utf8.ValidString(s) {
			continue
		}
		for _, part := range variants(s) {
			if fold(part) != fold(s) {
				t.Fatalf("%q is folded to %q, and %q to %q", part, fold(part), s, fold(s))
			}
			for _, other := range variants(s) {
				text := before + other + after
				if !matches(trigram.Contains(part), text) || !trigram.NewMatcher(part).Matches(text) {
					t.Fatalf("a search for %q does not find %q", part, text)
				}
				if trigram.Contains(part) != nil {
					tried++
				}
			}
		}
	}
	if tried < 10_000 {
		t.Errorf("only %d searches used trigrams", tried)
	}
}

func TestFoldIsWhatItSays(t *testing.T) {
	for s, want := range map[string]string{
		"José ÁVILA": "JOSE AVILA", "Jose\u0301 a\u0301vila": "JOSE AVILA", "İstanbul ısı": "ISTANBUL ISI", "Congreſs": "CONGRESS", "20 \u212a": "20 K",
		"Straße": "STRASSE", "ﬁn": "FIN", "ｆｕｌｌ": "FULL", "Ωσς": "ΩΣΣ", "نَصّ": "نص", "й": "И", "ñ": "N", "दीदी": "दीदी", "❤\ufe0f": "❤", "x²": "X2", "\xff": "\xff",
	} {
		if got := fold(s); got != want {
			t.Errorf("%q is folded to %q, want %q", s, got, want)
		}
	}
	if trigram.NewMatcher("josé").Matches("for Jos Maria") || !trigram.NewMatcher("JOSE").Matches("for José Maria") {
		t.Error("a Matcher finds another text, or not the right one")
	}
}

// BenchmarkFold folds texts of one script.
func BenchmarkFold(b *testing.B) {
	for name, s := range map[string]string{"ascii": "Could you show me the climate news?", "latin": "¿Podrías enseñarme las noticias del día, por favor?", "korean": "안녕하세요 오늘의 뉴스를 보여 주세요"} {
		b.Run(name, func(b *testing.B) {
			var buf []byte
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				buf = trigram.Fold(buf[:0], s)
			}
		})
	}
}

// matches reports whether a query keeps a text.
func matches(q *trigram.Query, text string) bool {
	var ts []trigram.Trigram
	trigram.Each(trigram.Fold(nil, text), func(t trigram.Trigram) { ts = append(ts, t) })
	return q.Matches(func(t trigram.Trigram) bool { return slices.Contains(ts, t) })
}

func TestContainsLeavesNothingOut(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	lower, upper := cases.Lower(language.Und), cases.Upper(language.Und)
	for range 20000 {
		s, part := oddText(random, 12), oddText(random, 5)
		for _, text := range []string{s, lower.String(s), upper.String(s)} {
			if strings.Contains(text, part) && !matches(trigram.Contains(part), s) {
				t.Fatalf("the query for %q leaves %q out", part, s)
			}
		}
	}
}

// expressions has parts of random expressions.
var expressions = []string{"a", "s", "K", "İ", "ſs", "ab", "[a-c]", "[ks]", "[^a]", ".", "b*", "c+", "(?:ab|cd)", "(?:ſ|kk)?", "a{2,3}", "^", "$", `\b`, "(?i:sk)", "x?", "\uFFFD", "中", `\d`, "(?:)"}

// TestRegexpLeavesNothingOut compares random expressions, over random texts, with Go's regexp.
func TestRegexpLeavesNothingOut(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	letters := []string{"a", "b", "c", "d", "s", "k", "S", "ſ", "K", "İ", "i", "中", "x", "1", " ", "\n", "\xff", "\uFFFD"}
	kept, matched := 0, 0
	for range 3000 {
		pattern := ""
		if random.IntN(2) == 0 {
			pattern = "(?i)"
		}
		for range 1 + random.IntN(6) {
			pattern += expressions[random.IntN(len(expressions))]
			if random.IntN(6) == 0 {
				pattern += "|"
			}
		}
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			continue // as **
		}
		q, re := trigram.Regexp(tree), regexp.MustCompile(pattern)
		for range 20 {
			text := ""
			for range random.IntN(10) {
				text += letters[random.IntN(len(letters))]
			}
			keeps := matches(q, text)
			if keeps {
				kept++
			}
			if re.MatchString(text) {
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

func TestQueriesNarrow(t *testing.T) {
	regex := func(pattern string) *trigram.Query {
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		return trigram.Regexp(tree)
	}
	for _, tt := range []struct {
		name    string
		q       *trigram.Query
		in, out []string
	}{
		{"a part", trigram.Contains("Window"), []string{"the window", "WINDOW"}, []string{"widow", "", "win dow"}},
		{"a literal", regex("(?i)window"), []string{"the WINDOW"}, []string{"widow"}},
		{"parts in any order", regex("help.*please|please.*help"), []string{"help me please", "please help"}, []string{"help", "please"}},
		{"letters that may be missing", regex("colou?rs"), []string{"colors", "colours"}, []string{"colous"}},
		{"a class", regex("wor[dt]x"), []string{"wordx", "wortx"}, []string{"worx"}},
		{"anchors", regex(`^\bhello$`), []string{"hello"}, []string{"hell"}},
		{"a repetition", regex("(abc){2}d+"), []string{"abcabcd"}, []string{"abcd"}},
		{"two Chinese letters", trigram.Contains("中文"), []string{"说中文吗"}, []string{"中间的文"}},
	} {
		for _, text := range tt.in {
			if !matches(tt.q, text) {
				t.Errorf("%s: %q is left out", tt.name, text)
			}
		}
		for _, text := range tt.out {
			if matches(tt.q, text) {
				t.Errorf("%s: %q is kept", tt.name, text)
			}
		}
	}
	for name, q := range map[string]*trigram.Query{"two letters": trigram.Contains("ab"), "nothing": trigram.Contains(""), "what is not UTF-8": trigram.Contains("abc\xff"),
		"a star": regex("(abc)*"), "an alternative that is empty": regex("abc|"), "any letter": regex("...."), "too many words": regex(manyWords(1000))} {
		if q != nil {
			t.Errorf("%s: the query is %+v, not nil", name, q)
		}
	}
}
