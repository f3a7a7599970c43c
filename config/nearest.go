package config

import "github.com/segraph/segraph/store/sparql/syntax"

// Nearest returns the candidate with the fewest edits from word, the first among equals,
// or "" without candidates.
func Nearest(word string, candidates []string) string {
	best, least := "", -1
	for _, c := range candidates {
		if d := syntax.EditDistance(word, c); least < 0 || d < least {
			best, least = c, d
		}
	}
	return best
}

// Similar reports whether a may be a misspelling of b, with at most a third of it wrong.
func Similar(a, b string) bool {
	return syntax.EditDistance(a, b) <= max(len(a), len(b), 3)/3
}
