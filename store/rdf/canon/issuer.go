package canon

import (
	"maps"
	"slices"
	"strconv"
)

// issuer issues labels: a prefix and a number from 0 (RDFC-1.0, section 4.5).
type issuer struct {
	prefix string
	labels map[string]string // by the label in the input
	order  []string          // nodes with a label, in order of issue
}

func newIssuer(prefix string) *issuer {
	return &issuer{prefix: prefix, labels: make(map[string]string)}
}

func (s *issuer) has(node string) bool {
	_, ok := s.labels[node]
	return ok
}

// issue gives a node the next label, unless it has one.
func (s *issuer) issue(node string) {
	if !s.has(node) {
		s.labels[node] = s.prefix + strconv.Itoa(len(s.order))
		s.order = append(s.order, node)
	}
}

func (s *issuer) clone() *issuer {
	return &issuer{s.prefix, maps.Clone(s.labels), slices.Clone(s.order)}
}

// permutations yields every order of items. It reuses the slice that it yields.
func permutations(items []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		permute(slices.Clone(items), 0, yield)
	}
}

// permute yields every order of items that begins with the first n. It reports whether to
// continue.
func permute(items []string, n int, yield func([]string) bool) bool {
	if n >= len(items)-1 {
		return yield(items)
	}
	for i := n; i < len(items); i++ {
		items[n], items[i] = items[i], items[n]
		if !permute(items, n+1, yield) {
			return false
		}
		items[n], items[i] = items[i], items[n]
	}
	return true
}
