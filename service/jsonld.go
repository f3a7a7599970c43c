package service

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/internal/vocabulary"
)

// ContextsOf returns the function that finds the contexts that a JSON-LD document may
// name: the built-in one, by its path, or by its address at one of the hosts, such as
// localhost:5000.
func ContextsOf(hosts ...string) func(iri string) ([]byte, error) {
	names := []string{vocabulary.ContextPath}
	for _, host := range hosts {
		for _, scheme := range []string{"http://", "https://"} {
			names = append(names, scheme+host+vocabulary.ContextPath, scheme+host+"/api"+vocabulary.ContextPath)
		}
	}
	return func(iri string) ([]byte, error) {
		if !slices.Contains(names, iri) {
			return nil, fmt.Errorf("the context %s is not built in, and none is loaded from elsewhere; put it inline, or name the built-in context %s",
				iri, vocabulary.ContextPath)
		}
		return vocabulary.Context, nil
	}
}
