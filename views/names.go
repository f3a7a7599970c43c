package views

import (
	"cmp"
	"slices"
	"strings"
)

// Names are what IRIs are called, as TellApart returns it.
type Names map[string]string

// Of returns what an IRI is called: its local name, if it is not among the names.
func (n Names) Of(iri string) string {
	if name, ok := n[iri]; ok {
		return name
	}
	return Short(iri)
}

// TellApart returns a name for each IRI: its label, or its local name where the label is
// "". Where several IRIs have the same name, each is followed by the part of its IRI, the
// nearest to its end, that no other of them has there: "ari (lab-a)" and "ari (lab-b)".
func TellApart(labels map[string]string) map[string]string {
	same := map[string][]string{}
	out := make(map[string]string, len(labels))
	for iri, label := range labels {
		if label == "" {
			label = Short(iri)
		}
		out[iri] = label
		same[label] = append(same[label], iri)
	}
	for label, iris := range same {
		if len(iris) < 2 {
			continue
		}
		for iri, part := range distinguish(iris) {
			out[iri] = label + " (" + part + ")"
		}
	}
	count := map[string]int{}
	for _, name := range out {
		count[name]++
	}
	for iri, name := range out {
		if count[name] > 1 { // a label that looks like another with its part
			out[iri] = name + " (" + iri + ")"
		}
	}
	return out
}

// distinguish returns, for each IRI, the part nearest to its end that is its own there;
// else the shortest end of it that is, or all of it.
func distinguish(iris []string) map[string]string {
	part := func(parts []string, i int) string { return parts[i] }
	end := func(parts []string, i int) string {
		out := slices.Clone(parts[:i+1])
		slices.Reverse(out)
		return strings.Join(out, "/")
	}
	out := map[string]string{}
	chosen := map[string][]string{}
	for iri, p := range ownParts(iris, part) {
		chosen[p] = append(chosen[p], iri)
	}
	for p, of := range chosen {
		if len(of) == 1 { // else it is one IRI's part at one place, and another's at another
			out[of[0]] = p
		}
	}
	ends := ownParts(iris, end)
	for _, iri := range iris {
		if out[iri] == "" {
			out[iri] = cmp.Or(ends[iri], iri)
		}
	}
	return out
}

// ownParts returns what at gives first, from the end, of the parts of an IRI, and of no
// other IRI at that place.
func ownParts(iris []string, at func(parts []string, i int) string) map[string]string {
	parts := map[string][]string{}
	deepest := 0
	for _, iri := range iris {
		parts[iri] = partsOf(iri)
		deepest = max(deepest, len(parts[iri]))
	}
	out := map[string]string{}
	for i := range deepest {
		count := map[string]int{}
		for _, p := range parts {
			if i < len(p) {
				count[at(p, i)]++
			}
		}
		for iri, p := range parts {
			if out[iri] == "" && i < len(p) && count[at(p, i)] == 1 {
				out[iri] = at(p, i)
			}
		}
	}
	return out
}

// partsOf returns the parts of an IRI, the last first.
func partsOf(iri string) []string {
	parts := strings.FieldsFunc(iri, func(r rune) bool { return r == '/' || r == '#' })
	slices.Reverse(parts)
	return parts
}
