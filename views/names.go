package views

import (
	"cmp"
	"slices"
	"strings"
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

// TellApart returns a distinct name for each IRI: its label or, if that is "", its local
// name. If several IRIs have the same name, each name is followed by the last part of the
// IRI that distinguishes it, as in "ari (lab-a)" and "ari (lab-b)".
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
		if count[name] > 1 { // the result may equal another label
			out[iri] = name + " (" + iri + ")"
		}
	}
	return out
}

// distinguish returns a distinguishing text for each IRI: the last part that no other IRI
// has in the same position, otherwise the shortest unique suffix, or the whole IRI.
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
		if len(of) == 1 { // otherwise different IRIs have it at different positions
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

// ownParts returns, for each IRI, the first part in the order of at that no other IRI has
// in the same position.
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

// partsOf returns the parts of an IRI, last first.
func partsOf(iri string) []string {
	parts := strings.FieldsFunc(iri, func(r rune) bool { return r == '/' || r == '#' })
	slices.Reverse(parts)
	return parts
}
