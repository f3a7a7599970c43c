package engine

import (
	"fmt"
	"testing"
)

// TestManyPrefixesHaveOneLabel numbers the labels of a thousand namespaces without trying all numbers for each.
func TestManyPrefixesHaveOneLabel(t *testing.T) {
	s := openStore(t)
	for i := range maxPrefixes {
		add(t, s, fmt.Sprintf("@prefix a: <http://e/%d/> . a:s a:p a:o .", i))
	}
	labels := map[string]bool{}
	made := testing.AllocsPerRun(1, func() {
		all, err := s.Prefixes()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			labels[p.Label] = true
		}
	})
	if len(labels) < maxPrefixes || !labels["a"] || !labels["a2"] || !labels[fmt.Sprint("a", maxPrefixes)] || made > 20*maxPrefixes {
		t.Errorf("%d labels with %v allocations", len(labels), made)
	}
}
