package static

import (
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// colour is a colour in linear red, green and blue, from 0 to 1.
type colour [3]float64

// tokens reads the colours of a theme from the CSS tokens: 1 is light, 2 dark.
func tokens(t *testing.T, look int) map[string]colour {
	t.Helper()
	text, err := os.ReadFile("../views/parts/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]colour{}
	for _, m := range regexp.MustCompile(`--([a-z0-9-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)`).FindAllStringSubmatch(string(text), -1) {
		var c colour
		for i := range c {
			n, err := strconv.ParseUint(m[1+look][2*i:2*i+2], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			if v := float64(n) / 255; v <= 0.04045 {
				c[i] = v / 12.92
			} else {
				c[i] = math.Pow((v+0.055)/1.055, 2.4)
			}
		}
		out[m[1]] = c
	}
	return out
}

// contrast returns the contrast ratio of WCAG 2.2, from 1 to 21.
func contrast(a, b colour) float64 {
	light := func(c colour) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] + 0.05 }
	return max(light(a)/light(b), light(b)/light(a))
}

// apart returns how different two colours look: their distance in OKLab, scaled so that
// black and white are 100 apart.
func apart(a, b colour) float64 {
	x, y := oklab(a), oklab(b)
	return 100 * math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

func oklab(c colour) [3]float64 {
	l := math.Cbrt(0.4122214708*c[0] + 0.5363325363*c[1] + 0.0514459929*c[2])
	m := math.Cbrt(0.2119034982*c[0] + 0.6806995451*c[1] + 0.1073969566*c[2])
	s := math.Cbrt(0.0883024619*c[0] + 0.2817188376*c[1] + 0.6299787005*c[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// seenBy holds matrices that simulate how people with deuteranopia (no green) and
// protanopia (no red) see colours (Machado and others, 2009).
var seenBy = map[string][3]colour{
	"everybody":           {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"those without green": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"those without red":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
}

// TestColoursOfSeriesAreDistinguishable checks, in both themes, the contrast of the colours
// with their background and with text on them (WCAG 2.2, 1.4.3 and 1.4.11), and the
// distance of each pair.
func TestColoursOfSeriesAreDistinguishable(t *testing.T) {
	for look, name := range []string{1: "light", 2: "dark"} {
		if name == "" {
			continue
		}
		all := tokens(t, look)
		for i := 1; i <= 8; i++ {
			a := all[fmt.Sprintf("series-%d", i)]
			if got := contrast(a, all["surface"]); got < 4.5 {
				t.Errorf("%s: series %d has a contrast of %.2f to the surface", name, i, got)
			}
			if got := contrast(a, all["page"]); got < 4.5 {
				t.Errorf("%s: series %d has a contrast of %.2f to the page", name, i, got)
			}
			if got := contrast(a, all["raised"]); got < 3 {
				t.Errorf("%s: series %d has a contrast of %.2f to a track", name, i, got)
			}
			for j := 1; j < i; j++ {
				b := all[fmt.Sprintf("series-%d", j)]
				for who, seen := range seenBy {
					least := 6.0
					if who == "everybody" {
						least = 13
					}
					if got := apart(seenAs(seen, a), seenAs(seen, b)); got < least {
						t.Errorf("%s: to %s series %d and %d are %.1f apart", name, who, j, i, got)
					}
				}
			}
		}
	}
}

// Style sheets take their colours from the tokens. A saved picture and the margins of a printed case file can't, so they repeat
// light values.
func TestColoursAreThoseOfTheTokens(t *testing.T) {
	written := regexp.MustCompile(`[: (]#([0-9a-f]{6}|[0-9a-f]{3})\b`)
	sheets, err := filepath.Glob("../views/*/*.css")
	if err != nil || len(sheets) < 10 {
		t.Fatal(sheets, err)
	}
	light, err := os.ReadFile("../views/parts/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(sheets, "../views/explore/graph_picture.templ", "../views/reports/case_file.go") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range written.FindAllStringSubmatch(string(text), -1) {
			repeated := m[1] == "fff" || strings.Contains(string(light), "light-dark(#"+m[1]+",")
			mask := m[1] == "000" // where all is visible
			if path.Base(name) != "tokens.css" && !mask && (path.Ext(name) == ".css" || !repeated) {
				t.Errorf("%s has the colour #%s", name, m[1])
			}
		}
	}
}

// seenAs applies a matrix of seenBy to a colour.
func seenAs(seen [3]colour, c colour) colour {
	var out colour
	for i, row := range seen {
		out[i] = max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2])
	}
	return out
}
