package views

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// Persons maps each IRI of a person who has several, as people decided, to all of them, in order. Pages show such a
// person once, by the first IRI.
type Persons map[string][]string

// Persons returns the people who have several IRIs.
func (u *UI) Persons(ctx context.Context) (Persons, error) { return u.Service.People(ctx) }

// First returns the first IRI of the person whom an IRI names, or the IRI.
func (p Persons) First(iri string) string { return p.All(iri)[0] }

// All returns the IRIs of the person whom an IRI names.
func (p Persons) All(iri string) []string {
	if iris := p[iri]; len(iris) > 0 {
		return iris
	}
	return []string{iri}
}

// Fold returns labels with one for each person, by the first IRI. The caller must not change them.
func (p Persons) Fold(labels map[string]string) map[string]string {
	if len(p) == 0 {
		return labels
	}
	out := make(map[string]string, len(labels))
	for iri, label := range labels {
		if _, several := p[iri]; !several {
			out[iri] = label
		}
	}
	for iri, all := range p {
		if iri != all[0] {
			continue
		}
		for _, other := range all {
			if label, known := labels[other]; known {
				out[iri] = cmp.Or(out[iri], label)
			}
		}
	}
	return out
}

// Replace replaces, in the rows of an answer, the IRIs of people by their first ones.
func (p Persons) Replace(rows [][]rdf.Term) {
	for _, row := range rows {
		for i, t := range row {
			if iris := p[t.Value()]; iris != nil && t.IsIRI() {
				row[i] = rdf.NewIRI(iris[0])
			}
		}
	}
}

// Others returns the other IRIs of the person whom an IRI names.
func (p Persons) Others(iri string) []string {
	return slices.DeleteFunc(slices.Clone(p.All(iri)), func(other string) bool { return other == iri })
}

// Version is a text to append to keys of caches: it differs if people decided otherwise
// about who is one person. It is "" if nobody has several IRIs.
func (p Persons) Version() string {
	if len(p) == 0 {
		return ""
	}
	h := fnv.New64a()
	for _, iri := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(h, "%q %q\n", iri, strings.Join(p[iri], " "))
	}
	return fmt.Sprintf(" %x", h.Sum64())
}
