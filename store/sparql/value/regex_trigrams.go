package value

import (
	"regexp/syntax"

	"github.com/segraph/segraph/store/trigram"
)

// Trigrams returns what a text needs that matches, nil for nothing.
func (r *Regex) Trigrams() *trigram.Query {
	tree, err := syntax.Parse(r.program.String(), syntax.Perl)
	if err != nil { // it was compiled
		return nil
	}
	return trigram.Regexp(tree)
}
