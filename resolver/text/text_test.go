package text_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/resolver/text"
)

func TestNormalForgetsHowItWasWritten(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"case and punctuation", "  Could you, show me CLIMATE news?! ", "could you show me climate news"},
		{"accents", "¿Dónde está la señora Müller?", "donde esta la senora muller"},
		{"composed or not", "e\u0301te\u0301", "ete"},
		{"apostrophes", "I'm d'accord", "i m d accord"},
		{"sharp s", "Straße", "strasse"},
		{"final sigma", "ΛΌΓΟΣ", "λογοσ"},
		{"wide letters", "ＡＢＣ１", "abc1"},
		{"ligatures", "ﬁn", "fin"},
		{"voiced kana keep their marks", "が か", "が か"},
		{"hangul stays in syllables", "안녕하세요.", "안녕하세요"},
		{"arabic without vowel signs", "مُحَمَّد", "محمد"},
		{"devanagari keeps its vowels", "की कि", "की कि"},
		{"thai keeps its vowels", "สวัสดี", "สวัสดี"},
		{"direction marks", "\u200fنعم\u200f", "نعم"},
		{"no letters", " ?!… ", ""},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Normal(tt.in); got != tt.want {
				t.Errorf("Normal(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestNormalIsBoundedAndStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringN(200, 2000, -1)).Draw(t, "s")
		n := text.Normal(s)
		if len([]rune(n)) > text.MaxRunes {
			t.Fatalf("%d runes", len([]rune(n)))
		}
		if n != strings.Join(strings.Fields(n), " ") {
			t.Fatalf("spaces in %q", n)
		}
		if again := text.Normal(n); again != n {
			t.Fatalf("Normal(%q) = %q", n, again)
		}
	})
}

func likeness(a, b string) float64 {
	return text.Similarity(text.New(text.Normal(a)), text.New(text.Normal(b)))
}

func TestSimilarityIsThatOfWhatWasSaid(t *testing.T) {
	for _, tt := range []struct {
		a, b      string
		low, high float64
	}{
		{"Could you show me climate news?", "could you show me climate news", 1, 1},
		{"could you please show me the latest climate news", "could you please show me latest climate new", 0.85, 0.99},
		{"have you seen my phone", "of you seen my phone", 0.7, 0.95},
		{"hello", "hello um", 0.65, 0.95},                                 // a filler
		{"where is the exit", "please bring me a glass of water", 0, 0.3}, // another sentence
		{"turn on the light in the kitchen", "in the kitchen turn on the light", 0.7, 0.99},
		{"Proszę otworzyć okno, źle słyszę", "prosze otworzyc okno zle slysze", 1, 1}, // without diacritics
		{"مكتبة", "مكتبه", 1, 1},                                                      // alternative spellings
		{"今夜の天気はどうですか", "今夜の天気はどですか", 0.85, 0.99},
		{"今夜の天気はどうですか", "鍵が見つかりません", 0, 0.3},
		{"謝謝", "謝把", 0.65, 0.8},           // one of two characters counts like one of three letters
		{"今天天气怎么样", "今天太气怎么想", 0.8, 0.95}, // almost homophonous
		{"你好", "再见", 0, 0.3},
		{"안녕하세요", "안영하세오", 0.6, 0.61}, // syllables are compared by their letters
		{"yes", "no", 0, 0.3},
	} {
		if x := likeness(tt.a, tt.b); x < tt.low || x > tt.high {
			t.Errorf("Similarity(%q, %q) = %.3f, want %g to %g", tt.a, tt.b, x, tt.low, tt.high)
		}
	}
}

func TestSimilarityIsSymmetricAndOneForTheSameAlone(t *testing.T) {
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("abc d天地 ")), 1, 24, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.New(text.Normal(letters.Draw(t, "a"))), text.New(text.Normal(letters.Draw(t, "b")))
		if a == nil || b == nil {
			return
		}
		x, y := text.Similarity(a, b), text.Similarity(b, a)
		if x-y > 1e-9 || y-x > 1e-9 {
			t.Fatalf("%q, %q: %g one way, %g the other", a.Normal, b.Normal, x, y)
		}
		if x < 0 || x > 1 || x == 1 != (a.Normal == b.Normal) {
			t.Fatalf("%q, %q: %g", a.Normal, b.Normal, x)
		}
	})
}

func TestLettersCountWhatIsSaid(t *testing.T) {
	for s, want := range map[string]float64{"no thanks": 8, "天気": 5, "a1": 2, "की": 2, "안녕": 5} {
		if got := text.New(text.Normal(s)).Letters; got != want {
			t.Errorf("%q has %g letters, want %g", s, got, want)
		}
	}
	if text.New("") != nil {
		t.Error("no text was taken for one")
	}
}

func TestGramsFindTexts(t *testing.T) {
	words, threes := text.New("hello hello robot 天気は").Grams()
	if want := []string{"hello", "robot", "天気", "気は"}; !slices.Equal(words, want) {
		t.Errorf("words %q, want %q", words, want)
	}
	if want := []string{"~hel", "~ell", "~llo", "~rob", "~obo", "~bot"}; !slices.Equal(threes, want) {
		t.Errorf("threes %q, want %q", threes, want)
	}
}

// BenchmarkLongTexts compares texts as long as they count, of words that are all nearly alike.
func BenchmarkLongTexts(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	texts := make([]*text.Text, 16)
	for i := range texts {
		var s strings.Builder
		for s.Len() < text.MaxRunes {
			for range 3 + random.IntN(6) {
				s.WriteByte("abcd"[random.IntN(4)])
			}
			s.WriteByte(' ')
		}
		texts[i] = text.New(text.Normal(s.String()))
	}
	for i := 0; b.Loop(); i++ {
		text.Similarity(texts[i%16], texts[i/16%16])
	}
}
