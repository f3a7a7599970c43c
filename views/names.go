package views

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/segraph/segraph/vocabulary"
)

// Names maps IRIs to names, as returned by TellApart.
type Names map[string]string

// Of returns the name of an IRI. If it has none, it returns the local name.
func (n Names) Of(iri string) string {
	if name, ok := n[iri]; ok {
		return name
	}
	return Short(iri)
}

// Ages returns a number for each of some IRIs: the earlier an IRI was stored, the smaller;
// 0 if it never was.
type Ages func(iris []string) []uint64

// TellApart returns a distinct name for each IRI: its label or, if that is "", its local
// name. If several IRIs have the same name, the IRI that was stored first keeps it. To the
// names of the others TellApart adds the last part of the IRI in which it differs from earlier
// ones, as in "ari (lab-b)". So a name stays when others come. ages may be nil; IRIs of the
// same age are in the order of their text.
func TellApart(labels map[string]string, ages Ages) map[string]string {
	out := make(map[string]string, len(labels))
	alike := map[string][]string{} // IRIs by what may precede an addition
	for iri, label := range labels {
		out[iri] = cmp.Or(label, Short(iri))
		start, _, _ := strings.Cut(out[iri], " (")
		alike[start] = append(alike[start], iri)
	}
	var unsure []string
	for _, iris := range alike {
		if len(iris) > 1 {
			unsure = append(unsure, iris...)
		}
	}
	type place struct {
		label, part string
		at          int
	}
	seen, taken := map[place]bool{}, map[string]bool{}
	for _, iri := range oldestFirst(unsure, ages) {
		label, parts := out[iri], partsOf(iri)
		if taken[label] {
			out[iri] = label + " (" + iri + ")"
			for i, part := range parts {
				if name := label + " (" + part + ")"; !seen[place{label, part, i}] && !taken[name] {
					out[iri] = name
					break
				}
			}
		}
		taken[out[iri]] = true
		for i, part := range parts {
			seen[place{label, part, i}] = true
		}
	}
	return out
}

// oldestFirst sorts IRIs by their ages.
func oldestFirst(iris []string, ages Ages) []string {
	slices.Sort(iris)
	if ages == nil || len(iris) == 0 {
		return iris
	}
	age := map[string]uint64{}
	for i, n := range ages(iris) {
		age[iris[i]] = n - 1 // 0 becomes the largest number: one that was not stored is the youngest
	}
	slices.SortStableFunc(iris, func(a, b string) int { return cmp.Compare(age[a], age[b]) })
	return iris
}

// partsOf returns the parts of an IRI, last first.
func partsOf(iri string) []string {
	parts := strings.FieldsFunc(iri, func(r rune) bool { return r == '/' || r == '#' })
	slices.Reverse(parts)
	return parts
}

// Short returns the last part of an IRI.
func Short(iri string) string {
	if i := strings.LastIndexAny(strings.TrimRight(iri, "/#"), "/#:"); i >= 0 && i+1 < len(iri) {
		return strings.TrimRight(iri[i+1:], "/#")
	}
	return iri
}

// Feeling returns the name of an emotion's category without its set of "Vocabularies for EmotionML": "sadness" for
// emoml:big6_sadness.
func Feeling(category string) string {
	return emotionSet.ReplaceAllString(Short(category), "")
}

var emotionSet = regexp.MustCompile("^" + vocabulary.EmotionSet)

// KindName formats the name of a kind of event as words. Speech of a person is a "sentence", as on all pages.
func KindName(kind string) string {
	if kind == "human_utterance" {
		return "sentence"
	}
	return strings.ReplaceAll(Short(kind), "_", " ")
}

// PlainIRIs removes escapes that a query string does not need (RFC 3986, section 3.4), to
// keep addresses short.
var PlainIRIs = strings.NewReplacer("%3A", ":", "%2F", "/")
