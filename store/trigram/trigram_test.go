package trigram_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/trigram"
)

func fold(s string) string { return string(trigram.Fold(nil, s)) }

// TestFoldingAgreesWithEveryCase compares the folding of all of Unicode's characters with
// LCASE, UCASE, (?i) and the normal forms.
func TestFoldingAgreesWithEveryCase(t *testing.T) {
	suite.NotShort(t)
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
	suite.NotShort(t)
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

func TestQueriesNarrow(t *testing.T) {
	q := trigram.Contains("Window")
	for text, in := range map[string]bool{"the window": true, "WINDOW": true, "widow": false, "": false, "win dow": false} {
		if matches(q, text) != in {
			t.Errorf("%q is kept: %v", text, !in)
		}
	}
	if matches(trigram.Contains("中文"), "中间的文") || !matches(trigram.Contains("中文"), "说中文吗") {
		t.Error("two Chinese letters do not narrow")
	}
	for name, q := range map[string]*trigram.Query{"two letters": trigram.Contains("ab"), "nothing": trigram.Contains(""), "what is not UTF-8": trigram.Contains("abc\xff")} {
		if q != nil {
			t.Errorf("%s: the query is %+v, not nil", name, q)
		}
	}
}
