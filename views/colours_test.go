package views

import (
	"fmt"
	"testing"
)

func TestANameHasOneColourAndNamesUseAllColours(t *testing.T) {
	if got := ColourOf("https://gsi.upm.es/segb/robots/ari/v1/robot_ari1"); got != "s1" {
		t.Errorf("a name's colour changed to %s: pages and printed reports no longer agree", got)
	}
	counts := map[string]int{}
	for i := range 8000 {
		counts[ColourOf(fmt.Sprintf("https://example.org/robots/%d", i))]++
	}
	for n := 1; n <= colours; n++ {
		if got := counts[fmt.Sprintf("s%d", n)]; got < 800 || got > 1200 {
			t.Errorf("%d of 8,000 names have colour %d", got, n)
		}
	}
}

func TestTheBasicEmotionsHaveSixColours(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"anger", "disgust", "fear", "happiness", "sadness", "surprise"} {
		colour := ColourOf("http://www.gsi.upm.es/ontologies/onyx/vocabularies/emotionml/ns#big6_" + name)
		if other := seen[colour]; other != "" {
			t.Errorf("%s and %s have the same colour", name, other)
		}
		seen[colour] = name
	}
}

func TestNamesInOneDrawingHaveDifferentColoursAndThenShapes(t *testing.T) {
	var same []string // names of one colour
	for i := 0; len(same) < colours; i++ {
		if name := fmt.Sprint("http://e/", i); ColourOf(name) == ColourOf("http://e/0") {
			same = append(same, name)
		}
	}
	if alone := SeriesAmong(same[2:3]); alone[same[2]] != SeriesOf(same[2]) {
		t.Errorf("alone, a name has the number %v", alone)
	}
	seen := map[string]bool{}
	for _, n := range SeriesAmong(same) {
		seen[seriesClass(n)] = true
	}
	if len(seen) != colours {
		t.Errorf("%d names have %d colours", len(same), len(seen))
	}
	var many []string
	for i := range 2 * MaxSeries {
		many = append(many, fmt.Sprint("place", i))
	}
	numbers := map[int]bool{}
	for _, n := range SeriesAmong(many[:MaxSeries]) {
		numbers[n] = true
	}
	if len(numbers) != MaxSeries {
		t.Errorf("%d names have %d looks", MaxSeries, len(numbers))
	}
	if all := SeriesAmong(many); len(all) != len(many) {
		t.Errorf("%d of %d names are numbered", len(all), len(many))
	}
}
