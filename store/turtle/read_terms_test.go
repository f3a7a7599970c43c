package turtle

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

// Every label of up to six of these characters denotes a different node, and never
// one that Fresh returns.
func TestBlankNodesOfDifferentLabelsDiffer(t *testing.T) {
	terms := newTerms("")
	seen := map[rdf.Term]string{}
	for n := range 100 {
		seen[terms.blanks.Fresh()] = fmt.Sprint("node without label ", n)
	}
	labels := []string{""}
	for range 6 {
		var longer []string
		for _, label := range labels {
			for _, c := range "_a1b" {
				longer = append(longer, label+string(c))
			}
		}
		labels = longer
		for _, label := range labels {
			node := terms.blank([]byte(label))
			if other, taken := seen[node]; taken {
				t.Fatalf("%s and %s are both %v", label, other, node)
			}
			seen[node] = label
			if plain := strings.TrimLeft(label, "_"); plain[:min(1, len(plain))] != "a" && node.Value() != label {
				t.Errorf("%s became %v without need", label, node)
			}
		}
	}
}

// The cache returns the right text whatever it held before, and stays within its limits.
func TestTermsCacheIsBoundedAndRight(t *testing.T) {
	terms := newTerms("")
	long := strings.Repeat("x", maxCached)
	for n := range 10 * fullCache {
		for _, want := range []string{fmt.Sprint("http://e/", n), fmt.Sprint(n%7) + long, "http://e/often"} {
			if got := terms.text([]byte(want)); got != want {
				t.Fatalf("%q became %q", want, got)
			}
		}
		tag := fmt.Sprint("en-", n)
		if got := first(terms.tagged([]byte(tag))); got != rdf.NewLang("", tag) {
			t.Fatalf("@%s became %v", tag, got)
		}
	}
	if len(terms.cache) != fullCache || len(terms.tags) > firstCache {
		t.Errorf("%d strings and %d tags", len(terms.cache), len(terms.tags))
	}
	if long := strings.Repeat("a", 1000); first(terms.tagged([]byte(long))) != rdf.NewLang("", long) {
		t.Error("a long tag is not kept as it is")
	} else if _, kept := terms.tags[long]; kept {
		t.Error("a long tag stays in the cache")
	}
	for _, s := range terms.cache {
		if len(s.text) > maxCached {
			t.Errorf("a text of %d bytes is kept", len(s.text))
		}
	}
}

func first(term rdf.Term, _ bool) rdf.Term { return term }

// A short text does not allocate the cache of a long one.
func TestTermsCacheStartsSmall(t *testing.T) {
	terms := newTerms("")
	for n := range firstCache {
		terms.text(fmt.Append(nil, n))
	}
	if len(terms.cache) != firstCache {
		t.Errorf("%d places for %d texts", len(terms.cache), firstCache)
	}
}

func TestRepeatedTermsAllocateNothing(t *testing.T) {
	terms := newTerms("d.")
	iri, label, tag := []byte("http://e/a"), []byte("b"), []byte("en")
	least := math.Inf(1)
	for try := 0; try < 5 && least > 0; try++ { // what else the process allocates meanwhile is counted too
		least = min(least, testing.AllocsPerRun(100, func() {
			terms.text(iri)
			terms.blank(label)
			_ = first(terms.tagged(tag)).WithLexical("x")
		}))
	}
	if least != 0 {
		t.Errorf("%v allocations", least)
	}
}

func TestCharacterClassesAreThoseOfTheGrammar(t *testing.T) {
	// PN_CHARS_BASE and the additions of PN_CHARS, as listed in section 6.5 of RDF 1.1
	// Turtle.
	start := [][2]rune{
		{'A', 'Z'}, {'a', 'z'}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D},
		{0x37F, 0x1FFF}, {0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF},
		{0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
	}
	more := [][2]rune{{'_', '_'}, {'-', '-'}, {'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}}
	in := func(ranges [][2]rune, r rune) bool {
		for _, x := range ranges {
			if x[0] <= r && r <= x[1] {
				return true
			}
		}
		return false
	}
	for r := range rune(0x110000) {
		wantStart := in(start, r)
		wantChar := wantStart || in(more, r)
		gotStart, gotChar := rdf.IsNameStart(r), rdf.IsNameChar(r)
		if r < 0x80 {
			gotStart, gotChar = charClass[r]&nameStart != 0, charClass[r]&nameChar != 0
		}
		if gotStart != wantStart || gotChar != wantChar {
			t.Fatalf("U+%04X: start %v, char %v; want %v, %v", r, gotStart, gotChar, wantStart, wantChar)
		}
	}
}
