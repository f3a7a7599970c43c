package vocabulary

import (
	_ "embed"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/segraph/segraph/store/rdf"
)

//go:embed terms.txt
var termLists string

// termList holds the terms of a namespace.
type termList struct {
	namespace string
	names     map[string]bool
	closed    bool // names are all
}

// lists returns the list of each namespace that has one, also by the namespace with the other
// of the schemes http and https.
var lists = sync.OnceValue(func() map[string]termList {
	all := map[string]termList{}
	var now termList
	for i, line := range slices.DeleteFunc(strings.Split(termLists, "\n"), func(s string) bool { return s == "" || s[0] == '#' }) {
		words := strings.Fields(line)
		if i%2 == 0 {
			now = termList{words[0], map[string]bool{}, words[1] == "closed"}
			all[words[0]] = now
			continue
		}
		for _, name := range words {
			now.names[name] = true
		}
	}
	for namespace, list := range maps.Clone(all) {
		other := "http" + strings.TrimPrefix(namespace, "https")
		if rest, http := strings.CutPrefix(namespace, "http:"); http {
			other = "https:" + rest
		}
		if _, listed := all[other]; !listed {
			all[other] = list
		}
	}
	return all
})

// IRIs yields the known namespaces, and the IRIs of the terms that are listed, with http and with https.
func IRIs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range Prefixes() {
			if !yield(p.Namespace) {
				return
			}
		}
		for namespace, list := range lists() {
			for name := range list.names {
				if !yield(namespace + name) {
					return
				}
			}
		}
	}
}

// split returns the namespace of an IRI and the name in it.
func split(iri string) (namespace, name string) {
	end := max(strings.LastIndexByte(iri, '#'), strings.LastIndexByte(iri, '/')) + 1
	return iri[:end], iri[end:]
}

func (l *termList) has(name string) bool {
	return l.names[name] || l.namespace == rdf.RDF && ordinal(name)
}

// Doubtful reports whether an IRI is in a namespace that has a list, or differs from one only in
// the scheme, and is not in the list.
func Doubtful(iri string) bool {
	namespace, name := split(iri)
	known, ok := lists()[namespace]
	return ok && !(known.namespace == namespace && known.has(name))
}

// Unknown reports whether an IRI is in a known namespace and no term of it, and returns the
// likely term, or "". If the list of the namespace's terms is not complete, only a likely
// misspelling of one is unknown. Unlike Absent, it may take a millisecond.
func Unknown(iri string) (meant string, unknown bool) {
	if !Doubtful(iri) {
		return "", false
	}
	namespace, name := split(iri)
	known := lists()[namespace]
	if namespace = known.namespace; known.names[name] {
		return namespace + name, true
	}
	if len(name) > maxName {
		return "", known.closed
	}
	best, least := "", max(2, len(name)*2/5)+1
	if !known.closed {
		least = 3
	}
	for other := range known.names {
		given, term := strings.ToLower(name), strings.ToLower(other)
		far := distance(given, term)
		switch {
		case !known.closed || len(name) < 4: // a part of a name does not count
		case strings.HasPrefix(term, given):
			far = min(far, 1)
		case strings.Contains(term, given):
			far = min(far, 3)
		}
		tie := far == least && best != "" // so the order of the map does not matter
		if far < least || tie && namespace+other < best {
			best, least = namespace+other, far
		}
	}
	return best, known.closed || best != ""
}

// maxName is more than twice the length of the longest name in the lists. Comparing names
// takes time in proportion to the product of their lengths.
const maxName = 128

// Absent reports whether an IRI is in a namespace whose list is complete, and not in the list.
func Absent(iri string) bool {
	namespace, name := split(iri)
	known := lists()[namespace]
	return known.closed && known.namespace == namespace && !known.has(name)
}

// ordinal reports whether a name is that of a container membership property, as rdf:_1.
func ordinal(name string) bool {
	return len(name) > 1 && name[0] == '_' && strings.Trim(name[1:], "0123456789") == ""
}

// distance returns the number of bytes to insert, delete or replace in a to get b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
