package service

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/vocabulary"
)

// ContextsOf returns a function that finds a JSON-LD context by its IRI. It knows only
// the built-in context: by its path, or by its address at one of hosts, such as
// localhost:5000.
func ContextsOf(hosts ...string) func(iri string) ([]byte, error) {
	return func(iri string) ([]byte, error) {
		names := []string{vocabulary.ContextPath}
		for _, host := range hosts {
			for _, scheme := range []string{"http://", "https://"} {
				names = append(names, scheme+host+vocabulary.ContextPath, scheme+host+"/api"+vocabulary.ContextPath)
			}
		}
		if !slices.Contains(names, iri) {
			return nil, fmt.Errorf("the context %s is not built in, and contexts are not loaded from elsewhere; put it inline, or name the built-in context %s",
				iri, vocabulary.ContextPath)
		}
		return vocabulary.Context, nil
	}
}
