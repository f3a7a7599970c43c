package value

import (
	"regexp/syntax"

	"github.com/segraph/segraph/store/trigram"
)

// Trigrams returns the trigrams that a matching text must have, or nil if it needs none.
func (r *Regex) Trigrams() *trigram.Query {
	tree, err := syntax.Parse(r.program.String(), syntax.Perl)
	if err != nil { // cannot happen: the program was compiled
		return nil
	}
	return trigram.Regexp(tree)
}
