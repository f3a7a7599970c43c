package views

import (
	"fmt"
	"strings"
	"testing"
)

func TestANameHasOneColourAndNamesUseAllColours(t *testing.T) {
	t.Parallel()
	if got := ColourOf("https://gsi.upm.es/segb/robots/ari/v1/robot_ari1"); got != "s1" {
		t.Errorf("a name's colour changed to %s: pages and printed reports no longer agree", got)
	}
	counts := map[string]int{}
	for i := range 8000 {
		counts[ColourOf(fmt.Sprintf("https://example.org/robots/%d", i))]++
	}
	for n := 1; n <= Colours; n++ {
		if got := counts[fmt.Sprintf("s%d", n)]; got < 800 || got > 1200 {
			t.Errorf("%d of 8,000 names have colour %d", got, n)
		}
	}
}

func TestNamesOfOneChartHaveDifferentColours(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range Colours {
		names = append(names, fmt.Sprintf("https://example.org/robots/%d", i))
	}
	of, seen := ColoursOf(names), map[string]bool{}
	for _, name := range names {
		seen[of[name]] = true
	}
	if len(seen) != Colours || of[names[0]] != ColourOf(names[0]) {
		t.Errorf("%d colours of %d names: %v", len(seen), len(names), of)
	}
	more := append(names, "https://example.org/robots/more", names[0])
	if of := ColoursOf(more); of[more[Colours]] != ColourOf(more[Colours]) || len(of) != Colours+1 {
		t.Errorf("without a free colour: %v", of)
	}
}

func TestTheBasicEmotionsHaveSixColours(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range []string{"anger", "disgust", "fear", "happiness", "sadness", "surprise"} {
		colour := ColourOf("http://www.gsi.upm.es/ontologies/onyx/vocabularies/emotionml/ns#big6_" + name)
		if other := ColourOf("http://example.org/emotions/" + strings.ToUpper(name[:1]) + name[1:]); other != colour {
			t.Errorf("%s of another vocabulary is %s, not %s", name, other, colour)
		}
		if other := seen[colour]; other != "" {
			t.Errorf("%s and %s have the same colour", name, other)
		}
		seen[colour] = name
	}
}
