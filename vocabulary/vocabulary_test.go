package vocabulary_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/vocabulary"
)

func TestPrefixesAreSortedAndEachStandsForOneNamespace(t *testing.T) {
	prefixes := vocabulary.Prefixes()
	seen := map[string]bool{}
	for _, p := range prefixes {
		if seen[p.Label] || seen[p.Namespace] {
			t.Errorf("%s: <%s> is repeated", p.Label, p.Namespace)
		}
		seen[p.Label], seen[p.Namespace] = true, true
		if !rdf.IsIRI(p.Namespace) || !strings.ContainsAny(p.Namespace[len(p.Namespace)-1:], "#/") {
			t.Errorf("%s: <%s> is not a namespace", p.Label, p.Namespace)
		}
	}
	if !slices.IsSortedFunc(prefixes, func(a, b turtle.Prefix) int { return strings.Compare(a.Label, b.Label) }) {
		t.Error("the labels are not sorted")
	}
}
